"""What raidctl concludes from a machine, by names. It shows whether less information made any of it look better.

A conclusion is good, bad or unknown. It improves when it becomes better than it was with more information; to become
unknown is no improvement, and to become known and bad is none either.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from raidctl.audit.builtin import rules
from raidctl.audit.diagnosis import Diagnosis, diagnose, exit_code
from raidctl.cli.shared.exit_codes import exit_code as show_code
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_NO, UsageError
from raidctl.model import Controller, Inventory, unread_problems
from raidctl.output.nagios import Status, of_diagnosis
from raidctl.recording.loose_files import collect_outputs
from raidctl.survey.survey import Survey, survey_documents
from raidctl.vendor.registry import vendors
from raidctl.verify.judge import exit_code as verify_code
from raidctl.verify.judge import verify
from raidctl.verify.kernel import Kernel
from raidctl.verify.subjects import CheckedMachine, whole
from raidctl.verify.wanted import DEFAULT, Claim

_WHOLE = (
    # `zpool list` prints a line for each pool, and nothing below them
    re.compile(r"NAME +SIZE +ALLOC .* HEALTH .*\n(?:\S+ .*\n)*\S+ .*\n?"),
    # `smartctl -i` ends where the section of other options would begin, `-l scterc` with its report of the timeouts
    re.compile(r"(?s)(?:(?!\n=== START OF READ SMART).)*\n=== START OF INFORMATION(?:(?!\n===).)*\n\W*\n"),
    re.compile(r"(?s)(?:.*\n)?smartctl \d.*\nWarning: device does not support SCT Error Recovery Control command\n\W*"),
    # `smartctl -H` and `-iH` print the verdict and a blank line, `-a` goes on with a separate section
    re.compile(r"(?s)(?:smartctl \d.*\n)?=== START OF READ SMART DATA SECTION ===\nSMART overall-.*: PASSED\n\W*\n"),
    # `storcli /c0/dall show` prints the topology with its legend and a blank line, `show all` goes on
    re.compile(r"(?s).*\nDescription = Show Diskgroup Succeeded\n(?:(?! LIST :).)*\nDG=.*\n\n"),
    # `storcli /c0/bbu show all` ends with the modes of the battery, the output of the next controller follows it
    re.compile(r"(?s).*\nMode 5: 48\+ Hrs retention [^\n]*\n +and moderate service life\.\n"),
    # cciss_vol_status prints a line for each volume and enclosure; with -V, a cache without trouble ends so
    re.compile(r"(?:\S*cciss_vol_status .*\n)?(?:/dev/\S+: \([^()]+\) (?:RAID|Enclosure) .* status: .*(?:\n|\.\Z))+"),
    re.compile(r"(?s)Controller: .*\n {10,}Write cache enabled: Yes\n"),
    # `dmsetup status` prints a line for each device, and `dmsetup status NAME` or `--target mirror` only some of them
    re.compile(r"(?:#.*\n)*(?:\S+: \d+ \d+ (?:raid|mirror|linear)\b.*\n)+"),
)
"""Outputs that are also whole ones of another command. They may also be of the same one on a machine with less in
it."""
Conclusions = Mapping[str, int | None]
"""Rank of each conclusion, the higher the better; None: unknown."""
_FIGURE = re.compile(r"[0-9a-fA-F]*\d[0-9a-fA-Fx.:-]*")
_HEALTH = {"critical": 0, "warning": 1, "ok": 2}
_VOLUME = {"failed": 0, "offline": 0, "inactive": 0, "degraded": 1, "rebuilding": 1, "ok": 3}
"""Operations of a complete volume rank just below ``ok``."""
_BATTERY = {"missing": 0, "failed": 0, "degraded": 1, "learning": 1, "charging": 1, "ok": 2}
_STILL_BAD = re.compile(r"\S*battery\d+: status: 0 -> 1")
_CACHE = {"unprotected": 0, "not_caching": 1, "protected": 1}
_DRIVES = {"on": 0, "off": 1}
_EXITS = {EXIT_FINE: 1, EXIT_NO: 0, EXIT_CANNOT_TELL: None, EXIT_ACCESS: None}
_VERDICTS = {"pass": 1, "fail": 0, "suspect": 0, "inconclusive": None}
_CLAIMS = (
    *DEFAULT,
    Claim("battery"),
    Claim("write_cache", ("protected",)),
    Claim("write_cache", ("write-through",)),
    Claim("drive_cache", ("disabled",)),
)


@cache
def _place() -> Path:
    memory = "/dev/shm"  # noqa: S108 - a separate directory is made there
    place = tempfile.mkdtemp(prefix="raidctl-conclusions-", dir=memory if os.access(memory, os.W_OK) else None)
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return Path(place)


def read_text(text: str | bytes, name: str = "output.txt") -> Survey:
    """What ``raidctl --replay FILE`` makes of one loose output."""
    path = _place() / f"{os.getpid()}-{name}"
    path.write_bytes(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
    found, problems = vendors()
    gathered = collect_outputs(path, found)
    return survey_documents(gathered.texts, source="replay:output", problems=[*problems, *gathered.problems])


def conclusions(seen: Survey, diagnosis: Diagnosis | None = None) -> Conclusions:
    """Everything that is concluded of a machine. It is states, safety, redundancy left, verdicts and exit codes."""
    inventory = seen.inventory
    diagnosis = diagnosis or diagnose(inventory, rules())
    found: dict[str, int | None] = {
        "exit code of show": _EXITS[show_code(inventory.problems)],
        "exit code of diagnose": _EXITS[exit_code(diagnosis)],
        "exit code of diagnose --format nagios": {Status.OK: 1, Status.UNKNOWN: None}.get(
            of_diagnosis(diagnosis)[1], 0
        ),
    }
    for controller in inventory.controllers:
        found |= _of(controller, f"{controller.id}/" if len(inventory.controllers) == 1 else "")
    return found | _verdicts(seen)


def _of(owner: Controller, prefix: str) -> dict[str, int | None]:
    """The conclusions about a controller and its objects. A single controller keeps them whatever its name."""
    found: dict[str, int | None] = {f"{owner.id * (not prefix)}: status": _HEALTH.get(owner.status)}
    for battery in owner.batteries:
        found[f"{battery.id.removeprefix(prefix)}: status"] = _BATTERY.get(battery.status)
    for array in owner.arrays:
        found[f"{array.id.removeprefix(prefix)}: status"] = _HEALTH.get(array.status)
        found[f"{array.id.removeprefix(prefix)}: failures_tolerated"] = array.failures_tolerated
    for drive in owner.drives:
        found[f"{drive.id.removeprefix(prefix)}: status"] = _HEALTH.get(drive.status)
    for volume in owner.volumes:
        name = volume.id.removeprefix(prefix)
        found[f"{name}: status"] = None if volume.status == "unknown" else _VOLUME.get(volume.status, 2)
        found[f"{name}: failures_tolerated"] = volume.failures_tolerated
        if volume.cache is not None:
            safe = volume.cache.write_protected
            found[f"{name}: write_protected"] = None if safe is None else int(safe)
            found[f"{name}: controller_cache"] = _CACHE.get(volume.cache.controller_cache)
            found[f"{name}: drive_caches"] = _DRIVES.get(volume.cache.drive_caches)
    return found


def _verdicts(seen: Survey) -> dict[str, int | None]:
    """Each verdict of ``verify`` over all volumes. The exit code of the standard claims is included."""
    machine = CheckedMachine(seen, Kernel())
    controllers = seen.inventory.controllers
    prefix = f"{controllers[0].id}/" if len(controllers) == 1 else ""
    subjects, left = whole(machine, drives=True)
    found: dict[str, int | None] = {}
    for claim in _CLAIMS:
        try:
            report = verify(machine, [claim], subjects, (), left)
        except UsageError:
            continue
        option = f"verify {claim.option} {claim.wanted or ''}".strip()
        found[f"exit code of {option}"] = _EXITS[verify_code(report)]
        for answer in report.answers:
            if answer.object:
                found[f"{answer.object.removeprefix(prefix)}: {option}"] = _VERDICTS[answer.verdict]
    return found


def improved(more: Conclusions, less: Conclusions, *, exempt: bool = False, torn: bool = False) -> list[str]:
    """The conclusions that look better with less information.

    They are better than before, or good where they were unknown.

    ``exempt``: the second ones are drawn from an output that is whole in form, exit codes do not count. ``torn``: what
    the first ones are drawn from was cut off itself; what was unknown for that reason may be known where less is torn.
    """
    floors = {name: _floor(name) if rank is None and not torn else rank for name, rank in more.items()}
    return [
        f"{name}: {_shown(name, more[name])} -> {_shown(name, rank)}"
        for name, rank in less.items()
        if rank is not None and (floor := floors.get(name)) is not None and rank > floor
        if not (exempt and name.startswith("exit code"))
    ]


def _shown(name: str, rank: int | None) -> str:
    """A rank in a message. That of an exit code is a word: the code of a good result is 0, and its rank 1."""
    return str(rank) if rank is None or not name.startswith("exit code") else ("not OK", "OK")[rank]


def cut_worse(
    more: Survey, whole: Conclusions, text: str, less: Survey | None = None, diagnosis: Diagnosis | None = None
) -> list[str]:
    """What improves where an output is cut to ``text``. ``less`` was read from this, with its diagnosis.

    A failed backup unit that is only degraded without the line of its part is not one, if lines are reported as
    missing.
    """
    less = less or read_text(text)
    # cut behind a line, its line end as well
    lines = {line.text for output in more.outputs for line in output.lines}
    form = f"{text}\n" if text.rpartition("\n")[2] in lines - {""} else text
    found = improved(whole, conclusions(less, diagnosis), exempt=whole_in_form(form, less), torn=anything_unread(more))
    return [one for one in found if not (anything_unread(less) and _STILL_BAD.fullmatch(one))]


def whole_in_form(text: str, seen: Survey) -> bool:
    """Whether a cut text is whole in form.

    It is all that the tool prints on a machine with fewer objects: nothing in it shows the cut.

    That is an output of a tool without a last line (ssacli, tw_cli) that ends with its closing blank line, or after a
    line if it was pasted without the blank line at its beginning, too; or a single line; or one of `_WHOLE`.
    """
    if any(output.cut_off for output in seen.outputs) or anything_unread(seen):
        return False
    lines = text.splitlines()
    single = sum(map(bool, lines)) == 1
    if single or not seen.outputs or not seen.outputs[-1].framed:
        return single or any(form.fullmatch(text) for form in _WHOLE)
    trimmed = bool(lines[0].strip()) and text.endswith("\n")
    return trimmed or not lines[-1].strip()


def only_controller(seen: Survey) -> Controller:
    """The controller of a machine that has one."""
    [controller] = seen.inventory.controllers
    return controller


def anything_unread(seen: Survey) -> bool:
    """Whether something was not understood, or could not be read."""
    return any(problem.kind == "unread" for problem in seen.inventory.problems)


def bad_objects(inventory: Inventory) -> list[str]:
    """The ids of bad objects, and the places of problems. Diagnose must not be silent about these."""
    found = [p.where for p in inventory.problems if p.kind in ("state", "unread") and p.severity != "info"]
    for controller in inventory.controllers:
        found += [controller.id] if controller.status in ("warning", "critical") else []
        volumes = [v for v in controller.volumes if v.status in ("failed", "offline", "degraded", "rebuilding")]
        explained = {volume.array for volume in volumes}
        arrays = [array for array in controller.arrays if array.status in ("warning", "critical")]
        found += [array.id for array in arrays if array.id not in explained]
        found += [drive.id for drive in controller.drives if drive.status in ("warning", "critical")]
        found += [battery.id for battery in controller.batteries if battery.status in ("failed", "degraded")]
        found += [volume.id for volume in volumes]
    return found


def falsely_ok(inventory: Inventory, found: Diagnosis | None = None) -> list[str]:
    """Objects in a bad state over which ``diagnose`` ends with "OK". No finding names them."""
    found = found or diagnose(inventory, rules())
    if exit_code(found) != 0:
        return []
    named = {one.where for one in (*found.findings, *found.unknown)}
    messages = " ".join(one.message for one in (*found.findings, *found.unknown))
    return [name for name in bad_objects(inventory) if name not in named and name not in messages]


def hidden(inventory: Inventory) -> bool:
    """Whether the inventory admits that something may be missing."""
    return bool(unread_problems(inventory.problems))


def cuts(text: str, most: int) -> Sequence[str]:
    """The text, cut behind a line and within the next one.

    Up to ``most`` lines are cut, evenly spread, the last included.
    """
    lines = text.splitlines(keepends=True)
    step = max(1, -(-len(lines) // most))
    places = sorted({*range(1, len(lines), step), *range(max(1, len(lines) - 3), len(lines))})
    found = []
    for place in places:
        head = "".join(lines[:place])
        found += [head, head + lines[place][: len(lines[place]) // 2]]
    return found


def between_blocks(text: str, short: int) -> Sequence[str]:
    """The text, cut where a block of lines ends: at a blank line, or before a line that is indented less.

    Of cuts between the same two labels, only the first and the last are made. A text of up to ``short`` lines is cut
    after each line.
    """
    lines = text.splitlines(keepends=True)
    if len(lines) <= short:
        return ["".join(lines[:place]) for place in range(1, len(lines))]
    first, last = dict[tuple[str, str], int](), dict[tuple[str, str], int]()
    for place, (before, after) in enumerate(pairwise(lines), 1):
        if not before.strip() or not after.strip() or _indent(after) < _indent(before):
            between = (form_of(before), form_of(after))
            first.setdefault(between, place)
            last[between] = place
    return ["".join(lines[:place]) for place in sorted({*first.values(), *last.values()})]


def form_of(line: str) -> str:
    """A line without its value and figures: ``Drive 0:0`` of ``Drive 32:5``."""
    return re.split("[:=]", _FIGURE.sub("0", line.strip()))[0]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _floor(name: str) -> int:
    """The rank that something unknown may take: bad. Unknown and then known to be bad is no improvement."""
    return 1 if name.endswith("status") else 0
