"""snapshot, diff and history as a user types them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.drift.canonical import canonical
from raidctl.model import Inventory
from raidctl.output.json import to_json
from raidctl.snapshots.store import FILE
from tests.drift.states import CONTROLLER, FIXTURES, GEN9, changed, item, state

Run = Callable[..., Result]
RECORDED = str(FIXTURES / GEN9)
UNREAD = {"severity": "warning", "kind": "unread", "where": CONTROLLER, "message": "No answer.", "remedy": None}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line with an empty state directory."""
    monkeypatch.setenv("COLUMNS", "80")

    def start(*words: str | Path, stdin: bytes | None = None) -> Result:
        place = ["--state-dir", str(tmp_path / "kept")]
        return CliRunner().invoke(cli, [*place, *map(str, words)], input=stdin)

    return start


def _file(path: Path, inventory: Inventory) -> Path:
    path.write_text(to_json(inventory), encoding="utf-8")
    return path


def _failed(document: dict[str, Any]) -> None:
    item(document, f"{CONTROLLER}/battery0")["status"] = "failed"


def test_a_split_that_somebody_changed_is_followed(run: Run) -> None:
    """Snapshots are saved, compared and listed as the manual describes."""
    demo = ("--demo", "p400")
    assert run(*demo, "snapshot").output.startswith("Saved as snapshot 1, the first of")
    same = run(*demo, "diff")
    assert (same.exit_code, "Nothing has changed." in same.output) == (0, True)
    assert run(*demo, "cache", "split", "/", "50/50", "--yes").exit_code == 0
    drift = run(*demo, "diff")
    assert drift.exit_code == 1
    printed = " ".join(drift.output.split())
    assert "4 changes info The controller smartarray:1, cache share for reads: 25% → 50%." in printed
    assert "The controller smartarray:1, cache for reads: 128 MiB → 256 MiB." in printed
    saved = run(*demo, "snapshot").output
    assert saved.startswith('Saved as snapshot 2; it differs from snapshot 1: "raidctl --demo p400 ')
    assert saved.endswith(' diff 1 2".\n')
    assert "Saved as snapshot 3; nothing has changed since snapshot 2." in run(*demo, "snapshot").output
    history = run(*demo, "--json", "history", "smartarray:1.cache.read_percent")
    assert [(one["state"], one["value"]) for one in json.loads(history.output)["moments"]] == [(1, 25), (2, 50)]
    every = run(*demo, "--json", "history", "smartarray:1.cache.read_percent", "--all")
    assert [one["value"] for one in json.loads(every.output)["moments"]] == [25, 50, 50]
    assert run(*demo, "diff", "-3", "-2").exit_code == 1
    assert run(*demo, "diff", "-2", "-1").exit_code == 0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("diff", ("diff", RECORDED, str(FIXTURES / "smartarray-gen10-failed-battery"))),
        ("snapshot", ("--replay", RECORDED, "snapshot")),
    ],
)
def test_json_is_what_the_schema_promises(run: Run, answer: str, words: tuple[str, ...]) -> None:
    """Every name of it is in the schema that raidctl prints."""
    promised = json.loads(run("schema", answer).output)
    jsonschema.Draft202012Validator.check_schema(promised)
    jsonschema.validate(json.loads(run("--json", *words).output), promised)


def test_history_as_json_is_what_the_schema_promises(run: Run) -> None:
    """The JSON fits its schema, with values of any kind."""
    run("--replay", RECORDED, "snapshot")
    promised = json.loads(run("schema", "history").output)
    for field in ("cache", "firmware", "batteries"):
        answer = run("--replay", RECORDED, "--json", "history", f"{CONTROLLER}.{field}")
        jsonschema.validate(json.loads(answer.output), promised)


def test_a_file_for_git_is_the_same_bytes_again(run: Run, tmp_path: Path) -> None:
    """A file for git is the same bytes when written again.

    Standard output gives them, too, and they are read as an inventory.
    """
    path = tmp_path / "db7.json"
    assert run("--replay", RECORDED, "snapshot", "--output", path).exit_code == 0
    first = path.read_bytes()
    assert run("--replay", RECORDED, "snapshot", "--output", path).exit_code == 0
    assert path.read_bytes() == first
    assert run("--replay", RECORDED, "snapshot", "--output", "-").stdout_bytes == first
    assert [one.name for one in tmp_path.iterdir()] == ["db7.json"]
    against = run("diff", path, RECORDED)
    assert (against.exit_code, "Nothing has changed." in against.output) == (0, True)
    msgspec.json.decode(first, type=Inventory)


def test_a_file_that_is_no_state_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    """A mistyped target costs nothing."""
    path = tmp_path / "thesis.json"
    path.write_text("precious", encoding="utf-8")
    answer = run("--replay", RECORDED, "snapshot", "--output", path)
    assert (answer.exit_code, path.read_text(encoding="utf-8")) == (2, "precious")


def test_two_files_are_compared(run: Run, tmp_path: Path) -> None:
    """The battery that died, as text and as JSON; exit code 1."""
    before = _file(tmp_path / "before.json", state())
    after = _file(tmp_path / "after.json", changed(state(), _failed))
    answer = run("diff", before, after)
    assert answer.exit_code == 1
    assert "CRITICAL  The battery of smartarray:0 changed from ok to failed." in answer.output
    [change] = json.loads(run("diff", before, after, "--json").output)["changes"]
    assert (change["id"], change["field"], change["old"], change["new"]) == (
        f"{CONTROLLER}/battery0", "status", "ok", "failed",
    )  # fmt: skip
    assert run("diff", before, after, "--ignore", f"{CONTROLLER}/battery0").exit_code == 0
    assert run("diff", before, "-", stdin=after.read_bytes()).exit_code == 1


def test_lines_fit_the_screen(run: Run) -> None:
    """No line is longer than 80 columns, whatever the tools print."""
    answer = run("diff", RECORDED, str(FIXTURES / "lab-md"), "-v")
    assert max(map(len, answer.output.splitlines())) <= 80


def test_noise_is_counted_and_shown_with_all(run: Run, tmp_path: Path) -> None:
    """A changed temperature alone is not drift."""
    warm = changed(state(), lambda document: item(document, f"{CONTROLLER}/1I:1:1").update(temperature_celsius=55))
    before, after = _file(tmp_path / "a.json", state()), _file(tmp_path / "b.json", warm)
    quiet = run("diff", before, after)
    assert (quiet.exit_code, "1 volatile field changed too" in quiet.output) == (0, True)
    loud = run("diff", before, after, "--all")
    assert (loud.exit_code, "temperature_celsius" in loud.output) == (1, True)
    canonical_file = tmp_path / "c.json"
    canonical_file.write_text(to_json(canonical(state()).document), encoding="utf-8")
    printed = run("diff", canonical_file, after, "--all")
    assert (printed.exit_code, "was written without noise" in printed.stderr) == (0, True)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b'{"schema_version": "1", "host": {"hostna', "is cut off in the middle"),
        (b'{"schema_version": "2", "controllers": []}', "of schema version 2, and this raidctl reads version 1"),
        (b'{"changes": []}', 'no inventory: it has no "controllers"'),
        (b'{"schema_version": "1", "controllers": 7}', "is not an inventory"),
        (b"[1, 2", "is not an inventory"),
        (b"{nonsense", "is not JSON"),
        (b"[" * 100_000, "is"),
        (b'{"schema_version": "1", "host": {}, "controllers": []}\n' * 2, "has more than one inventory"),
    ],
)
def test_an_unusable_file_is_reported_in_a_sentence(run: Run, tmp_path: Path, data: bytes, words: str) -> None:
    """The message names the file and the error."""
    path = tmp_path / "x.json"
    path.write_bytes(data)
    answer = run("diff", path, RECORDED)
    assert answer.exit_code == 3
    assert str(path) in answer.stderr
    assert words in answer.stderr
    assert "internal error" not in answer.stderr


@pytest.mark.parametrize(
    "data", [b"", b"root:x:0:0:root:/root:/bin/bash\n", b"\0" * 4096], ids=["nothing", "a text", "zeros"]
)
def test_what_nobody_recognises_is_no_state_that_could_differ(run: Run, tmp_path: Path, data: bytes) -> None:
    """Text, zeros and nothing are not a snapshot.

    They are not that of a machine that lost its name and everything else.
    """
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    for words in ((path, RECORDED), (RECORDED, path)):
        answer = run("diff", *words)
        assert (answer.exit_code, answer.stdout) == (3, "")
        assert f"{path} is not a snapshot" in answer.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("diff", "nowhere.json"), "is not a file, a snapshot number"),
        (("diff", "7", RECORDED), "There is no snapshot 7"),
        (("diff", "2026-13-01", RECORDED), "is not a file"),
        (("--replay", RECORDED, "diff"), "There is no snapshot of flint"),
        (("--replay", RECORDED, "history", "smartarray:0.status"), "No snapshot of flint is saved here"),
        (("snapshot", "--prune"), "--prune and --keep belong together"),
        (("snapshot", "--prune", "--keep", "soon"), "is not an age"),
        (("snapshot", "--list", "--output", "x"), "cannot be used together"),
        (("--host", "db1", "diff", RECORDED, RECORDED), "does not read a machine"),
        (("diff", "-", "-"), "only be one of the two"),
        (("diff", RECORDED, RECORDED, "--ignore", "firmwear"), 'did you mean "firmware"'),
    ],
)
def test_invalid_arguments_are_refused_with_a_remedy(run: Run, words: tuple[str, ...], message: str) -> None:
    """Each has exit code 2, and one sentence."""
    answer = run(*words)
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("smartarray:0/v9.status", "No snapshot has the object"), ("smartarray:0", "Which field of"),
        ("smartarray:0.firmwear", 'did you mean "firmware"'),
    ],
)  # fmt: skip
def test_an_unknown_object_or_field_is_reported(run: Run, what: str, message: str) -> None:
    """A typo is not an empty history."""
    run("--replay", RECORDED, "snapshot")
    answer = run("--replay", RECORDED, "history", what)
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())


def test_a_state_that_cannot_be_kept_is_printed(run: Run, tmp_path: Path) -> None:
    """The damaged store is reported and not touched. What was read can still be saved."""
    place = tmp_path / "kept"
    place.mkdir(mode=0o700)
    (place / FILE).write_bytes(b"not a database" * 1000)
    (place / FILE).chmod(0o600)
    answer = run("--replay", RECORDED, "snapshot")
    assert answer.exit_code == 3
    assert "is damaged" in answer.stderr
    assert json.loads(answer.stdout) == canonical(state()).document
    assert (place / FILE).read_bytes() == b"not a database" * 1000


def test_the_history_in_a_damaged_store_is_no_missing_object(run: Run, tmp_path: Path) -> None:
    """If no snapshot can be read, that is the message. It is not that the object never existed."""
    run("--replay", RECORDED, "snapshot")
    with closing(sqlite3.connect(tmp_path / "kept" / FILE)) as database, database:
        database.execute("UPDATE document SET body = X'00'")
    answer = run("--replay", RECORDED, "history", f"{CONTROLLER}.status")
    assert (answer.exit_code, "Snapshot 1 of" in answer.stderr, "is invalid" in answer.stderr) == (3, True, True)


@pytest.mark.parametrize(("size", "expected"), [(2 * 10**12, " → 2 TB."), (1, " bytes → ")])
def test_sizes_have_a_unit_and_are_exact_if_they_would_read_alike(
    run: Run, tmp_path: Path, size: int, expected: str
) -> None:
    """Two equal figures would show no change."""

    def resize(document: dict[str, Any]) -> None:
        volume = item(document, f"{CONTROLLER}/v2")
        volume["size_bytes"] = size if size > 1 else volume["size_bytes"] + size

    before, after = _file(tmp_path / "a.json", state()), _file(tmp_path / "b.json", changed(state(), resize))
    answer = run("diff", before, after)
    printed = " ".join(answer.output.split())
    assert "1 warning" in printed
    assert f"The volume {CONTROLLER}/v2, size: " in printed
    assert expected in printed


def test_the_list_marks_the_first_snapshot_of_each_machine(run: Run) -> None:
    """What was kept first has not changed: there was nothing before it."""
    for name in (RECORDED, str(FIXTURES / "smartarray-p400"), RECORDED):
        run("--replay", name, "snapshot")
    rows = [line.split() for line in run("snapshot", "--list").output.splitlines()[1:]]
    assert [(row[4], row[5]) for row in rows] == [("flint", "first"), ("anvil", "first"), ("flint", "same")]


def test_a_clock_that_was_set_back_is_reported(run: Run, tmp_path: Path) -> None:
    """The state is kept, and is the last one."""
    run("--replay", RECORDED, "snapshot")
    with closing(sqlite3.connect(tmp_path / "kept" / FILE)) as database, database:
        database.execute("UPDATE state SET at = '2030-01-01T00:00:00Z'")
    answer = run("--replay", RECORDED, "snapshot")
    assert answer.exit_code == 0
    assert "a clock was set back" in " ".join(answer.stderr.split())
    compared = json.loads(run("--replay", RECORDED, "diff", "last", "--json").output)
    assert compared["before"]["name"] == "snapshot 2"


def test_two_hosts_in_one_store_are_not_mixed_up(run: Run) -> None:
    """A machine's last snapshot is found, whatever host was saved after it."""
    other = str(FIXTURES / "smartarray-p400")
    run("--replay", RECORDED, "snapshot")
    run("--replay", other, "snapshot")
    assert run("--replay", RECORDED, "diff").exit_code == 0
    assert run("--replay", other, "diff", "-1", "now").exit_code == 0
    assert run("--replay", other, "diff", "-2").exit_code == 2
    assert len(json.loads(run("--json", "snapshot", "--list").output)) == 2


def test_an_incomplete_reading_is_kept_and_reported(run: Run) -> None:
    """The exit code is that of show. The list marks the snapshot as incomplete."""
    crashes = str(FIXTURES / "megaraid-second-card-crashes")
    answer = run("--replay", crashes, "snapshot")
    assert answer.exit_code == 3
    assert "Saved as snapshot 1" in answer.stdout
    assert "not all read" in run("snapshot", "--list").output
    same = run("--replay", crashes, "diff")
    assert (same.exit_code, "Not read either time" in same.output) == (0, True)


def test_old_states_are_removed_when_asked(run: Run, tmp_path: Path) -> None:
    """The last one of the host stays, however old."""
    run("--replay", RECORDED, "snapshot")
    run("--replay", RECORDED, "snapshot")
    with closing(sqlite3.connect(tmp_path / "kept" / FILE)) as database, database:
        database.execute("UPDATE state SET at = '2001-01-01T00:00:00Z'")
    assert run("snapshot", "--prune", "--keep", "90d").output == "1 snapshot removed, 1 left.\n"
    assert run("--replay", RECORDED, "diff", "2", "now").exit_code == 0


def test_a_value_that_could_not_be_read_is_not_called_absent(run: Run, tmp_path: Path) -> None:
    """The lost document of a snapshot is reported; the others are shown."""
    run("--replay", RECORDED, "snapshot")
    with closing(sqlite3.connect(tmp_path / "kept" / FILE)) as database, database:
        database.execute("INSERT INTO state SELECT 2, at, host, source, 0, 'lost', noise FROM state")
    answer = run("--replay", RECORDED, "history", f"{CONTROLLER}.firmware")
    assert answer.exit_code == 3
    assert "snapshot cannot be read" in answer.output


def test_a_state_without_noise_hides_none_that_could_be_shown(run: Run, tmp_path: Path) -> None:
    """What a file for git leaves out has not changed. No option shows it."""
    path = tmp_path / "quiet.json"
    assert run("--replay", RECORDED, "snapshot", "--output", path).exit_code == 0
    for words in ((path, RECORDED), (RECORDED, path)):
        answer = run("diff", *words)
        assert (answer.exit_code, "--all" in answer.stdout) == (0, False)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("smartarray:0/v1.rpm", 'A volume has no field "rpm"'),
        ("smartarray:0.raid_level", 'A controller has no field "raid_level"'),
        ("host.status", 'The host has no field "status"'),
        ("smartarray:0/v1.stauts", 'did you mean "status"?'),
        ("smartarray:0/v1.details.Interface Type", "details[LABEL]"),
        ("smartarray:0/v1.details[Colour]", 'No snapshot has "details[Colour]" of smartarray:0/v1'),
        ("smartarray:0/v1.mounts[/nowhere].options", 'No snapshot has "mounts[/nowhere].options"'),
    ],
    ids=["of a drive", "of a volume", "of others", "misspelt", "a label after a dot", "a label", "a mount"],
)  # fmt: skip
def test_the_history_of_a_field_that_the_object_lacks_is_refused(run: Run, field: str, message: str) -> None:
    """A field that the object lacks is refused, not shown as unknown."""
    assert run("--replay", RECORDED, "snapshot").exit_code == 0
    answer = run("--replay", RECORDED, "history", field)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert message in answer.stderr


def test_the_history_of_a_field_that_was_never_reported_is_shown(run: Run) -> None:
    """The history shows that a field's value was never reported. The object has such a field."""
    assert run("--replay", RECORDED, "snapshot").exit_code == 0
    answer = run("--replay", RECORDED, "history", "smartarray:0/v1.layout")
    assert (answer.exit_code, "unknown" in answer.stdout) == (0, True)


def test_what_was_ignored_is_not_called_unchanged(run: Run, tmp_path: Path) -> None:
    """Nothing else has changed. Ignored changes are not reported as unchanged."""
    after = _file(tmp_path / "after.json", changed(state(), _failed))
    answer = run("diff", RECORDED, after, "--ignore", "battery")
    assert answer.exit_code == 0
    assert "Nothing else has changed." in answer.stdout
    assert "Nothing has changed" not in answer.stdout


def test_a_file_is_not_replaced_by_less(run: Run, tmp_path: Path) -> None:
    """A less complete snapshot, or another host's, does not replace a file.

    The exit code is not 0, and the file is as it was.
    """
    path, cut, other = tmp_path / "db7.json", tmp_path / "cut", FIXTURES / "smartarray-p400"
    assert run("--replay", RECORDED, "snapshot", "--output", path).exit_code == 0
    first = path.read_bytes()
    shutil.copytree(RECORDED, cut)
    (cut / "hpssacli-ctrl-all-show-config-detail.out").write_text("")
    for machine, words, code in (
        (cut, "could not be read this time", 3),
        (other, "is of flint, and this is anvil", 2),
    ):
        refused = run("--replay", machine, "snapshot", "--output", path)
        assert (refused.exit_code, path.read_bytes()) == (code, first)
        assert words in refused.stderr
        assert run("--replay", machine, "snapshot", "--output", path, "--force").exit_code == code % 2 * 3
        assert path.read_bytes() != first
        assert run("--replay", RECORDED, "snapshot", "--output", path, "--force").exit_code == 0
    assert run("snapshot", "--force").exit_code == 2


def test_what_could_not_be_read_before_either_is_no_reason_to_keep_a_file(run: Run, tmp_path: Path) -> None:
    """Replacing the file loses nothing."""
    path, cut = tmp_path / "db7.json", tmp_path / "cut"
    shutil.copytree(RECORDED, cut)
    (cut / "hpssacli-ctrl-all-show-config-detail.out").write_text("")
    for _ in range(2):
        answer = run("--replay", cut, "snapshot", "--output", path)
        assert "kept as it is" not in answer.stderr
        assert answer.exit_code == 3


def test_what_is_milder_is_left_out(run: Run, tmp_path: Path) -> None:
    """--min-severity decides what is shown, and the exit code."""
    before = _file(tmp_path / "a.json", state())
    after = _file(
        tmp_path / "b.json", changed(state(), lambda document: item(document, f"{CONTROLLER}/1I:1:1").update(bay="9"))
    )
    assert run("diff", before, after).exit_code == 1
    quiet = run("diff", before, after, "--min-severity", "warning")
    assert (quiet.exit_code, "1 change ignored by" in quiet.stdout) == (0, True)
    failed = _file(tmp_path / "c.json", changed(state(), _failed))
    worse = json.loads(run("diff", before, failed, "--min-severity", "critical", "--json").stdout)
    assert [one["severity"] for one in worse["changes"]] == ["critical"]


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (lambda _: None, 0, "RAID OK - no change since"),
        (lambda document: item(document, f"{CONTROLLER}/1I:1:1").update(bay="9"), 0, "RAID OK - 1 for information"),
        (
            lambda document: item(document, f"{CONTROLLER}/1I:1:1").update(write_cache="enabled"),
            1,
            "RAID WARNING - 1 warning",
        ),
        (_failed, 2, "RAID CRITICAL - 1 critical since"),
        (lambda document: document["problems"].append(UNREAD), 3, "RAID UNKNOWN - 1 not read"),
    ],
)
def test_a_comparison_for_nagios(
    run: Run, tmp_path: Path, change: Callable[[dict[str, Any]], None], code: int, words: str
) -> None:
    """The worst change determines the state. Information alone is OK; an incomplete reading is UNKNOWN."""
    before, after = _file(tmp_path / "a.json", state()), _file(tmp_path / "b.json", changed(state(), change))
    answer = run("diff", before, after, "--format", "nagios")
    assert (answer.exit_code, answer.stdout.startswith(words)) == (code, True)
    assert run("diff", before, after, "--format", "nagios", "--json").exit_code == 3


def test_no_change_for_nagios_names_what_it_leaves_out(run: Run, tmp_path: Path) -> None:
    """Parts unread in both snapshots, and ignored changes, qualify "no change"."""

    def unread(document: dict[str, Any]) -> None:
        document["problems"].append(UNREAD)

    def moved(document: dict[str, Any]) -> None:
        unread(document)
        item(document, f"{CONTROLLER}/1I:1:1").update(bay="9")

    before, same = (
        _file(tmp_path / "a.json", changed(state(), unread)),
        _file(tmp_path / "b.json", changed(state(), unread)),
    )
    answer = run("diff", before, same, "--format", "nagios")
    assert (answer.exit_code, answer.stdout.partition(" | ")[0]) == (
        0, f"RAID OK - no change since {before} in what could be read"
    )  # fmt: skip
    other = _file(tmp_path / "c.json", changed(state(), moved))
    answer = run("diff", before, other, "--min-severity", "warning", "--format", "nagios")
    assert answer.stdout.partition(" | ")[0].endswith(" in what could be read, 1 ignored")


def test_no_placeholder_of_the_noise_filter_is_shown(run: Run, tmp_path: Path) -> None:
    """A new problem is printed with its figure. In a file without noise, an ellipsis replaces the figure."""

    def rebuild(document: dict[str, Any]) -> None:
        document["problems"].append({**UNREAD, "kind": "state", "message": "Rebuilding, 37 % complete."})
        item(document, f"{CONTROLLER}/1I:1:1")["status_text"] = "Rebuilding 37 %"

    before, after = _file(tmp_path / "a.json", state()), _file(tmp_path / "b.json", changed(state(), rebuild))
    shown = run("diff", before, after).stdout
    assert shown.count("37 %") == 2
    quiet = _file(tmp_path / "c.json", msgspec.convert(canonical(changed(state(), rebuild)).document, Inventory))
    assert "… %" in run("diff", before, quiet).stdout
    assert "#" not in shown + run("diff", before, quiet).stdout
