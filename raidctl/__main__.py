"""``python -m raidctl`` and the command ``raidctl``. They import little, so that Ctrl-C ends them quietly."""

from __future__ import annotations

import gc
import signal
import sys
from typing import NoReturn

COLLECT_AFTER = 1_000_000
"""New objects before the garbage collector runs. Imports and readers make next to no garbage in cycles. Looking for it
takes a tenth of a short command's time, and a quarter of that for a thousand drives."""


def main() -> NoReturn:
    """Run the command line. During its import, Ctrl-C ends the process without a traceback."""
    gc.set_threshold(COLLECT_AFTER)
    patient = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if patient:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from raidctl import cli  # noqa: PLC0415 - takes a fifth of a second

    if patient:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        cli.main()
    finally:
        if "duckdb" in sys.modules:
            gc.unfreeze()  # it reports uncollected objects as leaks, on standard error
        else:
            gc.freeze()  # no garbage collection at the exit either


if __name__ == "__main__":
    main()
