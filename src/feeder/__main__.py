"""Entry point of the `feeder` command.

Makes Ctrl-C exit quietly with code 130, also during the slow imports, and numpy compute in one
thread.
"""

import atexit
import os
import signal

signal.signal(signal.SIGINT, lambda *_: os._exit(130))
# at its end Python restores the default, which would kill the process and replace its exit code
atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
# OpenBLAS would start a thread per core with numpy: for a query that takes longer than it saves
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from feeder.cli.main import main  # noqa: E402 - the slowest import

if __name__ == "__main__":
    main()
