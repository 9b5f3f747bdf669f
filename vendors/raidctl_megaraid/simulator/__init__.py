"""A MegaRAID that can be changed: what its programs print with other settings, and what they say to changes. Pure.

* :mod:`.simulator_state`: the names of the settings, and what follows from them;
* :mod:`.simulator_storcli`, :mod:`.simulator_storcli_set`: storcli, perccli and their second generation, in JSON;
* :mod:`.simulator_megacli`: MegaCli.
"""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import basename

from raidctl.vendor.simulator import Reply, State
from raidctl_megaraid.simulator import locate, megacli, storcli_output, storcli_set
from raidctl_megaraid.tools import KINDS


def initial(argv: tuple[str, ...], text: str) -> State:
    """The settings of all controllers that an answer reports."""
    kind = _kind(argv)
    if kind is None:
        return {}
    return megacli.initial(text) if kind == "megacli" else storcli_output.initial(text)


def leds(argv: tuple[str, ...], text: str) -> State:
    """The locate LEDs of all drives that an answer lists."""
    return locate.leds(text) if _kind(argv) is not None else {}


def render(argv: tuple[str, ...], text: str, state: Mapping[str, str]) -> str:
    """The answer with other settings, in the words of this program."""
    kind = _kind(argv)
    if kind is None:
        return text
    return megacli.render(text, state) if kind == "megacli" else storcli_output.render(text, state)


def change(argv: tuple[str, ...], state: Mapping[str, str]) -> Reply | None:
    """What a changing command of one of the programs does; None for a command that only reads, or is another's."""
    kind = _kind(argv)
    if kind is None or len(argv) < 2:
        return None
    located = locate.change(argv, state)
    if located is not None:
        return located
    return megacli.change(argv, state) if kind == "megacli" else storcli_set.change(argv, state)


def _kind(argv: tuple[str, ...]) -> str | None:
    return KINDS.get(basename(argv[0])) if argv else None
