"""Fields derived from details, and the families' tables for their labels."""

from __future__ import annotations

from types import ModuleType

import pytest

from raidctl.evidence import Evidence, Output, by_object
from raidctl.model import Battery, PciLink, Progress, Scrub, Volume
from raidctl.vendor.draft import ROW, ControllerDraft, Derived, Draft, GroupDraft
from raidctl.vendor.identity import distinct
from raidctl.vendor.statuses import report_unknown_modes
from raidctl_adaptec import derived_fields as adaptec
from raidctl_adaptec import vocabulary as adaptec_words
from raidctl_megaraid import derived_fields as megaraid
from raidctl_megaraid import vocabulary as megaraid_words
from raidctl_smartarray import derived_fields as smartarray
from raidctl_smartarray import vocabulary as smartarray_words
from raidctl_threeware import derived_fields as threeware
from raidctl_threeware import vocabulary as threeware_words

RATE = "Negotiated PCIe Data Rate"


def derived(table: Derived, *pairs: tuple[str, str]) -> Draft:
    """A draft with these details, and what a table makes of them."""
    output = Output.of_text("tool", "\n".join(f"{label}: {value}" for label, value in pairs))
    draft = Draft()
    for line, (label, value) in zip(output.lines, pairs, strict=True):
        draft.detail(line, label, value)
    draft.derive(table)
    return draft


def test_a_detail_that_gives_a_field_stays_a_detail_and_names_its_line() -> None:
    """The tool's words are kept. The field has the same line as evidence."""
    draft = derived(smartarray.VOLUME, ("Full Stripe Size", "512 KB"))
    assert draft.get("full_stripe_bytes") == 512 * 1024
    assert draft.details == {"Full Stripe Size": "512 KB"}
    assert [line.number for line, name, _ in draft.evidence if name == "full_stripe_bytes"] == [1]


def test_the_blanks_inside_a_detail_are_layout() -> None:
    """Blanks in a detail that a mailer changes alter no fact. It makes tabs or one blank of them."""
    pasted = [derived({}, ("Segment 0", f"Present{gap}K4HQ10AE")) for gap in (" ", "      ", "\t ")]
    assert {(one.details["Segment 0"], str(one.evidence[0][2])) for one in pasted} == {("Present K4HQ10AE",) * 2}


def test_a_detail_in_another_form_gives_no_field() -> None:
    """An unreadable detail gives neither a guess nor an error."""
    assert derived(smartarray.VOLUME, ("Full Stripe Size", "large")).get("full_stripe_bytes") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [("No pending images", None), ("None", None), ("24.22.0-0071", "Pending image in flash: 24.22.0-0071")],
)
def test_firmware_that_waits_for_a_restart_is_an_update(value: str, expected: str | None) -> None:
    """The controller reports it. If no update is pending, the field is empty."""
    assert derived(megaraid.CONTROLLER, ("Image name", value)).get("firmware_update") == expected


@pytest.mark.parametrize(
    ("table", "label", "value", "part"),
    [
        (smartarray.CONTROLLER, "Surface Scan Mode", "Idle", Scrub(mode="automatic", status_text="Idle")),
        (smartarray.CONTROLLER, "Surface Scan Mode", "Disabled", Scrub(mode="disabled", status_text="Disabled")),
        (smartarray.CONTROLLER, "Surface Scan Mode", "Never seen", Scrub(status_text="Never seen")),
        (megaraid.CONTROLLER, "Patrol Read Reoccurrence", "168 hrs", Scrub(interval_seconds=604800)),
        (megaraid.CONTROLLER, "Patrol Read Reoccurrence", "Continuous", None),
        (megaraid.CONTROLLER, "Next Patrol Read launch", "NA", Scrub(mode="manual")),
        (megaraid.CONTROLLER, "Next Patrol Read launch", "in a while", None),
        (megaraid.CONTROLLER, "PR Next Start time", "09/17/2022, 03:00:00", Scrub(next_at="2022-09-17T03:00:00")),
        (megaraid.CONTROLLER, "PR Next Start time", "2022/09/17 03:00:00", Scrub(next_at="2022-09-17T03:00:00")),
        (megaraid.CONTROLLER, "Patrol Read Mode", "Disabled", Scrub(mode="disabled", status_text="Disabled")),
    ],
)
def test_a_patrol_read_is_automatic_manual_or_disabled(table: Derived, label: str, value: str, part: Scrub) -> None:
    """Words that are not in a family's table stay unknown."""
    assert derived(table, (label, value)).part("patrol_read", Scrub) == part


@pytest.mark.parametrize(
    ("table", "label", "value", "mode"),
    [
        (adaptec.CONTROLLER, "Background consistency check", "Enabled", "automatic"),
        (adaptec.CONTROLLER, "Background consistency check", "Disabled", "disabled"),
        (adaptec.CONTROLLER, "Background consistency check", "Not Applicable", None),
        (megaraid.CONTROLLER, "Next Consistency check launch", "05/09/2026, 03:00:00", "automatic"),
        (megaraid.CONTROLLER, "Next Consistency check launch", "NA", "manual"),
        (threeware.UNIT, "Auto Verify Policy", "on", "automatic"),
        (threeware.UNIT, "AVrfy", "OFF", "manual"),
        (threeware.UNIT, "AVerify", "ON", "automatic"),
        (threeware.UNIT, "AVrfy", "-", None),
    ],
)
def test_a_consistency_check_is_automatic_manual_or_disabled(
    table: Derived, label: str, value: str, mode: str | None
) -> None:
    """Only the tool's report counts. A value that does not apply is unknown."""
    assert derived(table, (label, value)).get("consistency_check.mode") == mode


@pytest.mark.parametrize(
    ("table", "label", "words"),
    [
        (adaptec.CONTROLLER, "Background consistency check", adaptec_words),
        (megaraid.CONTROLLER, "Next Consistency check launch", megaraid_words),
        (megaraid.CONTROLLER, "PR Current State", megaraid_words),
        (smartarray.CONTROLLER, "Surface Scan Mode", smartarray_words),
        (threeware.UNIT, "AVrfy", threeware_words),
    ],
)
def test_an_unknown_mode_of_a_task_is_reported(table: Derived, label: str, words: ModuleType) -> None:
    """A word that the family does not know for a mode is a problem; a value that does not apply is none."""
    kinds = {}
    for value in ("Sometimes", "Unknown", "N/A", "-"):
        draft = derived(table, (label, value))
        report_unknown_modes(draft, table, words.has_state)
        kinds[value] = [one.kind for one in draft.complaints]
    assert kinds == {"Sometimes": ["unread"], "Unknown": ["unread"], "N/A": [], "-": []}


@pytest.mark.parametrize(
    ("table", "pairs", "link"),
    [
        (smartarray.CONTROLLER, ((RATE, "PCIe 3.0 x8 (7880 MB/s)"),), PciLink(width=8, speed_gtps=8.0)),
        (adaptec.CONTROLLER, ((RATE, "PCIe 4.0 x16(31500 MB/s)"),), PciLink(width=16, speed_gtps=16.0)),
        (adaptec.CONTROLLER, ((RATE, "Not Applicable"),), None),
        (megaraid.CONTROLLER, (("PCIe Link Width", "X8 Lane(s)"), ("PCIe Link Speed", "16GT/s")),
         PciLink(width=8, speed_gtps=16.0)),
        (threeware.CONTROLLER, (("Controller Bus Width", "8 lanes"), ("Controller Bus Speed", "2.5 Gbps/lane")),
         PciLink(width=8, speed_gtps=2.5)),
    ],
)  # fmt: skip
def test_the_negotiated_link_is_read_from_the_tool(
    table: Derived, pairs: tuple[tuple[str, str], ...], link: PciLink | None
) -> None:
    """Only the kernel reports the controller's maximum."""
    assert derived(table, *pairs).part("pci_link", PciLink) == link


@pytest.mark.parametrize(
    ("table", "label", "value", "speed"),
    [
        (smartarray.DRIVE, "PHY Maximum Link Rate", "12.0Gbps, 12.0Gbps", 12.0),
        (smartarray.DRIVE, "PHY Maximum Link Rate", "Unknown", None),
        (adaptec.DRIVE, "Phy #1: Maximum Link Rate", "6 Gbps", 6.0),
        (megaraid.DRIVE, "Device Speed", "12.0Gb/s", 12.0),
        (megaraid.DRIVE, "Device Speed", "Unknown", None),
        (megaraid.DRIVE, "Capable Speed", "16.0GT/s", 16.0),
    ],
)
def test_the_maximum_speed_of_a_drive_is_read(table: Derived, label: str, value: str, speed: float | None) -> None:
    """A prefix that keeps labels apart makes no difference. An unknown speed gives no value."""
    assert derived(table, (label, value)).get("max_link_gbps") == speed


def test_an_object_is_made_of_reported_values() -> None:
    """Each value is set under its field. Defaults fill the rest, and values of the caller outrank reported ones."""
    output = Output.of_text("tool", "Name: mail")
    draft = Draft("3")
    for name, value in {"name": "mail", "array": 1, "device": None, "no such field": 1}.items():
        draft.put(output.lines[0], name, value)
    draft.details["Colour"] = "blue"
    made = draft.build(Volume, id="acme:0/v3", array="acme:0/a1", device="/dev/sda")
    assert made == Volume(id="acme:0/v3", name="mail", array="acme:0/a1", device="/dev/sda", details={"Colour": "blue"})
    assert made.status == "unknown"


def test_a_battery_is_built_with_its_kind() -> None:
    """Every field of the model can be given to a draft. This includes one called as the first parameter."""
    assert Draft().build(Battery, id="acme:0/battery0", kind="capacitor").kind == "capacitor"


def test_a_part_without_a_value_is_absent() -> None:
    """A line that names a part without a value makes none. It leaves the part's words at their defaults."""
    output = Output.of_text("tool", "Rebuild: -")
    draft = Draft("3")
    draft.put(output.lines[0], "progress.operation", None)
    assert draft.part("progress", Progress) is None
    draft.put(output.lines[0], "progress.percent", 40.0)
    assert draft.part("progress", Progress) == Progress(operation="unknown", percent=40.0)


def test_no_id_is_used_twice() -> None:
    """A second controller with the same id gets a number. The first keeps its id."""
    assert distinct(["acme:0", "acme:1", "acme:0", "acme:0"]) == ["acme:0", "acme:1", "acme:0-2", "acme:0-3"]
    assert distinct(["acme:0", "acme:0", "acme:0-2"]) == ["acme:0", "acme:0-2", "acme:0-2-2"]


class Tray(ControllerDraft[GroupDraft]):
    """A controller without further fields."""


def test_evidence_is_written_to_the_output_of_its_line_under_the_final_ids() -> None:
    """Each output of a controller has its own facts. Another object may show them."""
    first, second = Output.of_text("tool a", "Model: X\nCache: On"), Output.of_text("tool b", "Status: Ok")
    tray = Tray("0")
    tray.put(first.lines[0], "own name", "X", shown_as="model")
    tray.put(first.lines[1], "cache", "On")
    tray.volume("1").put(second.lines[0], "status", "ok")

    def shown_on(draft: Draft, where: str) -> dict[str, Evidence] | None:
        def shown(name: str, value: object) -> list[tuple[str, str, object]]:
            return [("t:0/v1" if name == "cache" else where, name, value)]

        return by_object(draft.evidence, shown) if draft is tray else None

    tray.write_evidence("t:0", shown_on)
    assert [fact[:3] for fact in first.facts] == [("t:0", "model", "X"), ("t:0/v1", "cache", "On")]
    assert [(fact[:3], fact.command) for fact in second.facts] == [(("t:0/v1", "status", "ok"), "tool b")]
    assert first.unparsed() + second.unparsed() == []


def test_a_field_that_follows_from_other_lines_has_these_as_evidence() -> None:
    """The status line's value is refuted. A derived value never replaces a reported one."""
    line, busy = Output.of_text("tool", "Status: Ok\nTask: Rebuild").lines
    draft = Draft("3")
    draft.put(line, "status", "ok", ROW)
    draft.put(busy, "progress.operation", "rebuild")
    draft.conclude("status", "unknown")
    assert draft.get("status") == "ok"
    draft.restate("status", "rebuilding", ("status", "progress.operation"))
    evidence = [(one.number, name, value) for one, name, value in draft.evidence]
    assert evidence == [(2, "progress.operation", "rebuild"), (1, "status", "rebuilding"), (2, "status", "rebuilding")]


def test_a_controller_absorbs_what_another_output_reports_of_its_parts() -> None:
    """Drives of volumes are joined, and a drive in both is one. The higher rank counts."""
    line = Output.of_text("tool", "Size: 1").lines[0]
    one, other = Tray("0"), Tray("0")
    one.volume("1").members["a"] = None
    other.volume("1").members["b"] = None
    one.drive("a").put(line, "size_bytes", 1, ROW)
    other.drive("a").put(line, "size_bytes", 2)
    other.battery("bbu")
    one.absorb(other)
    assert list(one.volumes["1"].members) == ["a", "b"]
    assert (one.drives["a"].get("size_bytes"), list(one.batteries)) == (2, ["bbu"])
