"""What the tests of several families share lies in this folder, which pytest puts on the path for this file."""
