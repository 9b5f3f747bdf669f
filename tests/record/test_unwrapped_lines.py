"""Each way of joining wrapped lines is needed for a recorded output."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest

from raidctl.output.json import to_json
from raidctl.recording.loose_files import collect_outputs
from raidctl.recording.transcript import cleaned
from raidctl.recording.unwrap_lines import reading, unwrapped
from raidctl.request import Run, RunAnswer
from raidctl.survey.survey import Survey, survey_documents
from raidctl.vendor.protocol import Document
from raidctl.vendor.registry import vendors
from tests.record.fact_leaves import leaves
from tests.support.machines import recording

VENDORS = vendors()[0]
_DETAIL, _VOLUMES, _UNITS = "hpssacli ctrl all show config detail", "cciss_vol_status -V /dev/cciss/c0d0", "tw_cli /c6"
_SMART = "smartctl -n standby -x -f old /dev"


def wrapped(text: str, width: int) -> str:
    """A text wrapped as by mailers.

    Lines break at the last blank that fits. That blank goes, as do those at the ends of lines.
    """
    lines = []
    for line in text.split("\n"):
        lines += textwrap.wrap(
            line, width, break_long_words=False, break_on_hyphens=False, expand_tabs=False, replace_whitespace=False
        ) or [""]  # fmt: skip
    return "\n".join(lines)


def blanks_kept(text: str, width: int) -> str:
    """Of several blanks, only the one at the break goes."""
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width))


def _parts(line: str, width: int) -> list[str]:
    cut = line.rfind(" ", 1, width + 1)
    if len(line) <= width or cut <= 0 or not line[:cut].strip():
        return [line.rstrip()]
    return [line[:cut].rstrip(), *_parts(line[cut + 1 :], width)]


def once(text: str, width: int) -> str:
    """Each line is broken once at most."""
    parts = ((line, _parts(line, width)[0]) for line in text.split("\n"))
    return "\n".join(
        line if first == line.rstrip() else f"{first}\n{line[len(first) :].lstrip()}" for line, first in parts
    )


def folded(text: str, columns: int) -> str:
    """A text folded as by terminals. They break at their width, in the middle of a word, too."""
    pieces = ([line[at : at + columns] for at in range(0, len(line), columns)] for line in text.split("\n"))
    return "\n".join(piece for parts in pieces for piece in parts or [""])


@cache
def _output(machine: str, command: str) -> str:
    for request, answer in recording(machine).answers():
        if isinstance(request, Run) and isinstance(answer, RunAnswer) and " ".join(request.argv).endswith(command):
            return answer.text
    raise LookupError(command)


def _read(place: Path, text: str) -> Survey:
    (place / "output.txt").write_text(text, encoding="utf-8")
    found = collect_outputs(str(place / "output.txt"), VENDORS)
    return survey_documents(found.texts, source="x", problems=found.problems)


def _strange(seen: Survey) -> int:
    return sum(len(output.unparsed()) for output in seen.outputs)


@pytest.mark.parametrize(
    ("machine", "command", "damage", "width"),
    [
        ("smartarray-cciss-vol-status", _VOLUMES, blanks_kept, 78),
        ("smartarray-cciss-vol-status", _VOLUMES, folded, 100),
        ("md-degraded-rebuilding", f"{_SMART}/sdg", blanks_kept, 64),
        ("md-degraded-rebuilding", f"{_SMART}/sdg", blanks_kept, 76),
        ("md-degraded-rebuilding", f"{_SMART}/sdg", once, 66),
        ("drives-ahci", f"{_SMART}/sdc", blanks_kept, 74),
        ("drives-sas-multipath", f"{_SMART}/sdb", wrapped, 72),
        ("zfs-raidz2-resilvering", "zpool status -P -v", blanks_kept, 76),
        ("zfs-raidz2-resilvering", "zpool status -P -v", folded, 80),
        ("zfs-raidz2-resilvering", "zpool list -p", folded, 100),
        ("megaraid-perc5i-failed-battery", "MegaCli -LdPdInfo -aALL -NoLog", folded, 80),
        ("threeware-8006-mirror", "tw_cli show", wrapped, 64),
        ("threeware-9690sa-rebuilding", f"{_UNITS} show all", blanks_kept, 64),
        ("redfish-beside-hpssacli", _DETAIL, blanks_kept, 64),
        ("redfish-beside-hpssacli", _DETAIL, once, 66),
        ("lab-megasas", "raidctl-mfi show", blanks_kept, 64),
        ("areca-arc1882-degraded", "cli64 disk info", wrapped, 64),
        ("adaptec-5405-failed-battery", "arcconf getconfig 1 AL", blanks_kept, 72),
        ("lvm-legs-gone", "dmsetup table", folded, 80),
    ],
)  # fmt: skip
def test_a_wrapped_output_is_read_as_printed(
    machine: str, command: str, damage: Callable[[str, int], str], width: int, tmp_path: Path
) -> None:
    """All facts, and no line more that is not understood."""
    text = _output(machine, command)
    whole, found = _read(tmp_path, text), _read(tmp_path, damage(text, width))
    assert found.inventory.controllers == whole.inventory.controllers
    assert _strange(found) == _strange(whole)


@pytest.mark.parametrize(
    ("machine", "command", "damage", "width"),
    [
        ("drives-sas-multipath", f"{_SMART}/sdb", wrapped, 72),
        ("drives-ahci", f"{_SMART}/sdc", blanks_kept, 74),
        ("zfs-raidz2-resilvering", "zpool status -P -v", blanks_kept, 76),
        ("zfs-raidz2-resilvering", "zpool status -P -v", folded, 80),
        ("redfish-beside-hpssacli", _DETAIL, once, 66),
        ("redfish-beside-hpssacli", _DETAIL, blanks_kept, 70),
        ("adaptec-5405-failed-battery", "arcconf getconfig 1 AL", blanks_kept, 72),
        ("md-degraded-rebuilding", "mdadm --detail /dev/md10", once, 66),
        ("lab-megasas", "raidctl-mfi show", wrapped, 70),
    ],
)  # fmt: skip
def test_lines_that_belong_apart_stay_apart(
    machine: str, command: str, damage: Callable[[str, int], str], width: int
) -> None:
    """Rows below a wrapped one, titles and prompts stay apart.

    The family's reader understands each line of the joined text.
    """
    text = _output(machine, command)
    claims = [(vendor, seen) for vendor in VENDORS if (seen := vendor.sniff("output.txt", text)) is not None]
    vendor, claim = max(claims, key=lambda pair: pair[1].confidence)
    whole = reading(Document("output.txt", claim.kind, cleaned(text)), vendor.read)
    joined = unwrapped(
        Document("output.txt", claim.kind, cleaned(damage(text, width))), partial(reading, read=vendor.read)
    )
    found = reading(joined, vendor.read)
    assert found.facts >= whole.facts
    assert (found.unread, found.strange) == (whole.unread, whole.strange)


def test_a_row_that_was_broken_several_times_is_one_row(tmp_path: Path) -> None:
    """Nearly all facts of a narrow mail's long rows are read. The rows are much longer than its lines."""
    text = _output("smartarray-cciss-vol-status", _VOLUMES)
    whole, found = _facts(_read(tmp_path, text)), _facts(_read(tmp_path, blanks_kept(text, 64)))
    assert sum(found.get(name) == value for name, value in whole.items()) >= 0.97 * len(whole)


@pytest.mark.parametrize("below", ["$ date", "C:\\> dir", "joe@db:~$ date", "What does that mean?"])
def test_a_long_line_is_not_joined_with_what_stands_below_it(below: str, tmp_path: Path) -> None:
    """A text's longest line was not broken by a terminal. The line may be slightly wider than one."""
    head = "smartctl 7.2\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     ACME\nSerial Number:    A1\n"
    firmware = "X1" * 25
    text = f"{head}Firmware Version: {firmware} of the year 2011, and one\n{below}\n\n"
    [drive] = _read(tmp_path, text).inventory.controllers[0].drives
    assert str(drive.firmware).startswith(firmware)
    assert below.split(maxsplit=1)[0] not in str(drive.firmware)


def test_a_torn_last_line_is_not_joined_with_a_long_line_above_it(tmp_path: Path) -> None:
    """A torn last line is not joined, so it is seen. Its end is missing: it may be another line."""
    head = "smartctl 7.2\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     ACME\nSerial Number:    A1\n"
    text = f"{head}SMART support is: Available - device has SMART capability, as its maker has said it\nSMART sup"
    problems = _read(tmp_path, text).inventory.problems
    assert any("ends in the middle of a line" in problem.message for problem in problems)


def test_sentences_around_an_output_are_not_joined(tmp_path: Path) -> None:
    """Two unknown lines are not better as one: each is listed separately."""
    prose = (
        "Yesterday one of the drives has begun to make strange noises, and since then\n"
        "the array is much slower than before; does anybody know whether it is worth\n"
        "to wait for the end of the rebuild or rather to replace the second drive too\n"
    )
    text = _output("md-degraded-rebuilding", "mdadm --detail /dev/md10")
    found = _read(tmp_path, f"{prose}\n{text}")
    assert [line.text for output in found.outputs for line in output.unparsed()] == prose.splitlines()


def _facts(seen: Survey) -> dict[str, object]:
    return dict(leaves(json.loads(to_json(seen.inventory))["controllers"]))
