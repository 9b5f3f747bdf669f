"""``raidctl watch``: what is delivered, queued and remembered, and what bad input gets."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from click.testing import CliRunner, Result

from raidctl.cli import cli
from tests.runners.conftest import free_port, refusing_port
from tests.support.processes import killed_on_error
from tests.support.waiting import PATIENCE

DAY = 86400


class Server:
    """A mail server that accepts or refuses, and keeps what it accepted."""

    def __init__(self) -> None:
        self.answer = "250 OK"
        self.mails: list[Message] = []
        self.tried = 0

    async def handle_DATA(self, _server: object, _session: object, envelope: Any) -> str:
        """Take a mail, or not."""
        self.tried += 1
        if self.answer.startswith("250"):
            self.mails.append(message_from_bytes(envelope.content))
        return self.answer


@pytest.fixture
def server() -> Iterator[tuple[Server, str]]:
    """A mail server on a port of the loopback, and its address."""
    keeper, port = Server(), free_port()
    controller = Controller(keeper, hostname="127.0.0.1", port=port, ready_timeout=PATIENCE)
    controller.start()
    yield keeper, f"127.0.0.1:{port}"
    controller.stop()


class Watched:
    """A simulated machine with a clock that moves with each look."""

    def __init__(self, state: Path, patch: pytest.MonkeyPatch) -> None:
        self.state = state
        self.now = 1_790_000_000.0
        patch.setattr(time, "time", lambda: self.now)

    def run(self, *words: str) -> Result:
        """Any command with the state directory."""
        return CliRunner().invoke(cli, ["--state-dir", str(self.state), *words], catch_exceptions=False)

    def look(self, *words: str, later: float = 600, demo: str = "raid6") -> Result:
        """One look, some time after the last one."""
        self.now += later
        return self.run("--demo", demo, "watch", "--once", *words)

    def events(self, *words: str, later: float = 600, demo: str = "raid6") -> list[tuple[str, str]]:
        """The events of a look: kind and rule."""
        found = json.loads(self.look("--json", *words, later=later, demo=demo).stdout)
        return [(event["kind"], event["rule"]) for event in found["events"]]


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """The simulated machine."""
    return Watched(tmp_path / "state", monkeypatch)


def subjects(server: Server) -> list[str]:
    """The subjects of all mails."""
    return [" ".join(str(mail["Subject"]).split()) for mail in server.mails]


@pytest.mark.slow
def test_a_month_of_a_machine(watched: Watched, server: tuple[Server, str]) -> None:
    """Each step of a failed, replaced and rebuilt drive is one mail.

    A reminder comes after a week, and there are four heartbeats.
    """
    keeper, address = server
    words = ("--mail", "root", "--smtp", address, "--alive", "7d", "--json")
    happened = []
    for quarter in range(30 * 4):
        if quarter == 3 * 4:
            watched.run("demo", "--pull", "raid6", "3")
        if quarter == 12 * 4:
            watched.run("--demo", "raid6", "spare", "add", "/dev/sde", "--for", "md0", "--yes")
        if quarter == 14 * 4:
            watched.run("demo", "--pass-time", "raid6", "60h")
        report = json.loads(watched.look(*words, later=DAY / 4).stdout)
        happened += [(quarter / 4, event["kind"], event["rule"]) for event in report["events"]]
        assert all(one["error"] is None for one in report["deliveries"])
    assert [one for one in happened if one[1] != "alive"] == [
        (0.25, "new", "md_without_bitmap"),
        (3.25, "new", "volume_degraded"),
        (3.25, "new", "write_hole"),
        (3.25, "gone", "object_gone"),
        (3.25, "over", "md_without_bitmap"),
        (10.25, "reminder", "volume_degraded"),
        (10.25, "reminder", "write_hole"),
        (12.25, "new", "volume_rebuilding"),
        (12.25, "over", "volume_degraded"),
        (14.25, "new", "md_without_bitmap"),
        (14.25, "over", "volume_rebuilding"),
        (21.25, "reminder", "md_without_bitmap"),
        (28.25, "reminder", "md_without_bitmap"),
    ]
    assert [day for day, kind, _ in happened if kind == "alive"] == [0, 7, 14, 21, 28]
    assert len(keeper.mails) == len({day for day, *_ in happened})
    assert subjects(keeper)[2:6] == [
        "orchard: WARNING: The volume is degraded (md:md0) and 3 more",
        "orchard: raidctl watches this machine",
        "orchard: WARNING: The volume is degraded (md:md0) and 1 more",
        "orchard: WARNING: The volume is being rebuilt, 0% done (md:md0) and 1 more",
    ]


def test_a_server_that_refuses_for_a_day_loses_nothing_and_repeats_nothing(
    watched: Watched, server: tuple[Server, str]
) -> None:
    """The server is tried every ten minutes.

    When it accepts again, one mail has everything, and the next look sends none.
    """
    keeper, address = server
    words = ("--mail", "admin@example.org", "--smtp", address, "--after", "1")
    watched.look(*words)
    keeper.mails.clear()
    keeper.answer = "451 4.3.0 Try again later"
    watched.run("demo", "--pull", "raid6", "3")
    for number in range(6):
        done = watched.look(*words, later=4 * 3600)
        assert done.exit_code == 3, number
        assert "451 4.3.0 Try again later" in done.stdout
    tried = keeper.tried
    watched.run("--demo", "raid6", "spare", "add", "/dev/sde", "--for", "md0", "--yes")
    assert watched.look(*words).exit_code == 3
    keeper.answer = "250 OK"
    assert watched.look(*words).exit_code == 0
    assert watched.look(*words).exit_code == 0
    assert keeper.tried == tried + 2
    [mail] = keeper.mails
    text = mail.get_payload(decode=True)
    assert isinstance(text, bytes)
    assert text.count(b"The volume is degraded") == 2  # that it is, and that this has ended
    assert mail["To"] == "admin@example.org"
    assert mail["Auto-Submitted"] == "auto-generated"


def test_a_mail_that_was_sent_and_not_marked_has_the_same_message_id(
    watched: Watched, server: tuple[Server, str]
) -> None:
    """A mail that comes twice has the same message id.

    The kill is between delivery and mark; a mail system can recognise the mail.
    """
    keeper, address = server
    words = ("--mail", "root", "--smtp", address, "--after", "1")
    watched.run("demo", "--pull", "raid6", "3")
    keeper.answer = "451 no"
    watched.look(*words)
    unmarked = (watched.state / "demo/raid6/watch.json").read_bytes()
    keeper.answer = "250 OK"
    watched.look(*words)
    (watched.state / "demo/raid6/watch.json").write_bytes(unmarked)
    watched.look(*words)
    first, second = keeper.mails
    assert first["Message-ID"] == second["Message-ID"]
    assert str(first["Message-ID"]).startswith("<raidctl.")


def test_the_mails_about_a_finding_are_one_conversation(watched: Watched, server: tuple[Server, str]) -> None:
    """A finding, its reminder and its end refer to the same message."""
    keeper, address = server
    words = ("--mail", "root", "--smtp", address, "--after", "1")
    watched.run("demo", "--pull", "raid6", "3")
    watched.look(*words)
    watched.look(*words, later=8 * DAY)
    watched.run("--demo", "raid6", "spare", "add", "/dev/sde", "--for", "md0", "--yes")
    watched.run("demo", "--pass-time", "raid6", "60h")
    watched.look(*words)
    new, reminder, end = [set(str(mail["References"]).split()) for mail in keeper.mails]
    assert new == reminder
    assert new & end
    assert end - new  # of md_without_bitmap, which is new there
    assert not {mail["Message-ID"] for mail in keeper.mails} & (new | end)


def test_no_server_is_a_failure_that_waits(watched: Watched, tmp_path: Path) -> None:
    """Without a server, events wait: exit code 3, with the reason. Other channels get their events."""
    hook, seen = hook_of(tmp_path, "cat > {seen}")
    with refusing_port() as port:
        done = watched.look("--mail", "root", "--smtp", f"127.0.0.1:{port}", "--run", str(hook), "--after", "1")
    assert done.exit_code == 3
    assert "Not sent to mail:root, 1 event waiting: 127.0.0.1 port" in done.stdout
    assert f"Sent to run:{hook}: 1 event." in done.stdout
    assert json.loads(seen.read_text())["events"][0]["rule"] == "md_without_bitmap"
    by_hand = watched.look()
    assert "1 event waiting for mail:root, which this run does not use." in by_hand.stdout
    assert by_hand.exit_code == 0


@pytest.mark.parametrize(("script", "printed"), [("cat > {seen}", ""), ("exit 75", "Not sent to run:")])
def test_cron_mails_what_could_not_be_delivered(watched: Watched, tmp_path: Path, script: str, printed: str) -> None:
    """The manual's line for cron, which ignores exit codes, prints nothing if the alarm was sent, else the reason."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "watch.md").read_text(encoding="utf-8")
    [line] = [line.partition("root  ")[2] for line in page.splitlines() if line.startswith("*/10 * * * *  root  ")]
    program = f"{shlex.join([sys.executable, '-m', 'raidctl'])} --demo raid6 --state-dir {watched.state} watch"
    words = line.replace("raidctl watch", program)
    words = words.replace("--mail admin@example.org", f"--run {hook_of(tmp_path, script)[0]} --after 1")
    done = subprocess.run(["/bin/sh", "-c", words], capture_output=True, text=True, check=False)
    assert (bool(done.stdout), done.stderr) == (bool(printed), "")
    assert printed in done.stdout


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        (None, "there is no file"),
        (0o644, "is not executable: chmod +x it."),
        pytest.param(0o777, "can be changed by others than root, so it is not run as root.", marks=pytest.mark.skipif(
            os.geteuid() != 0, reason="only root refuses it")),
    ],
)  # fmt: skip
def test_a_program_that_cannot_be_run_keeps_no_mail_back(
    watched: Watched, server: tuple[Server, str], tmp_path: Path, mode: int | None, sentence: str
) -> None:
    """If the program is gone or unsafe, the mail is sent; each run shows the reason, and ends with exit code 3."""
    keeper, address = server
    hook, seen = hook_of(tmp_path, "cat > {seen}")
    hook.unlink() if mode is None else hook.chmod(mode)
    words = ("--mail", "root", "--smtp", address, "--run", str(hook))
    quiet = watched.look(*words)
    assert quiet.exit_code == 3
    assert f"Nothing can be sent to run:{hook}: " in quiet.stdout
    done = watched.look(*words)
    assert done.exit_code == 3
    assert f"Not sent to run:{hook}, 1 event waiting: " in done.stdout
    assert all(sentence in one.stdout for one in (quiet, done))
    assert len(keeper.mails) == 1
    assert not seen.exists()
    hook_of(tmp_path, "cat > {seen}")
    assert watched.look(*words).exit_code == 0
    assert seen.exists()


def test_a_mail_server_that_never_comes_to_an_end_keeps_nothing_waiting(
    watched: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A greeting without an end reaches no timeout of a reply: the mail waits, and other channels get their events."""
    monkeypatch.setattr("raidctl.watch.delivery.LIMIT", 1.0)
    hook, _ = hook_of(tmp_path, "cat > {seen}")

    def greet(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while True:
                connection.sendall(b"220-Welcome\r\n")
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        endless = threading.Thread(target=lambda: greet(listening.accept()[0]))
        endless.start()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        done = watched.look("--mail", "root", "--smtp", address, "--run", str(hook), "--after", "1")
        endless.join(PATIENCE)
    assert done.exit_code == 3
    assert "Not sent to mail:root, 1 event waiting: 127.0.0.1 port" in done.stdout
    assert "not done after 1 s" in " ".join(done.stdout.split())
    assert f"Sent to run:{hook}: 1 event." in done.stdout


def hook_of(tmp_path: Path, script: str) -> tuple[Path, Path]:
    """A program for --run, and the file that it writes."""
    hook, seen = tmp_path / "hook", tmp_path / "seen"
    hook.write_text(f"#!/bin/sh\n{script.format(seen=seen)}\n")
    hook.chmod(0o755)
    return hook, seen


def test_mail_goes_through_sendmail_if_it_is_installed(
    watched: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mail is plain text in seven bits. What sendmail refuses for now (75) waits, and nothing else is tried."""
    program, seen = tmp_path / "bin" / "sendmail", tmp_path / "seen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" > {seen}\ncat >> {seen}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert watched.look("--mail", "admin@example.org", "--after", "1").exit_code == 1
    words, _, mail = seen.read_bytes().partition(b"\n")
    assert words == b"-i -- admin@example.org"
    assert mail.isascii()
    text = message_from_bytes(mail).get_payload(decode=True)
    assert isinstance(text, bytes)
    assert "→ ".encode() in text
    program.write_text("#!/bin/sh\necho Deferred >&2\nexit 75\n")
    watched.run("demo", "--pull", "raid6", "3")
    done = watched.look("--mail", "admin@example.org", "--after", "1")
    assert done.exit_code == 3
    assert "sendmail: exit code 75: Deferred" in done.stdout


def test_a_program_has_the_report_and_the_worst_event(watched: Watched, tmp_path: Path) -> None:
    """The report is JSON on standard input, as with --json.

    The environment has the worst event; events are marked after exit code 0 only.
    """
    hook, seen = hook_of(tmp_path, 'echo "$RAIDCTL_EVENT $RAIDCTL_SEVERITY $RAIDCTL_OBJECT" >> {seen}; cat >> {seen}')
    watched.look("--run", str(hook), "--after", "1")
    head, _, document = seen.read_text().partition("\n")
    assert head == "new warning md:md0"
    report = json.loads(document)
    assert report["source"] == "demo:raid6"
    assert report["subject"].startswith("orchard: WARNING: The array has no")
    assert [event["id"] for event in report["events"]] == [1]
    hook.write_text("#!/bin/sh\necho no disk >&2; exit 7\n")
    watched.run("demo", "--pull", "raid6", "3")
    for _ in range(2):
        done = watched.look("--run", str(hook), "--after", "1")
        assert done.exit_code == 3
        assert "exit code 7: no disk" in done.stdout


def test_without_an_address_it_prints_and_is_never_red(watched: Watched) -> None:
    """The exit code is 0, and a sentence names the options. An address that is added later receives what is present."""
    done = watched.look()
    assert done.exit_code == 0
    assert "No address is configured, so this is only printed: --mail ADDRESS, or --run PROGRAM." in done.stdout


def test_present_findings_reach_an_address_that_is_added(watched: Watched, tmp_path: Path) -> None:
    """Events that were only printed are sent to the first address, as present."""
    assert watched.events("--after", "1") == [("new", "md_without_bitmap")]
    hook, seen = hook_of(tmp_path, "cat > {seen}")
    assert watched.look("--run", str(hook)).exit_code == 0
    assert [event["kind"] for event in json.loads(seen.read_text())["events"]] == ["still"]


@pytest.mark.parametrize("where", ["/dev/full", "a closed pipe"])
def test_what_could_not_be_printed_and_is_sent_nowhere_is_reported_again(where: str, tmp_path: Path) -> None:
    """On a full file system, or if the reader has gone, an alarm waits for the next run, which prints it."""
    argv = [sys.executable, "-m", "raidctl", "--demo", "raid6", "--state-dir", str(tmp_path), "watch", "--once"]
    argv += ["--after", "1"]
    if where == "/dev/full":
        writing = os.open(where, os.O_WRONLY)
    else:
        reading, writing = os.pipe()
        os.close(reading)
    lost = subprocess.run(argv, stdout=writing, stderr=subprocess.DEVNULL, check=False, timeout=PATIENCE)
    os.close(writing)
    again = subprocess.run(argv, capture_output=True, check=False, timeout=PATIENCE)
    assert lost.returncode in (3, 141)
    assert again.returncode == 1
    assert b" new " in again.stdout


def test_a_damaged_state_is_put_aside_and_everything_is_reported_again(watched: Watched) -> None:
    """A damaged state is put aside, and the alarms come again.

    A note reports it, and the exit code is 3 once.
    """
    watched.events("--after", "1")
    file = watched.state / "demo/raid6/watch.json"
    file.write_bytes(file.read_bytes()[:100])
    done = watched.look("--after", "1")
    assert done.exit_code == 3
    assert watched.look("--after", "1").exit_code == 0
    assert "The results of earlier runs are lost" in " ".join(done.stdout.split())
    assert file.with_suffix(".damaged").exists()
    assert json.loads(file.read_bytes())["number"] == 1


def test_a_damaged_file_of_ignored_findings_is_mailed_and_makes_the_unit_fail(
    watched: Watched, server: tuple[Server, str]
) -> None:
    """A damaged ignore file and the finding it waived are reported once.

    The exit code is 3 until the file is corrected.
    """
    keeper, address = server
    words = ("--mail", "root", "--smtp", address)
    watched.run("--demo", "raid6", "diagnose", "--ignore", "md_without_bitmap", "--until", "2999-12-31",
                "--because", "Planned.")  # fmt: skip
    assert [watched.look(*words).exit_code for _ in range(3)] == [0, 0, 0]
    [file] = watched.state.rglob("ignored.json")
    whole = file.read_bytes()
    file.write_bytes(whole[:20])
    assert [watched.look(*words).exit_code for _ in range(3)] == [3, 3, 3]
    [mail] = keeper.mails
    text = mail.get_payload(decode=True).decode()  # type: ignore[union-attr]
    assert "rule waivers_not_read" in text
    assert "rule md_without_bitmap" in text
    assert "Nothing is ignored" in text
    file.write_bytes(whole)
    assert [watched.look(*words).exit_code for _ in range(2)] == [0, 1]
    assert len(keeper.mails) == 2


def test_a_state_that_cannot_be_written_silences_nothing(watched: Watched, tmp_path: Path) -> None:
    """If the state cannot be written, each look delivers the alarm again, and waits for no second one.

    There is a note, and exit code 3, as on a full file system.
    """
    (watched.state / "demo/raid6").mkdir(parents=True, mode=0o700)
    watched.state.chmod(0o700)
    (watched.state / "demo/raid6/watch.json").mkdir()
    hook, seen = hook_of(tmp_path, "cat > {seen}")
    watched.run("demo", "--pull", "raid6", "3")
    for _ in range(2):
        done = watched.look("--run", str(hook))
        assert done.exit_code == 3
        report = json.loads(seen.read_text())
        assert "volume_degraded" in {event["rule"] for event in report["events"]}
        assert any("could not be saved, so they will be reported again" in note for note in report["notes"])
        seen.unlink()


def test_a_state_directory_that_cannot_be_used_silences_nothing(watched: Watched, tmp_path: Path) -> None:
    """The alarm is delivered, with the reason, and the exit code is 4, as on a file system that is now read-only."""
    watched.run("demo", "--pull", "raid6", "3")
    (watched.state / "demo/raid6/watch.lock").mkdir()
    hook, seen = hook_of(tmp_path, "cat > {seen}")
    done = watched.look("--run", str(hook))
    assert done.exit_code == 4
    report = json.loads(seen.read_text())
    assert "volume_degraded" in {event["rule"] for event in report["events"]}
    [note] = report["notes"]
    assert "could not be saved" in note
    assert "watch.lock cannot be created" in note


def test_a_delivery_that_could_not_be_saved_is_named(watched: Watched, tmp_path: Path) -> None:
    """If the state cannot be written after a delivery, exit code 3 has its reason on the screen."""
    file = watched.state / "demo/raid6/watch.json"
    hook, _ = hook_of(tmp_path, f"cat > {{seen}}; rm {file}; mkdir {file}")
    done = watched.look("--run", str(hook), "--after", "1")
    assert done.exit_code == 3
    assert "could not be saved, so they will be reported again" in " ".join(done.stdout.split())


def test_a_pipe_in_the_place_of_the_state_is_named(watched: Watched) -> None:
    """A pipe in place of the state is neither read nor written.

    Without a writer and a reader, opening it would never end.
    """
    place = watched.state / "demo/raid6"
    place.mkdir(parents=True, mode=0o700)
    watched.state.chmod(0o700)
    os.mkfifo(place / "watch.json")
    command = [sys.executable, "-m", "raidctl", "--demo", "raid6", "watch", "--once", "--state-dir", str(watched.state)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 3
    notes = " ".join(done.stdout.split())
    assert "watch.json cannot be read: not a regular file." in notes
    assert "watch.json cannot be written: not a regular file." in notes


def test_two_looks_at_once(watched: Watched) -> None:
    """The second one does nothing, and reports why."""
    watched.look()
    lock = watched.state / "demo/raid6/watch.lock"
    code = f"import fcntl,sys;f=open({str(lock)!r});fcntl.flock(f,2);print(1,flush=True);sys.stdin.read()"
    with killed_on_error(subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )) as holder:  # fmt: skip
        assert holder.stdout is not None
        holder.stdout.readline()
        done = watched.look()
        assert holder.stdin is not None
        holder.stdin.close()
    assert done.exit_code == 3
    assert "Another raidctl watch is reading this machine now" in done.stderr


def test_a_host_that_cannot_be_reached_ends_nothing(watched: Watched) -> None:
    """An unreachable host ends nothing.

    The exit code is 8 each time, it is reported once after a day, and nothing is good again.
    """
    for hours, kinds in ((0, []), (23, []), (2, [("unknown", "machine_not_read")]), (24, [])):
        watched.now += hours * 3600
        done = watched.run("--host", "nobody@127.0.0.1.invalid", "--timeout", "5", "watch", "--once", "--json")
        assert done.exit_code == 8
        report = json.loads(done.stdout)
        assert not report["complete"]
        assert [(event["kind"], event["rule"]) for event in report["events"]] == kinds


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--mail", "root"), "--mail needs --once"),
        (("--policy", "site.toml"), "--policy needs --once"),
        (("--once", "--interval", "5"), "--interval is for the live screen"),
        (("--install-unit", "--at-most", "5"), "--at-most is for the live screen"),
        (("--interval", "0.1"), "is not between 0.5 s and 1 h"),
        (("--once", "--mail", "-oQ/tmp"), "is not a mail address"),
        (("--once", "--mail", "a b@c"), "is not a mail address"),
        (("--once", "--mail", "root", "--smtp", "host:port"), "is not a server"),
        (("--once", "--run", "true"), "has to be the full path"),
        (("--once", "--after", "0"), "neither a number of runs nor a time"),
        (("--once", "--remind", "soon"), "is not a time"),
        (("--once", "--policy", "/nowhere.toml"), "cannot be read"),
        (("--test",), "--test needs an address"),
    ],
)
def test_wrong_words(watched: Watched, words: tuple[str, ...], sentence: str) -> None:
    """Each gets one sentence and exit code 2, and nothing is remembered."""
    done = watched.run("--demo", "raid6", "watch", *words)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_the_test_message(watched: Watched, server: tuple[Server, str]) -> None:
    """The test message arrives, and nothing is remembered. A server that refuses is exit code 3."""
    keeper, address = server
    done = watched.run("watch", "--test", "--mail", "root", "--smtp", address)
    assert (done.exit_code, done.stdout) == (0, "A test message was sent to mail:root.\n")
    assert "test of raidctl watch" in subjects(keeper)[0]
    assert not list(watched.state.rglob("watch.json"))
    keeper.answer = "550 no such user"
    assert watched.run("watch", "--test", "--mail", "root", "--smtp", address).exit_code == 3
