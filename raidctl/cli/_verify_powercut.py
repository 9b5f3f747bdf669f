"""A power-cut run in a file, as ``raidctl --json bench powercut`` prints it."""

from __future__ import annotations

import msgspec

from raidctl import json_decode
from raidctl.bench.powercut.report import PowerCutRun
from raidctl.cli.shared import files
from raidctl.errors import CannotTell
from raidctl.text import printable


def run_in(word: str) -> PowerCutRun:
    """Return the run in a file, or in standard input (``-``).

    Raises:
        CannotTell: It cannot be read, or is something else.
    """
    shown = "Standard input" if word == "-" else printable(word)
    try:
        run: PowerCutRun = json_decode.decode(files.read(word, shown, "a power-cut run"), PowerCutRun)
    except msgspec.MsgspecError as error:
        raise CannotTell(
            f'{shown} is not a power-cut run ({error}); "raidctl --json bench powercut ... --check > FILE" writes one.'
        ) from None
    return run
