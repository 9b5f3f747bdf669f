"""Damage outside the facts changes nothing. Text that was pasted, quoted, indented or wrapped reads as printed."""

from __future__ import annotations

import html
import json
import quopri
import re
import shlex
import textwrap
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from raidctl.model import Inventory
from raidctl.output.json import to_json
from raidctl.recording.loose_files import collect_outputs
from raidctl.recording.transcript import normalised
from raidctl.request import Run, RunAnswer
from raidctl.survey.survey import survey_documents
from raidctl.vendor.registry import vendors
from tests.record.fact_leaves import leaves
from tests.support.machines import MACHINES, recording

VENDORS = vendors()[0]
MAIL = "Hi all,\n\ncan somebody have a look at this server?\n\n{}\n\nThanks,\nJoe\n-- \nJoe Doe, Example Ltd.\n"


TORN_ROWS = {
    (100, "zfs-raidz2-resilvering: zpool status -P -v", 1),
    (132, "smartarray-cciss-vol-status: cciss_vol_status -V /dev/cciss/c0d0", 1),
}
"""Widths and outputs that break a drive's row within its state."""


@cache
def outputs() -> dict[str, str]:
    """What tools printed on the recorded machines. Each text is there once, with its machine and command."""
    found: dict[str, str] = {}
    for machine in MACHINES:
        for request, answer in recording(machine).answers():
            if isinstance(request, Run) and isinstance(answer, RunAnswer) and len(answer.text) < 60_000:
                found.setdefault(answer.text, f"{machine}: {shlex.join(request.argv)}")
    return {text: name for text, name in found.items() if facts(text)}


@cache
def reading(text: str) -> Inventory:
    """The inventory of a loose text."""
    place = Path(PLACE[0]) / "output.txt"
    place.write_bytes(text.encode())
    gathered = collect_outputs(place, VENDORS)
    return survey_documents(gathered.texts, source="x", problems=gathered.problems).inventory


def facts(text: str) -> dict[str, object]:
    """Every fact that is read in a loose text, by its path."""
    return dict(leaves(json.loads(to_json(reading(text)))["controllers"]))


PLACE: list[str] = []


@pytest.fixture(autouse=True)
def _place(tmp_path: Path) -> None:
    PLACE[:] = [str(tmp_path)]


def blanks(mark: str) -> Callable[[str], str]:
    """Every second blank made another one, as browsers do."""
    return lambda text: re.sub("  ", f" {mark}", text)


def numbered(text: str) -> str:
    """``cat -n``."""
    return "".join(f"{n:6}\t{line}" for n, line in enumerate(text.splitlines(keepends=True), 1))


DAMAGES: dict[str, Callable[[str], str]] = {
    "no-break": lambda text: text.replace(" ", "\u00a0"),
    "figure space": blanks("\u2007"),
    "narrow no-break": blanks("\u202f"),
    "tabs": lambda text: re.sub(r"(?m)^( {8})+", lambda found: "\t" * (len(found[0]) // 8), text),
    "indented": lambda text: textwrap.indent(text, "    "),
    "indented in prose": lambda text: MAIL.format(textwrap.indent(text, "\t")),
    "quoted": lambda text: textwrap.indent(text, "> ", lambda _: True),
    "quoted twice": lambda text: textwrap.indent(text, ">> ", lambda _: True),
    "quoted with bars": lambda text: textwrap.indent(text, "| ", lambda _: True),
    "quoted with an answer": lambda text: f"Joe wrote:\n{textwrap.indent(text, '> ', lambda _: True)}\n\nReplace it.\n",
    "source of a page": lambda text: MAIL.format(html.escape(text, quote=False).replace("  ", "&nbsp; ")),
    "in a mail": MAIL.format,
    "quoted-printable": lambda text: quopri.encodestring(MAIL.format(text).encode()).decode("ascii"),
    "double spaced": lambda text: MAIL.format(text).replace("\n", "\n\n"),
    "typographic": lambda text: text.replace("'", "\u2019").replace(" - ", " \u2013 ").replace("(R)", "\u00ae"),
    "block of code": lambda text: f"Hi,\n\n```\n{text.rstrip()}\n```\n\nThanks\n",
    "page of a forum": lambda text: f"[code]{text.rstrip()}[/code]\n",
    "page of quotes": lambda text: f"[QUOTE=joe][CODE]{text}[/CODE][/QUOTE]\n",
    "colours": lambda text: re.sub(r"\w+", lambda found: f"\x1b[1;31m{found[0]}\x1b[0m", text),
    "log": lambda text: textwrap.indent(text, "Jun 12 10:11:12 db7 check.sh[123]: ", lambda _: True),
    "chat": lambda text: textwrap.indent(text, "<joe> ", lambda _: True),
    "numbered": lambda text: numbered(text) if text.count("\n") > 3 else text,
    "CR LF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "byte order mark": lambda text: f"\ufeff{text}",
    "prompt at the end": lambda text: f"{text.rstrip()}\nroot@example:~# exit\n",
}


def broken(text: str, width: int) -> Iterator[str]:
    """The lines of a text, broken at the last blank that fits. Only that blank is dropped."""
    for line in text.split("\n"):
        rest = line
        while len(rest) > width and (cut := rest.rfind(" ", 1, width + 1)) > 0 and rest[:cut].strip():
            yield rest[:cut].rstrip()
            rest = rest[cut + 1 :]
        yield rest.rstrip()


def share(part: int, parts: int) -> list[str]:
    """One of several parts of the outputs; together they have all. A new fixture moves no other output."""
    return [text for text in outputs() if zlib.crc32(text.encode()) % parts == part]


def changes(text: str, damaged: str) -> list[str]:
    """The facts that differ, as ``machine: command: object.field: value -> value``."""
    before, after = facts(text), facts(damaged)
    return [
        f"{outputs()[text]}: {path[1:]}: {before.get(path)!r} -> {after.get(path)!r}"
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("damage", "part"), [(damage, number % 2) for number, damage in enumerate(DAMAGES)])
def test_damage_outside_the_facts_changes_nothing(damage: str, part: int) -> None:
    """Recorded outputs read the same with other blanks, marks or words around.

    Each output meets every second kind of damage, and each kind every second output.
    """
    changed = [line for text in share(part, 2) for line in changes(text, DAMAGES[damage](text))]
    assert not changed, "\n".join(changed)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "part", "parts"), [(72, 0, 2), (76, 1, 2)])
def test_wrapped_lines_keep_the_blanks_of_their_columns(width: int, part: int, parts: int) -> None:
    """An indented rest is joined as well. The line above has no blank at its end."""
    right = known = 0
    for text in share(part, parts):
        whole, found = facts(text), facts("\n".join(broken(text, width)))
        known += len(whole)
        right += sum(found.get(name) == value for name, value in whole.items())
    assert right >= 0.99 * known


@pytest.mark.slow
@pytest.mark.parametrize("rewrapped", [False, True])
def test_wrapped_quotes_are_joined(rewrapped: bool) -> None:
    """Quotes are joined, wrapped before or once more. Rests of those wrapped once more have no mark."""
    right = known = 0
    for text in share(0, 3):
        whole = facts(text)
        lines = (
            [
                part.lstrip() if number else part
                for line in text.split("\n")
                for number, part in enumerate(broken(f"> {line}", 76))
            ]
            if rewrapped
            else [f"> {line}" for line in broken(text, 74)]
        )
        found = facts("\n".join(lines))
        known += len(whole)
        right += sum(found.get(name) == value for name, value in whole.items())
    assert right >= 0.99 * known


@pytest.mark.slow
@pytest.mark.parametrize(("width", "part", "parts"), [(72, 0, 1), (76, 0, 2), (78, 1, 2)])
def test_wrapped_lines_are_joined(width: int, part: int, parts: int) -> None:
    """Of mailer-wrapped lines, at least 99 of 100 facts are read. No status is another one."""
    right = known = 0
    for text in share(part, parts):
        whole = facts(text)
        found = facts("\n".join(part for line in text.split("\n") for part in textwrap.wrap(
            line, width, break_long_words=False, break_on_hyphens=False, expand_tabs=False, replace_whitespace=False
        ) or [""]))  # fmt: skip
        known += len(whole)
        right += sum(found.get(name) == value for name, value in whole.items())
        assert not [name for name in found if name.endswith(".status") and whole.get(name) not in (None, found[name])]
    assert right >= 0.99 * known


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100, 132])
def test_lines_that_a_terminal_broke_are_joined(columns: int) -> None:
    """Nearly all facts of lines that a terminal broke are read.

    No status is another one but for two rows that are reported as not understood.
    """
    right = known = 0
    for text in outputs():
        lines = text.expandtabs(8).split("\n")
        pieces = ([line[at : at + columns] for at in range(0, len(line), columns)] for line in lines)
        folded = "\n".join(piece for parts in pieces for piece in parts or [""])
        whole, found = facts(text), facts(folded)
        known += len(whole)
        right += sum(found.get(name) == value for name, value in whole.items())
        wrong = [name for name in found if name.endswith(".status") and whole.get(name) not in (None, found[name])]
        assert not wrong or (columns, outputs()[text], len(wrong)) in TORN_ROWS, wrong
        assert not wrong or any(one.kind == "unread" for one in reading(folded).problems), wrong
    assert right >= 0.99 * known


def test_the_strings_of_a_json_document_stay_as_they_are() -> None:
    """The tool's own blanks, quotes and tabs inside a document's strings stay."""
    name = "> EX  AMPLE\t# 1"
    text = json.dumps({"smartctl": {"version": [7, 4]}, "model_family": name, "serial_number": "Z1D0AA11"}, indent=1)
    assert normalised(text) == text
    assert normalised(MAIL.format(textwrap.indent(text, "> "))) == text


def test_a_string_that_a_terminal_broke_has_no_blank_there() -> None:
    """A mailer's break takes the place of a blank. A terminal's break is in the middle of a word."""
    text = json.dumps({"devices": ", ".join(f"/dev/sd{letter}1(0)" for letter in "abcdefghijklmnopqrstuvwxyz")})
    document = json.dumps({"log": text, "next": text}, indent=1)
    folded = "\n".join(line[at : at + 80] for line in document.split("\n") for at in range(0, len(line), 80))
    assert json.loads(normalised(folded)) == json.loads(document)
    assert json.loads(normalised("\n".join(broken(document, 76)))) == json.loads(document)


def test_marks_of_mails_stay_where_the_text_is_no_mail() -> None:
    """Nothing is replaced in a text that is not a mail.

    Equals signs that encode nothing, two rows of a drawn table, and the separator of grep stay.
    """
    for text in ("Size = 20\nName =3Dx\n", "a\n\nb\n\nc\n", "State : clean\n--\nState : active\n", "wwn=3D\nx = 1\n"):
        assert normalised(text) == text


def test_a_session_that_ends_with_a_call_misses_its_output(tmp_path: Path) -> None:
    """A session that ends with a call misses its output.

    A copy that ends one line too early would lose a drive without a word. A bare prompt shows only the end.
    """
    listing = "smartctl 7.2\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     ACME\nSerial Number:    A1\n\n"
    session = f"root@db:~# smartctl -i /dev/sda\n{listing}root@db:~# "
    where = []
    for end in ("smartctl -a /dev/sdb", "cat /proc/mdstat", "", "ls -l"):
        (tmp_path / "session.txt").write_text(f"{session}{end}\n", encoding="utf-8")
        found = collect_outputs(str(tmp_path / "session.txt"), vendors()[0])
        where += [(end, problem.where, problem.kind) for problem in found.problems]
    calls = ("smartctl -a /dev/sdb", "cat /proc/mdstat")
    assert where == [(call, f"session.txt: {call}", "unread") for call in calls]


def test_an_attribute_without_its_raw_value_is_not_read(tmp_path: Path) -> None:
    """A table whose last column is lost is unread. Zero bad sectors would be a guess."""
    row = "  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -"
    head = (
        "smartctl 7.2\n\n=== START OF READ SMART DATA SECTION ===\nVendor Specific SMART Attributes with Thresholds:\n"
    )
    table = "ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE\n"
    marvell = "> smart -p 3\nSmart Info\nID      Attribute Name          Current Worst   Threshhold      RawValue\n"
    counts = []
    for name, text in (
        ("smartctl", f"{head}{table}{row}"),
        ("mvcli", f"{marvell}05      Reallocated Sectors     100     100     0"),
    ):
        for raw in ("", "       000000000000"):
            path = tmp_path / f"{name}.txt"
            path.write_text(f"{text}{raw}\n\n\n", encoding="utf-8")
            gathered = collect_outputs(str(path), VENDORS)
            found = survey_documents(gathered.texts, source="x", problems=gathered.problems).inventory
            counts.append(sum(problem.kind == "unread" for problem in found.problems))
    assert counts == [1, 0, 1, 0]


def test_a_wrapped_row_of_lvs_keeps_its_devices_and_its_percentage() -> None:
    """Only its own form marks the rest of a row. The header's last column is in another line."""
    columns = "  LV     VG  Attr       LSize  Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert"
    row, rest = "  mirror vg0 rwi-a-r-p-  1.00g", "mirror_rimage_0(0),mirror_rimage_1(0)"
    images = "".join(
        f"  [mirror_rimage_{number}] vg0 {attributes}  1.00g{{0}}{device}(1)\n"
        for number, (attributes, device) in enumerate((("iwi-aor---", "/dev/sda"), ("Iwi-aor-p-", "[unknown]")))
    )
    whole = f"{columns} Devices\n{row}      15.20      {rest}\n{images.format('      ')}"
    wrapped = f"{columns}\n Devices\n{row}\n      15.20      {rest}\n{images.format(chr(10) + '      ')}"
    assert facts(wrapped) == facts(whole)


def test_a_wrapped_row_of_self_tests_is_the_same_row() -> None:
    """The last column's dash or brackets may be in the next line."""
    head = "smartctl 7.2\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     ACME\nSerial Number:    A1\n\n"
    table = "SMART Self-test log structure revision number 1\n"
    columns = "Num  Test_Description    Status                  Remaining  LifeTime(hours)  LBA_of_first_error\n"
    row = "# 1  Short offline       Completed without error       00%      2376         "
    text = f"{head}=== START OF READ SMART DATA SECTION ===\n{table}{columns}{row}{{}}-\n\n"
    assert facts(text.format("\n")) == facts(text.format(""))


def test_a_failed_array_below_the_output_of_a_drive_is_seen_in_a_mail() -> None:
    """What is read of the second output outweighs how well. Its lines are wrapped as well."""
    drive = "smartctl 7.2\n\n=== START OF INFORMATION SECTION ===\nDevice Model:     ACME\nSerial Number:    A1\n\n"
    health = "=== START OF READ SMART DATA SECTION ===\nSMART overall-health self-assessment test result: PASSED\n\n"
    array = """\
/dev/md0:
           Version : 1.2
        Raid Level : raid10
        Array Size : 5840999424 (5570.41 GiB 5981.18 GB)
     Used Dev Size : 2920499712 (2785.21 GiB 2990.59 GB)
      Raid Devices : 4
     Total Devices : 2
             State : clean, FAILED
    Active Devices : 2
    Failed Devices : 2

              Name : storage-server-with-a-long-name:0  (local to host storage-server-with-a-long-name)
              UUID : cb5bfe7a:3806324c:3c1e7030:e6267102

    Number   Major   Minor   RaidDevice State
       0       8        2        0      active sync   /dev/sda2
       1       8       18        1      active sync   /dev/sdb2
       -       0        0        2      removed
       -       0        0        3      removed

"""
    for width in (72, 76):
        found = facts("\n".join(f"> {line}" for line in broken(f"{drive}{health}{array}", width)))
        assert found[".md.volumes.md:md0.status"] == "failed"


def test_an_output_whose_only_line_is_wrapped_is_recognised() -> None:
    """An output whose only line is wrapped is recognised.

    The words that identify the tool are in two lines, or below a line with a name.
    """
    for text, name in (
        ("Smart Array P840ar in Slot 0\n(Embedded)    (sn: PDNLH0ABC)\n", ".smartarray:0.model"),
        (
            "On Monday Jim <jim@example.org> wrote:\n> > Smart Array E200 in Slot 2    (sn: PA6C)\n",
            ".smartarray:2.model",
        ),
    ):
        assert str(facts(text)[name]).startswith("Smart Array")


def test_two_rows_that_were_understood_stay_two_rows() -> None:
    """Two rows that were understood stay two.

    Rows of lvs whose blanks somebody made tabs are as short as wrapped lines.
    """
    head = "  LV VG Attr LSize Pool Origin Data% Meta% Move Log Cpy%Sync Convert Devices\n"
    rows = "  data vg0 rwi-a-r-p- <931.51g\t15.20\tdata_rimage_0(0),data_rimage_1(0)\n"
    rows += "  [data_rimage_0] vg0 Iwi-aor--- <931.51g\t/dev/sdc(1)\n"
    rows += "  [data_rimage_1] vg0 Iwi-aor-p- <931.51g\t[unknown](1)\n"
    found = facts(f"{head}{rows}")
    assert [value for name, value in found.items() if name.endswith(".role")] == ["member", "failed"]


@pytest.mark.slow
def test_a_list_of_levels_that_a_mailer_broke_is_one_list() -> None:
    """MegaCli's long value may continue in the next line. It breaks behind a comma or inside a name."""
    [text] = [one for one in outputs() if "RAID Level Supported" in one and "Adapter #0" in one][:1]
    [line] = [one for one in text.split("\n") if one.startswith("RAID Level Supported")][:1]
    long = f"{line}, RAID60, PRL 11, PRL 11 with spanning, PRL11-RLQ0 DDF layout with no span"
    pasted = {width: facts(text.replace(line, "\n".join(broken(long, width)))) for width in (72, 74, 76, 200)}
    assert [width for width, found in pasted.items() if found != pasted[200]] == []


def test_two_rows_of_a_vendor_log_are_not_joined() -> None:
    """Rows as long as wrapped lines stay apart in a mail."""
    names = ("program_fail_count", "erase_fail_count", "wear_leveling_count", "host_reads", "timed_work_load")
    rows = "\n".join(f"0xa{number}    {name:<46} 100         73" for number, name in enumerate(names))
    text = "Additional Smart Log for NVME device:nvme0n1 namespace-id:ffffffff\n"
    text += f"ID             KEY                                 Normalized     Raw\n{rows}\n"
    found = [value for name, value in facts(text).items() if name.endswith(names)]
    assert found == ["73 (normalized 100%)"] * len(names)
    assert [value for name, value in facts("\n".join(broken(text, 72))).items() if name.endswith(names)] == found
