"""LEDs through sg_ses (sg3-utils), if the kernel's driver ``ses`` is not loaded.

A drive is found by its SAS address in the enclosure's page of additional element status.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from raidctl.change.indicator import Indicator
from raidctl.locate.targets import Wanted
from raidctl.request import Answer, Dialogue, Glob, Read, Run, RunAnswer, Which, ask, ask_all
from raidctl.text import regex
from raidctl.vendor.locating import Shape, fits, message_of
from raidctl.vendor.plan import Action

LOCK = "sg_ses"
_TIMEOUT = 60.0
_ENCLOSURE = "13"
"""SCSI type of enclosure services."""
SHAPES: tuple[Shape, ...] = (
    ("--page=aes", r"/dev/sg\d{1,4}"),
    (r"--index=\d{1,4}", "--(?:set|clear|get)=ident", r"/dev/sg\d{1,4}"),
)
#     Element type: Array device slot, subenclosure id: 0 [ti=0]
_TYPE = regex(r"(?m)^\s*Element type:.*?(?:\[ti=(?P<number>\d{1,4})\])?\s*$", re.IGNORECASE)
# Element index: 3  eiioe=0
_ELEMENT = regex(r"Element index:\s*(\d{1,4})(?:\s+eiioe=(\d))?", re.IGNORECASE)
#         SAS address: 0x5000c50012345678
_ADDRESS = regex(r"(?m)^\s*SAS address:\s*(0x[0-9a-f]{16})\s*$", re.IGNORECASE)


def find(wanted: Sequence[Wanted]) -> Dialogue[dict[str, Indicator | str]]:
    """Return the LED of each drive, or why there is none. An enclosure has to name the drive's SAS address."""
    names = [one.bay.object_id for one in wanted]
    which = yield from ask(Which("sg_ses"))
    if which.path is None:
        return dict.fromkeys(names, "sg_ses (package sg3-utils) is not installed")
    nodes = yield from _nodes()
    if not nodes:
        return dict.fromkeys(names, "no SCSI enclosure device is present")
    pages = yield from ask_all([Run(("sg_ses", "--page=aes", node), timeout=_TIMEOUT, lock=LOCK) for node in nodes])
    bays = {at: (node, index) for node, page in zip(nodes, pages, strict=True) for index, at in elements(page.text)}
    blocks = [one.blocks[0] if one.blocks else None for one in wanted]
    files = [f"/sys/class/block/{block.name}/device/sas_address" if block else "/dev/null" for block in blocks]
    addresses = yield from ask_all([Read(path) for path in files])
    places = [bays.get((answer.text or "").strip().lower()) for answer in addresses]
    indicators = [_indicator(one, place) for one, place in zip(wanted, places, strict=True)]
    return (yield from _with_states(dict(zip(names, indicators, strict=True))))


def _nodes() -> Dialogue[list[str]]:
    """``/dev/sg3`` of each enclosure."""
    types = yield from ask(Glob("/sys/bus/scsi/devices/*/type"))
    answers = yield from ask_all([Read(path) for path in types.paths])
    folders = [
        path.rpartition("/")[0]
        for path, answer in zip(types.paths, answers, strict=True)
        if (answer.text or "").strip() == _ENCLOSURE
    ]
    found = yield from ask_all([Glob(f"{folder}/scsi_generic/*") for folder in folders])
    return [f"/dev/{path.rpartition('/')[2]}" for answer in found for path in answer.paths]


def elements(text: str) -> Iterator[tuple[str, str]]:
    """Yield each bay's number for ``--index``, and its SAS address. The source is an additional element status page.

    ``--index=3`` is the fourth element of the first type. The page counts the elements of all types, with ``eiioe=1``
    also the overall element of each type, as some enclosures do without it: then the first bay has index 1. Bays of
    another type than the first, or with another first index, have no known number: a neighbour could blink.
    """
    types = list(_TYPE.finditer(text))
    if not types or types[0]["number"] not in (None, "0"):
        return
    parts = _ELEMENT.split(text[types[0].end() : types[1].start() if len(types) > 1 else len(text)])
    found = list(zip(map(int, parts[1::3]), parts[2::3], parts[3::3], strict=True))
    before = 1 if found and (found[0][0] == 1 or found[0][1] == "1") else 0
    for index, _, body in found if found and found[0][0] == before else ():
        for address in _ADDRESS.findall(body):
            if address.strip("0x"):
                yield str(index - before), address.lower()


def _indicator(wanted: Wanted, place: tuple[str, str] | None) -> Indicator | str:
    if place is None:
        return "no enclosure has a numbered bay with its SAS address"
    node, index = place
    on, off = (
        Action(argv=("sg_ses", f"--index={index}", f"--{verb}=ident", node), timeout=_TIMEOUT, lock=LOCK)
        for verb in ("set", "clear")
    )
    look = ("sg_ses", f"--index={index}", "--get=ident", node)
    if not all(fits(argv[1:], SHAPES) for argv in (on.argv, off.argv, look)):
        return f"raidctl does not pass the name {node} to sg_ses"
    bay = replace(wanted.bay, enclosure=wanted.bay.enclosure or node, bay=wanted.bay.bay or index)
    return Indicator(id=f"sg_ses:{wanted.bay.serial or node}/{index}", bay=bay, way="sg_ses", on=on, off=off, look=look)


def _with_states(found: dict[str, Indicator | str]) -> Dialogue[dict[str, Indicator | str]]:
    indicators = [indicator for indicator in found.values() if isinstance(indicator, Indicator)]
    fresh = {indicator.id: indicator for indicator in (yield from read_states(indicators))}
    return {
        name: fresh.get(indicator.id, indicator) if isinstance(indicator, Indicator) else indicator
        for name, indicator in found.items()
    }


def read_states(indicators: Sequence[Indicator]) -> Dialogue[list[Indicator]]:
    """Return LEDs with their states: sg_ses prints 1 or 0."""
    answers = yield from ask_all([Run(indicator.look, timeout=_TIMEOUT, lock=LOCK) for indicator in indicators])
    words = [answer.text.strip() if answer.code == 0 else "" for answer in answers]
    states = [{"0": "off", "1": "on"}.get(word) for word in words]
    return [replace(indicator, state=state) for indicator, state in zip(indicators, states, strict=True)]


def judge(action: Action, answer: Answer) -> str | None:
    """The objection of sg_ses; None if it ended with 0."""
    if not isinstance(answer, RunAnswer) or answer.code == 0:
        return None
    message = message_of(answer)[:200]
    return message or f"{action.argv[0]} ended with exit code {answer.code}"
