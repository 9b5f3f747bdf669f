"""JSON that cannot be decoded is one named fault. Nothing beside it is lost."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidctl.bench import store
from raidctl.change.state_directory import Holder
from raidctl.errors import CannotTell, RecordError
from raidctl.json_decode import decode, decode_at, decode_text
from raidctl.recording import inventory_files
from raidctl.recording.loose_files import collect_outputs
from raidctl.recording.manifest import decode_manifest
from raidctl.request import RunAnswer
from raidctl.snapshots.store import SnapshotStore
from raidctl.survey.survey import survey_documents
from raidctl.vendor.registry import vendors
from tests.audit.policies import recorded
from tests.support.command_line import raidctl
from tests.support.machines import MACHINES, recording

DEEP = (b'{"a":' * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 900 + b"1" + b"}" * 900)
BAD = (b'{"controllers":"\xff"}', b'{"schema_version":"\xc3"}', b"\xff", *DEEP)


@pytest.mark.parametrize("data", BAD)
def test_no_bytes_raise_anything_but_a_value_error(data: bytes) -> None:
    """No bytes raise anything but a value error. Decoding, checking and searching a text are tried."""
    for kind in (Holder, list[int], Any):
        with pytest.raises(ValueError, match=r"."):
            decode(data + b"{", kind)
    text = data.decode("utf-8", "replace")
    for parse in (decode_at, decode_text):
        with pytest.raises(ValueError, match=r"."):
            parse("[" + text)


@pytest.mark.parametrize("data", BAD)
def test_what_reads_documents_names_its_own_error(data: bytes) -> None:
    """Each reader of documents names its own error.

    An inventory, a recording and a run that cannot be decoded raise what their callers expect.
    """
    with pytest.raises(inventory_files.NoInventory):
        inventory_files.decode(data)
    with pytest.raises(RecordError):
        decode_manifest("x", data)
    with pytest.raises(CannotTell):
        store.decoded(data, "x")


def test_a_kept_state_that_is_damaged_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    """Bytes that are not UTF-8, in the document or beside it."""
    states = SnapshotStore(tmp_path)
    for _ in range(2):
        states.add(recorded("smartarray-p400"))
    host = states.list()[0].host
    for data in BAD:
        with closing(sqlite3.connect(tmp_path / "states.sqlite3")) as database, database:
            database.execute("UPDATE state SET noise = ? WHERE id = 1", (zlib.compress(data),))
        assert [isinstance(found, CannotTell) for _, found in states.each(host)] == [True, False]


@pytest.mark.parametrize("data", BAD[:3])
def test_in_a_fleet_it_is_one_bad_line(tmp_path: Path, data: bytes) -> None:
    """The machines before and behind it are audited."""
    good = msgspec.json.encode(recorded("smartarray-p400"))
    (tmp_path / "fleet.jsonl").write_bytes(b"\n".join([good, data, good.replace(b"\xe2", b"\xff"), good]))
    (tmp_path / "a.toml").write_text('raid_level = "raid5"\n', encoding="utf-8")
    done = raidctl("audit", tmp_path / "a.toml", tmp_path / "fleet.jsonl", "--json", "--jobs", "1")
    assert [host["unreadable"] for host in json.loads(done.stdout)["hosts"]][:2] == [False, True], done.stderr


def outputs() -> Iterator[tuple[str, str]]:
    """Every JSON that a tool has printed on a recorded machine."""
    for machine in MACHINES:
        for request, answer in recording(machine).answers():
            if isinstance(answer, RunAnswer) and answer.text.lstrip().startswith("{"):
                yield f"{machine} {request}", answer.text


SPOILS: tuple[Callable[[str], bytes], ...] = (
    lambda text: text.replace(": ", ': {"a":' * 100_000, 1).encode(),
    lambda text: text.replace(": ", ": " + '{"a":' * 900 + "1" + "}" * 900 + ', "b": ', 1).encode(),
    lambda text: text.encode().replace(b'": "', b'": "\xff', 1),
)


@pytest.mark.slow
@pytest.mark.parametrize("spoil", SPOILS)
def test_a_tools_output_that_cannot_be_decoded_is_never_an_error_of_raidctl(
    tmp_path: Path, spoil: Callable[[str], bytes]
) -> None:
    """Undecodable JSON output is not an error of raidctl.

    Invalid text and deep nesting are tried in each output of the recorded machines.
    """
    found, problems = vendors()
    path = tmp_path / "output.json"
    seen = {name.partition(" ")[0]: text for name, text in outputs()}
    assert seen
    for text in seen.values():
        path.write_bytes(spoil(text))
        survey = survey_documents(collect_outputs(path, found).texts, source="x", problems=problems)
        assert not survey.tracebacks
