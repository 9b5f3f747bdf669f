"""The simulated arrays. Written values are read back, and the kernel's refusals are simulated."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.change.engine import current_settings
from raidctl.model import Volume
from raidctl.request import Read, ReadAnswer, Write, WriteAnswer
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from raidctl_md import simulator
from tests.change.md_machine import bench, definition
from tests.support.conclusions import read_text

VENDORS = vendors()[0]
VALUES = {
    "stripe_cache_size": st.integers(17, 32768).map(str),
    "journal_mode": st.sampled_from(("write-through", "write-back")),
}


def current(simulated: Simulated) -> dict[tuple[str, str], str]:
    """The current settings of the arrays."""
    inventory = survey(simulated, VENDORS).inventory
    return {
        setting: value
        for setting, value in current_settings(inventory, VENDORS).items()
        if setting[0].startswith("md:") and setting[1] in VALUES
    }


def nodes(simulated: Simulated) -> dict[str, str]:
    """The kernel's names of the arrays."""
    controllers = survey(simulated, VENDORS).inventory.controllers
    volumes: list[Volume] = [
        volume for controller in controllers for volume in controller.volumes if volume.id.startswith("md:")
    ]
    return {volume.id: (volume.device or "").rpartition("/")[2] for volume in volumes}


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_what_was_written_is_what_is_read(data: st.DataObject) -> None:
    """All settings of all arrays are read back at once."""
    with TemporaryDirectory() as place:
        simulated = machine("journal", VENDORS, Path(place))
        before, names = current(simulated), nodes(simulated)
        assert {setting for _, setting in before} == VALUES.keys()
        wanted = {key: data.draw(VALUES[key[1]]) for key in before}
        for (object_id, setting), value in wanted.items():
            assert simulated.answer(Write(f"/sys/block/{names[object_id]}/md/{setting}", value)) == WriteAnswer()
        assert current(simulated) == wanted


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ("stripe_cache_size", "16"), ("stripe_cache_size", "32769"), ("stripe_cache_size", "many"),
        ("stripe_cache_size", ""), ("stripe_cache_size", "-1"), ("journal_mode", "writeback"),
        ("journal_mode", "Write-Back"), ("journal_mode", "none"), ("journal_mode", ""),
    ],
)  # fmt: skip
def test_what_the_kernel_refuses_is_refused(tmp_path: Path, setting: str, word: str) -> None:
    """An invalid argument changes nothing."""
    simulated = machine("journal", VENDORS, tmp_path)
    before, names = current(simulated), nodes(simulated)
    [object_id] = [found for found, name in before if name == setting][:1]
    assert simulated.answer(Write(f"/sys/block/{names[object_id]}/md/{setting}", word)).trouble is not None
    assert current(simulated) == before


def test_an_array_without_a_journal_has_no_such_file_to_write(tmp_path: Path) -> None:
    """Only arrays with a journal have the setting."""
    simulated = machine("journal", VENDORS, tmp_path)
    without = set(nodes(simulated)) - {found for found, name in current(simulated) if name == "journal_mode"}
    assert without
    for object_id in without:
        path = f"/sys/block/{nodes(simulated)[object_id]}/md/journal_mode"
        assert simulated.answer(Write(path, "write-back")).trouble is not None


@pytest.mark.parametrize(("what", "ended"), [("nothing", False), ("time", True), ("a pull", True)])
def test_a_check_ends_when_it_is_through_or_a_member_is_gone(tmp_path: Path, what: str, ended: bool) -> None:
    """A check ends with the time or when a member is pulled."""
    action = "file /sys/block/md0/md/sync_action"
    state = simulator.advance({**bench(tmp_path, definition("raid6", 4)).machine.state(), action: "check\n"}, 1.0)
    if what == "time":
        state = simulator.advance(state, 1e6)
    if what == "a pull":
        state = simulator.pull(state, "1")
    assert (action not in state) is ended


def test_the_kernels_list_marks_what_is_no_working_member(tmp_path: Path) -> None:
    """A spare and a failed member have their marks in the simulated mdstat; a replacement is a member."""
    spare = {"member md0 LABD00004": "slot=- state=spare", "member md0 LABD00005": "slot=0 state=copying from=0"}
    failed = {"member md0 LABD00003": "slot=2 state=faulty"}
    for state, wanted in ((spare, {"sdd": "spare"}), (failed, {"sdc": "failed"})):
        made = bench(tmp_path / str(len(state)), definition(drives=5, state=state))
        answer = made.machine.answer(Read("/proc/mdstat"))
        assert isinstance(answer, ReadAnswer)
        [found] = read_text(answer.text or "").inventory.controllers
        roles = {str(drive.device)[5:]: drive.role for drive in found.drives}
        assert {name: role for name, role in roles.items() if role != "member"} == wanted
        assert len(roles) == 3 + len(state) - (state is failed)


def test_a_new_array_gets_no_drive_of_another(tmp_path: Path) -> None:
    """A member of a running array cannot be opened for a new one."""
    state = bench(tmp_path, definition(drives=5)).machine.state()
    create = ("mdadm", "--create", "/dev/md/lake", "--run", "--name=lake", "--homehost=lab", "--level=1")
    for nodes, code in ((("/dev/sdd", "/dev/sde"), 0), (("/dev/sda", "/dev/sdd"), 2), (("/dev/sdd", "/dev/sdc"), 2)):
        reply = simulator.change((*create, "--raid-devices=2", *nodes), state)
        assert reply is not None
        assert (reply.code, "md/md md127" in reply.state) == (code, code == 0), nodes


@pytest.mark.parametrize(
    ("level", "slots", "codes"), [("raid1", 2, [0, 2]), ("raid1", 3, [0, 0, 2]), ("raid6", 4, [0, 0, 2])]
)
def test_the_last_member_that_holds_the_data_is_not_set_faulty(
    level: str, slots: int, codes: list[int], tmp_path: Path
) -> None:
    """The kernel refuses to fail the last copy of a mirror; of other levels, the one that ends the array."""
    state, found = bench(tmp_path, definition(level, slots, drives=slots)).machine.state(), list[int]()
    for name in "abcd"[: len(codes)]:
        reply = simulator.change(("mdadm", "/dev/md0", "--fail", f"/dev/sd{name}"), state)
        assert reply is not None
        state = dict(reply.state)
        found.append(reply.code)
    assert found == codes
