"""Any input gives each family a consistent observation. ``tests/fuzz`` checks the conclusions from damaged outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.request import decode
from raidctl.vendor.protocol import Document, Vendor
from raidctl.vendor.registry import vendors
from tests.fuzz.samples import Sample, of_other_forms, samples
from tests.support.consistency import inconsistencies
from tests.vendors.redfish.damaged_machines import ALONE, resources

_SMALL = 20_000
"""Characters of an output; larger ones take too long to read often."""
_DIGITS = ("9" * 400, "9" * 5000)
"""More digits than a ``float`` has, and than ``int`` accepts."""
_PARTS = 4
VENDORS = {vendor.FAMILY: vendor for vendor in vendors()[0]}


@cache
def outputs() -> dict[str, list[Document]]:
    """The recorded outputs of each family, and the resources of BMCs, that differ in form."""
    found: dict[str, list[Document]] = {}
    bmc = (one for machine in ALONE for one in resources(machine).items())
    replies = (Sample(path, json.dumps(resource, indent=1)) for path, resource in bmc)
    for sample in of_other_forms(one for one in (*samples(), *replies) if len(one.text) < _SMALL):
        for family, vendor in VENDORS.items():
            sniffed = vendor.sniff("output.txt", sample.text)
            if sniffed is not None:
                found.setdefault(family, []).append(Document("output.txt", sniffed.kind, sample.text))
    return found


FAMILIES = sorted(outputs())
_UNITS = "Unit  UnitType  Status         %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy\n" + "-" * 78 + "\n"
JUNK = {
    "areca": (
        "x" * 10_000_000,
        "  1  1  " + "A " * 2_000_000,
        "CLI> " * 200_000,
        "Label : value\n" * 20_000,
        "GuiErrMsg<0x01>: no\n" * 20_000,
        "[" * 2_000_000,
        "=" * 5_000_000,
        "Drive Information\nModel Name : x\n" * 6_000,
        "  1  1  " + "A " * 950,
        " 1  " + "1 " * 950,
        "1 " * 990 + "Raid5",
    ),
    "threeware": (
        "x" * 10_000_000,
        "//localhost> " * 1_000_000,
        "/c0 Label = value\n" * 10_000,
        "Error: (CLI:003) no\n" * 10_000,
        "-" * 5_000_000,
        _UNITS + "u0 RAID-5 " + "OK " * 600,
        "/c0/u0 " + "= " * 900,
        "/c0" + "/e0" * 600,
        "--" + "A" * 1900 + " " * 50,
        "Unit UnitType " * 140,
        "$ " * 990,
    ),
    "md": (
        "x" * 10_000_000,
        "[U" * 3_000_000,
        "a[1](F)" * 1_000_000,
        "md0 : active " + "sda[0] " * 10_000,
        "md0 : active raid10 sda[0]\n 9 blocks 2 near-copies [9/1] [" + "U" * 5_000_000,
        "/dev/md0:\n" * 10_000,
        "MD_LEVEL=raid1\n" * 5_000,
        "          Magic : a92b4efc\n" * 5_000,
        "       0       8        1        0      " + "active " * 300_000,
        "mdadm: " * 300_000,
        "> " * 200_000,
        " " * 5_000_000,
    ),
}
"""Texts on which an expression that looks for a line of the family could take long."""


def check(vendor: Vendor, *documents: tuple[str, str]) -> None:
    """Read outputs, each with its kind. Ids, references and facts of the observation fit together."""
    found = vendor.read([Document(f"{number}.txt", kind, text) for number, (kind, text) in enumerate(documents)])
    faults = list(inconsistencies(found.controllers, found.outputs))
    assert not faults, "\n".join(faults)


def damaged(data: st.DataObject, text: str) -> str:
    """A text that is cut, has another piece in it, or is as it was."""
    at = data.draw(st.integers(0, len(text)))
    return data.draw(st.sampled_from((text[:at], text[:at] + data.draw(st.text(max_size=12)) + text[at:], text)))


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_damaged_outputs_are_read(family: str, data: st.DataObject) -> None:
    """One to four outputs of a family in any order, damaged or whole, are read together."""
    chosen = data.draw(st.lists(st.sampled_from(outputs()[family]), min_size=1, max_size=4))
    check(VENDORS[family], *((one.kind, damaged(data, one.text)) for one in chosen))


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_lines_in_any_order_are_read(family: str, data: st.DataObject) -> None:
    """Lines of one output of a family, and any texts, are read in any order."""
    chosen = data.draw(st.sampled_from(outputs()[family]))
    lines = st.sampled_from(sorted(set(chosen.text.splitlines()))) | st.text(max_size=30)
    check(VENDORS[family], (chosen.kind, "\n".join(data.draw(st.lists(lines, max_size=60)))))


@settings(max_examples=25)
@given(data=st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    """Every family reads any bytes, as each kind of its outputs, and can tell whether they are its own."""
    text = decode(data)
    for family, documents in outputs().items():
        VENDORS[family].sniff("x", text)
        for kind in sorted({document.kind for document in documents}):
            check(VENDORS[family], (kind, text))


def with_endless_numbers(text: str) -> Iterator[str]:
    """The text with hundreds or thousands of digits in some of its lines: in every fourth one, in the next ones …."""
    lines = text.splitlines(keepends=True)
    for digits in _DIGITS:
        for part in range(_PARTS):
            yield "".join(
                re.sub(r"\d+", digits, line) if number % _PARTS == part else line for number, line in enumerate(lines)
            )


@pytest.mark.parametrize("family", FAMILIES)
def test_numbers_of_hundreds_of_digits_are_read(family: str) -> None:
    """A number too long for a number is unread or kept as printed, in every line of every output."""
    for document in outputs()[family]:
        for text in with_endless_numbers(document.text):
            check(VENDORS[family], (document.kind, text))


@pytest.mark.parametrize("family", FAMILIES)
def test_line_ends_make_no_difference(family: str) -> None:
    """CR LF gives the same controllers as LF."""
    for document in outputs()[family]:
        windows = Document(document.name, document.kind, document.text.replace("\n", "\r\n"))
        assert VENDORS[family].read([windows]).controllers == VENDORS[family].read([document]).controllers


@pytest.mark.parametrize(("family", "junk"), [(family, junk) for family, texts in JUNK.items() for junk in texts])
def test_junk_is_read_to_its_end(family: str, junk: str) -> None:
    """Megabytes of junk are read. Every line is in the output."""
    vendor = VENDORS[family]
    vendor.sniff("x", junk)
    found = vendor.read([Document("x", outputs()[family][0].kind, junk)])
    assert not list(inconsistencies(found.controllers, found.outputs))
    assert len(found.outputs[0].lines) == junk.count("\n") + 1
