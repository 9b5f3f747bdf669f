"""The systemd units of watch and export. The tests check what they start, and that systemd understands them."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from raidctl.cli import cli
from raidctl.cli.shared import systemd_units

WATCH = ("watch", "--once", "--mail", "root", "--alive", "7d", "--remind", "never", "--policy", "site.toml")
EXPORT = ("export", "--rules", "--output", "node/raidctl.prom")
Installed = Callable[[tuple[str, ...]], dict[str, str]]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Install units into a directory; their texts by name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "waivers.toml").touch()
    places = tmp_path / "units"
    places.mkdir()

    def install(words: tuple[str, ...]) -> dict[str, str]:
        monkeypatch.setattr(systemd_units, "PLACE", places)
        monkeypatch.setattr(systemd_units, "ENABLE", ("true",))
        done = CliRunner().invoke(cli, [*words, "--install-unit"], catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
        return {path.name: path.read_text(encoding="utf-8") for path in places.iterdir()}

    return install


def command(text: str) -> list[str]:
    """The words that a service starts."""
    [start] = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    return shlex.split(start.removeprefix("ExecStart="))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (WATCH, "watch --once --mail root --policy {here}/site.toml --remind never --alive 604800s"),
        (EXPORT, "export --rules --output {here}/node/raidctl.prom"),
        (
            (*EXPORT, "--waivers", "waivers.toml"),
            "export --rules --output {here}/node/raidctl.prom --waivers {here}/waivers.toml",
        ),
    ],
)
def test_a_unit_runs_the_command_line_that_installed_it(
    installed: Installed, tmp_path: Path, words: tuple[str, ...], expected: str
) -> None:
    """The command line has full paths. Nothing is left to fill in, and raidctl accepts it."""
    units = installed(words)
    name = f"raidctl-{words[0]}"
    assert set(units) == {f"{name}.service", f"{name}.timer"}
    assert "@" not in "".join(units.values())
    line = command(units[f"{name}.service"])
    at = line.index(words[0])
    assert line[at:] == expected.format(here=tmp_path).split()
    done = CliRunner().invoke(cli, ["--demo", "p400", "--state-dir", str(tmp_path / "state"), *line[at:]])
    assert "Usage:" not in done.stderr


def test_the_unit_of_watch_starts_without_the_file_system_of_its_state(installed: Installed, tmp_path: Path) -> None:
    """If the array with the state directory has failed, so has its mount, and the report is sent nevertheless."""
    text = installed((*WATCH, "--state-dir", str(tmp_path / "state")))["raidctl-watch.service"]
    assert "Requires" not in text
    assert f"--state-dir {tmp_path / 'state'}" in text


@pytest.mark.slow
@pytest.mark.parametrize("words", [WATCH, EXPORT])
def test_systemd_understands_the_units(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """``systemd-analyze verify`` reports nothing about them."""
    monkeypatch.setattr(sys, "argv", ["/usr/bin/true"])
    installed(words)
    files = sorted((tmp_path / "units").iterdir())
    verify = ["systemd-analyze", "verify", "--man=no", *map(str, files)]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if "raidctl" in line]
    assert (done.returncode, ours) == (0, [])


@pytest.mark.parametrize(
    "words",
    [
        ("watch", "--once", "--dry-run"),
        ("export", "--dry-run"),
        ("export", "--install-unit"),
        ("export", "--install-unit", "--output", "x", "--listen", "9809"),
        ("--demo", "p400", "watch", "--install-unit"),
    ],
)
def test_what_cannot_be_installed(words: tuple[str, ...]) -> None:
    """Wrong options are a usage error, and nothing is written."""
    assert CliRunner().invoke(cli, list(words)).exit_code == 2
