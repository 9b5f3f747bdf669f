"""LEDs through ledctl (ledmon): behind SGPIO, VMD and other host controllers.

Always with ``--listed-only``: without it, it may change the LEDs of other drives. It shows no state of a single LED in
all versions, so nothing is read back.
"""

from __future__ import annotations

from collections.abc import Sequence

from raidctl.change.indicator import Indicator
from raidctl.locate.targets import Wanted
from raidctl.request import Answer, Dialogue, Run, RunAnswer, Which, ask
from raidctl.text import collapse
from raidctl.vendor.locating import Shape, fits, message_of
from raidctl.vendor.plan import Action

LOCK = "ledctl"
_TIMEOUT = 60.0
SHAPES: tuple[Shape, ...] = (
    ("--list-controllers",),
    ("--listed-only", "--log=/dev/null", r"locate(?:_off)?=/dev/[\w/-]{1,60}"),
)


def find(wanted: Sequence[Wanted]) -> Dialogue[dict[str, Indicator | str]]:
    """Return the LED of each drive, or why there is none. The drive is on a controller that ledctl lists."""
    names = [one.bay.object_id for one in wanted]
    which = yield from ask(Which("ledctl"))
    if which.path is None:
        return dict.fromkeys(names, "ledctl (package ledmon) is not installed")
    listed = yield from ask(Run(("ledctl", "--list-controllers"), timeout=_TIMEOUT, lock=LOCK))
    if not listed.fine or listed.code != 0:
        message = collapse(listed.error_text)[:120] or listed.detail
        return dict.fromkeys(names, f"ledctl --list-controllers failed{f': {message}' if message else ''}")
    return {one.bay.object_id: _indicator(one, listed.text) for one in wanted}


def _indicator(wanted: Wanted, controllers: str) -> Indicator | str:
    # /sys/devices/pci0000:00/0000:00:17.0 (AHCI)
    block = wanted.blocks[0] if wanted.blocks else None
    if block is None:
        return "the operating system does not see it"
    if block.pci_address is None or f"{block.pci_address} (" not in controllers:
        return "ledctl does not support its controller"
    on, off = (
        Action(argv=("ledctl", "--listed-only", "--log=/dev/null", f"{word}={block.node}"), timeout=_TIMEOUT, lock=LOCK)
        for word in ("locate", "locate_off")
    )
    if not (fits(on.argv[1:], SHAPES) and fits(off.argv[1:], SHAPES)):
        return f"raidctl does not pass the name {block.node} to ledctl"
    return Indicator(id=f"ledctl:{wanted.bay.serial or block.name}", bay=wanted.bay, way="ledctl", on=on, off=off)


def judge(action: Action, answer: Answer) -> str | None:
    """The objection of ledctl. None if it ended with 0 and printed nothing."""
    if not isinstance(answer, RunAnswer):
        return None
    # /dev/sdb: device not supported
    message = message_of(answer)[:200]
    if answer.code == 0 and not message:
        return None
    return message or f"{action.argv[0]} ended with exit code {answer.code}"
