"""What the tests of several families share lies in this folder, which pytest puts on the path for this file; and they
take the tyre of the tests of wheels."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "wheeled"))
