"""Paths as targets of ``raidctl verify``. There is a message if there is nothing to judge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from raidctl.cli import cli
from raidctl.cli.shared.machine import machine
from raidctl.cli.shared.options import Settings
from raidctl.cli.shared.target_path import path_of
from raidctl.errors import UsageError
from raidctl.recording.manifest import Manifest
from raidctl.recording.recording import Recording
from raidctl.request import converse
from raidctl.runners.local import LocalRunner
from raidctl.runners.replay import ReplayRunner
from raidctl.verify.kernel import Kernel
from raidctl.verify.remote_paths import resolve_paths
from raidctl.verify.report import Verification
from raidctl.verify.subjects import CheckedMachine
from tests.verify.simulated import at


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> CheckedMachine:
    """This machine, of any kind."""
    settings = Settings()
    settings.state_dir = str(tmp_path_factory.mktemp("state"))
    with machine(settings) as asked:
        return CheckedMachine(asked.survey(), Kernel())


def verify(*words: str | Path) -> Result:
    """Run a command line in this process."""
    return CliRunner().invoke(cli, ["verify", *map(str, words)])


def test_a_directory_needs_no_dot_before_it(
    here: CheckedMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``srv`` is the directory of that name. ``bench run`` and ``--measure`` agree."""
    (tmp_path / "srv" / "db").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "srv")
    monkeypatch.chdir(tmp_path)
    assert path_of("srv/db", here) == str(tmp_path / "srv" / "db")
    assert path_of("link", here) == str(tmp_path / "srv")
    assert path_of("nowhere", here) == "nowhere"


def test_an_id_is_an_id_whatever_lies_in_this_directory(
    here: CheckedMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file with a controller's name is not what is meant."""
    controllers = here.inventory.controllers
    if not controllers:
        pytest.skip("this machine has no storage at all")
    monkeypatch.chdir(tmp_path)
    (tmp_path / controllers[0].id).touch()
    assert path_of(controllers[0].id, here) == controllers[0].id


@pytest.mark.parametrize(
    ("word", "message"),
    [("dangling", "broken link"), ("./dangling", "broken link"), ("./circle", "broken link"), ("./no", "no"),
     ("", "names nothing")],
)  # fmt: skip
def test_what_leads_nowhere_is_not_judged(
    here: CheckedMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, message: str
) -> None:
    """Neither a dangling link nor an empty variable of a script means the root directory."""
    (tmp_path / "dangling").symlink_to("/no/such/place")
    (tmp_path / "circle").symlink_to("circle")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=message):
        path_of(word, here)
    assert verify(word).exit_code == 2


def test_links_of_another_machine_are_resolved_there(here: CheckedMachine, tmp_path: Path) -> None:
    """A link means the volume that it leads to. What that machine does not have is refused."""
    (tmp_path / "srv").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "srv")
    (tmp_path / "dangling").symlink_to("/no/such/place")
    words = [f"{tmp_path}/{name}" for name in ("link", "dangling", "srv/../srv")]
    places = converse(resolve_paths([*words, "/dev/sda", "acme:0/v1"]), LocalRunner())
    assert places == dict(zip(words, (f"{tmp_path}/srv", None, f"{tmp_path}/srv"), strict=True))
    unknown = converse(resolve_paths(words), ReplayRunner(Recording(Manifest(format="raidctl-record 1"), {})))
    assert unknown == {}
    host = msgspec.structs.replace(here.inventory.host, source="ssh:db7")
    inventory = msgspec.structs.replace(here.inventory, host=host)
    far = replace(here, seen=msgspec.structs.replace(here.seen, inventory=inventory), places=places)
    assert path_of(words[0], far) == f"{tmp_path}/srv"
    with pytest.raises(UsageError, match="There is no"):
        path_of(words[1], far)


def test_a_path_in_a_recording_is_taken_for_a_directory_aloud() -> None:
    """Whether it exists is unknown: a message names the mount that is judged instead."""
    recorded = ("--demo", "p400", "verify", "--volume-status", "ok")
    for path, named in (("/srv/database", True), ("/boot", False), ("/boot/", False), ("/dev/cciss/c0d0", False)):
        done = CliRunner().invoke(cli, [*recorded, path])
        assert done.exit_code == 0
        assert (f'"{path}" is taken as a directory on /' in done.stderr) is named, path


def test_a_name_that_is_no_text_is_answered_as_json(tmp_path: Path) -> None:
    """The JSON is whole although a name is not text. A mark replaces bytes that are not characters."""
    name = b"caf\xe9".decode("utf-8", "surrogateescape")
    done = CliRunner().invoke(
        cli, ["--demo", "9271", "--state-dir", str(tmp_path), "--json", "verify", f"/boot/{name}"]
    )
    report = msgspec.json.decode(done.stdout, type=Verification)
    assert report.targets == ("/boot/caf\ufffd",)


def test_files_that_are_no_outputs_are_called_so(tmp_path: Path) -> None:
    """If nothing is found, the screen shows what could not be read. There is no machine for doctor to examine."""
    (tmp_path / "picture").write_bytes(bytes(range(256)) * 9)
    done = CliRunner().invoke(cli, ["--replay", str(tmp_path / "picture"), "verify"])
    assert done.exit_code == 3
    assert "It is a binary file" in " ".join(done.stdout.split())


def test_problems_are_not_listed_if_there_are_volumes(tmp_path: Path) -> None:
    """``raidctl show`` lists them; the answers contain those that concern their objects."""
    settings = at(tmp_path, "p440")
    words = ["--demo", "p440", "--state-dir", str(settings.state_dir), "verify"]
    assert "problem" not in CliRunner().invoke(cli, words).stdout
