"""``python -m raidctl.bench.model``: serve a model of an array until SIGTERM or Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from raidctl.bench.model.array import LEVELS
from raidctl.bench.model.device import KINDS, Device, Plan
from raidctl.bench.model.lateness import raise_priority
from raidctl.bench.model.serve import Server
from raidctl.units import parse_size


def size(text: str) -> int:
    """Bytes of ``64MiB``."""
    return parse_size(text, binary=True)


def rate(text: str) -> float:
    """Bytes a second of ``20MB/s``."""
    return float(parse_size(text.removesuffix("/s"), binary=False))


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    words = argparse.ArgumentParser(prog="python -m raidctl.bench.model", description=__doc__)
    words.add_argument("--socket", type=Path, required=True, help="where NBD is served")
    words.add_argument("--control", type=Path, help="where its settings are changed (see raidctl.bench.model.control)")
    words.add_argument("--no-flush-socket", type=Path, help="where it is served through a layer that drops every flush")
    words.add_argument("--kind", choices=KINDS, required=True)
    words.add_argument("--cache", type=size, default=64 << 20, help="of the kind's write cache (64MiB)")
    words.add_argument("--destage", type=rate, default=20e6, help="what leaves it (20MB/s)")
    words.add_argument("--drive-cache", type=size, default=0, help="of the drives behind a controller (none)")
    words.add_argument("--read-cache", type=size, default=0, help="(none)")
    words.add_argument("--read-ahead", type=size, default=0, help="of the controller, behind a reader of a row (none)")
    words.add_argument("--compresses", action="store_true", help="what can be compressed takes less time")
    words.add_argument("--size", type=size, default=1 << 30, help="of one drive (1GiB)")
    words.add_argument("--rpm", type=float, default=7200.0, help="0: solid state (7200)")
    words.add_argument("--zones", type=float, default=2.0, help="outer over inner speed (2)")
    words.add_argument("--raid-level", dest="level", choices=LEVELS, default="single")
    words.add_argument("--drives", type=int, default=1)
    words.add_argument("--strip-size", dest="chunk", type=size, default=64 << 10, help="(64KiB)")
    words.add_argument("--link", type=rate, default=400e6, help="between host and cache (400MB/s)")
    words.add_argument("--latency", type=float, default=50e-6, help="seconds of any answer of a cache (0.00005)")
    words.add_argument("--hold", type=float, default=0.2, help="seconds that a drive's cache keeps content (0.2)")
    words.add_argument("--no-keep", dest="keep", action="store_false", help="read back zeros, to save memory")
    words.add_argument(
        "--no-realtime", dest="realtime", action="store_false", help="do not ask for real-time scheduling (SCHED_RR)"
    )
    return words


def main(words: Sequence[str] | None = None) -> int:
    """Serve; exit code 2 if the model cannot be built or bound."""
    chosen = vars(parser().parse_args(words))
    path, control, realtime = chosen.pop("socket"), chosen.pop("control"), chosen.pop("realtime")
    dropping = chosen.pop("no_flush_socket")
    try:
        server = Server(Device(Plan(**chosen)), path, control, dropping)
    except (ValueError, OSError) as error:
        sys.stderr.write(f"raidctl.bench.model: {error}\n")
        return 2
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    if realtime:
        raise_priority()
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
