"""The simulated drives. Rendered outputs are read back, and the tools' refusals are simulated."""

from __future__ import annotations

import json
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
from raidctl_drives import simulator, simulator_self_tests
from raidctl_drives.self_tests import READ
from tests.support.printed import rendered, settings_of, texts

VENDORS = vendors()[0]
DEMOS = ("workstation", "nvme", "sas")
CACHE_TYPES = ("write back", "write through", "none", "write back, no read (daft)")
STATE: State = {"drive /dev/sda": "1", "drive /dev/nvme0n1": "1"}


def drives(simulated: Simulated) -> list[Drive]:
    """The drives of a machine as raidctl reads them now."""
    return [drive for controller in survey(simulated, VENDORS).inventory.controllers for drive in controller.drives]


def write_caches(demo: str) -> State:
    """The recorded write caches of a machine, without its self-tests."""
    return {name: value for name, value in settings_of(simulator, texts(demo)).items() if name.startswith("drive ")}


@pytest.mark.parametrize("demo", ["workstation", "nvme"])
@settings(deadline=None)
@given(data=st.data())
def test_what_is_printed_is_the_state(demo: str, data: st.DataObject) -> None:
    """Every state of all drives can be read from the rendered outputs."""
    state = {name: data.draw(st.sampled_from("01")) for name in write_caches(demo)}
    assert state
    printed = settings_of(simulator, rendered(simulator, demo, state))
    assert {name: value for name, value in printed.items() if name in state} == state


@pytest.mark.parametrize("demo", ["workstation", "nvme"])
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_the_family_reads_what_is_printed(demo: str, data: st.DataObject) -> None:
    """All tools report the simulated write cache of each drive."""
    with TemporaryDirectory() as place:
        simulated = machine(demo, VENDORS, Path(place))
        wanted = {name: data.draw(st.sampled_from("01")) for name in write_caches(demo)}
        simulated.keep(simulated.state() | wanted)
        inventory = survey(simulated, VENDORS).inventory
    read = {drive.device: drive.write_cache for controller in inventory.controllers for drive in controller.drives}
    assert {name: read[name.removeprefix("drive ")] for name in wanted} == {
        name: "enabled" if value == "1" else "disabled" for name, value in wanted.items()
    }
    current = current_settings(inventory, VENDORS)
    assert all(
        (drive.id, "write_cache") in current for controller in inventory.controllers for drive in controller.drives
    )


@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_a_scsi_drive_is_what_was_written_into_its_file(data: st.DataObject) -> None:
    """Sdparm, smartctl and the kernel report the word written into the file."""
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
    """Any other word is an invalid argument; trailing blanks are ignored."""
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
    """A refused command changes nothing and exits with an error."""
    reply = simulator.change(tuple(line.split()), STATE)
    assert reply is not None
    assert (reply.code != 0, reply.state) == (True, STATE)


@pytest.mark.parametrize("line", ["", "hdparm", "hdparm -W /dev/sda", "nvme list", "sdparm --get=WCE /dev/sda"])
def test_what_only_reads_is_no_change(line: str) -> None:
    """A reading command, or one of another tool, is not a change."""
    assert simulator.change(tuple(line.split()), STATE) is None


def test_an_aborted_self_test_has_smartctls_words_in_status_and_log() -> None:
    """The status and the entry in the log have one value and different words."""
    argv = (*READ, "/dev/sda")
    tree = json.loads(
        simulator_self_tests.render(argv, texts("workstation")[argv], {"self-test /dev/sda": "aborted short"})
    )
    entry = tree["ata_smart_self_test_log"]["standard"]["table"][0]
    assert tree["ata_smart_data"]["self_test"]["status"] == {"value": 25, "string": "was aborted by the host"}
    assert entry["status"] == {"value": 25, "string": "Aborted by host", "remaining_percent": 90}
