"""Entry point of the `feeder` command.

Makes Ctrl-C exit quietly with code 130, also during the slow imports.
"""

import os
import signal

signal.signal(signal.SIGINT, lambda *_: os._exit(130))

from feeder.cli.main import main  # noqa: E402 - the slowest import

if __name__ == "__main__":
    main()
