"""How the family reads raidctl-mfi's JSON, and when it runs raidctl-mfi."""

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
from raidctl_mfi.structures import CTRL_INFO, LD_PROPS
from tests.vendors.megaraid.megaraid_scripted_tools import NO_CONTROLLER, TAIL, Script, bus, ran, seen, whole
from tests.vendors.mfi.mfi_firmware import (
    BBU,
    CFG_READ,
    CTRL_GET_INFO,
    GET_PROP,
    LD_INFO,
    LD_LIST,
    NONE,
    Firmware,
    battery,
    configuration,
    configured,
    controller,
    healthy,
    mbox,
    policies,
    shown,
    volume_info,
    volume_list,
)

CONTROLLER = "megaraid_sas 1000:005b"


def output(firmware: Firmware | None = None, **more: Any) -> dict[str, Any]:
    """The output of raidctl-mfi on a machine with one controller."""
    controller, problems = shown(firmware or healthy())
    place = {"number": 0, "scsi_host": 2, "pci_address": "0000:01:00.0", "pci_ids": "1000:005b:1028:1f31"}
    return {
        "format": "raidctl-mfi 1", "version": "0.1.0", "tried_on": "…", "controllers": [place | controller],
        "problems": problems,
    } | more  # fmt: skip


def observation(given: object) -> Observation:
    """The observation of one saved output."""
    text = given if isinstance(given, str) else json.dumps(given, indent=1)
    return read([Document("raidctl-mfi.json", "mfi", text)])


def only_controller(firmware: Firmware | None = None) -> Controller:
    """The only controller."""
    (found,) = observation(output(firmware)).controllers
    return found


def test_a_controller_has_its_name_firmware_and_memory() -> None:
    """APP is the firmware, as with the other tools. The package is a detail."""
    found = only_controller()
    assert (found.id, found.model, found.serial, found.firmware) == (
        "megaraid:0", "RCTL MegaRAID 9999-8i", "RC00000001", "3.140.35-1998",
    )  # fmt: skip
    assert (found.driver, found.pci_address, found.mode) == ("megaraid_sas", "0000:01:00.0", "raid")
    assert found.cache is not None
    assert (found.cache.size_bytes, found.cache.flush_interval_seconds) == (1 << 30, 5)
    assert found.details["package_version"] == "24.9.0-0022"


def test_all_fields_of_a_volume_are_read() -> None:
    """A running check is the status. The SCSI target leads to the device."""
    first, second = only_controller().volumes
    assert (first.id, first.name, first.raid_level, first.size_bytes) == ("megaraid:0/v0", "data", "raid5", 1 << 40)
    assert (first.status, first.status_text, first.strip_bytes) == ("checking", "Optimal", 65536)
    assert first.progress is not None
    assert (first.progress.operation, first.progress.percent) == ("check", 50.0)
    assert (first.details["SCSI target"], second.details["SCSI target"]) == ("2:0:0", "2:3:0")
    assert first.unique_id == "0x600605b00a1b2c3d20112233445566aa"


def test_write_back_is_protected_unless_it_stays_on_with_a_bad_battery() -> None:
    """With a good battery both policies are active."""
    first, second = (volume.cache for volume in only_controller().volumes)
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
    """Write-through during a learn cycle is reported with its cause."""
    firmware = healthy()
    firmware.answers[BBU, NONE] = battery(1 << 6)
    firmware.answers[GET_PROP, mbox(0)] = policies(0, 0x05, 0x04)
    firmware.answers[LD_INFO, mbox(0)] = volume_info(0, current=0x04)
    firmware.answers[CFG_READ, NONE] = configuration(
        configured(0, current=0x04), configured(3, default=0x11, current=0x11)
    )
    cache = only_controller(firmware).volumes[0].cache
    assert cache is not None
    assert (cache.write_policy, cache.write_active) == ("protected_write_back", "write_through")
    assert cache.why_not_in_force == "The cache's battery is in a learn cycle."


@pytest.mark.parametrize(
    ("bits", "status"),
    [(0, "ok"), (1 << 3, "charging"), (1 << 6, "learning"), (1 << 10, "failed"), (1, "missing"), (1 << 20, "unknown")],
)
def test_the_batterys_bits_are_its_status(bits: int, status: str) -> None:
    """The status bits give the battery's status, as with MegaCli's BBU Status."""
    firmware = healthy()
    firmware.answers[BBU, NONE] = battery(bits)
    [found] = only_controller(firmware).batteries
    assert (found.status, found.kind, found.charge_percent) == (status, "battery", 97)


@pytest.mark.parametrize(("bits", "replace"), [(0, False), (1 << 3, False), (1 << 10, True)])
def test_the_firmwares_request_for_a_new_battery_is_read(bits: int, replace: bool) -> None:
    """The bit for a replacement is the request that storcli and MegaCli print."""
    firmware = healthy()
    firmware.answers[BBU, NONE] = battery(bits)
    assert [found.replace for found in only_controller(firmware).batteries] == [replace]


def test_drives_have_their_places_groups_and_roles() -> None:
    """Enclosure and slot make the id. A dedicated spare belongs to its array."""
    found = only_controller()
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
def test_the_state_of_a_volume(code: int, status: str) -> None:
    """A number without a known state is unknown, and a problem."""
    firmware = healthy()
    rows = volume_list(3)
    rows[12] = code
    firmware.answers[LD_LIST, NONE] = rows
    for key in [(CFG_READ, NONE), (LD_INFO, mbox(3))]:
        del firmware.answers[key]
    observed = observation(output(firmware))
    [volume] = observed.controllers[0].volumes
    assert volume.status == status
    if status == "unknown":
        assert volume.status_text == "state 0x09"
        assert any(problem.where == volume.id and "'state 0x09'" in problem.message for problem in observed.problems)


def test_blocked_access_to_a_volume_is_reported() -> None:
    """A volume that the system cannot use is an error, as with the other tools."""
    firmware = healthy()
    sources = [policies(0, 0x05, 0x05), volume_info(0), configured(0)]
    for one in sources:
        one[LD_PROPS.offset("access_policy")] = 3
    firmware.answers |= {
        (GET_PROP, mbox(0)): sources[0],
        (LD_INFO, mbox(0)): sources[1],
        (CFG_READ, NONE): configuration(sources[2], configured(3, default=0x11, current=0x11)),
    }
    observed = observation(output(firmware))
    assert observed.controllers[0].volumes[0].details["access"] == "blocked"
    assert [(one.severity, one.where) for one in observed.problems if "is blocked" in one.message] == [
        ("error", "megaraid:0/v0")
    ]


def test_uncorrectable_errors_of_the_cache_memory_are_reported() -> None:
    """A memory that lost data is an error of the controller, as with the other tools."""
    firmware = healthy()
    info = controller()
    info[CTRL_INFO.offset("memory_uncorrectable_errors")] = 3
    firmware.answers[CTRL_GET_INFO, NONE] = info
    found = [one for one in observation(output(firmware)).problems if "cache memory: 3" in one.message]
    assert [(one.severity, one.kind, one.where) for one in found] == [("error", "state", "megaraid:0")]


def test_missing_drives_of_all_spans_are_counted() -> None:
    """The array of a striped volume lacks what all of its spans lack together."""
    given = output()
    described = given["controllers"][0]
    described["arrays"] = [{"ref": ref, "drives": [], "missing": missing} for ref, missing in ((0, 0), (1, 2))]
    described["volumes"][0] |= {"arrays": [0, 1], "spans": 2}
    [array] = observation(given).controllers[0].arrays
    assert array.details["missing"] == "2"


def test_a_problem_of_an_object_has_the_objects_id() -> None:
    """A problem of `controller 0, volume 3` has the id megaraid:0/v3."""
    firmware = healthy()
    firmware.answers[LD_INFO, mbox(3)] = volume_info(0)
    problems = observation(output(firmware)).problems
    assert [problem.where for problem in problems if "returned volume 0" in problem.message] == ["megaraid:0/v3"]


def test_every_line_is_accounted_for() -> None:
    """All output values are read, and an unknown one is unparsed."""
    observed = observation(output())
    assert [line.text for one in observed.outputs for line in one.unparsed()] == []
    more = output()
    more["controllers"][0]["new"] = 1
    assert [line.text for one in observation(more).outputs for line in one.unparsed()] == ["controllers[0].new: 1"]


@pytest.mark.parametrize(("objects", "name"), [("volumes", "target"), ("drives", "device_id")])
def test_an_object_without_its_number_is_unread(objects: str, name: str) -> None:
    """A volume or drive that lacks its number may have failed: it is not passed over."""
    damaged = output()
    del damaged["controllers"][0][objects][0][name]
    assert name in " ".join(one.message for one in observation(damaged).problems if one.kind == "unread")


def test_a_saved_output_is_recognised() -> None:
    """The output is recognised by its first key, whatever the file's name."""
    claim = sniff("x.txt", json.dumps(output(), indent=1))
    assert claim is not None
    assert (claim.kind, claim.command) == ("mfi", "raidctl-mfi show")


@pytest.mark.parametrize("text", ['{"format": "raidctl-mfi 1", "controllers": [', '{"format": "raidctl-mfi 2"}'])
def test_truncated_and_unknown_outputs_are_problems(text: str) -> None:
    """A truncated output or an unknown format version is one problem. There is no controller."""
    observed = observation(text)
    assert (observed.controllers, [problem.kind for problem in observed.problems]) == ((), ["unread"])


def _places(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """The path of every value of an output, without the raw answers."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if key != "answers":
            yield from _places(inner, *path, key)


ODD = st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from([[], [[]], {"a": 1}, -1, 1e9])
PLACES = [path for path in _places(output()) if len(path) > 1]


@pytest.mark.slow
@settings(max_examples=100, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.dictionaries(st.sampled_from(PLACES), ODD, min_size=1, max_size=8))
def test_no_json_breaks_the_reader(odd: dict[tuple[str | int, ...], Any]) -> None:
    """Values of any type in any place raise no exception. There is no shrinking, which takes too long."""
    made = output()
    for path, value in odd.items():
        place: Any = made
        try:
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = json.loads(json.dumps(value))
        except (TypeError, IndexError, KeyError):
            continue  # another odd value has replaced the parent
    assert isinstance(observation(made), Observation)


def test_it_is_run_if_no_other_tool_is_installed() -> None:
    """One call gives the controller and the tool's version."""
    script = Script(["raidctl-mfi"], {"raidctl-mfi show": ran(json.dumps(output()))})
    observed = seen(script, bus(CONTROLLER))
    assert script.calls == ["raidctl-mfi show"]
    assert [(found.model, found.told_by) for found in observed.controllers] == [
        ("RCTL MegaRAID 9999-8i", "raidctl-mfi")
    ]
    assert [(tool.name, tool.version) for tool in observed.tools] == [("raidctl-mfi", "0.1.0")]


def test_it_is_run_if_the_others_list_nothing() -> None:
    """raidctl-mfi is run last."""
    answers = {f"storcli64 /call show all {TAIL}": NO_CONTROLLER, "raidctl-mfi show": ran(json.dumps(output()))}
    script = Script(["storcli64", "raidctl-mfi"], answers)
    observed = seen(script, bus(CONTROLLER))
    assert script.calls[-1] == "raidctl-mfi show"
    assert [found.told_by for found in observed.controllers] == ["raidctl-mfi"]


@pytest.mark.parametrize(
    "controllers",
    [[], ["megaraid_sas 1000:10e2"], [CONTROLLER, "megaraid_sas 1000:10e2"], ["mpi3mr 1000:00a5"], ["ahci 8086:2922"]],
)
def test_it_is_not_run_for_unsupported_controllers(controllers: list[str]) -> None:
    """raidctl-mfi is not run for other drivers. Neither is it run on a host with a controller that MegaCli freezes."""
    script = Script(["raidctl-mfi"])
    seen(script, bus(*controllers))
    assert script.calls == []


def test_the_reason_for_not_running_it_is_reported() -> None:
    """A problem gives the reason, because raidctl-mfi is installed with raidctl."""
    observed = seen(Script(["raidctl-mfi"]), bus("megaraid_sas 1000:10e2"))
    assert [problem.message[:25] for problem in observed.problems] == ["raidctl-mfi was not run: "]


def test_it_is_not_run_if_another_tool_reported_all() -> None:
    """Storcli reports more, and was tested on real controllers."""
    script = Script(["storcli64", "raidctl-mfi"], whole("storcli64"))
    seen(script, bus(CONTROLLER))
    assert not any(call.startswith("raidctl-mfi") for call in script.calls)


def test_a_controller_without_any_answer_is_not_listed() -> None:
    """Without permission there is no controller. The tool's problem is passed on."""
    problem = {
        "severity": "error", "kind": "no_right", "where": "raidctl-mfi",
        "message": "The driver may not be asked (EACCES).",
        "remedy": "Run it as root (sudo).",
    }  # fmt: skip
    given = {
        "format": "raidctl-mfi 1", "version": "0.1.0", "controllers": [{"number": 0, "scsi_host": 2}],
        "problems": [problem],
    }  # fmt: skip
    observed = seen(Script(["raidctl-mfi"], {"raidctl-mfi show": ran(json.dumps(given), code=4)}), bus(CONTROLLER))
    assert observed.controllers == ()
    assert [(one.kind, one.message) for one in observed.problems] == [("no_right", problem["message"])]


@pytest.mark.parametrize("answer", [RunAnswer(code=-9), ran("Traceback …", code=1), ran("")])
def test_a_program_that_fails_is_a_problem(answer: RunAnswer) -> None:
    """A crash, no output or no JSON is a problem."""
    observed = seen(Script(["raidctl-mfi"], {"raidctl-mfi show": answer}), bus(CONTROLLER))
    assert observed.controllers == ()
    assert {problem.kind for problem in observed.problems} == {"unread"}


def test_settings_are_refused() -> None:
    """Settings are refused: the program was tested on emulated controllers only."""
    observed = seen(Script(["raidctl-mfi"], {"raidctl-mfi show": ran(json.dumps(output()))}), bus(CONTROLLER))
    [found] = observed.controllers
    assert [name for name, can in found.capabilities.items() if can.set] == ["flush"]
    request = Desired(object_id="megaraid:0/v0", setting="write_policy", value="write_through")
    tools: list[Tool] = list(observed.tools)
    made = plan(found, [request], tools)
    assert (made.steps, [refusal.reason[:40] for refusal in made.refusals]) == (
        (), ["raidctl changes nothing through raidctl-"],
    )  # fmt: skip


def test_a_flush_is_run() -> None:
    """A flush is run, and the firmware's result is judged."""
    observed = seen(Script(["raidctl-mfi"], {"raidctl-mfi show": ran(json.dumps(output()))}), bus(CONTROLLER))
    [found] = observed.controllers
    [one] = flushes(found, observed.tools)
    assert one.action is not None
    assert one.action.argv == ("raidctl-mfi", "flush", "--controller", "0")
    done = {"controllers": [{"result": {"outcome": "done", "message": "…"}}], "problems": []}
    refused = {"controllers": [{"result": {"outcome": "refused", "message": "0x15, flush failed."}}], "problems": []}
    barred = {"controllers": [], "problems": [{"message": "The driver may not be asked (EACCES)."}]}
    verdicts = [judge(one.action, ran(json.dumps(given))) for given in (done, refused, barred)]
    assert verdicts == [None, "0x15, flush failed.", "The driver may not be asked (EACCES)."]
    assert [judge(one.action, ran(text)) for text in ("", "[]", '{"controllers": 3}')] == [
        "raidctl-mfi printed nothing.", "[]", '{"controllers": 3}',
    ]  # fmt: skip


def test_problems_have_the_types_of_the_model() -> None:
    """A problem with values of wrong types becomes an ``unread`` warning."""
    odd = [{"severity": "loud", "kind": 3, "where": 4, "message": None, "remedy": {}}]
    problems = observation(output(problems=odd)).problems
    expected = Problem(severity="warning", kind="unread", where="raidctl-mfi.json", message="None")
    assert expected in problems
