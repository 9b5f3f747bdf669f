"""Layouts that are carried out on simulated machines. The tests cover guards, order, idempotence, and every cut."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from raidctl.change.journal import End, Entry, Journal, JournalFull, Planned
from raidctl.change.reading import RECENT_SECONDS
from raidctl.errors import ChangeNotUndone, ChangeUndone, RaidctlError, UnderWay
from raidctl.layout.tables import MIB
from raidctl.model import Volume
from raidctl.survey.survey import Survey
from raidctl.vendor.creating import Setup
from raidctl.vendor.plan import Action, Identity, Step
from raidctl.vendor.shapes import locked, outside, unlocked
from raidctl.vendor.simulator import fields, words
from raidctl_md import conf, make
from raidctl_md.simulated_machine import arrays
from tests.change.md_machine import UUID
from tests.layout.applied import (
    IMAGE,
    MIRROR,
    PARITY,
    PARTED,
    commands,
    empty,
    job,
    kept,
    killed,
    restore,
)


@pytest.mark.parametrize("text", [MIRROR + 'size = "max"\n', PARITY, PARTED, MIRROR + PARITY])
def test_a_layout_is_made_once_and_then_there_is_nothing_to_do(tmp_path: Path, text: str) -> None:
    """Everything is made and listed, and the journal is closed. A second run has no step."""
    machine = empty(tmp_path)
    first = job(machine, text)
    first.run()
    assert (first.verdict(), machine.journal.pending()) == ("same", [])
    file = machine.machine.state()["md/text /etc/mdadm/mdadm.conf"]
    assert file.startswith("MAILADDR root\n")
    for about in arrays(machine.machine.state()).values():
        assert f"ARRAY /dev/md/{about['link']} metadata=1.2 UUID={about['uuid']} name={about['name']}\n" in file
    assert commands(machine)[-1] == "update-initramfs -u"
    again = job(machine, text)
    assert (again.refused(), again.steps()) == ([], [])


def test_guard_P6_data_in_a_partition_counts_unless_this_operation_made_it(tmp_path: Path) -> None:
    """What was at the place of a new partition before is left over; in one that is there already, it may be in use."""
    machine = empty(tmp_path, LABE00001="rest=data", LABE00002="rest=data")
    killed(machine, job(machine, PARTED).run, 2)
    restore(machine)
    assert any("/dev/sda1 has no known signature, but data" in one for one in job(machine, PARTED).refused())
    job(machine, PARTED).resume()
    assert (job(machine, PARTED).verdict(), machine.journal.pending()) == ("same", [])


def test_what_the_layout_does_not_list_is_kept(tmp_path: Path) -> None:
    """An existing array is not changed when another is made."""
    machine = empty(tmp_path)
    job(machine, MIRROR).run()
    before = {name: value for name, value in machine.machine.state().items() if "md127" in name}
    job(machine, PARITY).run()
    assert before.items() <= machine.machine.state().items()


def test_only_commands_of_the_table_are_run(tmp_path: Path) -> None:
    """The engine refuses no command of the table. Each word from the file has the form of its place."""
    known = {"/dev/sda", "/dev/sdb"}
    head = ("mdadm", "--create", "/dev/md/x", "--run", "--name=x", "--homehost=h", "--level=1", "--raid-devices=2")
    assert outside(Action(argv=locked((*head, "/dev/sda", "/dev/sdb"), ["/dev/sda"])), make.SHAPES, known) is None
    for wrong in (
        (*head, "--force", "/dev/sda"), (*head, "/dev/sdz"), (*head, "--assume-clean", "/dev/sda"), head,
        (*head[:2], "/dev/md/x;reboot", *head[3:], "/dev/sda"), ("mdadm", "--stop", "--scan"),
        ("dd", "of=/etc/passwd", "conv=fsync", "status=none"),
    ):  # fmt: skip
        assert outside(Action(argv=wrong), make.SHAPES, known) is not None, wrong
    assert outside(Action(argv=locked(("mdadm", "--stop", "/dev/sda"), ["/dev/sdz"])), make.SHAPES, known) is not None
    machine = empty(tmp_path)
    job(machine, MIRROR).run()
    assert all("--force" not in argv for argv in machine.argvs)


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ({"md/held LABE00001": "yes"}, "/dev/sda is held open by a program"),
        ({"md/drive LABE00001": "node=sda sectors=7814037168 smart=FAILED!"}, "is not healthy"),
        ({"md/drive LABE00001": "node=sda sectors=7814037168 smart=PASSED sig=ext4"}, "--wipe LABE00001 removes it"),
        ({"md/drive LABE00001": "node=sda sectors=7814037168 smart=PASSED boot=grub"}, "but data in its first sector"),
        ({"md/drive LABE00001": "node=sda sectors=7814037168 smart=PASSED parts=1"}, "is on /dev/sda"),
        ({"md/drive LABE00001": "node=sda sectors=3907029168 smart=PASSED"}, "more than 10% apart"),
        ({"md/text /etc/mdadm/mdadm.conf": "ARRAY /dev/md/data UUID=1:2:3:4"}, "has an ARRAY line for /dev/md/data"),
    ],
)
def test_guard_P6_a_drive_that_is_not_known_to_be_free_is_refused(
    tmp_path: Path, state: dict[str, str], why: str
) -> None:
    """Nothing is run on a drive that may not be free. The check is repeated right before the step."""
    machine = empty(tmp_path)
    assert job(machine, MIRROR).refused() == []
    late = job(machine, MIRROR)
    change = late.start()
    for name, value in state.items():
        kept(machine, name, value)
    assert any(why in text for text in job(machine, MIRROR).refused()), job(machine, MIRROR).refused()
    machine.sleep(RECENT_SECONDS)
    with pytest.raises(RaidctlError, match=r"LABE00001|data"):
        late.applying.run(change)
    assert machine.argvs == []


def test_guard_P6_it_is_asked_again_right_before_the_step(tmp_path: Path) -> None:
    """A file system that appears after planning stops the command."""
    machine = empty(tmp_path)
    late = job(machine, MIRROR)
    change = late.start()
    guard = late.applying.guard

    def watched(step: Step, seen: Survey) -> list[str]:
        kept(machine, "md/drive LABE00002", "node=sdb sectors=7814037168 smart=PASSED sig=xfs")
        return guard(step, seen)

    late.applying.guard = watched  # type: ignore[method-assign]  # of this machine
    with pytest.raises(ChangeUndone, match="contains xfs"):
        late.applying.run(change)
    assert machine.argvs == []


def test_guard_P17_whole_drives_or_partitions_only_as_the_file_requires(tmp_path: Path) -> None:
    """No table is written for whole drives. With ``partition``, no array is made of a whole drive."""
    whole, parted = empty(tmp_path / "whole"), empty(tmp_path / "parted")
    job(whole, MIRROR).run()
    assert not [argv for argv in whole.argvs if "sfdisk" in argv]
    job(parted, PARTED).run()
    made = [argv for argv in parted.argvs if "--create" in argv]
    assert len(made) == 2
    assert not {"/dev/sda", "/dev/sdb"} & {word for argv in made for word in unlocked(argv)[0]}


def test_the_eleventh_partition_is_not_taken_for_the_first(tmp_path: Path) -> None:
    """A table of more than nine partitions is compared number by number: its volumes are made."""
    first, last = PARTED.strip().split("\n\n")
    more = [
        first.replace('"boot"', f'"part{number}"').replace('"512MiB"', f'"{512 + number}MiB"') for number in range(10)
    ]
    machine = empty(tmp_path)
    applied = job(machine, "\n\n".join([first, *more, last]))
    applied.run()
    assert applied.verdict() == "same"


def test_a_partition_of_another_size_is_not_taken_for_the_planned_one(tmp_path: Path) -> None:
    """Sfdisk was accepted, and the kernel shows another table: no array is made on it."""
    machine = empty(tmp_path)
    applied = job(machine, PARTED)
    change = applied.start()
    look = change.read_machine

    def shrunk() -> Survey:
        seen = look()
        blocks = tuple(
            replace(one, size_bytes=(one.size_bytes or 0) - MIB) if one.kind == "partition" else one
            for one in seen.view.blocks
        )
        return replace(seen, view=replace(seen.view, blocks=blocks))

    change.read_machine = shrunk
    with pytest.raises((ChangeUndone, ChangeNotUndone, UnderWay), match="not as listed"):
        applied.applying.run(change)
    assert not [argv for argv in machine.argvs if "--create" in argv]


def test_partitions_of_a_drive_that_is_not_listed_are_not_confirmed(tmp_path: Path) -> None:
    """A table that the reading confirms is not confirmed by one that lacks its drive."""
    machine = empty(tmp_path)
    applied = job(machine, PARTED)
    change = applied.start()
    applied.applying.run(change)
    seen = machine.look()
    tables = [step for step in change.begin.steps if step.setting == "make_table"]
    assert tables
    without = replace(seen, inventory=replace(seen.inventory, controllers=()))
    for step in tables:
        assert (applied.applying.confirm(step, seen), len(applied.applying.confirm(step, without))) == ([], 1)


def test_guard_P16_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    """Another array is /dev/md/data already."""
    machine = empty(tmp_path)
    job(machine, MIRROR).run()
    other = MIRROR.replace("LABE00001", "LABE00003").replace("LABE00002", "LABE00004")
    text = other.replace('name = "data"', 'name = "data"\nunique_id = "00000000:00000000:00000000:00000001"')
    assert any("There is an array /dev/md/data already" in one for one in job(machine, text).refused())


def test_guard_R11_content_is_removed_only_with_the_serial_number(tmp_path: Path) -> None:
    """With --wipe of its serial number, a drive is wiped and used. Its first and last MiB are kept before that."""
    machine = empty(tmp_path, LABE00001="sig=ext4 parts=1")
    assert job(machine, MIRROR).refused()
    assert job(machine, MIRROR, "LABE00002").refused()
    wiped = job(machine, MIRROR, "LABE00001")
    wiped.run()
    assert commands(machine)[:3] == ["wipefs --all", "wipefs --all", "mdadm --create"]
    saved = {path.name for path in (machine.place / "saved").rglob("*")}
    assert {"LABE00001-first-mib", "LABE00001-last-mib"} <= saved
    assert wiped.verdict() == "same"


def test_a_drive_that_is_only_counted_is_never_wiped(tmp_path: Path) -> None:
    """--wipe is for drives that the file names."""
    machine = empty(tmp_path, 3, LABE00001="sig=ext4")
    text = PARITY.replace("spares = 1\n", "")
    assert any("3 drives of one kind and size needed, 2 drives free" in one
               for one in job(machine, text, "LABE00001").refused())  # fmt: skip


def test_the_code_is_for_this_plan_on_this_machine_in_this_state(tmp_path: Path) -> None:
    """The code stays the same while nothing changes. Another state, machine or layout gives another code."""
    machine = empty(tmp_path / "a")
    code = job(machine, MIRROR).code()
    assert job(machine, MIRROR).code() == code == job(empty(tmp_path / "same"), MIRROR).code()
    others = [job(machine, MIRROR.replace("data", "other")).code(), job(machine, PARITY).code()]
    others.append(job(empty(tmp_path / "b", LABE00006="sectors=7814037000"), MIRROR).code())
    kept(machine, "md/drive LABE00005", "node=sde sectors=7814037168 smart=FAILED!")
    others.append(job(machine, MIRROR).code())
    assert len({code, *others}) == 5


@pytest.mark.parametrize("behaviour", ["refuses", "accepts and does nothing", "hangs"])
@pytest.mark.parametrize("match", ["--create", "mdadm.conf", "update-initramfs"])
def test_a_tool_without_an_effect_stops_the_operation(tmp_path: Path, behaviour: str, match: str) -> None:
    """The operation stops, stays open, and continues when the tool works."""
    machine = empty(tmp_path)
    machine.behaviour, machine.match = behaviour, match  # one of them
    with pytest.raises((ChangeNotUndone, ChangeUndone)):
        job(machine, MIRROR).run()
    assert job(machine, MIRROR).verdict() == ("different" if match == "--create" else "same")
    machine.match = "nothing"
    if machine.journal.pending():
        job(machine, MIRROR).resume()
    else:
        job(machine, MIRROR).run()
    assert job(machine, MIRROR).verdict() == "same"
    assert job(machine, MIRROR).steps() == []


class Full(Journal):
    """A journal on a file system that is full for some entries, from the second command on."""

    def __init__(self, place: Path, kind: type[Planned | End]) -> None:
        super().__init__(place)
        self.kind = kind

    def append(self, entry: Entry) -> None:
        """Write a line, or refuse it."""
        if isinstance(entry, self.kind) and any(event.mark == "done" for one in self.changes() for event in one.events):
            raise JournalFull("The journal cannot be written: No space left on device.")
        super().append(entry)


@pytest.mark.parametrize(("kind", "words"), [(Planned, "the earlier steps are kept"), (End, "is done and verified")])
def test_a_full_journal_leaves_the_operation_open(tmp_path: Path, kind: type[Planned | End], words: str) -> None:
    """After its first command, an operation is not reported as unchanged, and its continuation is named."""
    machine = empty(tmp_path)
    one = job(machine, MIRROR)
    change = one.start()
    change.journal = Full(machine.place, kind)

    def whole() -> None:
        one.applying.run(change)
        change.finish()

    with pytest.raises(ChangeNotUndone, match=rf"No space left.* {words}.*raidctl layout apply resume"):
        whole()
    one.resume()
    assert (one.verdict(), machine.journal.pending()) == ("same", [])


@pytest.mark.slow
@pytest.mark.parametrize(("text", "steps"), [(PARTED, 7), (MIRROR + PARITY, 5)])
def test_a_kill_before_any_command_is_continued(tmp_path: Path, text: str, steps: int) -> None:
    """A layout killed at any command, restored and continued is as listed. No command is run twice in vain."""
    for at in range(steps):
        machine = empty(tmp_path / str(at))
        killed(machine, job(machine, text).run, at)
        restored = restore(machine)
        assert not any("Restoring" in one for one in restored)
        if machine.journal.pending():
            job(machine, text).resume()
        else:
            job(machine, text).run()
        assert (job(machine, text).verdict(), machine.journal.pending()) == ("same", []), at
        assert job(machine, text).steps() == [], at


def test_a_machine_without_a_boot_image_gets_none(tmp_path: Path) -> None:
    """A machine without a boot image has none made."""
    machine = empty(tmp_path)
    kept(machine, f"md/time {IMAGE}", None)
    job(machine, MIRROR).run()
    assert "update-initramfs -u" not in commands(machine)


@pytest.mark.parametrize(("time", "renewed"), [(4, True), (5, False), (6, False)])
def test_only_a_boot_image_older_than_the_configuration_is_renewed(time: int, renewed: bool) -> None:
    """A newer image needs no step."""
    found = Setup(
        files={"/etc/mdadm/mdadm.conf": ""},
        times={"/etc/mdadm/mdadm.conf": 5, IMAGE: time},
        tools=frozenset({"update-initramfs"}),
    )
    assert bool(make.renew(Identity(object_id="md:md0", unique=UUID), found)) == renewed


def test_entries_of_the_configuration_are_read_as_mdadm_reads_them() -> None:
    """Continued lines, comments, abbreviations and case; all else stays to the letter."""
    text = "# ARRAY UUID=1:2\nDEVICE partitions\nARR /dev/md/a\n  uuid=0000000A:b\n\n  # note\nMAILADDR x\n"
    assert conf.lists(text, "0000000a:B")
    assert not conf.lists(text, "1:2")
    assert conf.names_device(text, "a")
    assert conf.without(text, "0000000a:b") == "# ARRAY UUID=1:2\nDEVICE partitions\n\n  # note\nMAILADDR x\n"
    assert conf.without(text, "1:2") == text


def test_all_mistakes_of_drives_are_reported_at_once(tmp_path: Path) -> None:
    """All mistakes of drives are reported, and nothing is run.

    Examples are an absent drive, one drive under two names, and one in two volumes.
    """
    machine = empty(tmp_path)
    text = (
        MIRROR.replace('"LABE00001"', '"LABE0001"')
        + MIRROR.replace("data", "b").replace('"LABE00001", "LABE00002"', '"LABE00003", "drives:LABE00003"')
        + MIRROR.replace("data", "c").replace('"LABE00001"', '"/dev/sdc"').replace("LABE00002", "LABE00004")
        + MIRROR.replace("data", "d").replace('"LABE00001"', '"/dev/sdd"').replace("LABE00002", "LABE00005")
    )
    found = " ".join(job(machine, text).refused())
    assert '"LABE0001" is not a drive that md can use; did you mean LABE00001' in found
    assert "under another name" in found
    assert "another volume of the layout uses it" in found
    assert machine.argvs == []


def test_spares_that_an_array_lacks_are_added(tmp_path: Path) -> None:
    """Only missing spares are added, counted or named. The guards of "spare add" hold; a second run does nothing."""
    machine = empty(tmp_path)
    text = PARITY.replace("spares = 1\n", "")
    job(machine, text).run()
    machine.argvs.clear()
    more = job(machine, text + "spares = 1\n")
    assert more.steps() == ["mdadm /dev/md127 --add-spare /dev/sdd"]
    more.run()
    assert (more.verdict(), job(machine, text + "spares = 1\n").steps()) == ("same", [])
    named = job(machine, text + 'spares = ["LABE00004", "LABE00006"]\n')
    assert named.steps() == ["mdadm /dev/md127 --add-spare /dev/sdf"]
    kept(machine, "md/drive LABE00006", "node=sdf sectors=3907029168 smart=PASSED")
    assert any("too small" in text for text in job(machine, text + 'spares = ["LABE00004", "LABE00006"]\n').refused())
    assert job(machine, text + "spares = 0\n").steps() == []


def test_a_volume_whose_member_fails_meanwhile_is_not_done_and_verified(tmp_path: Path) -> None:
    """A member fails right after the command that made the volume: a warning names the volume, and nothing is sure."""
    machine = empty(tmp_path)

    def fails(_: object) -> None:
        if machine.argvs:
            machine.machine.fail("1")

    machine.before = fails
    one = job(machine, MIRROR)
    change = one.start()
    [volume] = one.applying.run(change)
    assert (volume.status, change.doubtful) == ("degraded", True)
    assert any(f"{volume.id} was made, and its status is degraded" in text for text in change.warnings)


def test_guard_P12_old_data_that_shines_through_is_named(tmp_path: Path) -> None:
    """Old data that reappears is a warning, not an error.

    An old file system is there again with the same drives and geometry as before.
    """
    machine = empty(tmp_path)

    def shines(_: object) -> None:
        state = machine.machine.state()
        if "md/md md127" in state:
            kept(machine, "md/md md127", words({**fields(state["md/md md127"]), "fs": "ext4"}))

    machine.before = shines
    job(machine, MIRROR).run()
    assert any("md:md127 shows ext4 from earlier use of its drives" in text for text in machine.printed)


def test_the_configuration_is_written_as_the_file_wants_it(tmp_path: Path) -> None:
    """With config = false, it is not touched. With config = true, an array that was there already is listed too."""
    machine = empty(tmp_path)
    job(machine, MIRROR + "config = false\n").run()
    assert commands(machine) == ["mdadm --create"]
    assert job(machine, MIRROR).steps() == []
    listed = job(machine, MIRROR + "config = true\n")
    listed.run()
    assert commands(machine)[1:] == ["dd of=/etc/mdadm/mdadm.conf.raidctl", "mv --no-target-directory",
                                     "update-initramfs -u"]  # fmt: skip


@pytest.mark.parametrize("name", ["lab:da ta", "x\nPROGRAM /bin/evil", "lab:data\nMAILADDR evil", "a b", "", "ü"])
def test_a_hostile_name_in_a_superblock_writes_no_other_line(name: str) -> None:
    """The configuration gets one ARRAY line by UUID. Anything that is not a name is left out."""
    uuid = "8c1f6e20:4b7d93a5:e0523b18:77d96c4f"
    volume = Volume(id="md:md0", device="/dev/md0", name=name, unique_id=uuid, metadata="1.2")
    assert conf.with_array("MAILADDR root\n", volume) == (f"MAILADDR root\nARRAY /dev/md0 metadata=1.2 UUID={uuid}\n")
    hostile = msgspec.structs.replace(volume, unique_id=f"{uuid}\nPROGRAM x")
    assert conf.with_array("MAILADDR root\n", hostile) == "MAILADDR root\n"
