"""Which of several programs are asked, and which must not be."""

from __future__ import annotations

import pytest

from tests.vendors.megaraid.megaraid_scripts import NOBODY, TAIL, Script, bus, ran, seen, whole

OLD = "megaraid_sas 1000:005b"
AERO = "megaraid_sas 1000:10e2"
DELL = "megaraid_sas 1000:005d 1028"
MPI3 = "mpi3mr 1000:00a5"


def test_a_second_program_is_left_alone_where_the_first_tells_all() -> None:
    """And a note says so, for ``doctor`` and ``show``."""
    script = Script(["storcli64", "storcli", "MegaCli64"], whole("storcli64"))
    found = seen(script, bus(OLD))
    assert {call.split()[0] for call in script.calls} == {"storcli64"}
    (note,) = found.problems
    assert note.kind == "note"
    assert "MegaCli64" in note.message
    assert "not run, because storcli64 reported every controller" in note.message


@pytest.mark.parametrize("device", range(0x10E0, 0x10E8))
def test_megacli_is_never_run_beside_a_card_that_it_freezes(device: int) -> None:
    """Not even where it is the only program, nor for an older card on the same host, nor for its version."""
    script = Script(["MegaCli64", "megacli"])
    found = seen(script, bus(f"megaraid_sas 1000:{device:x}", OLD))
    assert script.asked == []
    assert found.controllers == ()
    assert [(problem.kind, "was not run" in problem.message) for problem in found.problems] == [("no_tool", True)]


def test_an_unbound_card_that_megacli_freezes_bars_it_too() -> None:
    """No driver is bound, or a guest has it: the card is there all the same."""
    script = Script(["MegaCli64"])
    seen(script, bus("vfio-pci 1000:10e6", OLD))
    assert script.asked == []


def test_beside_such_a_card_storcli_is_asked() -> None:
    """And MegaCli's being left out is only a note."""
    script = Script(["storcli64", "MegaCli64"], whole("storcli64"))
    found = seen(script, bus(AERO))
    assert len(found.controllers) == 1
    assert {problem.kind for problem in found.problems} == {"note"}


def test_a_dell_card_is_asked_with_perccli_first() -> None:
    """The general storcli may not see it."""
    script = Script(["storcli64", "perccli64"], whole("perccli64"))
    seen(script, bus(DELL))
    assert {call.split()[0] for call in script.calls} == {"perccli64"}


def test_the_next_program_is_tried_where_one_sees_no_card() -> None:
    """``No Controller found`` of the first is no alarm then."""
    script = Script(["storcli64", "perccli64"], whole("perccli64") | {f"storcli64 /call show all {TAIL}": NOBODY})
    found = seen(script, bus("megaraid_sas 1000:005d"))
    assert [card.id for card in found.controllers] == ["megaraid:0"]
    assert {problem.kind for problem in found.problems} <= {"note"}


def test_a_card_of_mpi3mr_is_asked_with_the_second_storcli_only() -> None:
    """The others cannot know it."""
    script = Script(["storcli64", "storcli2", "MegaCli64"], whole("storcli2"))
    found = seen(script, bus(MPI3))
    assert {call.split()[0] for call in script.calls} == {"storcli2"}
    assert len(found.controllers) == 1


def test_both_generations_on_one_host_are_both_asked() -> None:
    """Their numbers are told apart: each program counts from 0."""
    second = {key: ran(value.out.decode().replace("RC000", "RC777").replace("00:01:", "00:02:"))
              for key, value in whole("storcli2").items()}  # fmt: skip
    found = seen(Script(["storcli64", "storcli2"], whole("storcli64") | second), bus(OLD, MPI3))
    assert [card.id for card in found.controllers] == ["megaraid:0", "megaraid:0-2"]


def test_without_a_card_nothing_alarming_is_said() -> None:
    """A tool that is left from another day."""
    found = seen(Script(["storcli64"], {f"storcli64 /call show all {TAIL}": NOBODY}), bus("ahci 8086:a102"))
    assert found.controllers == ()
    assert {problem.severity for problem in found.problems} == {"info"}


def test_a_parallel_scsi_card_is_beyond_every_tool() -> None:
    """None is asked for it."""
    script = Script(["MegaCli64"])
    found = seen(script, bus("megaraid_mbox 1000:0408"))
    assert script.asked == []
    assert "No supported tool reads the old controller" in found.problems[0].message
