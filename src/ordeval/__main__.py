"""The command, as ``python -m ordeval``."""

from ordeval.cli import main

main()
