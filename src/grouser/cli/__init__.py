"""The command ``grouser``: one file for each command."""
