"""The witness and the writer: cuts are judged, and whatever goes wrong costs one sentence and accuses nobody."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

import msgspec
import pytest

from raidctl.bench.powercut.messages import Begin, Durable, Fine, Intent
from raidctl.bench.powercut.wire import MAGIC
from raidctl.bench.powercut.witness import Witness
from raidctl.bench.powercut.writer import Witnessed, Writing
from raidctl.errors import CannotTell, UnreachableError
from tests.bench.powercut_stand import RUN, TARGET, TOKEN, Disk, PowerCutError, Stand, fair
from tests.support.over import over


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    """A witness that is not running yet."""
    return Stand(tmp_path)


def cut_once(stand: Stand, disk: Disk) -> None:
    """A new run, and the power is cut."""
    with stand.running():
        stand.write(disk, "boot 1", new=True)


def test_an_honest_disk_passes_cut_after_cut_in_one_run(stand: Stand) -> None:
    """Each session goes on where the last one ended, whoever was restarted in between."""
    disk = Disk()
    with stand.running():
        stand.write(disk, "boot 1", new=True)
        for number in range(1, 4):
            kept = stand.check(disk, f"boot {number + 1}")
            assert [cut.verdict for cut in kept.cuts] == ["none"] * number
            assert all(cut.acknowledged > 0 and fair(cut) for cut in kept.cuts)
            assert {cut.how for cut in kept.cuts} == {"plug"}
            stand.write(disk, f"boot {number + 1}")


def test_a_disk_that_confirms_flushes_and_carries_none_out_is_caught_at_the_first_cut(stand: Stand) -> None:
    """Even the filling of the range is gone."""
    disk = Disk(honest=False)
    with stand.running():
        stand.write(disk, "boot 1", new=True)
        kept = stand.check(disk, "boot 2")
    [cut] = kept.cuts
    assert (kept.verdict, cut.verdict, cut.counted, cut.lost) == ("loss", "lost", True, 64)
    assert cut.loss_seconds is not None
    assert kept.loss_probability is None


def test_without_a_restart_there_was_no_cut(stand: Stand) -> None:
    """A writer that was killed, or that ended at its limit, is no power cut."""
    disk = Disk()
    with stand.running():
        stand.write(disk, "boot 1", new=True)
        assert stand.check(disk, "boot 1").cuts == ()
        assert "No power cut since: the machine was not restarted." in stand.said
        with stand.session("boot 1") as (witness, opened):
            Writing(witness, disk, opened, 1, stand.said.append).run("writing")
        assert stand.check(disk, "boot 2").cuts == ()
        assert "The writer ended in order before the machine was restarted: that is no power cut." in stand.said


def test_a_cut_does_not_count_if_the_witness_was_restarted_meanwhile(stand: Stand) -> None:
    """It may have been away when the power was cut; a loss is one all the same."""
    for honest, counted in ((True, False), (False, True)):
        disk = Disk(honest=honest)
        stand.directory /= "one"
        stand.directory.mkdir()
        cut_once(stand, disk)
        with stand.running():
            [cut] = stand.check(disk, "boot 2").cuts
        assert (cut.verdict == "none", fair(cut)) == (honest, counted)
        assert honest is any("witness was restarted" in reason for reason in cut.reasons)


def test_a_cut_does_not_count_if_the_writer_had_lost_its_witness(stand: Stand) -> None:
    """The witness heard the same silence as after a cut; the writer has kept what it was."""
    for left, counted in (("00000000000000b2", True), (RUN, False)):
        disk = Disk()
        stand.directory /= "one"
        stand.directory.mkdir()
        with stand.running():
            stand.write(disk, "boot 1", new=True)
            [cut] = stand.check(disk, "boot 2", left=left).cuts
        assert (cut.verdict, fair(cut)) == ("none", counted)
        assert counted is not any("had lost its witness" in reason for reason in cut.reasons)


def test_a_writer_that_is_ended_in_order_says_so(stand: Stand) -> None:
    """A machine that shuts down sends SIGTERM first: that is no power cut."""
    disk = Disk()
    with stand.running():
        with pytest.raises(PowerCutError), stand.session("boot 1", new=True) as (witness, opened):
            Writing(witness, disk, opened, 1 << 30, stand.said.append).run("writing")
        assert stand.check(disk, "boot 2").cuts == ()


def test_a_torn_journal_is_continued_and_a_damaged_one_is_refused(stand: Stand) -> None:
    """What is missing at its end makes the witness ask for less, and the cut does not count."""
    disk = Disk()
    cut_once(stand, disk)
    [journal] = stand.directory.glob("*.journal")
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-30])
    with stand.running():
        [cut] = stand.check(disk, "boot 2").cuts
        assert (cut.verdict, cut.counted) in {("none", False), ("unknown", False)}
        assert any("end of the witness's journal" in reason for reason in cut.reasons)
        middle = len(whole) // 2
        journal.write_bytes(whole[:middle] + b"#" + whole[middle + 1 :])
        with pytest.raises(CannotTell, match=r"is damaged at byte .* cannot be continued"):
            stand.check(disk, "boot 2")


@over("keep", range(0, 1001, 50))
def test_wherever_the_journal_ends_an_honest_disk_is_not_accused(stand: Stand, keep: int) -> None:
    """The power of the witness failed, too: its journal ends anywhere, per mille of it."""
    directory = stand.directory / str(keep)
    directory.mkdir()
    here = Stand(directory)
    disk = Disk(left=200)
    cut_once(here, disk)
    [journal] = directory.glob("*.journal")
    whole = journal.read_bytes()
    journal.write_bytes(whole[: len(whole) * keep // 1000])
    with here.running():
        if b"\n" not in journal.read_bytes():  # not even its first line is left
            with pytest.raises(CannotTell, match="is no journal of a run"):
                here.check(disk, "boot 2")
        else:
            assert not any(cut.accuses for cut in here.check(disk, "boot 2").cuts)


@pytest.mark.parametrize("changed", [{"serial": "S2"}, {"serial": None}, {"size_bytes": 2 << 20}, {"kind": "file"}])
def test_a_target_that_is_another_one_is_neither_checked_nor_written(stand: Stand, changed: dict[str, object]) -> None:
    """Its serial number changed between the cut and the check, or is no longer reported."""
    other = msgspec.structs.replace(TARGET, **changed)
    with stand.running():
        stand.write(Disk(), "boot 1", new=True)
        with stand.session("boot 2", target=other) as (witness, _):
            with pytest.raises(CannotTell, match=r"and now .*: nothing is checked or written\."):
                witness.same(other)
            assert witness.report().cuts == ()


def test_a_witness_that_vanishes_stops_the_writer(stand: Stand) -> None:
    """Nothing is written without being recorded."""
    disk = Disk(left=10**6)
    with stand.running() as running, stand.session("boot 1", new=True) as (witness, opened):

        class Stops(Disk):
            def flush(self) -> None:
                super().flush()
                if running.acknowledged() > 40:
                    running.stop()

        disk = Stops(left=10**6)
        with pytest.raises(CannotTell, match=r"is gone \(.*nothing more is written.*--resume\."):
            Writing(witness, disk, opened, 1 << 30, stand.said.append).run("writing")
    with pytest.raises(UnreachableError, match="No witness can be reached at"):
        Witnessed(stand.address, TOKEN)
    assert disk.left < 10**6


RUBBISH = (b"GET / HTTP/1.1\r\n\r\n".ljust(60), MAGIC + bytes(32) + b"\xff\xff\xff\xff" + bytes(40), b"\0" * 5000)


def test_rubbish_on_its_port_does_not_disturb_the_witness(stand: Stand) -> None:
    """Each connection is refused with a sentence, and the run goes on."""
    disk = Disk()
    with stand.running():
        stand.write(disk, "boot 1", new=True)
        for data in RUBBISH:
            with socket.create_connection(stand.address, 10) as plug:
                plug.sendall(data)
                with contextlib.suppress(ConnectionResetError):
                    while plug.recv(4096):
                        pass
        with pytest.raises(CannotTell, match="does not accept the token"):
            other(stand)
        assert stand.check(disk, "boot 2").cuts[0].verdict == "none"
    refused = [text for text in stand.said if text.startswith("A connection from 127.0.0.1")]
    assert len(refused) == len(RUBBISH) + 1
    assert "its token is another one" in refused[-1]


def other(stand: Stand) -> None:
    """Ask the witness with another token."""
    witness = Witnessed(stand.address, b"another token of the same length")
    try:
        witness.ask(Begin(1), Fine)
    finally:
        witness.close()


def test_a_witness_keeps_one_run_at_a_time(stand: Stand) -> None:
    """Another run, and a second writer of the same one, are refused while the first is written."""
    with stand.running(), stand.session("boot 1", new=True) as (witness, _):
        witness.same(TARGET)
        for words in ({"run": "00000000000000b2", "new": True}, {"run": RUN}, {"run": "last"}):
            with pytest.raises(CannotTell, match="is being written at this moment"), stand.session("boot 1", **words):
                pass


@pytest.mark.parametrize(("run", "why"), [("last", "has no run yet"), ("../../etc/passwd", "is no id of a run"),
                                          ("0" * 16, "has no run 0000")])  # fmt: skip
def test_a_run_that_is_not_there_is_named(stand: Stand, run: str, why: str) -> None:
    """The name of a run never becomes another path."""
    with stand.running(), pytest.raises(CannotTell, match=why), stand.session("boot 1", run=run):
        pass


def test_what_contradicts_itself_is_refused(stand: Stand) -> None:
    """A writer that announces writes without having flushed is none."""
    with (
        stand.running(),
        stand.session("boot 1", new=True) as (witness, _),
        pytest.raises(CannotTell, match="before the range was filled"),
    ):
        witness.ask(Intent([1]), Fine)
    with stand.running(), stand.session("boot 1") as (witness, opened):
        witness.ask(Begin(opened.generation), Fine)
        witness.tell(Durable(opened.generation, 0.0))
        witness.ask(Intent([1]), Fine)
        with pytest.raises(CannotTell, match="before the flush of the one before it"):
            witness.ask(Intent([2]), Fine)


def test_an_address_that_is_taken_is_named(stand: Stand) -> None:
    """Two witnesses on one port."""
    with stand.running():
        second = Witness(stand.directory, TOKEN, stand.said.append)
        with pytest.raises(CannotTell, match=r"cannot listen on 127\.0\.0\.1 port"):
            second.listen(*stand.address)
