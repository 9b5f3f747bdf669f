"""``raidctl audit`` on the command line: sources, exit codes and outputs."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import pytest

from raidctl.audit.report import Report
from raidctl.output.audit_formats import FORMATS
from tests.audit.policies import mistakes, recorded
from tests.support.command_line import command_line
from tests.support.machines import FIXTURES, MACHINES

run = command_line()

PAGE = (FIXTURES.parent / "docs" / "policy.md").read_text(encoding="utf-8")
GEN9 = str(FIXTURES / "smartarray-gen9-degraded")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A policy that passes, fails or is unknown, depending on the machine."""
    path = tmp_path / "site.toml"
    path.write_text('raid_level = ["raid1", "raid5", "raid6"]\nbattery = "ok"\n', encoding="utf-8")
    return path


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Inventories of 200 recorded machines, one per line."""
    lines = [msgspec.json.encode(recorded(MACHINES[number % len(MACHINES)])) for number in range(200)]
    path = tmp_path / "fleet.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_the_exit_code_is_the_result(site: Path, tmp_path: Path) -> None:
    """Pass, fail, unknown and no access have separate exit codes."""
    fine = tmp_path / "fine.toml"
    fine.write_text('controller.mode = "raid"', encoding="utf-8")
    unknown = tmp_path / "unknown.toml"
    unknown.write_text('layout = "near=2"', encoding="utf-8")
    codes = [run("--replay", GEN9, "audit", policy).exit_code for policy in (fine, site, unknown)]
    assert codes == [0, 0, 3]
    failed = FIXTURES / "smartarray-gen10-failed-battery"
    assert run("--replay", failed, "audit", site).exit_code == 1
    assert run("--replay", FIXTURES / "host-raid-card-no-tool", "audit", fine).exit_code in (1, 4)


def test_mistakes_end_with_2_and_nothing_is_audited(tmp_path: Path) -> None:
    """Each mistake is one line on standard error."""
    path = tmp_path / "bad.toml"
    path.write_text('raid_level = "raid7"\nbatery = "ok"\n', encoding="utf-8")
    done = run("--replay", GEN9, "audit", path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert [line.split(": ")[0] for line in done.stderr.splitlines()[:2]] == [f"{path}:1", f"{path}:2"]


@pytest.mark.parametrize(
    "words", [("audit",), ("audit", "none.toml"), ("--json", "audit", "--format", "table", "x.toml")]
)
def test_wrong_usage_ends_with_2(words: tuple[str, ...]) -> None:
    """No policy, a missing policy and two formats are wrong usage."""
    assert run(*words).exit_code == 2


def test_a_baseline_written_by_init_passes_on_the_same_machine(tmp_path: Path) -> None:
    """The baseline is written to the named file, which must not exist yet."""
    path = tmp_path / "now.toml"
    assert run("--demo", "p400", "--state-dir", tmp_path, "audit", "--init", path).exit_code == 0
    assert run("--demo", "p400", "--state-dir", tmp_path, "audit", path).exit_code == 0
    assert run("--demo", "p400", "--state-dir", tmp_path, "audit", "--init", path).exit_code == 2
    printed = run("--demo", "p400", "--state-dir", tmp_path, "audit", "--init").stdout
    assert re.sub(r"\(.*?\)", "", printed, count=1) == re.sub(r"\(.*?\)", "", path.read_text(encoding="utf-8"), count=1)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--json"], "--json"), (["--format", "json"], "--format"), (["--format", "junit"], "--format"),
        (["--details"], "--details"), (["--passed"], "--passed"), (["--jobs", "2"], "--jobs"),
        (["--builtin"], "--builtin"),
    ],
)  # fmt: skip
def test_options_about_findings_are_refused_with_init(tmp_path: Path, words: list[str], option: str) -> None:
    """The option is named and no file is written. A baseline has no findings."""
    path = tmp_path / "now.toml"
    done = run("--demo", "p400", "--state-dir", tmp_path, "audit", "--init", *words, path)
    assert done.exit_code == 2
    assert option in done.stderr
    assert not path.exists()


def test_the_built_in_rules_need_no_policy() -> None:
    """With ``--builtin``, a word without the ending .toml is a path."""
    done = run("audit", "--builtin", "--json", GEN9)
    found = {one["rule"] for one in json.loads(done.stdout)["hosts"][0]["findings"]}
    assert done.exit_code == 1
    assert "volume_rebuilding" in found


def test_a_directory_is_searched_for_inventories_and_recordings(site: Path, tmp_path: Path) -> None:
    """Files, lines, compressed files and recordings are found, and other files ignored."""
    place = tmp_path / "fleet"
    (place / "b").mkdir(parents=True)
    one = msgspec.json.encode(recorded("smartarray-p400"))
    (place / "a.json").write_bytes(msgspec.json.format(one, indent=2))
    (place / "b" / "two.jsonl").write_bytes(one + b"\n" + one + b"\n")
    (place / "b" / "packed.jsonl.gz").write_bytes(gzip.compress(one + b"\n"))
    (place / "notes.txt").write_text("nothing", encoding="utf-8")
    shutil.copytree(GEN9, place / "c")
    lines = run("audit", site, place, "--format", "jsonl").stdout.splitlines()
    sources = [json.loads(line)["source"].removeprefix(f"{place}/") for line in lines]
    assert sorted(sources) == ["a.json", "b/packed.jsonl.gz:1", "b/two.jsonl:1", "b/two.jsonl:2", "c"]


def test_unreadable_lines_are_named_and_the_rest_is_audited(site: Path, fleet: Path) -> None:
    """Each line that is truncated, foreign or invalid is one unreadable host."""
    lines = fleet.read_bytes().splitlines()
    lines[9] = lines[9][:500]
    lines[19] = lines[19].replace(b'"schema_version":"1"', b'"schema_version":"2"')
    lines[29] = b'{"schema_version":"1","host":{"hostname":"x"},"answers":[]}'
    lines[39] = b"\xff\x00"
    lines[49] = b""
    fleet.write_bytes(b"\n".join(lines) + b"\n")
    done = run("audit", site, fleet, "--json", "--jobs", "1")
    report = json.loads(done.stdout)
    messages = {
        host["source"].rpartition(":")[2]: host["findings"][0]["message"]
        for host in report["hosts"]
        if host["unreadable"]
    }
    assert list(messages) == ["10", "20", "30", "40"]
    assert messages["10"] == "It is cut off in the middle."
    assert messages["20"].startswith("It is an inventory of schema version 2, and this raidctl reads version 1")
    assert "no inventory" in messages["30"]
    assert "not JSON" in messages["40"]
    assert (report["summary"]["hosts"], report["summary"]["unreadable"]) == (199, 4)


def test_the_screen_names_unreadable_lines_however_many_hosts_fail(site: Path, fleet: Path) -> None:
    """Unreadable lines are listed with their reason, also without --details."""
    lines = fleet.read_bytes().splitlines()
    lines[99] = lines[99][:500]
    fleet.write_bytes(b"\n".join(lines) + b"\n")
    screen = run("audit", site, fleet).stdout
    assert "1 could not be read" in screen
    assert "fleet.jsonl:100:Itiscutoffinthemiddle" in re.sub(r"\s", "", screen)


def test_built_in_rules_that_did_not_apply_are_counted() -> None:
    """Built-in rules that apply to nothing are counted. A rule of the policy is always listed."""
    guest = str(FIXTURES / "host-vm-virtio")
    screen = run("--replay", guest, "audit", "--builtin").stdout
    assert "md_without_bitmap" not in screen
    [idle] = re.findall(r"(\d+) built-in rules did not apply; --details lists them\.", screen)
    whole = run("--replay", guest, "audit", "--builtin", "--details").stdout
    assert len(re.findall(r"(?m) - +- +-$", whole)) == int(idle)


def test_the_screen_counts_further_unreadable_lines(site: Path) -> None:
    """Twenty unreadable lines are listed, and the others counted."""
    screen = run("audit", site, "-", answer=b"hello\n" * 23).stdout
    assert screen.count("It is not JSON: invalid character") == 20
    assert "3 more could not be read; --details names them." in screen


def test_a_list_over_several_lines_is_read_from_a_pipe_as_from_a_file(site: Path, tmp_path: Path) -> None:
    """A list as jq -s writes it is read. If it is cut off, it is one unreadable source."""
    one = msgspec.json.encode(recorded("smartarray-p400"))
    many = msgspec.json.format(b"[" + b",".join([one] * 3) + b"]", indent=2) + b"\n"
    kept = tmp_path / "fleet.json"
    kept.write_bytes(many)
    for path in (kept, "-"):
        found = run("audit", site, path, "--format", "jsonl", answer=many).stdout.splitlines()
        assert [json.loads(line)["host"] for line in found] == ["anvil"] * 3
    cut = run("audit", site, "-", "--format", "jsonl", answer=many[:-500]).stdout.splitlines()
    assert [json.loads(line)["source"] for line in cut] == ["standard input"]
    assert "cut off in the middle" in cut[0]


def test_a_word_in_brackets_before_the_inventories_is_no_list(site: Path) -> None:
    """A prompt of sudo or a log line is one unreadable line. The rest is audited."""
    one = msgspec.json.encode(recorded("smartarray-p400"))
    given = b"[sudo] password for olga:\n" + one + b"\n" + one + b"\n"
    found = [
        json.loads(line) for line in run("audit", site, "-", "--format", "jsonl", answer=given).stdout.splitlines()
    ]
    assert [(host["unreadable"], host["source"]) for host in found] == [
        (True, "standard input:1"), (False, "standard input:2"), (False, "standard input:3"),
    ]  # fmt: skip


def test_each_item_of_a_list_is_a_host_and_an_empty_list_is_unknown(site: Path) -> None:
    """An empty list does not pass."""
    one = msgspec.json.encode(recorded("smartarray-p400"))
    assert run("audit", site, "-", answer=b"[" + one + b"," + one + b"]\n" + one).exit_code == 0
    empty = run("audit", site, "-", answer=b"[]")
    assert (empty.exit_code, "It is an empty list." in empty.stdout) == (3, True)


def test_one_unreadable_line_is_unknown(site: Path) -> None:
    """If everything else passes, the exit code is 3."""
    good = msgspec.json.encode(recorded("smartarray-p400"))
    assert run("audit", site, "-", answer=good + b"\n" + good).exit_code == 0
    assert run("audit", site, "-", answer=good + b"\n" + good[:-9] + b"\n" + good).exit_code == 3
    assert run("audit", site, "-", answer=b"").exit_code == 3


def test_files_without_an_inventory_are_named(site: Path, tmp_path: Path) -> None:
    """Empty directories, empty files and files of something else are unknown. A missing path is wrong usage."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "none.json").write_bytes(b"")
    (tmp_path / "text.jsonl").write_bytes(b"hello\n")
    for name in ("empty", "none.json", "text.jsonl"):
        done = run("audit", site, tmp_path / name, "--details")
        assert (done.exit_code, name in re.sub(r"\s", "", done.stdout)) == (3, True)
    assert run("audit", site, tmp_path / "nothing").exit_code == 2


def test_the_remedy_of_an_unreadable_source_fits(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a broken inventory has the remedy to write it again."""
    for module in ("sources", "audit_piece"):
        monkeypatch.setattr(f"raidctl.fleet.{module}.LONGEST", 2**20)
    (tmp_path / "fleet").mkdir()
    remedies = []
    for given in (b"hello\n", b"", b"x" * 2 * 2**20):
        [line] = run("audit", site, "-", "--format", "jsonl", answer=given).stdout.splitlines()
        remedies.append(json.loads(line)["findings"][0]["remedy"])
    [line] = run("audit", site, tmp_path / "fleet", "--format", "jsonl").stdout.splitlines()
    remedies.append(json.loads(line)["findings"][0]["remedy"])
    assert remedies == ['Write it again with "raidctl --json show".', None, None, None]


def test_indented_inventories_one_after_the_other_are_read(site: Path) -> None:
    """Concatenated outputs of ``raidctl --json show`` are read as several hosts."""
    one = msgspec.json.format(msgspec.json.encode(recorded("smartarray-p400")), indent=2) + b"\n"
    found = [
        json.loads(line) for line in run("audit", site, "-", "--format", "jsonl", answer=one * 3).stdout.splitlines()
    ]
    assert [host["host"] for host in found] == ["anvil"] * 3


@pytest.mark.slow
def test_several_processes_give_the_same_as_one_in_the_same_order(site: Path, fleet: Path) -> None:
    """The order of hosts does not depend on which process finishes first."""
    with fleet.open("ab") as opened:
        for _ in range(3):
            opened.write(fleet.read_bytes())
    command = [sys.executable, "-m", "raidctl", "audit", str(site), str(fleet), "--format", "jsonl", "--jobs"]
    one, two = (subprocess.run([*command, jobs], capture_output=True, check=False) for jobs in ("1", "2"))
    assert one.stdout.count(b"\n") == len(fleet.read_bytes().splitlines())
    assert (one.stdout, one.returncode, one.stderr) == (two.stdout, two.returncode, two.stderr)


def test_a_rule_that_matches_on_no_host_is_reported_once(site: Path, fleet: Path) -> None:
    """An unmatched rule is reported only if it matches on no host."""
    with site.open("a", encoding="utf-8") as opened:
        opened.write('[[rule]]\nname="none"\nfor="volume"\nwhere={id="x:*"}\nrequire={status="ok"}\n')
        opened.write('[group.none]\nhosts=["nobody*"]\nraid_level="raid0"\n')
    summary = json.loads(run("audit", site, fleet, "--json", "--jobs", "1").stdout)["summary"]
    assert [one["rule"] for one in summary["findings"]] == ["none", "group none"]
    assert summary["findings"][0]["message"] == 'rule 1 ("none") matched no volume with id x:*.'


def test_the_json_is_valid_and_its_sums_agree(site: Path, fleet: Path) -> None:
    """The report follows ``raidctl schema audit``, and its counts are those of its lists."""
    done = run("audit", site, fleet, "--json", "--passed", "--jobs", "1")
    report = json.loads(done.stdout)
    jsonschema.validate(report, json.loads(run("schema", "audit").stdout))
    assert msgspec.json.decode(done.stdout, type=Report).summary.hosts == len(report["hosts"]) == 200
    outcomes = [one["outcome"] for host in report["hosts"] for one in host["findings"]]
    assert report["summary"]["passed"] == outcomes.count("pass")
    assert sum(report["summary"][key] for key in ("critical", "warning", "info")) == outcomes.count("fail")
    assert sum(rule["failed"] for rule in report["summary"]["rules"]) == outcomes.count("fail")
    assert report["summary"]["unknown"] == outcomes.count("unknown")


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_written_for_one_machine_and_for_many(form: str, site: Path, fleet: Path) -> None:
    """Standard output has only the report. A table is at most 80 columns wide."""
    for words in (("--replay", GEN9, "audit", site), ("audit", site, fleet, "--jobs", "1", "--details")):
        done = run(*words, "--format", form)
        assert done.exit_code in (0, 1)
        assert done.stdout
        assert done.stderr == ""
        assert form != "table" or max(map(len, done.stdout.splitlines())) <= 80


def test_details_and_passes_are_printed_on_request(site: Path, fleet: Path) -> None:
    """Without --details, the summary has no findings of single hosts."""
    short, long = (run("audit", site, fleet, "--jobs", "1", *more).stdout for more in ((), ("--details",)))
    assert "required: ok" not in short
    assert "battery: failed, required: ok." in long
    assert "PASS " in run("--replay", GEN9, "audit", site, "--passed").stdout


def test_an_unreadable_file_is_named(site: Path, tmp_path: Path) -> None:
    """A dangling link in a directory is one unreadable host."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x.json").symlink_to(tmp_path / "gone")
    done = run("audit", site, tmp_path / "d", "--details")
    assert done.exit_code == 3
    assert "It cannot be read: No such file or directory." in done.stdout


def examples() -> list[str]:
    """The example policies of the manual."""
    return re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("text", examples())
def test_the_examples_of_the_manual_are_policies(text: str, tmp_path: Path) -> None:
    """Each can be copied and run."""
    (tmp_path / "base.toml").write_text('cache_split = "25/75"\n', encoding="utf-8")
    (tmp_path / "site.toml").write_text(text, encoding="utf-8")
    done = run("--replay", GEN9, "audit", tmp_path / "site.toml")
    assert done.exit_code in (0, 1, 3), done.stderr


def test_the_mistakes_in_the_manual_are_reported_as_printed_there() -> None:
    """The messages in the manual are those for its example."""
    match = re.search(r"<!-- mistakes -->\n```\n(.*?)```\n\n(.*?)\n\n##", PAGE, flags=re.DOTALL)
    assert match
    expected = [line.strip() for line in match[2].splitlines()][1:-1]
    assert mistakes(match[1]) == expected


def test_every_key_of_a_rule_and_a_policy_is_in_the_manual() -> None:
    """The manual has every key and operator that the code accepts."""
    from raidctl.audit.policy.derived_fields import ADDED  # noqa: PLC0415 - only here
    from raidctl.audit.policy.document import WHOLE  # noqa: PLC0415 - only here
    from raidctl.audit.policy.quantifiers import OPERATORS as OF_LISTS  # noqa: PLC0415 - only here
    from raidctl.audit.policy.rules import KEYS  # noqa: PLC0415 - only here
    from raidctl.audit.policy.values import OPERATORS  # noqa: PLC0415 - only here

    for word in (*WHOLE, *KEYS, *OPERATORS, *OF_LISTS, "same", "field", *ADDED["volume"], *FORMATS):
        assert re.search(rf"\b{word}\b", PAGE), word


def test_equal_findings_of_several_objects_are_printed_once(tmp_path: Path) -> None:
    """All objects are listed above one message and one remedy."""
    text = '[[rule]]\nname = "bays"\nfor = "drive"\nrequire = { rpm = 1 }\nremedy = "Ask the storage team."\n'
    (tmp_path / "site.toml").write_text(text, encoding="utf-8")
    printed = run("--replay", FIXTURES / "smartarray-p400", "audit", tmp_path / "site.toml").stdout
    assert all(f"bays · smartarray:1/2I:1:{bay}" in printed for bay in "1234")
    assert (printed.count("rpm: "), printed.count("Ask the storage team.")) == (1, 1)
