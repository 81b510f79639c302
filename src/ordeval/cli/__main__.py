"""python -m ordeval.cli"""

from ordeval.cli import main

main()
