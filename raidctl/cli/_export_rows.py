"""``raidctl export --rows``: flat rows of this machine, of files, or of saved snapshots and runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec import Struct

from raidctl.cli.shared import files
from raidctl.cli.shared.exit_codes import exit_code, print_problems
from raidctl.cli.shared.machine import look, with_own_records
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.policies import policy_of
from raidctl.cli.shared.state_directories import readable_directory
from raidctl.cli.shared.terminal import emit_bytes
from raidctl.cli.shared.waivers import kept as kept_waivers
from raidctl.errors import EXIT_CANNOT_TELL, EXIT_FINE, CannotTell, RaidctlError
from raidctl.fleet.rows import PieceRows, RowReader, Rows, lines, lines_of, rows_of
from raidctl.model import unread_problems
from raidctl.text import counted, printable

_MAX_FAULTS = 20


class Wanted(Struct, frozen=True, kw_only=True):
    """The options of the command line."""

    table: str
    paths: tuple[str, ...] = ()
    snapshots: bool = False
    form: str = "jsonl"
    output: str | None = None
    policy: str | None = None
    waivers: str | None = None
    jobs: int | None = None

    def check(self, settings: Settings) -> None:
        """Refuse options that contradict each other.

        Raises:
            click.UsageError: Something does.
        """
        if self.form == "parquet" and self.output is None:
            raise click.UsageError("--format parquet needs --output DIRECTORY: it writes a file for each day.")
        if (self.policy is not None or self.waivers is not None) and self.table != "findings":
            raise click.UsageError("--policy and --waivers need --rows findings.")
        if self.snapshots and (self.paths or self.table == "bench"):
            raise click.UsageError(
                "--snapshots reads the saved inventories: it cannot be used with PATH or --rows bench."
            )
        named = [settings.given[name] for name in ("host", "sudo", "replay", "demo") if name in settings.given]
        if named and (self.paths or self.snapshots or self.table == "bench"):
            raise click.UsageError(f"{named[0]} names a machine to read: leave out PATH, --snapshots and --rows bench.")
        if self.paths:
            from raidctl.cli.shared.inventory_paths import check_paths  # noqa: PLC0415 - only where there are some

            check_paths(self.paths)


def export_rows(wanted: Wanted, settings: Settings) -> int:
    """Write the rows. Return the exit code: 3 if something could not be read."""
    wanted.check(settings)
    if wanted.form == "parquet":
        from raidctl.rows.parquet import engine  # noqa: PLC0415 - an extra

        engine()  # before anything is read
    faults: list[str] = []
    codes: list[int] = []
    found = _found(wanted, settings, faults, codes)
    if wanted.form == "parquet":
        from raidctl.rows.parquet import write  # noqa: PLC0415 - as above

        written = write(wanted.table, found, Path(wanted.output or ""))
        for path in written:
            click.echo(f"{printable(str(path))} is written.", err=True)
    elif wanted.output is not None:
        files.write(wanted.output, found)
    else:
        for data in found:
            emit_bytes(data)
    for fault in faults[:_MAX_FAULTS]:
        click.echo(f"raidctl: {printable(fault)}", err=True)
    if len(faults) > _MAX_FAULTS:
        click.echo(f"raidctl: {counted(len(faults) - _MAX_FAULTS, 'more such message')}.", err=True)
    return EXIT_CANNOT_TELL if faults else max(codes, default=EXIT_FINE)


def _found(wanted: Wanted, settings: Settings, faults: list[str], codes: list[int]) -> Iterator[bytes]:
    """Yield the lines, as they come. What could not be read is added to ``faults``."""
    if wanted.table == "bench":
        yield from _runs(wanted.paths, settings, faults)
        return
    policy = policy_of(wanted.policy, wanted.waivers)
    rows = rows_of(wanted.table, policy)
    if wanted.snapshots:
        yield from _snapshots(rows, settings, faults)
    elif wanted.paths:
        for read in _pieces(rows, wanted.paths, wanted.jobs):
            faults += read.faults
            yield read.lines
    else:
        inventory = with_own_records(look(settings), settings).inventory
        print_problems(unread_problems(inventory.problems))
        codes.append(exit_code(inventory.problems))
        if wanted.table == "findings":
            ignored, notes = kept_waivers(settings, inventory.host.hostname)
            faults += notes
            policy.add_waivers(ignored)
        yield lines(rows(inventory, inventory.host.source))[0]


def _pieces(rows: Rows, paths: Sequence[str], jobs: int | None) -> Iterator[PieceRows]:
    from raidctl.fleet.process_pool import cores, results  # noqa: PLC0415 - only where there are many
    from raidctl.fleet.sources import pieces  # noqa: PLC0415 - as above

    return results(pieces(paths, sys.stdin.buffer), RowReader(rows).read, jobs or cores())


def _snapshots(rows: Rows, settings: Settings, faults: list[str]) -> Iterator[bytes]:
    from raidctl.snapshots.store import SnapshotStore  # noqa: PLC0415 - only where they are asked for

    store = SnapshotStore(readable_directory(settings))
    for kept in store.list():
        try:
            data, _, unread = lines_of(rows, store.get(kept.id), f"snapshot:{kept.id}")
            faults += unread
            yield data
        except CannotTell as error:
            faults.append(str(error))


def _runs(paths: Sequence[str], settings: Settings, faults: list[str]) -> Iterator[bytes]:
    """Yield the figures of saved runs, or of files with runs. A file has one run, or one run per line."""
    from raidctl.bench.store import Store, decoded  # noqa: PLC0415 - only where they are asked for
    from raidctl.rows.build import bench  # noqa: PLC0415 - as above

    if not paths:
        store = Store(readable_directory(settings))
        for kept in store.list():
            try:
                yield lines(bench(store.get(kept.id), f"run:{kept.id}"))[0]
            except RaidctlError as error:
                faults.append(str(error))
        return
    for path in paths:
        shown = "standard input" if path == "-" else printable(path)
        try:
            for number, document in enumerate(_documents(files.read(path, shown, "runs")), 1):
                yield lines(bench(decoded(document, f"{shown}:{number}"), f"{shown}:{number}"))[0]
        except RaidctlError as error:
            faults.append(str(error))


def _documents(data: bytes) -> list[bytes]:
    """Split a file into runs: one per line, or a single one."""
    several = [line for line in data.splitlines() if line.strip()]
    return several if several and all(line.lstrip().startswith(b"{") and line.rstrip().endswith(b"}")
                                      for line in several) else [data]  # fmt: skip
