"""`python -m aune`."""

import sys

sys.path.pop(0)  # the folder where one works: no file in it may stand in for a package

from aune.cli import main

main()
