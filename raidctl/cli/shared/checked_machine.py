"""The machine on which claims are checked: survey and kernel's facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from raidctl.cli.shared.machine import look, machine, print_tracebacks, with_own_records
from raidctl.cli.shared.options import Settings
from raidctl.model import Inventory, Problem
from raidctl.request import converse
from raidctl.survey.survey import Survey
from raidctl.text import counted
from raidctl.verify import subjects
from raidctl.verify.kernel import Kernel
from raidctl.verify.remote_paths import resolve_paths
from raidctl.verify.subjects import CheckedMachine


def checked_machine(settings: Settings, targets: Sequence[str] = ()) -> CheckedMachine:
    """Return the machine with what its kernel reports. For loose files, return only their content.

    ``targets``: paths that another machine has to resolve.
    """
    settings.check()
    if settings.replay is not None:
        from raidctl.recording.recording import is_recording  # noqa: PLC0415 - only where it is asked for

        if not is_recording(settings.replay):
            return CheckedMachine(look(settings), Kernel())
    with machine(settings) as here:
        seen = here.survey()
        checked = subjects.with_kernel(with_own_records(seen, settings), here.runner)
        if settings.host:
            checked = replace(checked, places=converse(resolve_paths(targets), here.runner))
    if settings.verbose:
        print_tracebacks(seen)
    return checked


def redacted_machine(settings: Settings) -> CheckedMachine:
    """Return the machine with serial numbers, unique ids and names masked. This applies to all outputs.

    Raises:
        UsageError: The source is loose files, which cannot be masked.
        RecordError: It would still contain an original.
    """
    from raidctl.recording.redact import redact, serials  # noqa: PLC0415 - only where it is asked for
    from raidctl.runners.record import RecordRunner  # noqa: PLC0415 - as above
    from raidctl.runners.replay import ReplayRunner  # noqa: PLC0415 - as above

    with machine(settings) as named:
        runner = RecordRunner(named.runner)
        listened = structs.replace(named, runner=runner)
        seen = listened.survey()
        subjects.with_kernel(seen, runner)
        kept = runner.recording(about="", source="redacted", collected_at=seen.inventory.host.collected_at)
    masked = ReplayRunner(redact(kept, known=serials(seen.inventory)))
    again = structs.replace(named, runner=masked, source="redacted", collected_at=kept.manifest.collected_at)
    checked = subjects.with_kernel(again.survey(), masked)
    if settings.verbose:
        print_tracebacks(seen)
    own = with_own_records(seen, settings).inventory
    added = own.problems[len(seen.inventory.problems) :]
    return replace(checked, seen=_with_left_out(_with_checks(checked.seen, seen.inventory, own), added))


def _with_checks(masked: Survey, plain: Inventory, own: Inventory) -> Survey:
    """Add raidctl's records of checks to the masked volumes. Of one whose id was masked, they could not be read."""
    before = {volume.id: volume.consistency_check for one in plain.controllers for volume in one.volumes}
    after = {volume.id: volume.consistency_check for one in own.controllers for volume in one.volumes}
    checks = {name: check for name, check in after.items() if check != before.get(name)}
    controllers = tuple(
        structs.replace(one, volumes=tuple(
            structs.replace(volume, consistency_check=checks.pop(volume.id, volume.consistency_check))
            for volume in one.volumes
        )) for one in masked.inventory.controllers
    )  # fmt: skip
    lost: list[Problem] = []
    if checks:
        message = f"The results of checks of {counted(len(checks), 'volume')} are left out."
        lost.append(Problem("warning", "check results", message, "`raidctl check show` lists them.", "unread"))
    problems = (*masked.inventory.problems, *lost)
    return structs.replace(
        masked, inventory=structs.replace(masked.inventory, controllers=controllers, problems=problems)
    )


def _with_left_out(seen: Survey, added: Sequence[Problem]) -> Survey:
    """Report that problems with raidctl's records are left out, as their texts name the machine."""
    left_out = []
    if any(one.kind == "unread" for one in added):
        message = "raidctl's records of this machine could not be read."
        left_out.append(Problem("warning", "journal", message, "`raidctl journal` shows why.", "unread"))
    if number := sum(one.severity != "info" and one.kind != "unread" for one in added):
        verb = "is" if number == 1 else "are"
        message = f"{counted(number, 'unfinished change')} of this machine {verb} left out."
        left_out.append(Problem("warning", "journal", message, "`raidctl journal` lists them.", "state"))
    inventory = structs.replace(seen.inventory, problems=(*seen.inventory.problems, *left_out))
    return structs.replace(seen, inventory=inventory)
