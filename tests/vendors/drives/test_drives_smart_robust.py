"""Any input is read by smartctl's readers without an exception."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.vendor.protocol import Document
from raidctl_drives import read
from raidctl_drives.smart import sniff_smartctl
from raidctl_drives.smart.json_tree import Tree
from tests.support.conclusions import anything_unread, read_text
from tests.vendors.drives.smart_json_outputs import ATA, NVME
from tests.vendors.drives.smart_json_outputs import SAS as SAS_JSON
from tests.vendors.drives.smart_outputs import Reported, read_drives
from tests.vendors.drives.smart_text_outputs import FULL, SAS
from tests.vendors.drives.smart_text_outputs import NVME as NVME_TEXT

TEXTS = [FULL, SAS, NVME_TEXT, json.dumps(ATA, indent=1), json.dumps(NVME), json.dumps([SAS_JSON, ATA], indent=1)]
BLOCK = "Vendor Specific SMART Attributes with Thresholds:\n"


def survives(text: str) -> list[Reported]:
    """The parts of an output, whose facts all belong to a part."""
    sniff_smartctl("x", text)
    parts, output = read_drives("x", text, "drive")
    keys = {part.key for part in parts}
    assert {fact.object_id for fact in output.facts} <= keys
    assert len(keys) == len(parts)
    return parts


@pytest.mark.parametrize("cut", ["General Purpose Log Directory", "SMART Extended Comp", "SATA Phy Event Counters (GP"])
def test_smartctl_x_without_its_last_logs_is_cut_off(cut: str) -> None:
    """The error log and the device statistics come after the attributes; without them, errors may be missing."""
    problems = read_text(FULL[: FULL.index(cut)]).inventory.problems
    assert [problem.kind for problem in problems if "last logs are missing" in problem.message] == ["unread"]


_VERDICTS = {
    "ata": (FULL, "SMART overall-health self-assessment test result: PASSED\n", ""),
    "ata-command-failed": (
        FULL, "SMART overall-health self-assessment test result: PASSED",
        "SMART Status not supported: Incomplete response, ATA output registers missing",
    ),
    "sas": (SAS, "SMART Health Status: OK\n", ""),
    "ata-json": (json.dumps(ATA), '"smart_status"', '"other"'),
}  # fmt: skip


@pytest.mark.parametrize(("text", "verdict", "instead"), _VERDICTS.values(), ids=_VERDICTS)
def test_smart_data_without_a_verdict_are_no_good_health(text: str, verdict: str, instead: str) -> None:
    """A drive whose SMART data were read, but not its health, is unknown until another output has it."""
    assert verdict in text
    bare = text.replace(verdict, instead)
    unread = [
        [item for item in read([Document(f"{number}", kind, one) for number, one in enumerate(texts)]).problems
         if item.kind == "unread" and "health is unknown" in item.message]
        for kind in ["smartctl-json" if text.startswith("{") else "smartctl"]
        for texts in ([bare], [bare, text])
    ]  # fmt: skip
    assert [len(found) for found in unread] == [1, 0]


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS, ids=["ata", "sas", "nvme", "ata-json", "nvme-json", "list-json"])
def test_an_output_cut_at_any_place_is_read(text: str) -> None:
    """Wherever an output is cut, each fact belongs to a part. The cut may even be inside a line."""
    for cut in range(0, len(text), max(1, len(text) // 150)):
        survives(text[:cut])
        survives(text[cut:])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TEXTS), st.integers(0, 10_000), st.binary(max_size=40))
def test_rubbish_in_the_middle_of_an_output_is_survived(text: str, place: int, rubbish: bytes) -> None:
    """Any bytes at any place raise no exception."""
    raw = text.encode()
    place %= len(raw)
    survives((raw[:place] + rubbish + raw[place + len(rubbish) :]).decode("utf-8", "replace"))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_survived(text: str) -> None:
    """Any text raises no exception."""
    survives(text)


@pytest.mark.parametrize("text", [FULL, SAS, NVME_TEXT], ids=["ata", "sas", "nvme"])
def test_line_ends_make_no_difference(text: str) -> None:
    """CR LF gives the same drives as LF."""
    assert survives(text.replace("\n", "\r\n")) == survives(text)


def test_escape_sequences_are_removed() -> None:
    """Escape sequences are removed from fields; markup is kept as text."""
    part = survives(FULL.replace("HARBOR  HD4000QX-2", "HARBOR \x1b[31mHD[red]4000\x1b[0m"))[0]
    assert part.model == "HARBOR HD[red]4000"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "q w e r t y 1 2 3 : [x]\n" * 40_000,
        "a" * 10_000_000,
        '{"a":' + "[" * 3_000_000,
        '{"smartctl":{"x":1},' + '"a":{"b":1},' * 100_000,
        BLOCK
        + "".join(
            f"  {n % 256} Name_{n}   0x0033   100   100   010    Pre-fail  Always   -   0\n" for n in range(9_000)
        ),
        "smartctl 7.1 2020 [x]\n=== START OF INFORMATION SECTION ===\nDevice Model:     X 1\nSerial Number:    A%d\n"
        * 4_000,
        "/dev/sda -d scsi # /dev/sda, SCSI device\n" * 8_000,
        "Smartctl open device: /dev/sda failed: No such device " + "x" * 300 + "\n",
        ("Failed " * 60 + "\n") * 5_000,
        "User Capacity:    " + "1 " * 5_000_000,
        ("User Capacity:    " + "111," * 400 + "x\n") * 1200,
        "Device Model: a b c\n" * 20_000,
    ],
    ids=[
        "words",
        "line",
        "nested",
        "members",
        "attributes",
        "drives",
        "scan",
        "error",
        "failures",
        "digits",
        "groups",
        "models",
    ],
)
def test_megabytes_of_anything_are_read(text: str) -> None:
    """Long lines, deep nesting and endless tables raise no exception."""
    survives(text)


@pytest.mark.parametrize("label", ["Critical Warnin", "Critical WarninG", "ritical Warning", "Critical Warn?ng"])
def test_a_health_log_without_its_critical_warning_is_not_whole(label: str) -> None:
    """A damaged first log line is reported as a missing critical warning."""
    text = (
        "smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)\n\n=== START OF INFORMATION SECTION ===\n"
        "Model Number:                       RCTL NV960\nSerial Number:                      RC0001\n\n"
        "=== START OF SMART DATA SECTION ===\nSMART/Health Information (NVMe Log 0x02)\n"
        "{}:                   0x0{}\nTemperature:                        40 Celsius\n"
        "Available Spare:                    100%\nPercentage Used:                    1%\n\n"
    )
    for name, bits, whole in (("Critical Warning", 0, True), ("Critical Warning", 9, True), (label, 9, False)):
        seen = read_text(text.format(name, bits))
        unread = [one.message for one in seen.inventory.problems if one.kind == "unread"]
        assert any("critical warning is missing" in message for message in unread) is not whole


@pytest.mark.parametrize("title", ["", "Vendor Specific SMART Xttributes with Thresholds:\n"])
def test_the_attributes_are_read_without_their_title(title: str) -> None:
    """The row of column names shows the table, too."""
    [whole], _ = read_drives("x", FULL, "drive")
    [untitled], _ = read_drives("x", FULL.replace(BLOCK, title), "drive")
    assert (untitled.values, untitled.details) == (whole.values, whole.details)


@pytest.mark.parametrize("value", [None, [], {"0": {}}, "?", 7])
@pytest.mark.parametrize(
    ("whole", "damaged"),
    [
        (ATA, lambda value: {"ata_smart_attributes": value}),
        (ATA, lambda value: {"ata_smart_attributes": {"table": value or None}}),
        (ATA, lambda value: {"ata_smart_attributes": {"table": [value]}}),
        (SAS_JSON, lambda value: {"scsi_grown_defect_list": [56] if value == 7 else value or None}),
    ],
)
def test_figures_in_another_form_are_unread(whole: Tree, damaged: Callable[[object], Tree], value: object) -> None:
    """Counts of a drive that are no figures, and attributes that are no table, are reported."""
    assert anything_unread(read_text(json.dumps({**whole, **damaged(value)})))


def test_a_count_that_is_not_printed_is_unread() -> None:
    """`Elements in grown defect list:` without its figure does not mean that there are none."""
    label = "Elements in grown defect list:"
    number = SAS.partition(label)[2].split()[0]
    assert anything_unread(read_text(SAS.replace(f"{label} {number}", label)))
    assert not anything_unread(read_text(SAS))
