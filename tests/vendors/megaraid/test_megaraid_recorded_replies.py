"""Verbs with recorded replies. The simulated machine gives the recorded reply to each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from raidctl.vendor.plan import Verb
from raidctl_megaraid.operate import RECORDED
from tests.vendors.megaraid.megaraid_deeds import Bench


def _plain(bench: Bench) -> None:
    """No preparation."""


def _spare(bench: Bench) -> None:
    bench.do("remove_spare", "", "32:8")


def _bad(bench: Bench) -> None:
    _spare(bench)
    bench.machine.fail("32:8")


def _new_drive(bench: Bench) -> None:
    bench.machine.keep(bench.machine.state() | {"megaraid 0/auto": "Off"})
    bench.machine.pull("8:1")
    bench.machine.insert("8:1")


def _stopped(bench: Bench) -> None:
    _new_drive(bench)
    bench.do("add_member", "v0", "8:1")
    bench.do("stop_rebuild", "v0", "8:1")


def _offline(bench: Bench) -> None:
    _new_drive(bench)
    bench.do("add_member", "v0", "8:1")
    bench.machine.pass_time(7300)
    bench.do("offline", "8:3", "8:3")


def _rebuilt(bench: Bench) -> None:
    _new_drive(bench)
    bench.do("add_member", "v0", "8:1")
    bench.machine.pass_time(7300)
    bench.machine.insert("8:4")


def _foreign(bench: Bench) -> None:
    bench.machine.insert("8:4")
    state = bench.machine.state()
    key = f"megaraid 0/disk {state['megaraid 0/bay 8:4']}"
    bench.machine.keep({**state, key: state[key].replace('"state":"UGood"', '"state":"UGood","foreign":"0"')})


def _pinned(bench: Bench) -> None:
    kept = {"megaraid 0/pinned 6": "Missing", "megaraid 0/preserved": "Yes"}
    bench.machine.keep({**bench.machine.state(), **kept})


_PLAYED: dict[tuple[str, Verb], tuple[str, Callable[[Bench], None], str, str | None]] = {
    ("storcli", "offline"): ("h730", _spare, "32:5", "32:5"),
    ("storcli", "good"): ("h730", _bad, "32:8", "32:8"),
    ("storcli", "add_spare"): ("h730", _spare, "", "32:8"),
    ("storcli", "import_foreign"): ("h730-foreign", _plain, "", None),
    ("storcli", "clear_foreign"): ("h730-foreign", _plain, "", None),
    ("megacli", "take_out"): ("perc5i", _rebuilt, "v0", "8:3"),
    ("megacli", "add_member"): ("perc5i", _new_drive, "v0", "8:1"),
    ("megacli", "add_spare"): ("perc5i", _rebuilt, "", "8:4"),
    ("megacli", "clear_foreign"): ("perc5i", _foreign, "", None),
    ("megacli", "offline"): ("perc5i", _plain, "8:3", "8:3"),
    ("megacli", "online"): ("perc5i", _offline, "8:3", "8:3"),
    ("megacli", "start_rebuild"): ("perc5i", _stopped, "v0", "8:1"),
    ("megacli", "discard_preserved"): ("perc5i", _pinned, "", None),
}
"""Demo, preparation, object and drive of each verb with a recorded reply."""


@pytest.mark.parametrize(("kind", "verb"), [(kind, verb) for kind, verbs in RECORDED.items() for verb in verbs])
def test_the_reply_is_the_recorded_one(kind: str, verb: Verb, tmp_path: Path) -> None:
    """The simulated machine's reply contains the recorded one. The deed takes effect."""
    demo, before, where, bay = _PLAYED[kind, verb]
    bench = Bench(demo, tmp_path)
    before(bench)
    assert bench.do(verb, where, bay, part="megaraid:0/v6" if verb == "discard_preserved" else None)
    assert RECORDED[kind][verb] in bench.replies[-1]
