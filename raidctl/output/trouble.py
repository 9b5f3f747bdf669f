"""What is broken, worst first: the states of the objects and the problems of the tools brought together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from raidctl.inforce import in_force
from raidctl.model import HIDING, Controller, Inventory, Problem, Volume
from raidctl.output.words import brief, members, progress

LOST, DEGRADED, FAILED, UNREAD, LOOK, NOTE = range(6)
"""How bad it is: data out of reach, redundancy gone, a part gone, not shown, worth a look, good to know."""
_VOLUMES = {
    "failed": LOST,
    "offline": LOST,
    "inactive": LOST,
    "degraded": DEGRADED,
    "rebuilding": LOOK,
}
_HEALTH = {"critical": FAILED, "warning": LOOK}
_BATTERIES = {"failed": FAILED, "degraded": LOOK}


@dataclass
class Trouble:
    """One thing that is wrong, with everything that is said of it."""

    rank: int
    where: str
    words: str
    """A few words for the top of the screen; empty when only the problems tell."""
    problems: list[Problem] = field(default_factory=list)

    @property
    def brief(self) -> str:
        """``smartarray:1/v1 degraded``."""
        if not self.words:
            return f"{self.where}: {brief(self.problems[0].message)}"
        return f"{self.where}{':' if ' ' in self.where else ''} {self.words}"


def troubles(inventory: Inventory) -> list[Trouble]:
    """Everything that needs a look, worst first; each object once, with the problems that name it."""
    found = [trouble for controller in inventory.controllers for trouble in _of_controller(controller)]
    by_place: dict[str, Trouble] = {}
    for trouble in found:
        by_place.setdefault(trouble.where, trouble)
    for problem in inventory.problems:
        rank = _rank(problem)
        if rank == NOTE:
            continue
        known = by_place.get(problem.where)
        if known is None or (known.words and problem.kind not in {"state", "note"}):
            found.append(Trouble(rank, problem.where, "", [problem]))
        else:
            known.problems.append(problem)
    return sorted(found, key=lambda trouble: trouble.rank)


def notes(inventory: Inventory) -> list[Problem]:
    """What is good to know."""
    return [problem for problem in inventory.problems if _rank(problem) == NOTE]


def _rank(problem: Problem) -> int:
    if problem.severity == "info":
        return NOTE
    if problem.kind in HIDING:
        return UNREAD if problem.severity == "error" else LOOK
    return FAILED if problem.severity == "error" else LOOK


def _of_controller(controller: Controller) -> Iterator[Trouble]:
    cache = controller.cache
    if cache and cache.unwritten_data:
        yield Trouble(DEGRADED, controller.id, "holds unwritten data in its cache")
    for volume in controller.volumes:
        if volume.status in _VOLUMES:
            yield Trouble(_VOLUMES[volume.status], volume.id, _volume_words(volume))
    for drive in controller.drives:
        if drive.status in _HEALTH:
            word = "failed" if drive.status == "critical" else "warns"
            yield Trouble(_HEALTH[drive.status], drive.id, _with_text(word, drive.status_text))
    for battery in controller.batteries:
        if battery.status in _BATTERIES or battery.replace:
            word = battery.status if battery.status in _BATTERIES else "asks to be replaced"
            yield Trouble(_BATTERIES.get(battery.status, LOOK), battery.id, _with_text(word, battery.status_text))
    if controller.status in _HEALTH:
        word = "failed" if controller.status == "critical" else "warns"
        yield Trouble(_HEALTH[controller.status], controller.id, _with_text(word, controller.status_text))
    yield from _of_arrays(controller)
    idle = list(_of_write_caches(controller))
    yield from idle
    explained = idle or any(battery.status in _BATTERIES for battery in controller.batteries)
    if cache and cache.status in _HEALTH and not explained:
        yield Trouble(_HEALTH[cache.status], controller.id, f"cache: {cache.status_text or cache.status}")


def _of_arrays(controller: Controller) -> Iterator[Trouble]:
    """Arrays that are not well though everything on and in them is: else that says more."""
    troubled = {volume.array for volume in controller.volumes if volume.status in _VOLUMES}
    ill = {drive.id for drive in controller.drives if drive.status in _HEALTH}
    for array in controller.arrays:
        if array.status in _HEALTH and array.id not in troubled and not ill & {*array.drives, *array.spares}:
            word = "failed" if array.status == "critical" else "degraded"
            yield Trouble(DEGRADED if word == "failed" else LOOK, array.id, _with_text(word, array.status_text))


def _of_write_caches(controller: Controller) -> Iterator[Trouble]:
    """Write caches that are not what they were set to be, and those that can lose data; a line for each reason."""
    idle: dict[str, list[Volume]] = {}
    unsafe: list[Volume] = []
    for volume in controller.volumes:
        cache = volume.cache
        if cache is None:
            continue
        if cache.why_not_in_force or in_force(cache) is False:
            idle.setdefault(cache.why_not_in_force or "", []).append(volume)
        if cache.write_active == "write_back" and cache.write_protected is False:
            unsafe.append(volume)
    for why, volumes in idle.items():
        yield Trouble(LOOK, _place(controller, volumes), _with_text("write cache is not as set", brief(why)))
    if unsafe:
        yield Trouble(LOOK, _place(controller, unsafe), "write-back without protection from power loss")


def _place(controller: Controller, volumes: Sequence[Volume]) -> str:
    return volumes[0].id if len(volumes) == 1 else f"{len(volumes)} volumes of {controller.id}"


def _volume_words(volume: Volume) -> str:
    details = [text for text in (members(volume), progress(volume.progress) if volume.progress else "") if text]
    word = "not running" if volume.status == "inactive" else volume.status
    return f"{word} ({', '.join(details)})" if details else word


def _with_text(word: str, text: str | None) -> str:
    """``failed (Predictive Failure)``; the tool's words only where they say more."""
    if not text or text.strip().lower() == word:
        return word
    return text.strip().lower() if text.lower().startswith(word) else f"{word} ({text.strip()})"
