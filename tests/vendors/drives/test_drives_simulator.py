"""The simulated drives: what is rendered is what is read, and what the tools refuse is refused."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.change.engine import current_settings
from raidctl.model import Drive
from raidctl.request import Write, WriteAnswer
from raidctl.simulation.demo import machine
from raidctl.simulation.runner import Simulated
from raidctl.survey.survey import survey
from raidctl.vendor.registry import vendors
from raidctl.vendor.simulator import State
from raidctl_drives import simulator
from tests.support.printed import rendered, settings_of, texts

VENDORS = vendors()[0]
DEMOS = ("workstation", "nvme", "sas")
CACHE_TYPES = ("write back", "write through", "none", "write back, no read (daft)")
STATE: State = {"drive /dev/sda": "1", "drive /dev/nvme0n1": "1"}


def drives(simulated: Simulated) -> list[Drive]:
    """The drives of a machine as raidctl reads them now."""
    return [drive for card in survey(simulated, VENDORS).inventory.controllers for drive in card.drives]


def write_caches(demo: str) -> State:
    """The recorded write caches of a machine, without its self-tests."""
    return {name: value for name, value in settings_of(simulator, texts(demo)).items() if name.startswith("drive ")}


@pytest.mark.parametrize("demo", ["workstation", "nvme"])
@settings(deadline=None)
@given(data=st.data())
def test_what_is_printed_is_the_state(demo: str, data: st.DataObject) -> None:
    """Every state of all drives can be read out of what the tools print of it."""
    state = {name: data.draw(st.sampled_from("01")) for name in write_caches(demo)}
    assert state
    printed = settings_of(simulator, rendered(simulator, demo, state))
    assert {name: value for name, value in printed.items() if name in state} == state


@pytest.mark.parametrize("demo", DEMOS)
def test_what_was_not_changed_is_printed_as_it_was(demo: str) -> None:
    """Byte for byte."""
    assert rendered(simulator, demo, settings_of(simulator, texts(demo))) == texts(demo)


@pytest.mark.parametrize("demo", ["workstation", "nvme"])
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_the_family_reads_what_is_printed(demo: str, data: st.DataObject) -> None:
    """Whatever tool tells it: all of them say the same of each drive."""
    with TemporaryDirectory() as place:
        simulated = machine(demo, VENDORS, Path(place))
        wanted = {name: data.draw(st.sampled_from("01")) for name in write_caches(demo)}
        simulated.keep(simulated.state() | wanted)
        inventory = survey(simulated, VENDORS).inventory
    read = {drive.device: drive.write_cache for card in inventory.controllers for drive in card.drives}
    assert {name: read[name.removeprefix("drive ")] for name in wanted} == {
        name: "enabled" if value == "1" else "disabled" for name, value in wanted.items()
    }
    stand = current_settings(inventory, VENDORS)
    assert all((drive.id, "write_cache") in stand for card in inventory.controllers for drive in card.drives)


@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_a_scsi_drive_is_what_was_written_into_its_file(data: st.DataObject) -> None:
    """Sdparm, smartctl and the kernel tell the same of every word of the file."""
    with TemporaryDirectory() as place:
        simulated = machine("sas", VENDORS, Path(place))
        wanted = {drive.id: data.draw(st.sampled_from(CACHE_TYPES)) for drive in drives(simulated)}
        for drive in drives(simulated):
            path = f"/sys/class/scsi_disk/{drive.details['SCSI address']}/cache_type"
            assert simulated.answer(Write(path, wanted[drive.id])) == WriteAnswer()
        after = {drive.id: drive for drive in drives(simulated)}
    for object_id, word in wanted.items():
        on = word.startswith("write back")
        drive = after[object_id]
        assert drive.write_cache == ("enabled" if on else "disabled")
        assert drive.details["WCE"].startswith("1" if on else "0")


@pytest.mark.parametrize("word", ["", "on", "Write Back", "writeback", "temporary", "write back "])
def test_the_kernel_takes_its_own_words_alone(tmp_path: Path, word: str) -> None:
    """Anything else is an invalid argument; blanks at the end do not matter."""
    simulated = machine("sas", VENDORS, tmp_path)
    before = simulated.state()
    answer = simulated.answer(Write("/sys/class/scsi_disk/0:0:0:0/cache_type", word))
    assert (answer.trouble is None) == (word.strip() in CACHE_TYPES)
    assert answer.trouble is None or simulated.state() == before


@pytest.mark.parametrize(
    "line",
    [
        "hdparm -W2 /dev/sda",
        "hdparm -W0",
        "hdparm -W0 /dev/sda /dev/sdb",
        "hdparm -W0 /dev/sdz",
        "nvme set-feature /dev/nvme0 -f 6 -v 0",
        "nvme set-feature /dev/nvme0 --feature-id=6 -v 0",
        "nvme set-feature /dev/nvme0 --feature-id=6",
        "nvme set-feature /dev/nvme0 --feature-id=6 --value=2",
        "nvme set-feature /dev/nvme0 --feature-id=7 --value=0",
        "nvme set-feature /dev/nvme0 --feature-id=6 --value=0 --save",
        "nvme set-feature /dev/nvme0n1 --feature-id=6 --value=0",
        "nvme set-feature /dev/nvme9 --feature-id=6 --value=0",
        "nvme set-feature",
        "nvme flush /dev/nvme0n2 -n 1",
        "nvme flush /dev/nvme0n1",
        "nvme flush",
        "sdparm --command=sync",
    ],
)
def test_what_the_tools_refuse_is_refused(line: str) -> None:
    """Nothing is changed, and the exit code says so."""
    reply = simulator.change(tuple(line.split()), STATE)
    assert reply is not None
    assert (reply.code != 0, reply.state) == (True, STATE)


@pytest.mark.parametrize("line", ["", "hdparm", "hdparm -W /dev/sda", "nvme list", "sdparm --get=WCE /dev/sda"])
def test_what_only_reads_is_no_change(line: str) -> None:
    """And what is another tool's."""
    assert simulator.change(tuple(line.split()), STATE) is None
