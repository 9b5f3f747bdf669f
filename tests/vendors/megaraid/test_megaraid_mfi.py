"""The JSON of raidctl-mfi as the family reads it, and when the family asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from raidctl.model import Controller, Problem, Tool
from raidctl.request import RunAnswer
from raidctl.vendor.plan import Desired
from raidctl.vendor.protocol import Document, Observation
from raidctl_megaraid import read, sniff
from raidctl_megaraid.change import flushes, judge, plan
from tests.vendors.megaraid.megaraid_scripts import NOBODY, TAIL, Script, bus, ran, seen, whole
from tests.vendors.mfi.mfi_firmware import (
    BBU,
    CFG_READ,
    GET_PROP,
    LD_INFO,
    LD_LIST,
    NONE,
    Firmware,
    battery,
    configuration,
    configured,
    healthy,
    mbox,
    policies,
    shown,
    volume_info,
    volume_list,
)

CARD = "megaraid_sas 1000:005b"


def output(firmware: Firmware | None = None, **more: Any) -> dict[str, Any]:
    """What raidctl-mfi prints of a machine with one card."""
    card, problems = shown(firmware or healthy())
    place = {"number": 0, "scsi_host": 2, "pci_address": "0000:01:00.0", "pci_ids": "1000:005b:1028:1f31"}
    return {
        "format": "raidctl-mfi 1", "version": "0.1.0", "tried_on": "…", "controllers": [place | card],
        "problems": problems,
    } | more  # fmt: skip


def told(given: object) -> Observation:
    """The observation of one loose file."""
    text = given if isinstance(given, str) else json.dumps(given, indent=1)
    return read([Document("raidctl-mfi.json", "mfi", text)])


def card(firmware: Firmware | None = None) -> Controller:
    """The only controller."""
    (found,) = told(output(firmware)).controllers
    return found


def test_a_card_has_its_name_firmware_and_memory() -> None:
    """APP is the firmware, as the other programs call it; the package stands in the details."""
    found = card()
    assert (found.id, found.model, found.serial, found.firmware) == (
        "megaraid:0", "RCTL MegaRAID 9999-8i", "RC00000001", "3.140.35-1998",
    )  # fmt: skip
    assert (found.driver, found.pci_address, found.mode) == ("megaraid_sas", "0000:01:00.0", "raid")
    assert found.cache is not None
    assert (found.cache.size_bytes, found.cache.flush_interval_seconds) == (1 << 30, 5)
    assert found.details["package_version"] == "24.9.0-0022"


def test_a_volume_is_one_of_the_model() -> None:
    """Its check under way is its status; its SCSI target leads to the device."""
    first, second = card().volumes
    assert (first.id, first.name, first.raid_level, first.size_bytes) == ("megaraid:0/v0", "data", "raid5", 1 << 40)
    assert (first.status, first.status_text, first.strip_bytes) == ("checking", "Optimal", 65536)
    assert first.progress is not None
    assert (first.progress.operation, first.progress.percent) == ("check", 50.0)
    assert (first.details["SCSI target"], second.details["SCSI target"]) == ("2:0:0", "2:3:0")
    assert first.unique_id == "0x600605b00a1b2c3d20112233445566aa"


def test_write_back_is_protected_unless_it_stays_on_with_a_bad_battery() -> None:
    """With a good battery both are in force and safe; only the words differ."""
    first, second = (volume.cache for volume in card().volumes)
    assert first is not None
    assert second is not None
    assert (first.write_policy, first.write_active, first.controller_cache) == (
        "protected_write_back",
        "write_back",
        "protected",
    )
    assert (second.write_policy, second.write_active) == ("unprotected_write_back", "write_back")
    assert (first.read_policy, first.io_policy, first.drive_write_cache) == ("read_ahead", "direct", "disabled")


def test_a_fallback_has_its_cause() -> None:
    """The battery learns, write-through is in force: the volume says why."""
    firmware = healthy()
    firmware.answers[BBU, NONE] = battery(1 << 6)
    firmware.answers[GET_PROP, mbox(0)] = policies(0, 0x05, 0x04)
    firmware.answers[LD_INFO, mbox(0)] = volume_info(0, current=0x04)
    firmware.answers[CFG_READ, NONE] = configuration(
        configured(0, current=0x04), configured(3, default=0x11, current=0x11)
    )
    cache = card(firmware).volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active) == ("protected_write_back", "write_through")
    assert cache.why_not_in_force == "The cache's battery is in a learn cycle."


@pytest.mark.parametrize(
    ("bits", "status"),
    [(0, "ok"), (1 << 3, "charging"), (1 << 6, "learning"), (1 << 10, "failed"), (1, "missing"), (1 << 20, "unknown")],
)
def test_the_batterys_bits_are_its_status(bits: int, status: str) -> None:
    """As those of MegaCli's BBU Status."""
    firmware = healthy()
    firmware.answers[BBU, NONE] = battery(bits)
    [found] = card(firmware).batteries
    assert (found.status, found.kind, found.charge_percent) == (status, "battery", 97)


def test_drives_have_their_places_groups_and_roles() -> None:
    """The enclosure's number and the slot make the id; the spare is kept for its array."""
    found = card()
    assert [(drive.id, drive.role, drive.array) for drive in found.drives] == [
        ("megaraid:0/252:0", "member", "megaraid:0/g0"),
        ("megaraid:0/252:1", "member", "megaraid:0/g0"),
        ("megaraid:0/252:2", "spare", "megaraid:0/g0"),
    ]
    first = found.drives[0]
    assert (first.model, first.serial, first.interface, first.write_cache) == (
        "DISK 1000",
        "SER00008",
        "sas",
        "enabled",
    )
    assert (first.errors.media, first.errors.other, first.errors.predictive) == (2, 3, 1)
    assert found.arrays[0].spares == ("megaraid:0/252:2",)


@pytest.mark.parametrize(
    ("code", "status"), [(0, "offline"), (1, "degraded"), (2, "degraded"), (3, "ok"), (9, "unknown")]
)
def test_a_volumes_state_is_a_word_of_the_family(code: int, status: str) -> None:
    """A number that no source names is unknown, and a problem."""
    firmware = healthy()
    rows = volume_list(3)
    rows[12] = code
    firmware.answers[LD_LIST, NONE] = rows
    for key in [(CFG_READ, NONE), (LD_INFO, mbox(3))]:
        del firmware.answers[key]
    observed = told(output(firmware))
    [volume] = observed.controllers[0].volumes
    assert volume.status == status
    if status == "unknown":
        assert volume.status_text == "state 0x09"
        assert any(problem.where == volume.id and "'state 0x09'" in problem.message for problem in observed.problems)


def test_a_problem_of_an_object_stands_at_the_object() -> None:
    """`controller 0, volume 3` is megaraid:0/v3."""
    firmware = healthy()
    firmware.answers[LD_INFO, mbox(3)] = volume_info(0)
    problems = told(output(firmware)).problems
    assert [problem.where for problem in problems if "returned volume 0" in problem.message] == ["megaraid:0/v3"]


def test_every_line_is_accounted_for() -> None:
    """All that raidctl-mfi prints is a fact, a detail or a note, and what it does not print yet would show."""
    observed = told(output())
    assert [line.text for sheet in observed.outputs for line in sheet.unparsed()] == []
    more = output()
    more["controllers"][0]["new"] = 1
    assert [line.text for sheet in told(more).outputs for line in sheet.unparsed()] == ["controllers[0].new: 1"]


def test_a_loose_output_is_recognised() -> None:
    """By its first key, whatever its file is called."""
    claim = sniff("x.txt", json.dumps(output(), indent=1))
    assert claim is not None
    assert (claim.kind, claim.command) == ("mfi", "raidctl-mfi show")


@pytest.mark.parametrize("text", ['{"format": "raidctl-mfi 1", "controllers": [', '{"format": "raidctl-mfi 2"}'])
def test_a_torn_output_and_one_of_another_form_are_problems(text: str) -> None:
    """Nothing is shown of them, and that is said."""
    observed = told(text)
    assert (observed.controllers, [problem.kind for problem in observed.problems]) == ((), ["unread"])


def _places(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """The path of every value of an output, those of the answers' records left out."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if key != "answers":
            yield from _places(inner, *path, key)


ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from([[], [[]], {"a": 1}, -1, 1e9])
PLACES = [path for path in _places(output()) if len(path) > 1]


@settings(max_examples=100, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.dictionaries(st.sampled_from(PLACES), ODD, min_size=1, max_size=8))
def test_no_json_breaks_the_reader(odd: dict[tuple[str | int, ...], Any]) -> None:
    """Values of any type in any place are read without an exception; shrinking would take longer than it helps."""
    made = output()
    for path, value in odd.items():
        place: Any = made
        try:
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = json.loads(json.dumps(value))
        except (TypeError, IndexError, KeyError):
            continue  # another odd value has taken the place above
    assert isinstance(told(made), Observation)


def test_it_is_asked_where_no_other_program_is_installed() -> None:
    """One call; the card is told by it."""
    script = Script(["raidctl-mfi"], {"raidctl-mfi show": ran(json.dumps(output()))})
    observed = seen(script, bus(CARD))
    assert script.calls == ["raidctl-mfi show"]
    assert [(found.model, found.told_by) for found in observed.controllers] == [
        ("RCTL MegaRAID 9999-8i", "raidctl-mfi")
    ]
    assert [(tool.name, tool.version) for tool in observed.tools] == [("raidctl-mfi", "0.1.0")]


def test_it_is_asked_where_the_others_see_nothing() -> None:
    """Last of all."""
    answers = {f"storcli64 /call show all {TAIL}": NOBODY, "raidctl-mfi show": ran(json.dumps(output()))}
    script = Script(["storcli64", "raidctl-mfi"], answers)
    observed = seen(script, bus(CARD))
    assert script.calls[-1] == "raidctl-mfi show"
    assert [found.told_by for found in observed.controllers] == ["raidctl-mfi"]


@pytest.mark.parametrize(
    "cards",
    [[], ["megaraid_sas 1000:10e2"], [CARD, "megaraid_sas 1000:10e2"], ["mpi3mr 1000:00a5"], ["ahci 8086:2922"]],
)
def test_it_is_not_asked_for_cards_that_it_does_not_know(cards: list[str]) -> None:
    """None at all, another driver's, and any host with a card that MegaCli freezes by the same door."""
    script = Script(["raidctl-mfi"])
    seen(script, bus(*cards))
    assert script.calls == []


def test_a_card_that_it_is_not_asked_for_has_the_reason() -> None:
    """raidctl-mfi comes with raidctl, so somebody will wonder."""
    observed = seen(Script(["raidctl-mfi"]), bus("megaraid_sas 1000:10e2"))
    assert [problem.message[:25] for problem in observed.problems] == ["raidctl-mfi was not run: "]


def test_it_is_not_asked_where_another_program_has_told() -> None:
    """Storcli knows more, and was tried on real cards."""
    script = Script(["storcli64", "raidctl-mfi"], whole("storcli64"))
    seen(script, bus(CARD))
    assert not any(call.startswith("raidctl-mfi") for call in script.calls)


def test_a_card_that_never_answered_is_not_listed() -> None:
    """The right is missing: its problem is passed on, the kernel's view of the card is for others to show."""
    problem = {
        "severity": "error", "kind": "no_right", "where": "raidctl-mfi",
        "message": "The driver may not be asked (EACCES).",
        "remedy": "Run it as root (sudo).",
    }  # fmt: skip
    given = {
        "format": "raidctl-mfi 1", "version": "0.1.0", "controllers": [{"number": 0, "scsi_host": 2}],
        "problems": [problem],
    }  # fmt: skip
    observed = seen(Script(["raidctl-mfi"], {"raidctl-mfi show": ran(json.dumps(given), code=4)}), bus(CARD))
    assert observed.controllers == ()
    assert [(one.kind, one.message) for one in observed.problems] == [("no_right", problem["message"])]


@pytest.mark.parametrize("answer", [RunAnswer(code=-9), ran("Traceback …", code=1), ran("")])
def test_a_program_that_fails_is_a_problem(answer: RunAnswer) -> None:
    """No answer, or one that is no JSON."""
    observed = seen(Script(["raidctl-mfi"], {"raidctl-mfi show": answer}), bus(CARD))
    assert observed.controllers == ()
    assert {problem.kind for problem in observed.problems} == {"unread"}


def test_nothing_is_set_through_it() -> None:
    """It was tried on emulated cards only: a wish is refused with that reason."""
    observed = seen(Script(["raidctl-mfi"], {"raidctl-mfi show": ran(json.dumps(output()))}), bus(CARD))
    [found] = observed.controllers
    assert [name for name, can in found.capabilities.items() if can.set] == ["flush"]
    wish = Desired(object_id="megaraid:0/v0", setting="write_policy", value="write_through")
    tools: list[Tool] = list(observed.tools)
    made = plan(found, [wish], tools)
    assert (made.steps, [refusal.reason[:40] for refusal in made.refusals]) == (
        (), ["raidctl changes nothing through raidctl-"],
    )  # fmt: skip


def test_a_flush_goes_through_it() -> None:
    """The driver sends the same command at every shutdown; what the firmware says of it is judged."""
    observed = seen(Script(["raidctl-mfi"], {"raidctl-mfi show": ran(json.dumps(output()))}), bus(CARD))
    [found] = observed.controllers
    [one] = flushes(found, observed.tools)
    assert one.action is not None
    assert one.action.argv == ("raidctl-mfi", "flush", "--controller", "0")
    done = {"controllers": [{"result": {"outcome": "done", "message": "…"}}], "problems": []}
    refused = {"controllers": [{"result": {"outcome": "refused", "message": "0x15, flush failed."}}], "problems": []}
    barred = {"controllers": [], "problems": [{"message": "The driver may not be asked (EACCES)."}]}
    said = [judge(one.action, ran(json.dumps(given))) for given in (done, refused, barred)]
    assert said == [None, "0x15, flush failed.", "The driver may not be asked (EACCES)."]
    assert [judge(one.action, ran(text)) for text in ("", "[]", '{"controllers": 3}')] == [
        "raidctl-mfi printed nothing.", "[]", '{"controllers": 3}',
    ]  # fmt: skip


def test_problems_have_the_types_of_the_model() -> None:
    """Whatever the file says of severity and kind."""
    odd = [{"severity": "loud", "kind": 3, "where": 4, "message": None, "remedy": {}}]
    problems = told(output(problems=odd)).problems
    expected = Problem(severity="warning", kind="unread", where="raidctl-mfi.json", message="None")
    assert expected in problems
