"""Recordings on disk: a written one can be read again, a broken one is refused in one sentence."""

from __future__ import annotations

import io
import json
import os
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from raidctl.errors import RecordError
from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording, is_recording, load
from raidctl.recording.save import save
from raidctl.request import (
    Failure,
    Glob,
    GlobAnswer,
    Read,
    ReadAnswer,
    Run,
    RunAnswer,
    UdevDatabase,
    Which,
    WhichAnswer,
)
from raidctl.runners.record import RecordRunner
from raidctl.runners.replay import ReplayRunner

SMALL = {"format": FORMAT, "answers": [{"run": ["tool", "show"], "code": 0, "out": "tool-show.out"}]}


class Scripted:
    """A machine whose answers are listed."""

    def __init__(self, answers: dict[Any, Any]) -> None:
        self.answers = answers

    def carry_out(self, requests: Any) -> tuple[Any, ...]:
        """Look each request up."""
        return tuple(self.answers[request] for request in requests)


def write(folder: Path, manifest: object, **files: bytes) -> Path:
    """A recording written by hand; ``__`` in a name means a dot."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "record.json").write_text(
        manifest if isinstance(manifest, str) else json.dumps(manifest), encoding="utf-8"
    )
    for name, data in files.items():
        (folder / name.replace("__", ".")).write_bytes(data)
    return folder


def sample() -> Recording:
    """A recording with every kind of answer."""
    entries = (
        Entry(run=("tool", "show"), code=3, out="tool-show.out", err="tool-show.err", seconds=0.25),
        Entry(run=("tool", "wait"), trouble=Failure.TIMEOUT, detail="60 s"),
        Entry(read="/proc/mdstat", data="proc-mdstat"),
        Entry(read="/sys/block/sda/size", text="7814037168\n"),
        Entry(read="/etc/shadow", trouble=Failure.DENIED),
        Entry(glob="/sys/block/*", paths=("/sys/block/sda",)),
        Entry(which="tool", path="/usr/sbin/tool"),
        Entry(which="other"),
        Entry(udev=True, data="udev-db"),
    )
    files = {
        "tool-show.out": b"\xff\x00raw\r\n",
        "tool-show.err": b"oops",
        "proc-mdstat": b"md0",
        "udev-db": b"P: /x\n",
    }
    return Recording(Manifest(format=FORMAT, source="written", about="a small one", answers=entries), files)


@pytest.mark.parametrize("name", ["machine", "machine.tar.gz", "machine.tgz"])
def test_what_is_saved_is_loaded_again(tmp_path: Path, name: str) -> None:
    """Saved manifest and files are loaded again byte by byte.

    A directory and an archive are both taken for recordings.
    """
    save(sample(), tmp_path / name)
    assert load(tmp_path / name) == sample()
    assert is_recording(tmp_path / name)


def test_an_answer_comes_back_in_its_own_class() -> None:
    """Each entry of a manifest gives its request and its reply."""
    assert list(sample().answers()) == [
        (Run(("tool", "show")), RunAnswer(3, b"\xff\x00raw\r\n", b"oops")),
        (Run(("tool", "wait")), RunAnswer(trouble=Failure.TIMEOUT, detail="60 s")),
        (Read("/proc/mdstat"), ReadAnswer(b"md0")),
        (Read("/sys/block/sda/size"), ReadAnswer(b"7814037168\n")),
        (Read("/etc/shadow"), ReadAnswer(trouble=Failure.DENIED)),
        (Glob("/sys/block/*"), GlobAnswer(("/sys/block/sda",))),
        (Which("tool"), WhichAnswer("/usr/sbin/tool")),
        (Which("other"), WhichAnswer(trouble=Failure.MISSING)),
        (UdevDatabase(), ReadAnswer(b"P: /x\n")),
    ]


def test_nobody_else_can_read_a_recording(tmp_path: Path) -> None:
    """It holds serial numbers: directories are 0700, files 0600."""
    save(sample(), tmp_path / "machine")
    save(sample(), tmp_path / "machine.tgz")
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in [tmp_path / "machine.tgz", *tmp_path.glob("machine/*")]
    }
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "machine").stat().st_mode) == 0o700


def test_the_same_recording_is_the_same_archive(tmp_path: Path) -> None:
    """Neither the time nor a temporary file's name gets into an archive."""
    (tmp_path / "other").mkdir()
    save(sample(), tmp_path / "m.tar.gz")
    save(sample(), tmp_path / "other" / "m.tar.gz")
    assert (tmp_path / "m.tar.gz").read_bytes() == (tmp_path / "other" / "m.tar.gz").read_bytes()


@pytest.mark.parametrize("name", ["full", "file", "m.tgz"])
def test_nothing_is_overwritten(tmp_path: Path, name: str) -> None:
    """A used path is refused and not changed.

    A directory with something in it, a file and an archive are used paths.
    """
    place = tmp_path / name
    if name == "full":
        place.mkdir()
        (place / "mine").write_text("x", encoding="utf-8")
    else:
        place.write_text("x", encoding="utf-8")
    with pytest.raises(RecordError, match="already exists"):
        save(sample(), place)
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted({name, "mine"} if name == "full" else {name})


def test_an_empty_directory_is_used(tmp_path: Path) -> None:
    """A user may make the directory before."""
    (tmp_path / "m").mkdir()
    save(sample(), tmp_path / "m")
    assert load(tmp_path / "m") == sample()


@pytest.mark.parametrize("name", ["m", "m.tgz"])
def test_a_failed_save_leaves_nothing(tmp_path: Path, name: str) -> None:
    """A failed save leaves neither half a recording nor a temporary file. The file system is full half-way."""
    broken = Recording(sample().manifest, {**sample().files, "x" * 300: b"the name is too long for a file system"})
    if name == "m.tgz":
        broken = Recording(sample().manifest, {**sample().files, "x": None})  # type: ignore[dict-item] # breaks while writing
    with pytest.raises((RecordError, TypeError)):
        save(broken, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """A missing parent directory is reported in one sentence."""
    with pytest.raises(RecordError, match="cannot be written: No such file or directory"):
        save(sample(), tmp_path / "nowhere" / "m.tgz")


def packed(kind: str, folder: Path, place: Path, prefix: str) -> Path:
    """The files of a directory in an archive, the manifest not first."""
    if kind == "zip":
        with zipfile.ZipFile(place, "w") as archive:
            for path in folder.iterdir():
                archive.write(path, prefix + path.name)
    else:
        with tarfile.open(place, "w:" + kind) as tar:  # type: ignore[call-overload] # the mode is put together
            for path in sorted(folder.iterdir(), reverse=True):
                tar.add(path, prefix + path.name)
    return place


@pytest.mark.parametrize("prefix", ["", "./", "machine/", "backup/machine/"])
@pytest.mark.parametrize("kind", ["", "gz", "bz2", "xz", "zip"])
def test_a_recording_that_somebody_packed_is_loaded(tmp_path: Path, kind: str, prefix: str) -> None:
    """Any usual archive of the directory will do. Its files may be in any order."""
    save(sample(), tmp_path / "m")
    place = packed(kind, tmp_path / "m", tmp_path / "packed", prefix)
    assert is_recording(place)
    assert load(place) == sample()


def test_the_manifest_itself_may_be_named(tmp_path: Path) -> None:
    """``record.json`` means the directory that contains it."""
    save(sample(), tmp_path / "m")
    assert is_recording(tmp_path / "m" / "record.json")
    assert load(tmp_path / "m" / "record.json") == sample()


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        ("{", "is damaged: record.json is invalid"),
        ("[]", "is not a recording"),
        ('{"name": "some other program"}', "is not a recording"),
        ({"format": "raidctl-record 2"}, 'in the format "raidctl-record 2".*use a newer raidctl'),
        ({"format": FORMAT, "answers": [{"run": ["x"], "code": "0"}]}, r"Expected `int.*answers\[0\].code"),
        ({"format": FORMAT, "answers": [{"run": ["x"], "cod": 0}]}, "unknown field `cod`"),
        ({"format": FORMAT, "answers": [{"run": ["x"]}]}, "neither an exit code nor a trouble"),
        ({"format": FORMAT, "answers": [{"run": [], "code": 0}]}, "one of run, read, glob, which, udev"),
        ({"format": FORMAT, "answers": [{"read": "/x", "glob": "/y"}]}, "one of run, read, glob, which, udev"),
        ({"format": FORMAT, "answers": [{"read": "/x"}]}, "neither data nor text"),
        ({"format": FORMAT, "answers": [{"read": "/x", "data": "../passwd"}]}, "is not a file of the recording"),
        ({"format": FORMAT, "answers": [{"read": "/x", "data": "/etc/passwd"}]}, "is not a file of the recording"),
        ({"format": FORMAT, "answers": [{"read": "/x", "data": "record.json"}]}, "is not a file of the recording"),
        (SMALL, "is incomplete: tool-show.out, named in record.json"),
    ],
)
def test_a_broken_recording_is_refused_in_a_sentence(tmp_path: Path, manifest: object, sentence: str) -> None:
    """For any broken manifest, the user reads where and what. No exception of a library is shown."""
    write(tmp_path / "m", manifest)
    with pytest.raises(RecordError, match=sentence) as caught:
        load(tmp_path / "m")
    assert str(tmp_path / "m") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    """Nothing there, an empty directory, a text, a broken archive."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("hello\n", encoding="utf-8")
    (tmp_path / "half.tgz").write_bytes(b"\x1f\x8b\x08\x00\x00\x00")
    for name, sentence in (
        ("nothing", "there is no such file or directory"),
        ("empty", "it is not a recording, record.json is missing"),
        ("text", "is not a recording: it has no record.json"),
        ("half.tgz", "damaged or cut off"),
    ):
        assert not is_recording(tmp_path / name)
        with pytest.raises(RecordError, match=sentence):
            load(tmp_path / name)


def test_a_link_does_not_lead_out_of_a_recording(tmp_path: Path) -> None:
    """A file that is a link to something outside is refused."""
    (tmp_path / "secret").write_text("s", encoding="utf-8")
    write(tmp_path / "m", SMALL)
    (tmp_path / "m" / "tool-show.out").symlink_to(tmp_path / "secret")
    with pytest.raises(RecordError, match="is outside"):
        load(tmp_path / "m")


def test_a_pipe_in_a_recording_does_not_block(tmp_path: Path) -> None:
    """Anything but a file is refused before it is opened."""
    write(tmp_path / "m", SMALL)
    os.mkfifo(tmp_path / "m" / "tool-show.out")
    with pytest.raises(RecordError, match="is not a file"):
        load(tmp_path / "m")
    (tmp_path / "m" / "record.json").unlink()
    os.mkfifo(tmp_path / "m" / "record.json")
    assert not is_recording(tmp_path / "m")


def test_a_file_that_cannot_be_read_is_not_called_missing(tmp_path: Path) -> None:
    """A link to itself is there, and cannot be opened."""
    write(tmp_path / "m", SMALL)
    (tmp_path / "m" / "tool-show.out").symlink_to("tool-show.out")
    with pytest.raises(RecordError, match=r"tool-show\.out cannot be read: Too many levels of symbolic links"):
        load(tmp_path / "m")


def test_names_in_an_archive_lead_nowhere(tmp_path: Path) -> None:
    """Members with ``..`` or a leading slash are never used as paths. The manifest cannot name them either."""
    with tarfile.open(tmp_path / "evil.tar", "w") as tar:
        for name, text in (("record.json", json.dumps(SMALL)), ("../tool-show.out", "x"), ("/tool-show.out", "x")):
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    with pytest.raises(RecordError, match=r"tool-show\.out, named in record\.json, is missing"):
        load(tmp_path / "evil.tar")


def test_a_recording_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, or several files, beyond the limits are refused, not read into memory."""
    monkeypatch.setattr("raidctl.recording.recording.FILE_LIMIT", 1000)
    write(tmp_path / "m", SMALL, **{"tool-show__out": b"x" * 2000})
    place = packed("gz", tmp_path / "m", tmp_path / "m.tgz", "")
    for path in (tmp_path / "m", place):
        with pytest.raises(RecordError, match="too large"):
            load(path)


BYTES = st.binary(max_size=300)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)
ANSWERED = st.one_of(
    st.tuples(
        st.builds(Run, st.lists(TEXT, min_size=1, max_size=3).map(tuple)),
        st.builds(RunAnswer, st.integers(0, 255), BYTES, BYTES)
        | st.builds(RunAnswer, trouble=st.sampled_from(sorted(Failure))),
    ),
    st.tuples(
        st.builds(Read, TEXT), st.builds(ReadAnswer, BYTES) | st.just(ReadAnswer(trouble=Failure.DENIED, detail="no"))
    ),
    st.tuples(st.builds(Glob, TEXT), st.builds(GlobAnswer, st.lists(TEXT, max_size=3).map(lambda x: tuple(sorted(x))))),
    st.tuples(st.builds(Which, TEXT), st.builds(WhichAnswer, TEXT)),
    st.tuples(st.just(UdevDatabase()), st.builds(ReadAnswer, BYTES)),
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(ANSWERED, max_size=6), packing=st.sampled_from(["m", "m.tgz"]))
def test_whatever_a_machine_answers_is_replayed(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[Any, Any]], packing: str
) -> None:
    """In a replay, each request gets the answer that it got.

    Code, bytes and trouble are recorded, saved, loaded and replayed.
    """
    answers = dict(pairs)
    recorder = RecordRunner(Scripted(answers))
    recorder.carry_out(tuple(answers))
    place = tmp_path_factory.mktemp("r") / packing
    save(recorder.recording("random"), place)
    replay = ReplayRunner(load(place))
    assert dict(zip(answers, replay.carry_out(tuple(answers)), strict=True)) == answers
