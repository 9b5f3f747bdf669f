"""pySMART as a second reader of the recorded outputs of smartctl."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.machines import FIXTURES
from tests.vendors.drives.smart_outputs import read_drives

OUTPUTS = sorted(FIXTURES.glob("*/smartctl-*.out"))


class Collected:
    """A stand-in for pySMART's ``Smartctl`` that replies from one output."""

    def __init__(self, text: str) -> None:
        self.lines = [*text.splitlines(), ""]  # pySMART expects a blank line after the last table

    def all(self, disk: str, interface: str | None = None) -> list[str]:
        """``smartctl --all``."""
        del disk, interface
        return self.lines

    def info(self, disk: str, interface: str | None = None) -> list[str]:
        """``smartctl --info``."""
        return self.all(disk, interface)

    def generic_call(self, params: list[str], pass_options: bool = False) -> tuple[list[str], int]:
        """Any other call has nothing to add."""
        del params, pass_options
        return [], 4

    try_generic_call = generic_call


@pytest.fixture(autouse=True)
def _same_language() -> Iterator[None]:
    """Restore LANG, which pySMART sets when it is imported."""
    before = os.environ.get("LANG")
    yield
    os.environ.pop("LANG", None)
    os.environ |= {"LANG": before} if before is not None else {}


@pytest.mark.parametrize("path", OUTPUTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_pysmart_reads_the_same_facts(path: Path) -> None:
    """Both readers give the same facts.

    Model, serial number, firmware, size, kind and verdict are compared.
    """
    from pySMART import Device  # noqa: PLC0415 - it changes the process: see the fixture

    text = path.read_text(encoding="utf-8")
    (part,), _ = read_drives("smartctl -x", text, "drive")
    kind = "nvme" if part.interface == "nvme" else "scsi" if part.interface == "sas" else "sat"
    collected: Any = Collected(text)
    theirs = Device(path.name, interface=kind, smartctl=collected)
    media = "ssd" if theirs.is_ssd else "hdd" if theirs.rotation_rate else None
    pairs = {
        "model": (theirs.model, part.model),
        "serial": (theirs.serial, (part.serial or "").split(" ")[0]),  # up to its first blank
        "firmware": (theirs.firmware, part.firmware),
        "size": (theirs.size or None, part.size_bytes),
        "media": (media, part.media),
        "rpm": (theirs.rotation_rate or None, part.rpm or None),
        "failing": (theirs.assessment == "FAIL", part.status in {"critical", "warning"}),
    }
    assert all(pairs[name][0] is not None for name in ("model", "serial", "firmware", "size"))
    assert {name: pair for name, pair in pairs.items() if pair[0] is not None and pair[0] != pair[1]} == {}
