"""The packages of Debian and Fedora, with their units, of this version."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest
from dist import with_files
from units import DATA, DEFAULTS, NAMES, PROGRAM, units

import raidctl
from raidctl.cli import cli

PACKAGING = Path(__file__).resolve().parents[1] / "packaging"
OPTIONS = "/etc/default/raidctl"


def test_the_units_are_those_that_raidctl_installs() -> None:
    """All of them; nothing is left to fill in."""
    assert set(NAMES) == {path.name for path in DATA.glob("*.service")} | {path.name for path in DATA.glob("*.timer")}
    for text in units(OPTIONS).values():
        assert "@" not in text.replace("@example", "")


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".service")])
def test_a_unit_starts_a_command_that_raidctl_accepts(name: str) -> None:
    """It uses the default options. Those of the administrator come after, so they win."""
    text = units(OPTIONS)[name]
    [start] = re.findall(r"(?m)^ExecStart=(.+)$", text)
    if name in DEFAULTS:
        variable = DEFAULTS[name][0]
        assert text.index(f'Environment="{variable}=') < text.index(f"EnvironmentFile=-{OPTIONS}\n")
        [default] = re.findall(rf'(?m)^Environment="{variable}=(.+)"$', text)
        start = start.replace(f"${variable}", default)
    program, command, *words = shlex.split(start)
    assert program == PROGRAM
    with click.Context(cli, info_name="raidctl") as context:
        found = cli.get_command(context, command)
        assert found is not None
        found.make_context(command, words, parent=context)


@pytest.mark.slow
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    """Each, as the package installs it; only the program is not there."""
    for name, text in units(OPTIONS).items():
        (tmp_path / name).write_text(text.replace(PROGRAM, "/bin/true"), encoding="utf-8")
    verify = ["systemd-analyze", "verify", *(str(tmp_path / name) for name in NAMES)]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if str(tmp_path) in line or "raidctl" in line] == []
    assert done.returncode == 0


def test_the_packages_are_of_this_version() -> None:
    """A release that forgets one would build an old name."""
    changelog = (PACKAGING / "unstable" / "changelog").read_text(encoding="utf-8")
    spec = (PACKAGING / "fedora" / "raidctl.spec").read_text(encoding="utf-8")
    assert changelog.startswith(f"raidctl ({raidctl.__version__}-")
    assert re.findall(r"(?m)^Version: +(.+)$", spec) == [raidctl.__version__]


def test_both_packages_install_every_unit() -> None:
    """Neither package enables them: Debian's are not started, Fedora's follow its presets."""
    spec = (PACKAGING / "fedora" / "raidctl.spec").read_text(encoding="utf-8")
    assert set(re.findall(r"(?m)^%\{_unitdir\}/(.+)$", spec)) == set(NAMES)
    for rules in (PACKAGING / "debian" / "rules", PACKAGING / "unstable" / "rules"):
        named = set(re.findall(r"(?m)^\tdh_installsystemd --name=(\S+) --no-enable --no-start$", rules.read_text()))
        assert named == {name.partition(".")[0] for name in NAMES}


def test_the_list_of_the_single_file_keeps_licences_and_checksums() -> None:
    """Each component has what its metadata declares. It also has the checksums of the files that it was taken from."""
    files = [{"type": "distribution", "hashes": [{"alg": "SHA-256", "content": "00"}]}]
    site = [{"type": "website", "url": "https://example.org"}]
    installed = {"components": [{"name": "jinja2", "licenses": ["BSD"], "externalReferences": site}, {"name": "own"}]}
    taken = {"components": [{"name": "Jinja2", "externalReferences": files}]}
    [library, own] = json.loads(with_files(json.dumps(installed), json.dumps(taken)))["components"]
    assert library == {"name": "jinja2", "licenses": ["BSD"], "externalReferences": [*site, *files]}
    assert own == {"name": "own", "externalReferences": []}


@pytest.mark.slow
def test_rpm_understands_the_spec_file() -> None:
    """Its sections and tags; the macros for Python are Fedora's."""
    spec = str(PACKAGING / "fedora" / "raidctl.spec")
    query = ["rpmspec", "-q", "--srpm", spec]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"raidctl-{raidctl.__version__}-1")
