"""Loose files, directories and archives are recognised by content. Their defects are reported."""

from __future__ import annotations

import gzip
import io
import os
import random
import sys
import tarfile
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.errors import RecordError
from raidctl.recording.loose_files import LooseOutputs, collect_outputs
from raidctl.vendor.protocol import Confidence, Vendor
from tests.record.standin import APPLE, APPLE_TEXT, PEAR, PEAR_TEXT, VENDORS

VENDOR_LIST: list[Vendor] = list(VENDORS)


def names(found: LooseOutputs) -> dict[str, list[str]]:
    """The names of the documents by family."""
    return {vendor.FAMILY: [document.name for document in documents] for vendor, documents in found.texts}


def given_text(path: Path, text: str | bytes) -> LooseOutputs:
    """The result for a file with this content."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return collect_outputs(path, VENDOR_LIST)


def test_a_file_is_recognised_by_its_content(tmp_path: Path) -> None:
    """The name of the file does not matter. The text reaches the family whole."""
    found = given_text(tmp_path / "mail.eml", APPLE_TEXT)
    assert names(found) == {"apple": ["mail.eml"]}
    assert found.texts[0][1][0].text == APPLE_TEXT
    assert found.texts[0][1][0].kind == "report"
    assert found.problems == ()
    assert found.source == f"replay:{tmp_path / 'mail.eml'}"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "It is empty"),
        (b"\n  \n", "It is empty"),
        (bytes(range(256)) * 20, "It is a binary file"),
        (b"Dear Sir,\nwe met in Paris.\n", "It looks like text that begins with \u201cDear Sir,\u201d"),
        (b'{"a": 1}', "It looks like JSON of another program"),
        (b'{\n  "schema_version": "1", "host": {}', "It looks like raidctl's JSON"),
        (b"<html><body>", "It looks like a web page"),
        (b"\x1b[31m[red]evil\x1b[0m\n", "begins with \u201c[red]evil\u201d"),
    ],
)
def test_an_unrecognised_file_is_a_problem(tmp_path: Path, content: bytes, sentence: str) -> None:
    """An unrecognised file is a problem, with exit code 3.

    One sentence describes it, and what raidctl reads instead.
    """
    found = given_text(tmp_path / "x.txt", content)
    assert found.texts == ()
    (problem,) = found.problems
    assert (problem.kind, problem.where) == ("unread", "x.txt")
    assert sentence in problem.message
    assert problem.remedy
    assert "\x1b" not in problem.message


def test_what_is_not_there_or_may_not_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that leads to nothing ends the program with a sentence."""
    with pytest.raises(RecordError, match="no such file or directory"):
        collect_outputs(tmp_path / "nothing", VENDOR_LIST)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "mine").write_text(APPLE_TEXT, encoding="utf-8")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(RecordError, match="may not be read"):
        collect_outputs(tmp_path / "mine", VENDOR_LIST)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_an_unreadable_file_in_a_directory_is_a_problem(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The others are still read. Exit code 4 means that a permission is missing."""
    (tmp_path / "a").write_text(APPLE_TEXT, encoding="utf-8")
    (tmp_path / "b").write_text(PEAR_TEXT, encoding="utf-8")
    (tmp_path / "b").chmod(0)
    own = tmp_path_factory.getbasetemp().parent.parent  # "pytest-of-root" is closed to others
    for folder in (tmp_path, *tmp_path.parents):
        if folder.is_relative_to(own):
            folder.chmod(0o755)
    os.seteuid(65534)
    try:
        found = collect_outputs(tmp_path, VENDOR_LIST)
    finally:
        os.seteuid(0)
    assert names(found) == {"apple": ["a"]}
    assert [(problem.kind, problem.where) for problem in found.problems] == [("no_right", "b")]


def test_a_directory_is_searched_and_strangers_are_only_counted(tmp_path: Path) -> None:
    """Among many files the irrelevant ones, links and pipes are not a problem."""
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "sub" / "deep" / "a.txt").write_text(APPLE_TEXT, encoding="utf-8")
    (tmp_path / "p10").write_text(PEAR_TEXT, encoding="utf-8")
    (tmp_path / "p9").write_text(PEAR_TEXT, encoding="utf-8")
    (tmp_path / "notes").write_text("hello\n", encoding="utf-8")
    (tmp_path / "empty").write_text("", encoding="utf-8")
    (tmp_path / "raw").write_bytes(bytes(5000))
    (tmp_path / "link").symlink_to(tmp_path / "p9")
    os.mkfifo(tmp_path / "fifo")
    found = collect_outputs(tmp_path, VENDOR_LIST)
    assert names(found) == {"apple": ["sub/deep/a.txt"], "pear": ["p9", "p10"]}
    assert (found.files, found.unrecognised, found.problems) == (6, 3, ())


def test_a_directory_without_any_output_is_a_problem(tmp_path: Path) -> None:
    """If nothing was recognised, an empty screen would be wrong."""
    (tmp_path / "notes").write_text("hello\n", encoding="utf-8")
    found = collect_outputs(tmp_path, VENDOR_LIST)
    assert [problem.kind for problem in found.problems] == ["unread"]
    assert "applecli, appleadm and pearctl" in found.problems[0].message


MEMBERS = {
    "host/sos/apple_show": APPLE_TEXT.encode(),
    "host/var/log/messages": b"Jan  1 kernel: hello\n" * 5000,
    "host/bin/sh": bytes(70000),
    "host/pear.gz": gzip.compress(PEAR_TEXT.encode()),
}


def pack(path: Path, form: str) -> Path:
    """MEMBERS in an archive. It also has a link, a directory and a name that climbs."""
    if form == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in MEMBERS.items():
                archive.writestr(name, data)
        return path
    with tarfile.open(path, "w:" + form) as tar:  # type: ignore[call-overload] # the mode is put together
        for name, data in MEMBERS.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("host/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return path


@pytest.mark.parametrize("form", ["", "gz", "bz2", "xz", "zip"])
def test_a_support_archive_is_searched(tmp_path: Path, form: str) -> None:
    """Any usual archive of thousands of files gives its few outputs. Nothing is written to disk."""
    place = pack(tmp_path / "report.bin", form)
    found = collect_outputs(place, VENDOR_LIST)
    assert names(found) == {"apple": ["host/sos/apple_show"], "pear": ["host/pear"]}
    assert (found.files, found.unrecognised, found.problems) == (4, 2, ())
    assert list(tmp_path.iterdir()) == [place]


def test_an_archive_in_a_directory_is_opened(tmp_path: Path) -> None:
    """Somebody collects the archives of several machines in one place."""
    pack(tmp_path / "one.tar.gz", "gz")
    assert names(collect_outputs(tmp_path, VENDOR_LIST)) == {"apple": ["host/sos/apple_show"], "pear": ["host/pear"]}


def test_a_compressed_file_is_opened(tmp_path: Path) -> None:
    """A single output in gzip is an output."""
    assert names(given_text(tmp_path / "a.txt.gz", gzip.compress(APPLE_TEXT.encode()))) == {"apple": ["a.txt"]}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["gz", "bz2", "xz", "zip", ""])
def test_half_an_archive_gives_what_is_in_that_half(tmp_path: Path, form: str) -> None:
    """A cut-off download gives a problem and what could be read. There is no traceback."""
    whole = pack(tmp_path / "whole", form).read_bytes()
    for cut in range(1, len(whole), max(1, len(whole) // 40)):
        found = given_text(tmp_path / "half", whole[:cut])
        assert found.texts or found.problems
    assert given_text(tmp_path / "half", whole[: len(whole) - 40]).problems or form == ""


def test_a_form_of_archive_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    """The message asks the user to unpack zstd and 7-Zip files. Neither is in Python's library."""
    (problem,) = given_text(tmp_path / "a.tar.zst", b"\x28\xb5\x2f\xfd" + bytes(100)).problems
    assert "zstd" in problem.message
    assert problem.remedy is not None
    assert "Unpack" in problem.remedy


def test_a_bomb_is_not_unpacked_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros that unpack to more than the limit end with a problem."""
    monkeypatch.setattr("raidctl.recording.archive.UNPACKED_LIMIT", 1 << 20)
    place = tmp_path / "bomb.tgz"
    with tarfile.open(place, "w:gz") as tar:
        info = tarfile.TarInfo("zeros")
        info.size = 50 << 20
        tar.addfile(info, io.BytesIO(bytes(info.size)))
        info = tarfile.TarInfo("more")
        tar.addfile(info, io.BytesIO())
    assert any("when unpacked" in problem.message for problem in collect_outputs(place, VENDOR_LIST).problems)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, b"g"])
def test_an_extended_header_of_a_tar_is_not_read_into_memory(tmp_path: Path, kind: bytes) -> None:
    """It may claim a gigabyte in a few hundred packed bytes. So may a thousand of them in a row."""
    for size, count in ((1 << 30, 1), (2 << 20, 1), (1 << 16, 40)):
        info = tarfile.TarInfo("long")
        info.type, info.size = kind, size
        data = (info.tobuf(tarfile.GNU_FORMAT) + b"16 path=abcdefg\n" * (min(size, 4 << 20) // 16)) * count
        place = tmp_path / f"{size}.tgz"
        place.write_bytes(gzip.compress(data))
        tracemalloc.start()
        (problem,) = collect_outputs(place, VENDOR_LIST).problems
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert "headers of more than 1 MiB" in problem.message
        assert peak < 16 << 20


@pytest.mark.slow
def test_long_names_and_attributes_of_an_honest_tar_are_read(tmp_path: Path) -> None:
    """Extended headers of thousands of files are far from the limit. It applies to each file separately."""
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        place = tmp_path / f"{form}.tgz"
        with tarfile.open(place, "w:gz", format=form) as tar:
            for number in range(3000):
                info = tarfile.TarInfo(f"{'d/' * 150}{number}")
                info.size = len(APPLE_TEXT)
                tar.addfile(info, io.BytesIO(APPLE_TEXT.encode()))
        found = collect_outputs(place, VENDOR_LIST)
        assert (found.problems, found.files) == ((), 3000)


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [("UNPACKED_LIMIT", 1 << 20, "when unpacked"), ("COUNT_LIMIT", 30, "files"), ("PROCESSOR_LIMIT", 0, "processor")],
)
def test_archives_inside_an_archive_share_its_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, message: str
) -> None:
    """No inner archive is too big. Together they are, which is one problem, and the rest is not looked at."""
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as tar:
        for number in range(10):
            info = tarfile.TarInfo(str(number))
            info.size = 20_000
            tar.addfile(info, io.BytesIO(bytes(info.size)))
    place = tmp_path / "outer.zip"
    with zipfile.ZipFile(place, "w") as outer:
        for number in range(20):
            outer.writestr(f"{number}.tgz", inner.getvalue())
    monkeypatch.setattr(f"raidctl.recording.archive.{limit}", value)
    found = collect_outputs(place, VENDOR_LIST)
    assert [message in problem.message for problem in found.problems] == [True]
    assert found.files <= 60


def test_a_packed_file_that_is_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    """A cut packed file is a problem, wherever the cut is."""
    noise = random.Random(1).randbytes(200_000).hex()  # noqa: S311 - the same bytes in every run
    packed = gzip.compress(f"{APPLE_TEXT}\n{noise}\n".encode())
    found = given_text(tmp_path / "a.gz", packed[: len(packed) // 2])
    assert names(found) == {"apple": ["a"]}
    assert any("cut off" in problem.message for problem in found.problems)


def test_a_directory_with_too_many_files_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is reported as unread, not ignored."""
    monkeypatch.setattr("raidctl.recording.archive.COUNT_LIMIT", 3)
    for number in range(5):
        (tmp_path / f"{number}").write_text(APPLE_TEXT, encoding="utf-8")
    found = collect_outputs(tmp_path, VENDOR_LIST)
    assert names(found) == {"apple": ["0", "1", "2"]}
    assert [problem.kind for problem in found.problems] == ["unread"]


@pytest.mark.slow
@pytest.mark.parametrize("text", [True, False])
def test_a_file_of_a_gigabyte_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bool) -> None:
    """A binary file is judged by its head.

    An output with endless junk is used up to the limit, and that is reported.
    """
    monkeypatch.setattr("raidctl.recording.loose_files.FILE_LIMIT", 4 << 20)
    place = tmp_path / "big"
    with place.open("wb") as opened:
        opened.write(APPLE_TEXT.encode() + b"junk junk\n" * (1 << 19) if text else bytes(100_000))
        opened.truncate(1 << 30)
    found = collect_outputs(place, VENDOR_LIST)
    assert [problem.kind for problem in found.problems] == ["unread"]
    assert ("larger than 4 MiB" in found.problems[0].message) is text
    assert bool(found.texts) is text


@pytest.mark.parametrize(
    "data",
    [
        APPLE_TEXT.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + APPLE_TEXT.encode(),
        APPLE_TEXT.encode("utf-16"),
        b"\xfe\xff" + APPLE_TEXT.encode("utf-16-be"),
        "".join(f"> {line}\n" for line in APPLE_TEXT.splitlines()).encode(),
        "".join(f">> {line}\n" for line in APPLE_TEXT.splitlines()).encode(),
    ],
)
def test_other_encodings_and_quoted_mails_are_the_same_text(tmp_path: Path, data: bytes) -> None:
    """Windows line ends, byte order marks, UTF-16 and the ``> `` of a mail are removed."""
    assert given_text(tmp_path / "x", data).texts[0][1][0].text == APPLE_TEXT


def test_latin_1_is_read_and_a_bad_byte_in_utf_8_is_marked(tmp_path: Path) -> None:
    """An umlaut from an old terminal stays an umlaut. One bad byte does not spoil the good UTF-8 around it."""
    latin = given_text(tmp_path / "l", APPLE_TEXT.encode() + b"  Label: Gr\xfcn\n")
    mixed = given_text(tmp_path / "m", APPLE_TEXT.encode() + "  Label: Grün, größer\n".encode() + b"\xff\n")
    assert "Grün" in latin.texts[0][1][0].text
    assert "größer\n\ufffd" in mixed.texts[0][1][0].text


SESSION = f"""Hello, here is what I see:

[root@db7 ~]# applecli ctrl show
{APPLE_TEXT}[root@db7 ~]# ls
Documents
[root@db7 ~]# sudo /opt/pear/pearctl --all
{PEAR_TEXT}[root@db7 ~]# appleadm --stop
stopped
[root@db7 ~]#
"""


def test_a_terminal_session_is_cut_into_its_outputs(tmp_path: Path) -> None:
    """Each command's output is a separate document. The command names it, and other commands end it."""
    found = given_text(tmp_path / "session.txt", SESSION)
    texts = {document.name: document.text for _, documents in found.texts for document in documents}
    assert texts == {"applecli ctrl show": APPLE_TEXT, "sudo /opt/pear/pearctl --all": PEAR_TEXT}
    assert [(problem.where, problem.kind) for problem in found.problems] == [("session.txt: appleadm --stop", "unread")]


@pytest.mark.parametrize(
    "prompt", ["# ", "$ ", "root@db7:~# ", "db7:~ # ", "bash-4.2$ ", "[me@db7 x y]$ ", "db7% ", "#"]
)
def test_usual_prompts_are_known(tmp_path: Path, prompt: str) -> None:
    """The usual prompts before a command are recognised."""
    found = given_text(tmp_path / "s", f"{prompt}applecli a\n{APPLE_TEXT}{prompt}LC_ALL=C pearctl b\n{PEAR_TEXT}")
    assert names(found) == {"apple": ["applecli a"], "pear": ["LC_ALL=C pearctl b"]}


def test_a_file_of_the_kernel_that_was_printed_is_an_output(tmp_path: Path) -> None:
    """``cat /proc/…`` calls no vendor's tool, and still begins an output."""
    found = given_text(tmp_path / "s", f"$ cat /proc/pear\n{PEAR_TEXT}$ applecli\n{APPLE_TEXT}")
    assert names(found) == {"apple": ["applecli"], "pear": ["cat /proc/pear"]}


def test_an_output_that_mentions_a_command_stays_whole(tmp_path: Path) -> None:
    """Numbered lists and advice in an output are not prompts."""
    text = APPLE_TEXT + "# 1  Short test   Completed\nRun applecli again.\n#2 applecliX\n"
    assert given_text(tmp_path / "s", text).texts[0][1][0].text == text


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``-`` takes what a pipe delivers, an archive as well."""
    for data in (
        APPLE_TEXT.encode(),
        pack(tmp_path / "a", "gz").read_bytes(),
        pack(tmp_path / "z", "zip").read_bytes(),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
        found = collect_outputs("-", VENDOR_LIST)
        assert "apple" in names(found)
        assert found.source == "replay:standard input"


def test_the_surest_family_wins_and_a_tie_is_reported(tmp_path: Path) -> None:
    """Of two families that claim a text, the surer one reads it. If they are equally sure, there is a note."""
    text = APPLE_TEXT + PEAR_TEXT
    (tmp_path / "x").write_text(text, encoding="utf-8")
    surer = collect_outputs(tmp_path / "x", [replace(APPLE, confidence=Confidence.LIKELY), PEAR])
    tied = collect_outputs(tmp_path / "x", VENDOR_LIST)
    unsure = collect_outputs(tmp_path / "x", [replace(APPLE, confidence=Confidence.POSSIBLE)])
    assert (names(surer), surer.problems) == ({"pear": ["x"]}, ())
    assert names(tied) == {"apple": ["x"]}
    assert [(problem.kind, problem.severity) for problem in (*tied.problems, *unsure.problems)] == [
        ("note", "info")
    ] * 2
    assert "could also be" in tied.problems[0].message
    assert "is uncertain" in unsure.problems[0].message


def test_a_vendor_package_that_fails_hides_nothing(tmp_path: Path) -> None:
    """An exception while recognising becomes one problem; the other families are tried."""
    (tmp_path / "a").write_text("explode\n", encoding="utf-8")
    (tmp_path / "b").write_text(APPLE_TEXT, encoding="utf-8")
    (tmp_path / "c").write_text("explode again\n", encoding="utf-8")
    found = collect_outputs(tmp_path, VENDOR_LIST)
    assert names(found) == {"apple": ["b"]}
    assert [problem.kind for problem in found.problems] == ["unread", "unread"]
    assert "The vendor package apple failed" in found.problems[0].message


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=600) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_whatever_a_file_holds_nothing_breaks(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Any bytes give documents or problems, never an exception and never silence."""
    found = given_text(tmp_path_factory.mktemp("f") / "x", data)
    assert found.texts or found.problems


@pytest.mark.slow
def test_junk_that_looks_like_prompts_belongs_to_no_family(tmp_path: Path) -> None:
    """Junk that looks like prompts and quotes is read to the end.

    Hundreds of thousands of its characters are unparsed lines.
    """
    for junk in ("#", "#a=", "$ /a/", "root@db7:~# x\n", "> ", "# applecli\n", "root@db7# applecli\n"):
        found = given_text(tmp_path / "junk", junk * (600_000 // len(junk)))
        assert found.problems


def test_an_output_with_rubbish_in_it_is_still_an_output(tmp_path: Path) -> None:
    """An output with rubbish in it is still an output.

    A broken drive reports rubbish as its name, and the tool prints it. A NUL still makes a file binary.
    """
    rubbish = APPLE_TEXT.encode() + b"  Model: " + bytes(range(1, 9)) * 20 + b"\n"
    assert names(given_text(tmp_path / "x", rubbish)) == {"apple": ["x"]}
    assert "binary" in given_text(tmp_path / "y", rubbish + b"\0").problems[0].message
