"""Settings that ``raidctl bench run`` changes temporarily on request.

The kernel's read-ahead and a write cache go through the journal, as every change: they are restored when the
measurement ends, fails or is interrupted, by a second process when raidctl is killed, and by ``raidctl restore``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from raidctl.bench.trials.classic import Classic
from raidctl.bench.trials.readahead import ReadAhead
from raidctl.change.engine import plan
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import work_on
from raidctl.cli.shared.state_directories import state_directory
from raidctl.cli.shared.temporary_change import apply_temporarily
from raidctl.errors import AccessMissing, BenchError, CannotTell, ChangeNotUndone, UsageError
from raidctl.host import BlockDevice
from raidctl.layers import family
from raidctl.layers.family.change import queue_of
from raidctl.layers.scope import scope
from raidctl.model import Controller, Volume
from raidctl.survey.survey import Survey
from raidctl.text import listing, printable
from raidctl.vendor.plan import Desired
from raidctl.vendor.protocol import Vendor

if TYPE_CHECKING:
    from raidctl.bench.trials.classic import Switch
    from raidctl.bench.trials.policy_switch import State
    from raidctl.cli.shared.switcher import Switcher

_AHEAD = ("read_ahead", "adaptive")
_NOT_AHEAD = ("none", "off")
"""Read policies without read-ahead, the preferred one first."""


@dataclass
class KernelReadAhead:
    """The kernel's read-ahead of one block device."""

    settings: Settings
    here: Machine
    block: str
    """Kernel name."""
    present: int | None

    @property
    def name(self) -> str:
        """The name in messages."""
        return f"/dev/{self.block}"

    @contextmanager
    def at(self, kib: int) -> Iterator[None]:
        """Set it to ``kib`` KiB while the context lasts.

        Raises:
            RaidctlError: It is refused, failed, or was not restored.
        """
        named = replace(self.here, vendors=[cast("Vendor", family)])
        desired = Desired(object_id=queue_of(self.block), setting="read_ahead", value=str(kib))
        with _held(self.settings, named, desired):
            yield


@dataclass
class ControllerReadAhead:
    """The controller's read-ahead for one volume."""

    settings: Settings
    here: Machine
    volume: str
    """Id."""
    present: str
    """The current read policy, in the model's words."""
    value: str
    """The temporary read policy."""

    @property
    def on(self) -> bool:
        """Whether read-ahead is configured."""
        return self.present in _AHEAD

    @property
    def name(self) -> str:
        """The name in messages."""
        return f"the controller of {self.volume}"

    @contextmanager
    def other(self) -> Iterator[None]:
        """Set the other policy while the context lasts.

        Raises:
            RaidctlError: It is refused, failed, or was not restored.
        """
        with _held(self.settings, self.here, Desired(object_id=self.volume, setting="read_policy", value=self.value)):
            yield


@contextmanager
def _held(settings: Settings, named: Machine, desired: Desired) -> Iterator[None]:
    """Keep a setting active while the context lasts. If it is already active, prevent changes meanwhile.

    Raises:
        RaidctlError: It is refused, failed, or was not restored.
    """
    work = work_on(named, None, lambda _: [desired])
    if work.plan.refusals:
        raise CannotTell(work.plan.refusals[0].reason)
    work.place = state_directory(settings)
    with apply_temporarily(work, settings, show=_silent):
        yield


def _silent(_: str) -> None:
    """Print nothing. The setting changes many times, and the plan was shown before."""


def kernel_read_ahead(settings: Settings, here: Machine, seen: Survey, path: str) -> KernelReadAhead:
    """Return the read-ahead switch of the device below a path.

    Raises:
        UsageError: No single device of this machine is below.
    """
    block = _disk(seen, path)
    found = replace(here, vendors=[cast("Vendor", family)]).survey()
    objects = {volume.id: volume for controller in found.inventory.controllers for volume in controller.volumes}
    queue = objects.get(queue_of(block.name))
    value = queue.details.get("read_ahead") if queue is not None else None
    return KernelReadAhead(settings, here, block.name, int(value) if value is not None else None)


def controller_read_ahead(settings: Settings, here: Machine, seen: Survey, path: str) -> ControllerReadAhead | str:
    """Return the read-ahead switch of the controller below a path. A sentence: why there is none."""
    no = "The controller's own read-ahead is not switched: "
    try:
        found = scope(seen.view, seen.inventory, path).volumes
    except UsageError:
        found = ()
    if len(found) != 1 or found[0][0].mode == "software":
        return f"{no}no single volume of a controller is below {printable(path)}."
    controller, volume = found[0]
    present = volume.cache.read_policy if volume.cache else None
    if present is None:
        return f"{no}the read policy of {volume.id} is unknown."
    reasons = []
    for value in _NOT_AHEAD if present in _AHEAD else _AHEAD:
        why = _unfit(seen, here, controller, volume, value)
        if why is None:
            return ControllerReadAhead(settings, here, volume.id, present, value)
        reasons.append(why)
    return f"{no}{reasons[0]}"


def _unfit(seen: Survey, here: Machine, controller: Controller, volume: Volume, value: str) -> str | None:
    """Return why a read policy must not be set temporarily.

    It cannot be set so, or would affect others as well. None: it can be set.
    """
    desired = Desired(object_id=volume.id, setting="read_policy", value=value)
    made = plan(seen.inventory, here.vendors, [desired], unsafe=False, view=seen.view)
    if made.refusals:
        return made.refusals[0].reason
    if not made.steps:
        return "it is already set."
    if len(controller.volumes) > 1 and any(step.object_id != volume.id for step in made.steps):
        return f"other volumes of {controller.id} have the same setting."
    return None


def _disk(seen: Survey, path: str) -> BlockDevice:
    try:
        roots = scope(seen.view, seen.inventory, path).roots
    except UsageError:
        roots = ()
    parents = {block.parent or block.name for block in roots}
    block = seen.view.block(parents.pop()) if len(parents) == 1 else None
    if block is None:
        raise UsageError(f"--switch-read-ahead: no single block device is below {printable(path)}.")
    return block


def cache_off(settings: Settings, here: Machine, seen: Survey, path: str) -> tuple[Switch, str]:
    """Return the switch of the write cache, with the plan's notes.

    A controller's volume is switched to write-through. Any other target has its drives' write caches switched off.

    Raises:
        UsageError: There is none that could be switched.
        CannotTell: It is refused, with the reason.
    """
    # imported here: a measurement without a switch does not need it
    from raidctl.cli.shared.switcher import Switcher, refusal  # noqa: PLC0415
    from raidctl.verify.subjects import named, with_kernel  # noqa: PLC0415

    machine = with_kernel(seen, here.runner)
    try:
        several = named(machine, [path])
    except UsageError as error:
        raise UsageError(f"--switch-cache: {error}") from None
    if len(several) != 1:
        names = listing(one.item.device or one.id for one in several)
        raise UsageError(f"--switch-cache takes one volume or drive at a time: {printable(path)} is on {names}.")
    subject = several[0]
    switcher = Switcher(settings, subject)
    through = subject.volume is not None and not subject.software
    try:
        refusal(machine, subject, "write_through" if through else "drives_off", switcher, here.vendors)
    except (UsageError, CannotTell, AccessMissing) as error:
        message = (
            str(error).replace("--switch-policy", "--switch-cache").replace("--switch-drive-caches", "--switch-cache")
        )
        raise type(error)(message) from None
    what = "in write-through" if through else "without the write caches of its drives"

    def off() -> AbstractContextManager[object]:
        return put_back_or_report(switcher, "write_through" if through else "drives_off")

    return off, f"{subject.id} is {what}"


@contextmanager
def put_back_or_report(switcher: Switcher, state: State) -> Iterator[None]:
    """Activate a state while the context lasts. A failed restore is an error, not only a missing figure.

    Raises:
        ChangeNotUndone: It was not restored.
        BenchError: It is refused, or failed and was undone.
    """
    try:
        with switcher(state):
            yield
    except BenchError:
        if isinstance(switcher.trouble, ChangeNotUndone):
            raise switcher.trouble from None
        raise


def switching(
    trials: Sequence[object], *, cache: str | None, ahead_of: str | None, controller: ControllerReadAhead | None = None
) -> Iterator[str]:
    """Return the notes about the changes, for the plan."""
    back = 'restored: at the end, on Ctrl-C, when raidctl is killed, and by "raidctl restore". The journal has it.'
    if ahead_of is not None:
        yield f"The kernel's read-ahead of {ahead_of} is set to several sizes and {back}"
    if controller is not None:
        seconds = sum(2 * one.switched_seconds for one in trials if isinstance(one, ReadAhead))
        yield (
            f"For about {seconds:.0f} seconds the read policy of {controller.volume} is {controller.value} instead of "
            f"{controller.present}; then that is {back}"
        )
    if cache is not None:
        seconds = sum(one.seconds_off for one in trials if isinstance(one, Classic))
        yield f"For about {seconds:.0f} seconds {cache}; then that is {back}"
