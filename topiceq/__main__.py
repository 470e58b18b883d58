"""`python -m topiceq`, the same as the `topiceq` command."""

from topiceq.cli import main

main()
