"""Command lines of deeds and their shapes, for storcli, perccli and MegaCli. Pure.

=================  ==========================================  ==============================================
command            storcli, perccli (behind it ``nolog J``)    MegaCli (behind it ``-a0 -NoLog``)
=================  ==========================================  ==============================================
``offline``        ``/c0/e32/s5 set offline``                  ``-PDOffline -PhysDrv[32:5]``
``online``         ``… set online``                            ``-PDOnline …``
``missing``        ``… set missing``                           ``-PdMarkMissing …``
``spin_down``      ``… spindown``                              ``-PdPrpRmv …``
``spin_up``        ``… spinup``                                ``-PdPrpRmv -UnDo …``
``good``           ``… set good``                              ``-PDMakeGood …``
``jbod``           ``… set jbod``                              ``-PDMakeJBOD …``
``raid``           ``… del jbod``; not in old versions         none without ``-Force``
``insert``         ``… insert dg=1 array=0 row=3``             ``-PdReplaceMissing … -Array0 -row3``
``start_rebuild``  ``… start rebuild``, ``stop``               ``-PDRbld -Start …``, ``-Stop``
``global_spare``   ``… add hotsparedrive``                     ``-PDHSP -Set …``
``own_spare``      ``… add hotsparedrive DGs=1``               none: the number of the array is not shown
``remove_spare``   ``… delete hotsparedrive``                  ``-PDHSP -Rmv …``
``copyback``       ``… start copyback target=32:8``            ``-PDCpyBk -Start -PhysDrv[32:5,32:8]``
``start_check``    ``/c0/v1 start cc``, ``stop``, ``pause``    ``-LDCC -Start -L1``, ``-Abort``
``start_patrol``   ``/c0 start patrolread``, ``stop``          ``-AdpPR -Start``, ``-Stop``
=================  ==========================================  ==============================================

Sources: the help of storcli 007.2707 and of MegaCli 8.07.14. ``force`` and ``all`` are never used. The ``array`` of
storcli is the span's number in its group; MegaCli's is the number of the span among all of the controller.

storcli2 and perccli2 are given the same words for drives, but ``set uconf`` for ``del jbod``, and only where their help
on the machine lists them (:mod:`.second_generation`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from raidctl.model import Controller, Drive, Volume
from raidctl.text import regex
from raidctl.vendor.plan import Action
from raidctl.vendor.shapes import Shape
from raidctl_megaraid.change.commands import TIMEOUT
from raidctl_megaraid.collect.tool_call import LOCK
from raidctl_megaraid.tools import KINDS

_DRIVE, _PAIR = "DRIVE", "PAIR"
_STORCLI: dict[str, tuple[str, ...]] = {
    "offline": (_DRIVE, "set", "offline"),
    "online": (_DRIVE, "set", "online"),
    "missing": (_DRIVE, "set", "missing"),
    "spin_down": (_DRIVE, "spindown"),
    "spin_up": (_DRIVE, "spinup"),
    "good": (_DRIVE, "set", "good"),
    "jbod": (_DRIVE, "set", "jbod"),
    "raid": (_DRIVE, "del", "jbod"),
    "insert": (_DRIVE, "insert", "dg={}", "array={}", "row={}"),
    "start_rebuild": (_DRIVE, "start", "rebuild"),
    "stop_rebuild": (_DRIVE, "stop", "rebuild"),
    "pause_rebuild": (_DRIVE, "pause", "rebuild"),
    "resume_rebuild": (_DRIVE, "resume", "rebuild"),
    "global_spare": (_DRIVE, "add", "hotsparedrive"),
    "own_spare": (_DRIVE, "add", "hotsparedrive", "DGs={}"),
    "remove_spare": (_DRIVE, "delete", "hotsparedrive"),
    "copyback": (_DRIVE, "start", "copyback", "target={}:{}"),
    "start_check": ("/c{}/v{}", "start", "cc"),
    "stop_check": ("/c{}/v{}", "stop", "cc"),
    "pause_check": ("/c{}/v{}", "pause", "cc"),
    "resume_check": ("/c{}/v{}", "resume", "cc"),
    "start_patrol": ("/c{}", "start", "patrolread"),
    "stop_patrol": ("/c{}", "stop", "patrolread"),
    "pause_patrol": ("/c{}", "pause", "patrolread"),
    "resume_patrol": ("/c{}", "resume", "patrolread"),
    "erase": (_DRIVE, "start", "erase", "simple"),
}
_SECOND: dict[str, tuple[str, ...]] = {
    name: words for name, words in _STORCLI.items() if words[0] == _DRIVE and name != "erase"
} | {"raid": (_DRIVE, "set", "uconf")}
"""Of version 8, ``del jbod`` is a syntax error."""
_MEGACLI: dict[str, tuple[str, ...]] = {
    "offline": ("-PDOffline", _DRIVE),
    "online": ("-PDOnline", _DRIVE),
    "missing": ("-PdMarkMissing", _DRIVE),
    "spin_down": ("-PdPrpRmv", _DRIVE),
    "spin_up": ("-PdPrpRmv", "-UnDo", _DRIVE),
    "good": ("-PDMakeGood", _DRIVE),
    "jbod": ("-PDMakeJBOD", _DRIVE),
    "insert": ("-PdReplaceMissing", _DRIVE, "-Array{}", "-row{}"),
    "start_rebuild": ("-PDRbld", "-Start", _DRIVE),
    "stop_rebuild": ("-PDRbld", "-Stop", _DRIVE),
    "pause_rebuild": ("-PDRbld", "-Suspend", _DRIVE),
    "resume_rebuild": ("-PDRbld", "-Resume", _DRIVE),
    "global_spare": ("-PDHSP", "-Set", _DRIVE),
    "remove_spare": ("-PDHSP", "-Rmv", _DRIVE),
    "copyback": ("-PDCpyBk", "-Start", _PAIR),
    "start_check": ("-LDCC", "-Start", "-L{}"),
    "stop_check": ("-LDCC", "-Abort", "-L{}"),
    "pause_check": ("-LDCC", "-Suspend", "-L{}"),
    "resume_check": ("-LDCC", "-Resume", "-L{}"),
    "start_patrol": ("-AdpPR", "-Start"),
    "stop_patrol": ("-AdpPR", "-Stop"),
    "pause_patrol": ("-AdpPR", "-Suspend"),
    "resume_patrol": ("-AdpPR", "-Resume"),
    "erase": ("-PDClear", "-Start", _DRIVE),
}
_UNSEEN = frozenset({"pause_patrol", "resume_patrol", "erase", "schedule_learn"})
PRINTED: dict[str, frozenset[str]] = {
    "storcli": _UNSEEN,
    "storcli2": frozenset(),
    "megacli": _UNSEEN | {"pause_rebuild", "resume_rebuild", "pause_check", "resume_check"},
}
"""Commands of each tool whose effect no reading shows. They are printed for a person, and are not in the table of
shapes."""
_TABLES = {"storcli": _STORCLI, "storcli2": _SECOND, "megacli": _MEGACLI}
_PLACE = regex(r"(\d{0,5}):(\d{1,5})", re.ASCII)
_VOLUME = regex(r"v(\d{1,5})", re.ASCII)


def table_kind(kind: str) -> str:
    """The kind of tool whose table of commands a kind uses."""
    return {"perccli": "storcli", "perccli2": "storcli2"}.get(kind, kind)


class Route(NamedTuple):
    """The tool that reported a controller, and the controller's number there."""

    kind: str
    """``storcli``, ``storcli2`` or ``megacli``; perccli is storcli, perccli2 storcli2."""
    command: str
    number: str

    def has(self, name: str) -> bool:
        """Whether the tool has a command."""
        return name in self._table

    def prints(self, name: str) -> bool:
        """Whether a command is only printed. No reading shows what such a command has done."""
        return name in PRINTED[self.kind]

    @property
    def _table(self) -> dict[str, tuple[str, ...]]:
        return _TABLES[self.kind]

    def on_drive(self, name: str, drive: Drive, *words: str, other: Drive | None = None) -> Action:
        """A command on a drive whose place is known. ``words`` fill the command's other places."""
        enclosure, slot = place_of(drive) or ("", "")
        more = (*words, *(place_of(other) or ())) if other is not None else words
        where = (enclosure, slot) if enclosure else (slot,)
        shape = self._shape(name, loose=not enclosure)
        controller = (self.number,)
        return self._action(
            shape, (*where, *more, *controller) if self.kind == "megacli" else (*controller, *where, *more)
        )

    def on_volume(self, name: str, volume: Volume) -> Action:
        """A command on a volume whose number is known."""
        number = number_of(volume) or ""
        places = (number, self.number) if self.kind == "megacli" else (self.number, number)
        return self._action(self._shape(name), places)

    def on_controller(self, name: str) -> Action:
        """A command on the whole controller."""
        return self._action(self._shape(name), (self.number,))

    def reading(self) -> Action:
        """The command that prints the configuration: groups, order of members, sizes. It changes nothing."""
        if self.kind == "megacli":
            return Action(argv=(self.command, "-CfgDsply", f"-a{self.number}", "-NoLog"), timeout=TIMEOUT, lock=LOCK)
        return Action(argv=(self.command, f"/c{self.number}/dall", "show", "nolog", "J"), timeout=TIMEOUT, lock=LOCK)

    def _shape(self, name: str, *, loose: bool = False) -> Shape:
        return _expanded(self.kind, self._table[name], loose=loose)

    def _action(self, shape: Shape, places: tuple[str, ...]) -> Action:
        left = iter(places)
        words = [re.sub(r"\{\}", lambda _: next(left), word) for word in shape]
        return Action(argv=(self.command, *words), timeout=TIMEOUT, lock=LOCK)


def _expanded(kind: str, words: tuple[str, ...], *, loose: bool) -> Shape:
    """A shape without the program; ``loose``: of a drive without an enclosure."""
    if kind == "megacli":
        names = {_DRIVE: "-PhysDrv[:{}]" if loose else "-PhysDrv[{}:{}]", _PAIR: "-PhysDrv[{}:{},{}:{}]"}
        return (*(names.get(word, word) for word in words), "-a{}", "-NoLog")
    return (*("/c{}/s{}" if word == _DRIVE and loose else "/c{}/e{}/s{}" if word == _DRIVE else word for word in words),
            "nolog", "J")  # fmt: skip


def shapes() -> Iterator[Shape]:
    """The shapes of all commands that are run, for every tool name."""
    for program, kind in KINDS.items():
        for name, words in _TABLES[table_kind(kind)].items():
            if name in PRINTED[table_kind(kind)]:
                continue
            forms = {_expanded(kind, words, loose=loose) for loose in (False, True)}
            yield from ((program, *form) for form in sorted(forms))


def place_of(drive: Drive) -> tuple[str, str] | None:
    """Enclosure and slot of ``megaraid:0/32:5``. None if the tool does not report them."""
    match = _PLACE.fullmatch(drive.id.rpartition("/")[2])
    return (match[1], match[2]) if match is not None else None


def number_of(volume: Volume) -> str | None:
    """The tool's number of ``megaraid:0/v1``."""
    match = _VOLUME.fullmatch(volume.id.rpartition("/")[2])
    return match[1] if match is not None else None


def group_of(array: str | None) -> str | None:
    """The number of the group ``megaraid:0/g1``."""
    match = re.fullmatch(r"g(\d{1,5})", (array or "").rpartition("/")[2], re.ASCII)
    return match[1] if match is not None else None


def denied(controller: Controller, label: str, word: str = "no") -> bool:
    """Whether the controller reports that it cannot do something: ``Supported PD Operations: Force Offline = No``."""
    return any(
        name.lower().endswith(label.lower()) and text.strip().lower() == word
        for name, text in controller.details.items()
    )
