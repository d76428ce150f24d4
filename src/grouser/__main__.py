"""``python -m grouser`` is the command ``grouser``."""

import sys

from grouser.cli.app import main

sys.exit(main())
