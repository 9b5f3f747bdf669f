"""The runner of ``--bmc`` against a service on loopback.

It covers trust, login, limits, and what a bad service gets.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.errors import EXIT_ACCESS, EXIT_CANNOT_TELL, EXIT_FINE, EXIT_UNREACHABLE, EXIT_USAGE
from raidctl.request import Failure, Get, GetAnswer
from raidctl.runners.bmc import MAX_REQUESTS, WIDTH, BmcRunner
from raidctl.runners.bmc_connection import Trust, address_of
from tests.support.bmc_service import PASSWORD, SESSIONS, USER, Handler, Service, serving
from tests.support.machines import FIXTURES

MACHINE = "redfish-cimc-m5"
STORAGE = "/redfish/v1/Systems/WZP2301A4BC/Storage/MRAID"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A service processor that works."""
    with serving(MACHINE, tmp_path) as running:
        yield running


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file with the password that only its owner can read."""
    path = tmp_path / "password"
    path.touch(mode=0o600)
    path.write_text(f"{PASSWORD}\n")
    return path


def show(service: Service, secret: Path, *more: str, trust: bool = True, url: str = "") -> Result:
    """Run ``raidctl --bmc … show``."""
    words = ["--bmc", url or service.url, "--bmc-password-file", str(secret)]
    words += ["--bmc-ca", str(service.pem)] if trust else []
    return CliRunner().invoke(cli, [*words, "show", *more])


def sentence(done: Result) -> str:
    """The message, on one line."""
    return " ".join(done.output.split())


def test_a_machine_is_shown_through_its_bmc_and_the_session_is_ended(service: Service, secret: Path) -> None:
    """The inventory is that of the recording. All requests are GET, but for one POST and one DELETE of the session."""
    done = show(service, secret, "--json")
    assert done.exit_code == EXIT_FINE, done.output
    seen = json.loads(done.stdout)
    expected = json.loads((FIXTURES / MACHINE / "expected" / "inventory.json").read_text())
    assert seen["controllers"] == expected["controllers"]
    assert seen["host"]["source"] == "bmc:127.0.0.1"
    assert [asked[:2] for asked in service.asked if asked[0] != "GET"] == [
        ("POST", SESSIONS), ("DELETE", f"{SESSIONS}/1"),
    ]  # fmt: skip
    assert service.asked[-1] == ("DELETE", f"{SESSIONS}/1", "token")
    assert {who for method, path, who in service.asked if method == "GET" and path.startswith("/redfish/v1/S")} == {
        "token"
    }
    assert service.most_busy <= WIDTH
    assert len(service.asked) < MAX_REQUESTS


def test_a_service_without_sessions_is_asked_with_basic_authentication(service: Service, secret: Path) -> None:
    """Basic authentication opens no session, so none is deleted."""
    service.sessions = False
    assert show(service, secret).exit_code == EXIT_FINE
    assert {method for method, _, _ in service.asked} == {"GET", "POST"}
    assert ("GET", "/redfish/v1/Systems", "basic") in service.asked


def test_a_certificate_that_nobody_vouches_for_is_refused(service: Service, secret: Path) -> None:
    """Nothing is sent. The sentence has the fingerprint, with which the machine can be read."""
    done = show(service, secret, trust=False)
    assert done.exit_code == EXIT_UNREACHABLE
    assert "is not trusted" in done.output
    shown = done.output.rstrip().rstrip(".").rpartition(" ")[2]
    assert shown.replace(":", "").lower() == service.fingerprint
    assert service.asked == []
    assert show(service, secret, "--bmc-fingerprint", shown, trust=False).exit_code == EXIT_FINE


def test_another_fingerprint_is_refused_before_anything_is_sent(service: Service, secret: Path) -> None:
    """A pinned fingerprint counts even if an authority signed the certificate."""
    for trust in (True, False):
        done = show(service, secret, "--bmc-fingerprint", "ab" * 32, trust=trust)
        assert done.exit_code == EXIT_UNREACHABLE
        assert "not the one of --bmc-fingerprint" in done.output
    assert service.asked == []


def test_a_wrong_name_in_the_certificate_is_refused(service: Service, secret: Path) -> None:
    """It is for 127.0.0.1, not for localhost."""
    done = show(service, secret, url=service.url.replace("127.0.0.1", "localhost"))
    assert done.exit_code == EXIT_UNREACHABLE
    assert service.asked == []


def test_a_wrong_password_is_one_sentence_that_does_not_contain_it(service: Service, secret: Path) -> None:
    """Exit code 4: a right is missing."""
    secret.write_text("other-words\n")
    done = show(service, secret)
    assert done.exit_code == EXIT_ACCESS
    assert "refuses the user reader (answered 401 Unauthorized)" in sentence(done)
    assert "other-words" not in done.output


def test_a_password_comes_from_the_environment_and_never_from_the_command_line(service: Service, secret: Path) -> None:
    """A password file that others can read, or a password in the address, is refused."""
    words = ["--bmc", service.url, "--bmc-ca", str(service.pem), "show"]
    assert CliRunner().invoke(cli, words, env={"RAIDCTL_BMC_PASSWORD": PASSWORD}).exit_code == EXIT_FINE
    refused = CliRunner().invoke(cli, words, env={"RAIDCTL_BMC_PASSWORD": ""})
    assert refused.exit_code == EXIT_ACCESS, refused.output
    secret.chmod(0o644)
    assert show(service, secret).exit_code == EXIT_USAGE
    assert show(service, secret, url=f"https://{USER}:{PASSWORD}@127.0.0.1").exit_code == EXIT_USAGE


@pytest.mark.parametrize(
    "url",
    ["http://reader@127.0.0.1", "127.0.0.1", "https://", "https://a b", "https://h/path", "https://h:99999", "ftp://h"],
)
def test_what_is_no_address_is_refused(service: Service, secret: Path, url: str) -> None:
    """Exit code 2, without a request to any host."""
    assert show(service, secret, url=url).exit_code == EXIT_USAGE


def test_nobody_there_is_one_sentence(service: Service, secret: Path) -> None:
    """A port at which nothing listens."""
    done = show(service, secret, url=f"https://{USER}@127.0.0.1:1")
    assert done.exit_code == EXIT_UNREACHABLE
    assert "no connection (Connection refused)" in sentence(done)


def test_the_machine_itself_is_shown_without_a_bmc_that_does_not_answer(service: Service, secret: Path) -> None:
    """Without its BMC's answer, the machine's own view is complete.

    With ``--local`` or ``--host``, there is one problem and exit code 3 or 4.
    """
    words = ["--local", "--bmc-password-file", str(secret), "--bmc-ca", str(service.pem), "show", "--json"]
    for url, password, code, why in (
        (f"https://{USER}@127.0.0.1:1", PASSWORD, EXIT_CANNOT_TELL, "no connection"),
        (service.url, "other-words", EXIT_ACCESS, "refuses the user reader"),
    ):
        secret.write_text(f"{password}\n")
        done = CliRunner().invoke(cli, ["--bmc", url, *words])
        seen = json.loads(done.stdout)
        assert seen["host"]["source"] == "local"
        [problem] = [one for one in seen["problems"] if one["where"] == "/redfish/v1/"]
        assert why in problem["message"]
        assert done.exit_code in (code, EXIT_ACCESS)  # what the machine itself lacks may be worse


def _busy(handler: Handler) -> None:
    handler.send(503, b"", {"Retry-After": "30"})


def _cut(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"@odata.id": "/redf')
    handler.close_connection = True


def _flood(handler: Handler) -> None:
    handler.send(200, b'{"@odata.id": "' + b"x" * 10_000_000 + b'"}')


def _away(handler: Handler) -> None:
    handler.send(302, b"", {"Location": "https://192.0.2.1/redfish/v1/elsewhere"})


def _circle(handler: Handler) -> None:
    handler.send(302, b"", {"Location": handler.path})


def _list(handler: Handler) -> None:
    handler.send(200, b"[1, 2]")


def _page(handler: Handler) -> None:
    handler.send(200, b"<html>Please log in</html>")


def _rubbish(handler: Handler) -> None:
    handler.wfile.write(b"\x00\xffSSH-2.0\r\n\r\n")
    handler.close_connection = True


BAD = {
    "503": (_busy, "answered 503 Service Unavailable, try again after 30 s"),
    "half": (_cut, "the answer was cut off"),
    "10 MB": (_flood, "more than 4194304 bytes"),
    "elsewhere": (_away, "redirects to another host (https://192.0.2.1/redfish/v1/elsewhere), which is not asked"),
    "circle": (_circle, "redirects more than 3 times"),
    "list": (_list, "not a whole JSON object"),
    "page": (_page, "not a whole JSON object"),
    "rubbish": (_rubbish, "its answer is not HTTP"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("path", [f"{STORAGE}/Volumes/0", STORAGE, "/redfish/v1/Systems"])
def test_a_resource_that_cannot_be_read_is_one_problem(service: Service, secret: Path, name: str, path: str) -> None:
    """It gives exit code 3 and one sentence. What could be read is shown, and the session is ended."""
    answer, words = BAD[name]

    def misbehave(handler: Handler) -> bool:
        if handler.path == path:
            answer(handler)
        return handler.path == path

    service.misbehave = misbehave
    done = show(service, secret, "--json")
    assert done.exit_code == EXIT_CANNOT_TELL, done.output
    problems = [one for one in json.loads(done.stdout)["problems"] if one["where"] == path]
    assert [one["kind"] for one in problems] == ["unread"]
    assert words in problems[0]["message"]
    assert service.asked[-1][0] == "DELETE"


@pytest.mark.parametrize("name", [name for name in BAD if name not in ("list", "page")])
def test_a_service_root_that_cannot_be_read_ends_it(service: Service, secret: Path, name: str) -> None:
    """Exit code 8: nothing is known of the machine."""
    answer, words = BAD[name]

    def misbehave(handler: Handler) -> bool:
        answer(handler)
        return True

    service.misbehave = misbehave
    done = show(service, secret)
    assert done.exit_code == EXIT_UNREACHABLE, done.output
    assert words in sentence(done)


def test_a_redirect_on_the_same_host_is_followed(service: Service, secret: Path) -> None:
    """Services redirect for a missing slash, which is followed."""

    def misbehave(handler: Handler) -> bool:
        if handler.path == f"{STORAGE}/Volumes":
            handler.send(308, b"", {"Location": f"{STORAGE}/Volumes/"})
        return handler.path == f"{STORAGE}/Volumes"

    service.misbehave = misbehave
    assert show(service, secret).exit_code == EXIT_FINE


def test_a_collection_without_an_end_is_given_up(service: Service, secret: Path) -> None:
    """One sentence; the drives beside it are shown."""

    def misbehave(handler: Handler) -> bool:
        if not handler.path.startswith(f"{STORAGE}/Volumes"):
            return False
        number = int(handler.path.partition("skip=")[2] or 0) + 1
        page = {"Members": [], "Members@odata.nextLink": f"{STORAGE}/Volumes?skip={number}"}
        handler.send(200, json.dumps(page).encode())
        return True

    service.misbehave = misbehave
    done = show(service, secret, "--json")
    assert done.exit_code == EXIT_CANNOT_TELL
    seen = json.loads(done.stdout)
    assert ["has no end" in one["message"] for one in seen["problems"]] == [True]
    assert len(seen["controllers"][0]["drives"]) == 2
    assert len(service.asked) <= MAX_REQUESTS


def test_a_machine_gets_at_most_sixty_requests(service: Service) -> None:
    """A request that was not made gives a failure, never an empty answer."""
    runner = BmcRunner(address_of(service.url), Trust(str(service.pem)), PASSWORD)
    runner.connect()
    try:
        answers = runner.carry_out([Get(f"/redfish/v1/Nothing/{number}") for number in range(MAX_REQUESTS + 5)])
    finally:
        runner.close()
    found = [answer for answer in answers if isinstance(answer, GetAnswer)]
    assert [answer.status for answer in found].count(404) == MAX_REQUESTS
    assert sum(answer.trouble is Failure.FAILED for answer in found) == 5
    assert sum(path.startswith("/redfish/v1/Nothing/") for _, path, _ in service.asked) == MAX_REQUESTS
    assert service.most_busy <= WIDTH


def _with_more(service: Service, drives: int, nvme: int) -> None:
    """Add more drives of the controller, and drives at the processor.

    Each of the latter is in a storage with its controller.
    """
    tree = {path: json.loads(data) for path, data in service.tree.items()}
    collection = STORAGE.rpartition("/")[0]
    links = [{"@odata.id": f"{STORAGE}/Drives/{number}"} for number in range(100, 100 + drives)]
    tree[STORAGE]["Drives"] += links
    tree[STORAGE].pop("Drives@odata.count", None)
    for link in links:
        tree[link["@odata.id"]] = {**tree[f"{STORAGE}/Drives/1"], **link, "SerialNumber": link["@odata.id"][-3:]}
    one = {"Model": "NVME-1", "Status": {"Health": "OK", "State": "Enabled"}}
    members = []
    for number in range(nvme):
        path = f"{collection}/DA{number:02}"
        place = {"@odata.id": f"{path}/Drives/1"}
        tree[path] = {
            "@odata.id": path, "@odata.type": "#Storage.v1_12_0.Storage", "StorageControllers": [one],
            "Controllers": {"@odata.id": f"{path}/Controllers"}, "Drives": [place],
        }  # fmt: skip
        tree[f"{path}/Drives/1"] = {**place, "@odata.type": "#Drive.v1_14_0.Drive", "Protocol": "NVMe", **one}
        members.append({"@odata.id": path})
    tree[collection]["Members"] = [*members, *tree[collection]["Members"]]
    tree[collection]["Members@odata.count"] = len(tree[collection]["Members"])
    service.tree.update({path: json.dumps(value).encode() for path, value in tree.items()})


def test_twenty_drives_at_the_processor_fit_into_the_requests_for_one_machine(service: Service, secret: Path) -> None:
    """Each drive is a storage. What each of them describes is not requested again."""
    _with_more(service, 0, 20)
    done = show(service, secret, "--json")
    assert done.exit_code == EXIT_FINE, done.output
    controllers = json.loads(done.stdout)["controllers"]
    assert sum(len(controller["drives"]) for controller in controllers) == 22
    assert len(service.asked) < MAX_REQUESTS


def test_what_was_not_asked_is_one_sentence_and_none_of_the_volumes(service: Service, secret: Path) -> None:
    """With 100 more drives, controller, volume and capacitor are still read.

    The number of unknown drives is one problem.
    """
    _with_more(service, 100, 8)
    done = show(service, secret, "--json")
    assert done.exit_code == EXIT_CANNOT_TELL, done.output
    seen = json.loads(done.stdout)
    [controller] = [one for one in seen["controllers"] if one["id"] == "redfish:MRAID"]
    assert (controller["volumes"][0]["status"], controller["batteries"][0]["status"]) == ("ok", "ok")
    unread = [one for one in seen["problems"] if one["kind"] == "unread"]
    assert len(unread) == 1, unread
    [problem] = unread
    assert (
        "resources of the BMC could not be read, and are unknown (not asked: more than 60 requests"
        in problem["message"]
    )
    assert f"{STORAGE}/Drives/{{" in problem["message"]
    assert "Run it again" not in problem["remedy"]


def test_a_service_that_only_announces_expansion_is_asked_for_it_once(service: Service, secret: Path) -> None:
    """Its collections are then read member by member."""
    root = json.loads(service.tree["/redfish/v1/"])
    root["ProtocolFeaturesSupported"] = {"ExpandQuery": {"NoLinks": True, "Levels": True}}
    service.tree["/redfish/v1/"] = json.dumps(root).encode()
    assert show(service, secret).exit_code == EXIT_FINE
    assert sum("$expand" in path for _, path, _ in service.asked) == 1


def test_a_resource_that_the_user_may_not_read_is_a_missing_right(service: Service, secret: Path) -> None:
    """Exit code 4, and a remedy that helps, as a retry does not."""

    def misbehave(handler: Handler) -> bool:
        if handler.path == f"{STORAGE}/Volumes/0":
            handler.send(403)
        return handler.path == f"{STORAGE}/Volumes/0"

    service.misbehave = misbehave
    done = show(service, secret, "--json")
    assert done.exit_code == EXIT_ACCESS, done.output
    [problem] = [one for one in json.loads(done.stdout)["problems"] if one["kind"] == "no_right"]
    assert "Give the user" in problem["remedy"]


@pytest.mark.slow
def test_a_service_that_never_answers_is_given_up(service: Service) -> None:
    """The time limit also ends an answer that trickles. Other requests are answered."""
    held = threading.Event()

    def misbehave(handler: Handler) -> bool:
        if handler.path == "/redfish/v1/Slow":
            handler.send_response(200)
            while not held.wait(0.01):
                handler.send_header("X-More", "1")
                handler.flush_headers()
        return handler.path == "/redfish/v1/Slow"

    service.misbehave = misbehave
    runner = BmcRunner(address_of(service.url), Trust(str(service.pem)), PASSWORD, timeout=6.0)
    runner.connect()
    try:
        slow, systems = runner.carry_out([Get("/redfish/v1/Slow"), Get("/redfish/v1/Systems")])
    finally:
        held.set()
        runner.close()
    assert slow.trouble in (Failure.TIMEOUT, Failure.FAILED)
    assert systems.fine


def test_a_recording_of_a_bmc_is_replayed_alike_and_redacted(service: Service, secret: Path, tmp_path: Path) -> None:
    """``record`` keeps the resources like any other answer. No serial number is left in a redacted recording."""
    words = ["--bmc", service.url, "--bmc-ca", str(service.pem), "--bmc-password-file", str(secret)]
    for name, more in (("plain", []), ("masked", ["--redact"])):
        done = CliRunner().invoke(cli, [*words, "record", str(tmp_path / name), *more])
        assert done.exit_code == EXIT_FINE, done.output
    again = CliRunner().invoke(cli, ["--replay", str(tmp_path / "plain"), "show", "--json"])
    assert again.exit_code == EXIT_FINE, again.output
    expected = json.loads((FIXTURES / MACHINE / "expected" / "inventory.json").read_text())
    assert json.loads(again.stdout)["controllers"] == expected["controllers"]
    kept = "".join(path.read_text() + path.name for path in (tmp_path / "masked").iterdir())
    serials = [expected["controllers"][0]["serial"], "WZP2301A4BC"]
    serials += [drive["serial"] for drive in expected["controllers"][0]["drives"]]
    assert [serial for serial in serials if serial in kept] == []
    assert not re.search(r"\b31207\b", kept)  # as a whole: replacements have random digits
    assert PASSWORD not in kept
    masked = CliRunner().invoke(cli, ["--replay", str(tmp_path / "masked"), "show", "--json"])
    assert masked.exit_code == EXIT_FINE, masked.output


@pytest.mark.parametrize("words", [["cache", "set", "x"], ["replace", "x"], ["verify"], ["snapshot"]])
def test_a_bmc_is_for_commands_that_only_read(service: Service, words: list[str]) -> None:
    """Exit code 2 for all others."""
    done = CliRunner().invoke(cli, ["--bmc", service.url, *words])
    assert done.exit_code == EXIT_USAGE
    assert service.asked == []
