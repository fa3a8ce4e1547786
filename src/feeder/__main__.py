"""Entry point of the `feeder` command.

Sets what has to be set before the slow imports: Ctrl-C and SIGTERM exit quietly with code 130, the
standard streams are open, numpy computes in one thread, and the garbage collector runs rarely.
"""

import atexit
import gc
import os
import signal
import sys

GC_THRESHOLD = 50_000
"""New objects after which the garbage collector looks for cycles: a few MB."""


def open_closed_streams() -> None:
    """Opens the null device for each standard stream that the caller has closed (`>&-`), as git
    does. Else Python has None for it, and the next file that is opened takes its number, so that
    output would be written into an index.
    """
    for number, (name, mode) in enumerate([("stdin", "r"), ("stdout", "w"), ("stderr", "w")]):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, but for threads
            if null != number:
                os.dup2(null, number)
                os.close(null)
            os.set_inheritable(number, True)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
            setattr(sys, f"__{name}__", getattr(sys, name))


def _end_unless_finished(*_: object) -> None:
    """Ends the process before its work begins; afterwards the exit code stays as it is."""
    interrupts = sys.modules.get("feeder.cli.interrupts")
    if not getattr(interrupts, "finished_monitors", None):
        os._exit(130)


open_closed_streams()
for _signal in (signal.SIGINT, signal.SIGTERM):
    if _signal == signal.SIGTERM and signal.getsignal(_signal) == signal.SIG_IGN:
        continue  # the caller does not want it to end this process
    signal.signal(_signal, _end_unless_finished)
    # at its end Python restores the default, which would kill the process and replace its exit code
    atexit.register(signal.signal, _signal, signal.SIG_IGN)
# OpenBLAS would start a thread per core with numpy: for a query that takes longer than it saves
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# by default Python looks for cycles after each 700 new objects: a tenth of the time of a start
gc.set_threshold(GC_THRESHOLD)


def _skip_last_collection() -> None:
    """Lets Python end without a last garbage collection: the system takes all memory back anyway.

    While other threads run, which may still use objects, the collection stays as it is.
    """
    threading = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        gc.freeze()


atexit.register(_skip_last_collection)

from feeder.cli.main import main  # noqa: E402 - the slowest import

if __name__ == "__main__":
    main()
