"""The witness and the writer. Cuts are judged, and failures end in an error without accusing a drive."""

from __future__ import annotations

import contextlib
import errno
import itertools
import socket
import time
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import msgspec
import pytest

from raidctl.bench.powercut import witness
from raidctl.bench.powercut.messages import Begin, Durable, Fine, Intent
from raidctl.bench.powercut.report import How
from raidctl.bench.powercut.wire import MAGIC
from raidctl.bench.powercut.witness import Witness
from raidctl.bench.powercut.writer import TargetFailed, WitnessConnection, Writing
from raidctl.errors import CannotTell, UnreachableError
from tests.bench.powercut_setup import RUN, TARGET, TOKEN, Drive, PowerCutError, WitnessSetup, fair
from tests.support.over import over
from tests.support.waiting import PATIENCE


@pytest.fixture
def setup(tmp_path: Path) -> WitnessSetup:
    """A witness that is not running yet."""
    return WitnessSetup(tmp_path)


class FaultyDrive(Drive):
    """A drive that keeps its power and its content, and refuses a write."""

    def _step(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise OSError(errno.EIO, "Input/output error")


def cut_once(setup: WitnessSetup, drive: Drive) -> None:
    """Cut the power of a new run."""
    with setup.running():
        setup.write(drive, "boot 1", new=True)


def test_an_honest_drive_passes_several_cuts_of_one_run(setup: WitnessSetup) -> None:
    """Each session continues where the last one ended, whatever was restarted in between."""
    drive = Drive()
    with setup.running():
        setup.write(drive, "boot 1", new=True)
        for number in range(1, 4):
            kept = setup.check(drive, f"boot {number + 1}")
            assert [cut.verdict for cut in kept.cuts] == ["none"] * number
            assert all(cut.acknowledged > 0 and fair(cut) for cut in kept.cuts)
            assert {cut.how for cut in kept.cuts} == {"plug"}
            setup.write(drive, f"boot {number + 1}")


def test_a_drive_that_ignores_flushes_fails_at_the_first_cut(setup: WitnessSetup) -> None:
    """Even the initial content of the range is lost."""
    drive = Drive(honest=False)
    with setup.running():
        setup.write(drive, "boot 1", new=True)
        kept = setup.check(drive, "boot 2")
    [cut] = kept.cuts
    assert (kept.verdict, cut.verdict, cut.counted, cut.lost) == ("loss", "lost", True, 64)
    assert cut.loss_seconds is not None
    assert kept.loss_probability is None


def test_without_a_restart_there_was_no_cut(setup: WitnessSetup) -> None:
    """Neither a killed writer nor one that ended at its limit is a power cut."""
    drive = Drive()
    with setup.running():
        setup.write(drive, "boot 1", new=True)
        assert setup.check(drive, "boot 1").cuts == ()
        assert "No power cut since: the machine was not restarted." in setup.printed
        with setup.session("boot 1") as (witness, opened):
            Writing(witness, drive, opened, 1, setup.printed.append).run("writing")
        assert setup.check(drive, "boot 2").cuts == ()
        assert "The writer ended normally before the machine was restarted: that is not a power cut." in setup.printed


def test_a_writer_that_was_killed_before_the_cut_does_not_count(setup: WitnessSetup) -> None:
    """A machine without power closes no connection: its kernel still ran. Of a virtual machine, its host does."""
    for virtual, counted in ((None, False), ("qemu", True)):
        drive = Drive()
        setup.directory /= "one"
        setup.directory.mkdir()
        with setup.running():
            with contextlib.suppress(PowerCutError), setup.session("boot 1", new=True, virtual=virtual) as session:
                drive.machine = session[0].close
                Writing(session[0], drive, session[1], 1 << 30, setup.printed.append).run("writing")
            drive.left = 500
            [cut] = setup.check(drive, "boot 2").cuts
        assert (cut.verdict, cut.ended, fair(cut)) == ("none", "closed", counted)
        assert counted is not any(
            "killed before the power was cut, or the machine is a virtual one" in reason for reason in cut.reasons
        )


def test_a_cut_does_not_count_if_the_witness_was_restarted_meanwhile(setup: WitnessSetup) -> None:
    """After a restart of the witness, only a loss counts.

    The witness may have missed the cut, so a pass does not count.
    """
    for honest, counted in ((True, False), (False, True)):
        drive = Drive(honest=honest)
        setup.directory /= "one"
        setup.directory.mkdir()
        cut_once(setup, drive)
        with setup.running():
            [cut] = setup.check(drive, "boot 2").cuts
        assert (cut.verdict == "none", fair(cut)) == (honest, counted)
        assert honest is any("witness was restarted" in reason for reason in cut.reasons)


def test_a_cut_does_not_count_if_the_writer_had_lost_the_witness(setup: WitnessSetup) -> None:
    """The writer reports that it had lost the connection before the cut."""
    for left, counted in (("00000000000000b2", True), (RUN, False)):
        drive = Drive()
        setup.directory /= "one"
        setup.directory.mkdir()
        with setup.running():
            setup.write(drive, "boot 1", new=True)
            [cut] = setup.check(drive, "boot 2", left=left).cuts
        assert (cut.verdict, fair(cut)) == ("none", counted)
        assert counted is not any("had lost its witness" in reason for reason in cut.reasons)


def test_a_cut_does_not_count_if_a_cache_was_set_differently_than_when_the_run_began(setup: WitnessSetup) -> None:
    """After a cut a controller may write through until its battery is charged: that tests another cache."""
    drive, name = Drive(), "write policy"
    began, later = (msgspec.structs.replace(TARGET, caches={name: word}) for word in ("write_back", "write_through"))
    with setup.running():
        setup.write(drive, "boot 1", new=True, target=began)
        assert fair(setup.check(drive, "boot 2").cuts[0])
        setup.write(drive, "boot 2", target=later)
        _, cut = setup.check(drive, "boot 3").cuts
    assert (cut.verdict, cut.counted) == ("none", False)
    assert cut.reasons[:1] == (
        f"When the run began, the {name} was write_back; when this writing began, it was write_through.",
    )


@pytest.mark.parametrize(("how", "counted"), [("unknown", False), ("enclosure", True)])
def test_a_target_that_failed_had_no_power_cut_unless_the_user_reports_one(
    setup: WitnessSetup, how: How, counted: bool
) -> None:
    """A write error of a drive with power loses nothing, and shows nothing about a power failure."""
    drive = FaultyDrive()
    with setup.running():
        with pytest.raises(TargetFailed), setup.session("boot 1", new=True) as (witness, opened):
            Writing(witness, drive, opened, 1 << 30, setup.printed.append).run("writing")
        drive.left = 500
        [cut] = setup.check(drive, "boot 1", how=how).cuts
    assert (cut.verdict, cut.ended, fair(cut)) == ("none", "target", counted)
    assert counted is not any("--cut-by" in reason for reason in cut.reasons)


def test_a_writer_ended_by_an_exception_reports_it(setup: WitnessSetup) -> None:
    """Neither Ctrl-C nor the SIGTERM of a shutdown is a power cut."""
    drive = Drive()
    with setup.running():
        with pytest.raises(PowerCutError), setup.session("boot 1", new=True) as (witness, opened):
            Writing(witness, drive, opened, 1 << 30, setup.printed.append).run("writing")
        assert setup.check(drive, "boot 2").cuts == ()


def test_a_torn_journal_is_continued_and_a_damaged_one_is_refused(setup: WitnessSetup) -> None:
    """A torn end makes the cut not count. Damage in the middle is an error."""
    drive = Drive()
    cut_once(setup, drive)
    [journal] = setup.directory.glob("*.journal")
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-30])
    with setup.running():
        [cut] = setup.check(drive, "boot 2").cuts
        assert (cut.verdict, cut.counted) in {("none", False), ("unknown", False)}
        assert any("end of the witness's journal" in reason for reason in cut.reasons)
        middle = len(whole) // 2
        journal.write_bytes(whole[:middle] + b"#" + whole[middle + 1 :])
        with pytest.raises(CannotTell, match=r"is damaged at byte .* cannot be continued"):
            setup.check(drive, "boot 2")


@over("keep", range(0, 1001, 50))
def test_a_truncated_journal_never_accuses_an_honest_drive(setup: WitnessSetup, keep: int) -> None:
    """A truncated journal never accuses an honest drive.

    The witness's journal is cut at 21 lengths.
    """
    directory = setup.directory / str(keep)
    directory.mkdir()
    here = WitnessSetup(directory)
    drive = Drive(left=200)
    cut_once(here, drive)
    [journal] = directory.glob("*.journal")
    whole = journal.read_bytes()
    journal.write_bytes(whole[: len(whole) * keep // 1000])
    with here.running():
        if b"\n" not in journal.read_bytes():  # not even its first line is left
            with pytest.raises(CannotTell, match="is not a journal of a run"):
                here.check(drive, "boot 2")
        else:
            assert not any(cut.shows_loss for cut in here.check(drive, "boot 2").cuts)


@pytest.mark.parametrize("changed", [{"serial": "S2"}, {"serial": None}, {"size_bytes": 2 << 20}, {"kind": "file"}])
def test_another_target_is_neither_checked_nor_written(setup: WitnessSetup, changed: dict[str, object]) -> None:
    """A changed or missing serial number, another size or kind is refused."""
    other = msgspec.structs.replace(TARGET, **changed)
    with setup.running():
        setup.write(Drive(), "boot 1", new=True)
        with setup.session("boot 2", target=other) as (witness, _):
            with pytest.raises(CannotTell, match=r"and now .*: nothing is checked or written\."):
                witness.check_target(other)
            assert witness.report().cuts == ()


def test_a_witness_that_vanishes_stops_the_writer(setup: WitnessSetup) -> None:
    """Without the witness, the writer stops."""
    drive = Drive(left=10**6)
    with setup.running() as running, setup.session("boot 1", new=True) as (witness, opened):

        class Stops(Drive):
            def flush(self) -> None:
                super().flush()
                if running.acknowledged() > 40:
                    running.stop()

        drive = Stops(left=10**6)
        with pytest.raises(CannotTell, match=r"is gone \(.*nothing more is written.*--resume\."):
            Writing(witness, drive, opened, 1 << 30, setup.printed.append).run("writing")
    with pytest.raises(UnreachableError, match="No witness can be reached at"):
        WitnessConnection(setup.address, TOKEN)
    assert drive.left < 10**6


RUBBISH = (b"GET / HTTP/1.1\r\n\r\n".ljust(60), MAGIC + bytes(32) + b"\xff\xff\xff\xff" + bytes(40), b"\0" * 5000)


def test_rubbish_on_its_port_does_not_disturb_the_witness(setup: WitnessSetup) -> None:
    """Each connection is refused with a message, and the run continues."""
    drive = Drive()
    with setup.running():
        setup.write(drive, "boot 1", new=True)
        for data in RUBBISH:
            with socket.create_connection(setup.address, 10) as plug:
                plug.sendall(data)
                with contextlib.suppress(ConnectionResetError):
                    while plug.recv(4096):
                        pass
        with pytest.raises(CannotTell, match="does not accept the token"):
            other(setup)
        assert setup.check(drive, "boot 2").cuts[0].verdict == "none"
    refused = [text for text in setup.printed if text.startswith("A connection from 127.0.0.1")]
    assert len(refused) == len(RUBBISH) + 1
    assert "its token is different" in refused[-1]


def other(setup: WitnessSetup) -> None:
    """Connect to the witness with another token."""
    witness = WitnessConnection(setup.address, b"another token of the same length")
    try:
        witness.ask(Begin(1), Fine)
    finally:
        witness.close()


def test_a_witness_records_one_run_at_a_time(setup: WitnessSetup) -> None:
    """While a run is written, another run or writer is refused."""
    with setup.running(closing=0.1), setup.session("boot 1", new=True) as (witness, _):
        witness.check_target(TARGET)
        witness.beat()
        for words in ({"run": "00000000000000b2", "new": True}, {"run": RUN}, {"run": "last"}):
            with pytest.raises(CannotTell, match="is being written at this moment"), setup.session("boot 1", **words):
                pass


def test_a_writer_that_is_silent_while_a_new_connection_waits_is_not_replaced(setup: WitnessSetup) -> None:
    """The moment at which the new connection asked counts, not that at which its wait is over."""
    looks = itertools.count(time.monotonic(), 2 * PATIENCE)
    with (
        setup.running(closing=0.1),
        setup.session("boot 1", new=True),
        patch.object(witness, "time", SimpleNamespace(monotonic=lambda: next(looks))),
        pytest.raises(CannotTell, match="is being written at this moment"),
        setup.session("boot 1"),
    ):
        pass


@pytest.mark.parametrize(("run", "why"), [("last", "has no run yet"), ("../../etc/passwd", "is not an id of a run"),
                                          ("0" * 16, "has no run 0000")])  # fmt: skip
def test_a_missing_run_is_an_error(setup: WitnessSetup, run: str, why: str) -> None:
    """The id of a run is never used as a path."""
    with setup.running(), pytest.raises(CannotTell, match=why), setup.session("boot 1", run=run):
        pass


def test_contradictory_records_are_refused(setup: WitnessSetup) -> None:
    """A writer that announces writes without a flush before is refused."""
    with (
        setup.running(),
        setup.session("boot 1", new=True) as (witness, _),
        pytest.raises(CannotTell, match="before the range was filled"),
    ):
        witness.ask(Intent([1]), Fine)
    with setup.running(), setup.session("boot 1") as (witness, opened):
        witness.ask(Begin(opened.generation), Fine)
        witness.send(Durable(opened.generation, 0.0))
        witness.ask(Intent([1]), Fine)
        with pytest.raises(CannotTell, match="before the flush of the one before it"):
            witness.ask(Intent([2]), Fine)


def test_an_address_in_use_is_an_error(setup: WitnessSetup) -> None:
    """Two witnesses cannot use one port."""
    with setup.running():
        second = Witness(setup.directory, TOKEN, setup.printed.append)
        with pytest.raises(CannotTell, match=r"cannot listen on 127\.0\.0\.1 port"):
            second.listen(*setup.address)
