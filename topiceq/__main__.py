"""`python -m topiceq`, the same as the `topiceq` command."""

from topiceq.cli.app import main

main()
