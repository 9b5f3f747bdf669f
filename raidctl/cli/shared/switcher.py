"""Switch a cache policy during a measurement, by the engine of ``raidctl batch``.

The change is in the journal before it happens; it is undone when the measurement ends, fails or is interrupted; by a
second process when raidctl is killed; and by ``raidctl restore`` at boot after a power failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from raidctl.bench.trials.policy_switch import State
from raidctl.change.engine import plan
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import AGREED, planned
from raidctl.cli.shared.temporary_change import apply_temporarily
from raidctl.errors import BenchError, CannotTell, ChangeNotUndone, ChangeUndone, RaidctlError, UsageError
from raidctl.model.objects import by_id
from raidctl.text import listing
from raidctl.vendor.plan import Desired, Plan
from raidctl.vendor.protocol import Vendor
from raidctl.verify.facts import facts
from raidctl.verify.subjects import CheckedMachine, Subject

_OPTION: dict[State, str] = {"write_through": "--switch-policy", "drives_off": "--switch-drive-caches"}


@dataclass
class Switcher:
    """Activates states on one volume or drive."""

    settings: Settings
    subject: Subject
    quiet: Callable[[], AbstractContextManager[None]] = nullcontext
    """A context in which a tool may print. The progress bar is not drawn."""
    trouble: RaidctlError | None = None
    """A change that failed: the previous state may not be restored."""

    def desired(self, state: State) -> list[Desired]:
        """Return the desired settings of a state."""
        volume = self.subject.volume
        if volume is None or self.subject.software:
            return [
                Desired(object_id=drive.id, setting="write_cache", value="disabled") for _, drive in self.subject.drives
            ]
        through = Desired(object_id=volume.id, setting="write_policy", value="write_through")
        off = Desired(object_id=volume.id, setting="drive_write_cache", value="disabled")
        return [through] if state == "write_through" else [through, off]

    @contextmanager
    def __call__(self, state: State) -> Iterator[None]:
        """Activate a state while the context lasts.

        Raises:
            BenchError: It is refused, or failed; ``trouble`` has it where something was changed.
        """
        try:
            with self._switched(state):
                yield
        except (ChangeUndone, ChangeNotUndone) as error:
            self.trouble = error
            raise BenchError(str(error)) from None
        except RaidctlError as error:
            raise error if isinstance(error, BenchError) else BenchError(str(error)) from None

    @contextmanager
    def _switched(self, state: State) -> Iterator[None]:
        with planned(self.settings, AGREED, lambda _: self.desired(state)) as work:
            _refuse(work.plan)
            with apply_temporarily(work, self.settings, quiet=self.quiet):
                yield


def _refuse(made: Plan) -> None:
    """Raise CannotTell if the plan is refused or switches nothing."""
    if made.refusals:
        raise CannotTell(f"It is not switched: {' '.join(_full(one.reason) for one in made.refusals)}")
    if not made.steps:
        raise CannotTell("It is not switched: it is already set.")


def _full(reason: str) -> str:
    return reason if reason.endswith((".", "!", "?")) else f"{reason}."


def refusal(machine: CheckedMachine, subject: Subject | None, state: State, switcher: Switcher | None,
            vendors: Sequence[Vendor]) -> None:  # fmt: skip
    """Refuse a switch that is pointless or affects more than the target.

    Raises:
        UsageError: There is nothing that could be switched.
        CannotTell: It is refused, with the reason.
    """
    option = _OPTION[state]
    if subject is None or switcher is None:
        raise UsageError(f"{option}: no controller or drive that could be switched is known there.")
    known = facts(machine, subject)
    if state == "write_through":
        _refuse_policy(subject, known.controller, known.policy)
    elif known.drive_cache == "disabled":
        raise UsageError(f"{option}: the write caches of the drives are off already.")
    requests = switcher.desired(state)
    made = plan(machine.inventory, vendors, requests, unsafe=False, view=machine.view)
    # a state of two settings that is already active is not refused
    _refuse(made)
    shared = shared_with(subject, made)
    if shared:
        raise CannotTell(
            f"{option} is refused: {listing(shared)} {'has' if len(shared) == 1 else 'have'} the same setting, and "
            "would be switched as well."
        )


def _refuse_policy(subject: Subject, controller: bool | None, policy: str | None) -> None:
    if not controller:
        raise UsageError(f"--switch-policy: {subject.id} has no controller with a write policy.")
    if policy == "write_through":
        raise UsageError(f"--switch-policy: {subject.id} is in write-through already: there is nothing to switch.")
    if policy is None:
        raise CannotTell(f"--switch-policy: the active write policy of {subject.id} is unknown.")


def shared_with(subject: Subject, made: Plan) -> list[str]:
    """Return other volumes that a plan would change.

    It would do so through settings of a controller, an array or shared drives.
    """
    controller = subject.controller
    mine = {subject.id, *(drive.id for _, drive in subject.drives)}
    found: dict[str, None] = {}
    for step in made.steps:
        if step.object_id in mine:
            continue
        for volume in controller.volumes:
            same = step.object_id in (controller.id, volume.array, volume.id)
            if same and volume.id != subject.id:
                found[volume.id] = None
    drives = {drive.id for _, drive in subject.drives}
    if (
        any(desired.setting in ("drive_write_cache", "write_cache") for desired in made.desired)
        and not subject.software
    ):
        for volume in controller.volumes:
            array = by_id(controller.arrays, volume.array)
            if volume.id != subject.id and array is not None and drives & set(array.drives):
                found[volume.id] = None
    return list(found)
