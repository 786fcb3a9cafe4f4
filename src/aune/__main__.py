"""`python -m aune`."""

from aune.cli import main

main()
