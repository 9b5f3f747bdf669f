"""The report: one file that contains everything and loads nothing. Any text of a machine stays text."""

from __future__ import annotations

import html
import json
import re
import shlex
import sys
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from raidctl.bench.store import Store
from raidctl.cli import cli
from raidctl.evidence import Output
from raidctl.model import Controller, Host, Inventory, Problem
from raidctl.operate.check_history import CheckRecord, append
from raidctl.output.json import to_json
from raidctl.output.report import html as page_html
from raidctl.output.report import markdown as page_markdown
from raidctl.output.report import size_limit
from raidctl.output.report.size_limit import LARGEST, limited_report
from raidctl.survey.survey import Survey
from tests.bench.bench_runs import run
from tests.output.report_pages import HOSTILE, hostile, material, measured, report
from tests.support.machines import FIXTURES
from tests.verify.checked_machines import raid_controller

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "docs" / "examples" / "contract.toml"
XHTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
LOADING = {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a", "video", "audio", "source", "use"}
REPLAYED = (
    "megaraid-perc5i-failed-battery", "smartarray-p400", "md-degraded-rebuilding", "lab-megaraid-no-tool",
    "host-vm-virtio", "threeware-9690sa-rebuilding",
)  # fmt: skip


def parsed(data: bytes) -> Element:
    """The tree of a page without a single mistake."""
    parser = html5lib.HTMLParser(strict=True)
    tree: Element = parser.parse(data, transport_encoding="utf-8")
    return tree


def checked(data: bytes) -> Element:
    """A page that loads nothing and runs nothing. It names each drawing and each table."""
    tree = parsed(data)
    for node in tree.iter():
        name = str(node.tag).rpartition("}")[2]
        assert name not in LOADING, name
        assert not [key for key in node.attrib if key.startswith("on") or key in ("src", "href", "style", "srcset")]
        if node.tag == f"{SVG}svg":
            assert node.get("role") == "img"
            assert node.get("aria-label")
            assert all(text_of(node.find(f"{SVG}{part}")) for part in ("title", "desc"))
    assert not [node for node in tree.iter() if node.get("id") and ids(tree).count(node.get("id")) > 1]
    policy = next(m for m in tree.iter(f"{XHTML}meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in str(policy.get("content"))
    assert "unsafe" not in str(policy.get("content"))
    style = text_of(next(tree.iter(f"{XHTML}style")))
    assert "url(" not in style
    assert "@import" not in style
    return tree


def ids(tree: Element) -> list[str | None]:
    """All ids of a page."""
    return [node.get("id") for node in tree.iter() if node.get("id")]


def text_of(node: Element | None) -> str:
    """The text of an element."""
    return "" if node is None else "".join(node.itertext())


@pytest.mark.parametrize("machine", REPLAYED)
def test_a_report_is_one_file_that_asks_for_nothing(machine: str) -> None:
    """A report is strict HTML without scripts and references.

    Two reports of one machine are the same bytes, with every finding.
    """
    done = report(machine)
    data = done.stdout_bytes
    assert len(data) < LARGEST / 4
    tree = checked(data)
    assert report(machine).stdout_bytes == data
    text = " ".join(text_of(tree).split())
    found = CliRunner().invoke(cli, ["--replay", str(FIXTURES / machine), "--json", "diagnose"])
    messages = [one["message"] for one in msgspec.json.decode(found.stdout)["findings"]]
    assert not [message for message in messages if " ".join(message.split()) not in text]


@pytest.mark.parametrize(("machine", "code"), [("lab-megaraid-no-tool", 4), ("megaraid-second-card-crashes", 3)])
def test_a_partial_reading_is_reported_first(machine: str, code: int) -> None:
    """It is the first text of the page, in both formats. The exit code is that of show."""
    for form in ("html", "markdown"):
        done = report(machine, "--format", form)
        assert done.exit_code == code
        first = text_of(parsed(done.stdout_bytes).find(f"{XHTML}body")) if form == "html" else done.stdout
        assert first.strip().strip("*").startswith("This machine could be read only in part.")


def test_a_complete_reading_has_no_such_line() -> None:
    """A completely read machine has no line about a partial reading."""
    assert "only in part" not in report("smartarray-p400").stdout


def green(tree: Element) -> list[str]:
    """The answers at the top that are green."""
    summary = next(node for node in tree.iter(f"{XHTML}ul") if node.get("class") == "summary")
    return [text_of(node) for node in summary if node.get("class") == "good"]


@pytest.mark.parametrize(("machine", "words"), [
    ("host-vm-virtio", "no problems found, but the status of 2 drives is unknown."),
    ("host-laptop-nvme", "but the status of 1 drive is unknown and a tool or a permission is missing."),
    ("lab-megasas", "no problems found, but "),
])  # fmt: skip
def test_what_is_unknown_is_not_green(machine: str, words: str) -> None:
    """Without a drive's status, no answer at the top is green.

    The same holds for a machine read in part. The first answer names why.
    """
    tree = checked(report(machine).stdout_bytes)
    assert words in text_of(tree)
    assert green(tree) == []


def test_a_healthy_machine_is_green() -> None:
    """The answers of a healthy machine are green."""
    tree = checked(report("adaptec-smartraid-mixed").stdout_bytes)
    assert green(tree)[0].startswith("Health: no problems found, ")


def test_a_good_answer_is_not_green_where_not_everything_was_read() -> None:
    """Claims do not colour the page of a partly read machine. They hold on what was read."""
    seen = Survey(Inventory(host=Host(), controllers=(raid_controller(count=2),)))
    unread = (Problem("warning", "tool show", "It was cut off.", None, "unread"),)
    part = replace(seen, inventory=replace(seen.inventory, problems=unread))
    whole_, read_in_part = (limited_report(material(one), page_html.write, draw=False) for one in (seen, part))
    assert green(checked(whole_))
    assert green(checked(read_in_part)) == []


def test_unknown_is_a_word_on_the_page() -> None:
    """Unknown is a word on the page. A reader of the page does not know the mark of the screen."""
    cells = [text_of(node) for node in checked(report("host-vm-virtio").stdout_bytes).iter(f"{XHTML}td")]
    assert "unknown" in cells
    assert not [text for text in cells if "?" in text.split()]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_text(text: str) -> None:
    """A hostile name does not change the page's elements. No part of a drive's name acts as markup."""
    data = limited_report(material(hostile(text), (measured(), measured())), page_html.write, draw=True)
    tree = checked(data)
    harmless = limited_report(material(hostile("plain"), (measured(), measured())), page_html.write, draw=True)
    assert [node.tag for node in tree.iter()] == [node.tag for node in parsed(harmless).iter()]
    shown = text_of(tree)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202e\u200b]", shown)
    assert text.split(maxsplit=1)[0][:3] in shown


def test_hostile_names_are_text_in_markdown() -> None:
    """A hostile name makes no markup and no mention of a user.

    There is no HTML but raidctl's, and a row stays one row.
    """
    for text in HOSTILE:
        written = limited_report(material(hostile(text)), page_markdown.write, draw=False).decode()
        without = re.sub(r"</?(?:details|summary)>", "", written)
        assert "<" not in without
        assert "@" not in without
        assert "[d](" not in without
        columns = {row.replace("\\|", "").count("|") for row in written.splitlines() if "Model: " in row}
        assert columns <= {5}


def test_each_drawing_has_its_text() -> None:
    """Ratios, speed, latencies, knee and commits are drawn. A table beside each drawing has its figures."""
    one = measured()
    tree = checked(
        limited_report(material(Survey(Inventory(host=Host())), (one, replace(one, id=2))), page_html.write, draw=True)
    )
    figures = list(tree.iter(f"{XHTML}figure"))
    assert len(figures) == 9
    assert all(figure.find(f".//{SVG}svg") is not None for figure in figures)
    assert all(figure.find(f".//{XHTML}table") is not None for figure in figures)
    assert "One per revolution would be 120" in text_of(tree)


def test_without_the_library_the_figures_are_there() -> None:
    """No drawing, but the sentence, the table, and what to install."""
    tree = checked(limited_report(material(Survey(Inventory(host=Host())), (measured(),)), page_html.write, draw=False))
    assert not list(tree.iter(f"{SVG}svg"))
    assert "Writes slow down after 384 MiB" in text_of(tree)
    assert "raidctl[report]" in text_of(tree)


def test_without_jinja2_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 4 and the extra; Markdown needs nothing."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    done = report("smartarray-p400")
    assert done.exit_code == 4
    assert "raidctl[report]" in done.stderr
    assert report("smartarray-p400", "--format", "markdown").exit_code == 0


def test_a_large_machine_stays_small() -> None:
    """A page that would be too large leaves output lines out. It reports this."""
    plain = raid_controller(count=2)
    drive = plain.drives[0]
    drives = tuple(replace(drive, id=f"acme:0/{number}", serial=f"S{number:07}") for number in range(500))
    controller: Controller = replace(plain, drives=drives)
    lines = [f"{field} of {one.id}: {'x' * 399}" for one in drives for field in "abcdefgh"]
    output = Output.of_text("tool show", "\n".join(lines))
    for line, one in zip(output.lines, (one for one in drives for _ in range(8)), strict=True):
        for field in ("model", "serial", "size_bytes", "status", "wwn"):
            line.fact(one.id, field, "x")
    seen = Survey(Inventory(host=Host(hostname="big"), controllers=(controller,)), (output,))
    data = limited_report(material(seen), page_html.write, draw=False)
    assert len(data) <= LARGEST
    assert "only for objects with a finding" in html.unescape(data.decode())
    assert "S0000499" in data.decode()
    assert size_limit.LARGEST == 1_500_000


def test_the_answer_to_a_contract_names_what_to_ask_for() -> None:
    """Each claim that does not pass has a request.

    Promise, fact and evidence precede the request.
    """
    done = report("smartarray-p400", "--contract", str(CONTRACT))
    assert done.exit_code == 1
    tree = checked(done.stdout_bytes)
    entries = [text_of(node) for node in tree.iter(f"{XHTML}div") if str(node.get("class")).startswith("entry bad")]
    assert len(entries) == 4
    for entry, word in zip(entries, ("raid6", "8 ", "7,200", "4TB"), strict=True):
        assert "Promised" in entry
        assert "Request" in entry
        assert "Evidence" in entry
        assert word in entry
    head = text_of(tree.find(f"{XHTML}body"))[:400]
    assert "NOT as promised: 4 promises are not kept" in head
    assert "RAID level raid6" in head


def test_runs_changes_and_checksums_are_in_the_report(tmp_path: Path) -> None:
    """The report has two runs side by side.

    It also has what has changed since a snapshot, and the checksums of both.
    """
    files = [tmp_path / name for name in ("one.json", "two.json")]
    for number, path in enumerate(files, 1):
        path.write_text(to_json(run(id=number)))
    before = tmp_path / "before.json"
    before.write_text(CliRunner().invoke(cli, ["--replay", str(FIXTURES / "md-healthy"), "--json", "show"]).stdout)
    words = [word for path in files for word in ("--run", str(path))]
    done = report("md-degraded-rebuilding", *words, "--since", str(before))
    assert done.exit_code == 0, done.stderr
    text = text_of(checked(done.stdout_bytes))
    for part in ("Run 1 and run 2 side by side", "What has changed", "is gone", "SHA-256 of all inputs"):
        assert part in text


def test_the_checksum_follows_from_the_inputs() -> None:
    """Another contract gives another checksum, the same machine the same one."""
    sums = [
        re.findall(r"SHA-256 of all inputs: (\w{64})", report("smartarray-p400", "--format", "markdown", *words).stdout)
        for words in ((), (), ("--contract", str(CONTRACT)))
    ]
    assert sums[0] == sums[1] != sums[2]


def test_redact_masks_names_and_serial_numbers() -> None:
    """Nothing that identifies the machine is left, and the findings stay."""
    plain, masked = report("megaraid-perc5i-failed-battery"), report("megaraid-perc5i-failed-battery", "--redact")
    assert masked.exit_code == plain.exit_code == 0
    for secret in ("shale", "3LM0RC01", "3LM0RC02"):
        assert secret in plain.stdout
        assert secret not in masked.stdout
    assert "replay:" not in masked.stdout
    assert "survives no further failure" in masked.stdout


def test_redact_reports_what_it_leaves_out(tmp_path: Path) -> None:
    """An unfinished operation of the machine is counted. Its text has serial numbers, and is not shown."""
    state = ("--state-dir", str(tmp_path), "--demo", "raid6")
    CliRunner().invoke(cli, [*state, "replace", "ZC1A00K4", "--confirm", "ZC1A00K4", "--no-wait"])
    shown = CliRunner().invoke(cli, [*state, "report", "--redact", "--format", "markdown"]).stdout
    assert "1 unfinished change of this machine is left out" in " ".join(shown.split())
    assert "ZC1A00K4" not in shown


def test_redact_keeps_the_results_of_checks(tmp_path: Path) -> None:
    """A check that raidctl has seen fail is in the page, masked or not."""
    state = ("--state-dir", str(tmp_path), "--demo", "raid6")
    [unique] = [
        volume["unique_id"]
        for controller in json.loads(CliRunner().invoke(cli, [*state, "show", "--json"]).stdout)["controllers"]
        for volume in controller["volumes"]
    ]
    ended = CheckRecord(
        array=unique, volume="md:md0", began="2999-01-02T03:04:05Z", ended="2999-01-02T05:04:05Z", end="complete",
        complete=True, differ=8,
    )  # fmt: skip
    append(tmp_path / "demo" / "raid6", [ended])
    for words in ((), ("--redact",)):
        shown = CliRunner().invoke(cli, [*state, "report", *words, "--format", "markdown"]).stdout
        assert re.search("check.*2999-01-02", " ".join(shown.split())), words


def test_redact_does_not_hide_records_that_cannot_be_read(tmp_path: Path) -> None:
    """A damaged file of checks makes the page incomplete, masked or not."""
    state = ("--state-dir", str(tmp_path), "--demo", "raid6")
    CliRunner().invoke(cli, [*state, "show"])
    (tmp_path / "demo" / "raid6" / "checks.jsonl").write_text("rubbish\n", encoding="utf-8")
    shown = CliRunner().invoke(cli, [*state, "report", "--redact", "--format", "markdown"]).stdout
    assert "records of this machine could not be read" in " ".join(shown.split())


@pytest.mark.parametrize(
    "words",
    [("--json",), ("--run", "1", "--run", "2", "--run", "3"), ("--redact", "--since", "last"), ("--since", "now"),
     ("--redact", "--run", "1")],
)  # fmt: skip
def test_options_that_contradict_each_other_are_refused(words: tuple[str, ...]) -> None:
    """The options are refused before the machine is read."""
    assert report("smartarray-p400", *words).exit_code == 2


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    """The file has what standard output would have; nothing is printed."""
    path = tmp_path / "r.html"
    done = report("smartarray-p400", "--output", str(path))
    assert done.stdout == ""
    assert path.read_bytes() == report("smartarray-p400").stdout_bytes


def test_the_commands_of_the_manual_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command of the page runs, in order, on a simulated machine. Those that name a file write it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    for _ in range(2):
        Store(state).add(run())
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (raidctl .*)$", page, flags=re.MULTILINE)
    played = [shlex.split(line, comments=True)[1:] for line in lines if "--host" not in line]
    assert len(played) >= 8
    for words in played:
        machine = [] if "--demo" in words else ["--demo", "p400"]
        done = CliRunner().invoke(cli, ["--state-dir", str(state), *machine, *words])
        assert done.exit_code == (1 if "--contract" in words else 0), (words, done.output)
        if "--output" in words:
            checked((tmp_path / words[words.index("--output") + 1]).read_bytes())


def test_the_contract_of_the_manual_is_the_example() -> None:
    """The page prints the file, without its comments."""
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    text = CONTRACT.read_text(encoding="utf-8")
    bare = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    assert page.partition("```toml\n")[2].partition("```")[0] == bare


def test_the_worst_claim_is_the_first_of_the_answer() -> None:
    """Failed claims come first, whatever the order of the contract. A reader of the first screen sees them."""
    tree = checked(report("smartarray-p400", "--contract", str(CONTRACT)).stdout_bytes)
    verdicts = [text_of(node) for node in tree.iter(f"{XHTML}td") if node.get("data-head") == "Verdict"]
    assert verdicts == ["FAIL"] * 4 + ["INCONCLUSIVE"] + ["PASS"] * 4


def test_a_value_of_all_drives_is_one_sentence() -> None:
    """Four drives of the same rpm are not listed one by one. The evidence still has each."""
    shown = text_of(checked(report("smartarray-p400", "--contract", str(CONTRACT)).stdout_bytes))
    assert "All 4 drives have 10,000 rpm, not 7,200." in shown
    assert "None of the 4 drives reports the power-on time." in shown
    assert "smartarray:1/2I:1:4: rpm 10000" in shown


def test_a_line_of_output_stands_once_with_all_its_facts() -> None:
    """A line that gives status and status text is not two rows."""
    tree = checked(report("md-degraded-rebuilding").stdout_bytes)
    facts = [text_of(node) for node in tree.iter(f"{XHTML}th") if node.get("scope") == "row"]
    assert {"status", "status_text", "raid_level"} in [{*one.split(", ")} for one in facts]


def test_a_battery_is_called_by_its_number() -> None:
    """A battery is called "Battery 0", not "Battery battery0". No reader of the page knows the ids of raidctl."""
    heads = [text_of(node) for node in checked(report("smartarray-p400").stdout_bytes).iter(f"{XHTML}th")]
    assert {"Battery 0", "Battery 1"} <= set(heads)
    assert "Capacitor 0" in text_of(checked(report("redfish-ilo6-failed-capacitor").stdout_bytes))


def test_a_command_of_a_remedy_is_not_broken_inside_a_word() -> None:
    """``--check`` would be broken after its hyphens on a phone."""
    page = report("md-degraded-rebuilding").stdout
    assert '<code><span class="whole">raidctl</span> <span class="whole">replace</span>' in page
    assert '<span class="whole">--check</span></code>.' in page


def test_standard_claims_that_hold_are_named() -> None:
    """The reader of the page does not know the standard claims."""
    shown = text_of(checked(report("megaraid-h730p-predictive").stdout_bytes))
    assert (
        "The standard claims hold: volume status ok; the configured write policy is active; "
        "acknowledged writes survive a power failure."
    ) in shown
