"""`python -m feeder`."""

from feeder.cli import main

main()
