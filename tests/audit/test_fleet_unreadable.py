"""Files that are not inventories are reported once, and block nothing."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.fleet.sources import unread_files
from tests.audit.policies import recorded


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with one inventory."""
    (tmp_path / "fleet").mkdir()
    (tmp_path / "site.toml").write_text('raid_level = "raid5"\n', encoding="utf-8")
    (tmp_path / "fleet" / "a.json").write_bytes(msgspec.json.encode(recorded("smartarray-p400")))
    return tmp_path


def _run(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, [*map(str, words)])


def _hosts(place: Path) -> list[tuple[str, bool]]:
    """Return each reported host's file, and whether it was unreadable."""
    argv = [sys.executable, "-m", "raidctl", "audit", "site.toml", "fleet", "--json", "--jobs", "1"]
    done = subprocess.run(argv, cwd=place, capture_output=True, check=False, timeout=120)
    return [(one["source"], one["unreadable"]) for one in json.loads(done.stdout)["hosts"]]


def test_a_pipe_in_a_directory_does_not_block(place: Path) -> None:
    """A named pipe is unreadable, and does not block the audit."""
    os.mkfifo(place / "fleet" / "b.json")
    os.mkfifo(place / "fleet" / "c.jsonl")
    assert _hosts(place) == [("fleet/a.json", False), ("fleet/b.json", True), ("fleet/c.jsonl", True)]


def test_an_unreadable_file_is_one_host(place: Path) -> None:
    """A file of random bytes is one unreadable host. In a file of inventories, each line counts."""
    noise = random.Random(1).randbytes(100_000)  # noqa: S311 - the same bytes in every run
    (place / "fleet" / "b.json").write_bytes(noise)
    good = (place / "fleet" / "a.json").read_bytes()
    (place / "fleet" / "c.json").write_bytes(good[:-9] + b"\n" + good + b"\n")
    assert _hosts(place) == [
        ("fleet/a.json", False), ("fleet/b.json", True), ("fleet/c.json:1", True), ("fleet/c.json:2", False),
    ]  # fmt: skip


WHOLE = msgspec.json.format(msgspec.json.encode(recorded("smartarray-p400")), indent=2)
REDUCED = msgspec.json.encode({key: value for key, value in json.loads(WHOLE).items() if key != "problems"})


@pytest.mark.parametrize("name", ["b.json", "b.jsonl", "b.json.gz", "b.jsonl.gz"])
@pytest.mark.parametrize(
    "damaged",
    [
        b"", b"null", b"[]", b"{}", WHOLE[:-3], WHOLE + b"x", WHOLE[: len(WHOLE) // 2], b"\xef\xbb\xbf" + WHOLE,
        REDUCED, WHOLE.decode().encode("utf-16"), WHOLE.replace(b'"schema_version": "1"', b'"schema_version": "0"'),
    ],
    ids=["empty", "null", "list", "object", "cut", "rest", "half", "mark", "reduced", "UTF-16", "version"],
)  # fmt: skip
def test_a_damaged_inventory_among_good_ones_is_never_passed_over(place: Path, name: str, damaged: bytes) -> None:
    """An audit that would pass is unknown, and an export of rows ends with 3. One may lack what could not be read."""
    (place / "fleet" / name).write_bytes(gzip.compress(damaged) if name.endswith(".gz") else damaged)
    assert _run("audit", place / "site.toml", place / "fleet").exit_code == 3
    assert _run("export", "--rows", "drives", place / "fleet").exit_code == 3


def test_what_may_be_an_inventory_and_is_not_read_is_named(place: Path, tmp_path: Path) -> None:
    """A file of another form, and a link that leads out of the directory, are named; other files and links are not."""
    for name in ("b.JSON", "c.json.xz", "d.tar", "README.md"):
        (place / "fleet" / name).write_bytes(b"x")
    (tmp_path / "other").mkdir()
    (place / "fleet" / "old").mkdir()
    (place / "fleet" / "outside").symlink_to(tmp_path / "other")
    (place / "fleet" / "inside").symlink_to("old")
    for words in (("audit", place / "site.toml"), ("export", "--rows", "drives")):
        done = _run(*words, place / "fleet")
        assert done.exit_code == 0
        named = [line.split()[1].rpartition("/")[2] for line in done.stderr.splitlines()]
        assert named == ["b.JSON", "c.json.xz", "d.tar", "outside"]


def test_an_inventory_called_record_json_hides_no_other_file(tmp_path: Path) -> None:
    """Its directory is not a recording; unread files in it are named."""
    (tmp_path / "record.json").write_bytes(WHOLE)
    (tmp_path / "b.json.xz").write_bytes(b"x")
    assert list(unread_files([str(tmp_path)])) == [str(tmp_path / "b.json.xz")]
