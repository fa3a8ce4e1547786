"""Where the program begins; Ctrl-C is quiet from here on, before anything can have been done."""

import os
import signal

signal.signal(signal.SIGINT, lambda *_: os._exit(130))

from feeder.cli.main import main  # noqa: E402 - takes most of the start

if __name__ == "__main__":
    main()
