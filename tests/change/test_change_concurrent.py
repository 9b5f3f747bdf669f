"""What was there before is read while the controllers are locked: no temporary policy of another process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from raidctl.change.journal import Begin, End, Journal, StepEvent, Subject, now
from raidctl.change.state_directory import Held, Holder, held_name, hold, holder_of
from raidctl.change.still_running import running
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.plan_change import Consent, Work, planned
from raidctl.errors import CannotTell
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Desired

CACHING = "slot=1/ld 1/arrayaccelerator"
HOLDER = Holder(change="c1", pid=7, since="2026-03-04T05:06:07Z", about="raidctl batch")


def through(_: Survey) -> list[Desired]:
    """Write-through for the volume of the P400."""
    return [Desired(object_id="smartarray:1/v1", setting="write_policy", value="write_through")]


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    """A plan on a simulated P400 that nobody has to agree to."""
    settings = Settings()
    settings.demo, settings.state_dir = "p400", str(tmp_path)
    with planned(settings, Consent(dry_run=False, yes=True, unsafe=None), through) as made:
        yield made


def held(work: Work) -> None:
    """Hold what the plan is about."""
    with work.hold(work.begin("batch", "load")):
        pass


def another_batch(work: Work, *, ended: bool, started: bool = True) -> None:
    """What a raidctl has left in the journal since the plan was made."""
    story = Begin(
        change="c1", at=now(), kind="batch", about="another load", user="ann", pid=7, boot="b", source="demo:p400",
        subjects=(Subject(id="smartarray:1"),),
    )  # fmt: skip
    journal = Journal(work.state)
    journal.append(story)
    if started:
        journal.append(StepEvent(change="c1", at=now(), step=0, mark="start"))
    if ended:
        journal.append(End(change="c1", at=now(), result="restored"))


def turn(work: Work, word: str) -> None:
    """Somebody turns the knob of the plan."""
    simulated = work.named.runner
    simulated.keep(simulated.state() | {CACHING: word})  # type: ignore[attr-defined]  # it is a simulated one


def test_a_plan_that_still_fits_is_carried_out(work: Work) -> None:
    """Nothing has happened, or another batch has come and gone without a trace: no reason to stop."""
    held(work)
    another_batch(work, ended=True)
    held(work)


def test_the_policy_of_a_batch_that_ended_meanwhile_is_not_what_was_there(work: Work) -> None:
    """The plan was made while it was in force: with --yes as well, the state is read again under the lock."""
    another_batch(work, ended=True)
    turn(work, "disable")
    with pytest.raises(CannotTell, match="no longer fits"):
        held(work)


def test_a_batch_that_was_cut_off_has_to_be_restored_first(work: Work) -> None:
    """What it has set for a while is still there."""
    another_batch(work, ended=False)
    with pytest.raises(CannotTell, match="restore --demo p400"):
        held(work)


def test_a_card_that_was_cut_off_is_known_by_its_serial_number(work: Work) -> None:
    """After a reboot it may have another number; what was set on it for a while is there all the same."""
    [card] = [card for card in work.seen.inventory.controllers if card.id == "smartarray:1"]
    story = Begin(
        change="c1", at=now(), kind="batch", about="another load", user="ann", pid=7, boot="b", source="demo:p400",
        subjects=(Subject(id="smartarray:7", serial=card.serial),),
    )  # fmt: skip
    Journal(work.state).append(story)
    Journal(work.state).append(StepEvent(change="c1", at=now(), step=0, mark="start"))
    with pytest.raises(CannotTell, match="another load"):
        held(work)


def test_a_battery_that_failed_during_the_question_is_noticed(tmp_path: Path) -> None:
    """What was safe when it was planned is judged again before it is done."""
    settings = Settings()
    settings.demo, settings.state_dir = "9271", str(tmp_path)
    wish = Desired(object_id="megaraid:0/v0", setting="write_policy", value="protected_write_back")
    with planned(settings, Consent(dry_run=False, yes=False, unsafe=None), lambda _: []) as made:
        simulated = made.named.runner
        simulated.keep(simulated.state() | {"megaraid 0/v0/wrcache": "WT"})  # type: ignore[attr-defined]  # as above
    with planned(settings, Consent(dry_run=False, yes=False, unsafe=None), lambda _: [wish]) as made:
        assert made.plan.steps
        assert not made.plan.refusals
        simulated = made.named.runner
        simulated.keep(simulated.state() | {"megaraid 0/battery": "Failed"})  # type: ignore[attr-defined]  # as above
        made.asked = True
        with pytest.raises(CannotTell, match="no longer fits"):
            held(made)


def test_a_story_of_which_nothing_was_begun_is_no_hindrance(work: Work) -> None:
    """Its raidctl was killed before the first step: nothing was changed."""
    another_batch(work, ended=False, started=False)
    held(work)


def test_an_answer_that_took_its_time_is_checked(work: Work) -> None:
    """After a question, the state is read again in any case: other programs keep no journal."""
    turn(work, "disable")
    held(work)
    work.asked = True
    with pytest.raises(CannotTell, match="no longer fits"):
        held(work)


def test_a_volume_that_was_made_anew_is_another_one(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same number, same settings, another unique id: the plan was about the one that is gone."""
    work.asked = True
    held(work)
    cards = work.seen.inventory.controllers
    import msgspec  # noqa: PLC0415 - for this test only

    def renamed() -> Survey:
        [card] = cards
        volumes = tuple(msgspec.structs.replace(v, unique_id="600508B1001CFFFF") for v in card.volumes)
        found = msgspec.structs.replace(card, volumes=volumes)
        inventory = msgspec.structs.replace(work.seen.inventory, controllers=(found,))
        return Survey(inventory, view=work.seen.view)

    monkeypatch.setattr(type(work.named), "survey", lambda _: renamed())  # changed behind our back
    with pytest.raises(CannotTell, match="no longer fits"):
        held(work)


def test_a_raidctl_that_looks_is_not_in_the_way(tmp_path: Path) -> None:
    """Somebody asks all the time who has the controller; it is taken all the same."""
    asking = (
        "import sys, time; from pathlib import Path; from raidctl.change.state_directory import holder_of\n"
        "while True: holder_of(Path(sys.argv[1]), 'smartarray:1')"
    )
    with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
        pass
    with ExitStack() as stack:
        others = [subprocess.Popen([sys.executable, "-c", asking, str(tmp_path)]) for _ in range(2)]
        for other in others:
            stack.callback(other.wait)
            stack.callback(other.kill)
        for _ in range(50):
            with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
                time.sleep(0.005)


def test_a_card_of_another_machine_is_not_the_one_of_this(tmp_path: Path) -> None:
    """Over ssh, the same number is another card: both can be changed at once."""
    with hold(tmp_path, [held_name("local", "megaraid:0")], HOLDER, source="local"):
        with hold(tmp_path, [held_name("ssh:db7", "megaraid:0")], HOLDER, source="ssh:db7"):
            assert holder_of(tmp_path, held_name("ssh:db7", "megaraid:0")) == HOLDER
        with pytest.raises(Held), hold(tmp_path, [held_name("local", "megaraid:0")], HOLDER, source="local"):
            pass


def test_a_controller_of_a_real_machine_is_held_for_all_state_directories(tmp_path: Path) -> None:
    """Another directory is refused, and told who it is; a simulated machine lives in its directory and is its own."""
    mine, other = tmp_path / "mine", tmp_path / "other"
    for place in (mine, other):
        place.mkdir(mode=0o700)
    with hold(mine, ["smartarray:1"], HOLDER, source="local"):
        refused = pytest.raises(Held, match=r"raidctl batch \(process 7, since 2026")
        with refused, hold(other, ["smartarray:1"], HOLDER, source="local"):
            pass
        with (
            hold(other, ["smartarray:2"], HOLDER, source="local"),
            hold(other, ["smartarray:1"], HOLDER, source="demo:p"),
        ):
            pass
    with hold(other, ["smartarray:1"], HOLDER, source="local"):
        pass


def test_a_change_from_another_state_directory_is_noticed(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has come and gone between the look and the lock, and is in no journal of ours: the state is read again."""
    monkeypatch.setattr(work.named, "source", "local")
    held(work)
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    with hold(other, ["smartarray:1"], HOLDER, source="local"):
        turn(work, "disable")
    with pytest.raises(CannotTell, match="no longer fits"):
        held(work)


def test_who_puts_back_waits_for_the_one_that_ends(tmp_path: Path) -> None:
    """The second process learns of the end of the first a moment before its locks are free."""
    waiting = (
        "import sys; from pathlib import Path; from raidctl.change.state_directory import Holder, hold\n"
        "who = Holder(change='c2', pid=8, since='', about='')\n"
        "with hold(Path(sys.argv[1]), ['smartarray:1'], who, source='demo:p400', patience=float(sys.argv[2])): pass"
    )
    words = [sys.executable, "-c", waiting, str(tmp_path)]
    with hold(tmp_path, ["smartarray:1"], HOLDER, source="demo:p400"):
        assert subprocess.run([*words, "0.1"], stderr=subprocess.DEVNULL, check=False).returncode == 1
        other = subprocess.Popen([*words, "60"])
        time.sleep(1)
        assert other.poll() is None
    assert other.wait(60) == 0


def test_a_tool_that_outlives_its_raidctl_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its words, started directly or by an interpreter; no other program, and nobody else's, is taken for it."""
    tool = tmp_path / "acme"
    tool.write_text("#!/bin/sh\nread never\n")
    tool.chmod(0o755)
    words = (str(tool), "set", "v1")
    assert not running(words)
    process = subprocess.Popen(words, stdin=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 120
        while not running(words):
            assert time.monotonic() < deadline
        assert running(("acme", "set", "v1"))
        assert not running((str(tool), "set", "v2"))
        assert not running((str(tool),))
        with monkeypatch.context() as another:
            another.setattr(os, "geteuid", lambda: os.getuid() + 1)
            assert not running(words)
    finally:
        process.communicate(b"\n")
    assert not running(words)
