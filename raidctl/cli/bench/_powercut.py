"""Carry out ``raidctl bench powercut``: target, witness, check, writing."""

from __future__ import annotations

import os
import platform
import secrets
import shlex
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import click

from raidctl import __version__
from raidctl.bench.powercut.identity import target_of, with_caches
from raidctl.bench.powercut.medium import Handled, Medium, OpenNbd, RunFile, Served, of_device
from raidctl.bench.powercut.messages import Open, Opened
from raidctl.bench.powercut.report import How, Plan, PowerCutRun, Target
from raidctl.bench.powercut.writer import WitnessConnection, WitnessGone, Writing, boot_id, check, foreign
from raidctl.bench.preflight import Kind
from raidctl.bench.targets.device import DeviceTarget
from raidctl.cli.bench._powercut_left import forget, keep, left
from raidctl.cli.bench._witness_token import address_of, token_in
from raidctl.cli.shared.before_measuring import Agreement
from raidctl.cli.shared.bench_plan import kind_of, range_of, size_of
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.terminal import emit_message
from raidctl.errors import BenchError, CannotTell, RaidctlError, UsageError
from raidctl.host import BlockDevice, HostView
from raidctl.text import printable
from raidctl.units import format_binary, parse_size
from raidctl.verify import subjects

BLOCK = 4096
_SIZE = 16 << 20
_LARGEST = 1 << 30
"""Bytes of the largest range. It is filled completely again after each cut."""


@dataclass(frozen=True)
class PowercutOptions:
    """The options of the command line."""

    target: str
    kind: Kind
    witness: tuple[str, int]
    token: bytes
    resume: str | None
    how: How
    only: bool
    remove: bool
    size: int
    overwrite: tuple[int, int] | None
    group: int
    most: int
    dry_run: bool
    yes: bool
    again: str
    """The command that resumes the run, without its id."""

    @classmethod
    def of(cls, given: dict[str, Any]) -> PowercutOptions:
        """Check the options. Raise UsageError or click.UsageError."""
        resume, kind = given["resume"], kind_of(given["target"])
        if not resume and (given["only"] or given["how"] or given["remove"]):
            raise click.UsageError("--check, --cut-by and --remove need --resume.")
        if given["remove"] and (not given["only"] or kind != "file"):
            raise click.UsageError("--remove needs --check and a directory: it removes the file of the run.")
        if given["only"] and given["dry_run"]:
            raise click.UsageError("--check has no plan, so it cannot be used with --dry-run.")
        if resume and (given["size"] or given["group"]):
            raise click.UsageError("--size and --group cannot be given with --resume: the run keeps its own.")
        overwrite = range_of(given["overwrite"], kind)
        if kind != "file" and overwrite is None and not given["only"]:
            raise click.UsageError("--overwrite names the part that may be overwritten: 10GiB+16MiB, or all.")
        return cls(
            target=given["target"], kind=kind, witness=address_of(given["witness"]), token=token_in(given["token"]),
            resume=resume, how=cast("How", given["how"] or "unknown"), only=given["only"], remove=given["remove"],
            size=size_of(given["size"], kind) or _SIZE, overwrite=overwrite, group=given["group"] or 16,
            most=_most(given["most"]), dry_run=given["dry_run"], yes=given["yes"], again=_again(given),
        )  # fmt: skip


def _again(given: dict[str, Any]) -> str:
    words = ["raidctl", "bench", "powercut", given["target"], "--witness", given["witness"]]
    words += ["--token-file", str(given["token"])]
    words += ["--overwrite", given["overwrite"]] if given["overwrite"] else []
    return shlex.join([*words, "--resume"])


def _most(text: str) -> int:
    try:
        return parse_size(text, binary=True)
    except ValueError:
        raise click.UsageError(f'--most "{printable(text)}" is not a size with a unit: 16GiB.') from None


class Session:
    """One call of the command."""

    def __init__(self, options: PowercutOptions, settings: Settings) -> None:
        self.options, self._settings = options, settings
        self.resumed = options.resume is not None
        self._stack = ExitStack()
        self._run = secrets.token_hex(8)
        self._foreign: int | None = None
        """Blocks with data that the run has not written. None: not searched yet."""

    def __enter__(self) -> Session:  # noqa: PYI034 - Self is not in the typing of Python 3.10
        """Identify the target, ask, connect to the witness, and open the target.

        Raises:
            RaidctlError: It is refused; nothing was written.
        """
        try:
            self._enter()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close target and connection."""
        self._stack.close()

    def _enter(self) -> None:
        options = self.options
        boot = boot_id()
        target, virtual = self._identity()
        plan = None if self.resumed else self._plan(target)
        if plan is not None:
            _agree(options, plan)
        self.witness = WitnessConnection(options.witness, options.token)
        self._stack.callback(self.witness.close)
        if plan is not None:
            # opened before the witness is contacted, which would otherwise keep a run without a target
            self.medium = self._medium(plan, new=True)
        request = Open(
            run=options.resume or self._run, host=platform.node() or None, boot=boot, raidctl=__version__,
            virtual=virtual, target=target, plan=plan, left=left(self._settings),
        )  # fmt: skip
        try:
            self.opened: Opened = self.witness.open(request)
        except BaseException:
            if plan is not None and options.kind == "file":
                self.file.remove()
            raise
        for note in self.opened.notes:
            emit_message(note)
        if plan is None:
            self.witness.check_target(target)
            self._run = self.opened.run
            self._same_range()
            if not options.only:
                _agree(options, self.opened.plan)
            self.medium = self._medium(self.opened.plan, new=False)

    def _plan(self, target: Target) -> Plan:
        """Return what will be written. Raise BenchError or UsageError."""
        options = self.options
        first, size = 0, options.size
        if options.overwrite is not None:
            first, length = options.overwrite
            whole = target.size_bytes or 0
            size = length or whole // BLOCK * BLOCK
        if size < 16 * BLOCK or size > _LARGEST:
            shown = f"{format_binary(16 * BLOCK)} to {format_binary(_LARGEST)}"
            raise UsageError(f"The range is {format_binary(size)}; it must be {shown}, as it is filled after each cut.")
        return Plan(first=first, block_bytes=BLOCK, blocks=size // BLOCK, group=min(options.group, size // BLOCK))

    def _same_range(self) -> None:
        """Refuse a range that differs from that of the run."""
        options, plan = self.options, self.opened.plan
        if options.overwrite is None:
            return
        first, length = options.overwrite
        if first != plan.first or (length and length // BLOCK != plan.blocks):
            raise UsageError(f"The range of the run is {plan.first}+{plan.blocks * BLOCK}: name the same one.")

    def _medium(self, plan: Plan, *, new: bool) -> Medium:
        """Open the target. Raise BenchError or AccessMissing."""
        options, size = self.options, plan.blocks * plan.block_bytes
        if options.kind == "nbd":
            served = self._stack.enter_context(OpenNbd(options.target))
            if served.link is None or not served.link.export.can_flush:
                raise BenchError(f"{printable(options.target)} has no flush: there is nothing to test.")
            return Served(served.link)
        if options.kind == "device":
            range_ = None if options.only else (plan.first, size)
            device = self._stack.enter_context(DeviceTarget(options.target, write=range_))
            if not device.direct:
                raise BenchError(f"{printable(options.target)} refuses O_DIRECT: the page cache would be tested.")
            return Handled(device.fileno(), plan.first, plan.block_bytes) if options.only else of_device(device, plan)
        self.file = self._stack.enter_context(RunFile(options.target, self._run, size, new=new))
        if not self.file.direct:
            emit_message(
                "O_DIRECT is refused here: writes go through the page cache, and each group is flushed out of it."
            )
        return Handled(self.file.fileno(), 0, plan.block_bytes)

    def _identity(self) -> tuple[Target, str | None]:
        """Return what identifies the target, and the kind of virtual machine."""
        options = self.options
        if options.kind == "nbd":
            with OpenNbd(options.target) as served:
                size = served.link.export.size if served.link is not None else None
            return Target(kind="nbd", name=options.target, size_bytes=size), None
        path = os.path.realpath(options.target)
        with machine(self._settings) as here:
            checked = subjects.with_kernel(here.survey(), here.runner)
        target = target_of(options.kind, path, checked.view, _block(checked.view, path, options.kind))
        try:
            found = subjects.named(checked, [path])
        except RaidctlError:
            found = []
        if len(found) == 1:
            target = with_caches(target, found[0].item, [drive for _, drive in found[0].drives])
        return target, checked.view.virtual

    def checked(self) -> PowerCutRun:
        """Check the cut, if there was one. Return the run with all its cuts.

        Raises:
            CannotTell: It cannot be checked.
        """
        if self.opened.due:
            if self.opened.same_boot and self.options.kind == "file" and not self.file.direct:
                raise CannotTell(
                    "The page cache of this boot may contain what the drive has lost: restart the machine, then check."
                )
            self._foreign = check(self.witness, self.medium, self.opened, self.options.how).foreign
        forget(self._settings)
        report = self.witness.report()
        if self.options.remove:
            self.file.remove()
            emit_message(f"Removed {self.file.name}.")
        return report

    def _refuse_foreign(self) -> None:
        """Refuse to overwrite data that another program has written since. Raise BenchError."""
        found = foreign(self.medium, self.opened) if self._foreign is None else self._foreign
        if found:
            blocks = f"{found:,} block{'s' * (found != 1)}"
            raise BenchError(
                f"Data that this run did not write is in {blocks} of the range: nothing was written. If the range may "
                "be overwritten, begin a new run, without --resume."
            )

    def write(self) -> None:
        """Write until the power is cut, or the limit is reached.

        Raises:
            CannotTell: The target or the witness failed.
        """
        opened, run = self.opened, self.opened.run
        if self.resumed:
            self._refuse_foreign()
        writing = Writing(self.witness, self.medium, opened, self.options.most, emit_message)
        forget(self._settings)
        try:
            done = writing.run(f"Writing: cut the power at any time. After the start: {self.options.again} {run}")
        except WitnessGone:
            keep(self._settings, run)
            raise
        raise CannotTell(
            f"{format_binary(self.options.most)} were written in {done} groups without a cut: continue with "
            f'"{self.options.again} {run}".'
        )


def _block(view: HostView, path: str, kind: Kind) -> BlockDevice | None:
    """Return the block device of a path; None: unknown."""
    if kind == "device":
        return view.block(path)
    number = os.stat(path).st_dev  # noqa: PTH116 - a string
    place = Path("/sys/dev/block") / f"{os.major(number)}:{os.minor(number)}"
    return view.block(f"/dev/{place.resolve().name.replace('!', '/')}") if place.exists() else None


def _agree(options: PowercutOptions, plan: Plan) -> None:
    """Show what will be written, and ask if it overwrites something. Raise DryRunError, Declined or UsageError."""
    shown, size = printable(options.target), format_binary(plan.blocks * plan.block_bytes)
    if options.kind == "file":
        text = f"In {shown} a file of {size} is created; it stays for --resume, until --remove."
    else:
        text = f"{shown} is OVERWRITTEN, {size} from byte {plan.first:,} on: its contents are lost."
    most = (
        f"At most {format_binary(options.most)} are written, in groups of {plan.group} blocks with a flush after each."
    )
    consent = Agreement(options.kind != "file" and options.resume is None, dry_run=options.dry_run, yes=options.yes)
    consent(
        [text, most, "The power of this machine will be cut during the run: nothing else of value should be running."]
    )
