"""The installation of raidctl itself by the roles of the collection. They use pip, on a real ssh server."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.collection.conftest import Site
from tests.collection.page import playbook
from tests.collection.wheels import house


@pytest.mark.slow  # makes a virtual environment
@pytest.mark.skipif(os.geteuid() != 0, reason="the roles demand a program that belongs to root")
def test_the_roles_install_raidctl_from_a_wheel_and_only_once(own_site: Site, tmp_path: Path) -> None:
    """The unit starts the installed program, which writes metrics. The second run has changed=0.

    Check mode works before the first run, and installs nothing.
    """
    wheel = house(tmp_path / "wheels")
    target = tmp_path / "target"
    (target / "units").mkdir(parents=True)
    (target / "bin").mkdir()
    own_site.add("db1", variables=f"ansible_python_interpreter={sys.executable} ansible_become_user=root")
    words = ["-e", f"raid_export_output={target}/node/raidctl.prom"]
    for role in ("raid_export", "raid_watch"):
        words += ["-e", f"{role}_raidctl={target}/bin/raidctl", "-e", f"{role}_units={target}/units"]
        words += ["-e", f'{{"{role}_enable": false}}']
    for name, value in (("package", wheel), ("venv", target / "venv"), ("python", sys.executable)):
        words += ["-e", f"raid_export_{name}={value}"]  # the other role finds the program that this one has installed
    pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent), "PIP_CONFIG_FILE": os.devnull}
    text = playbook("Watch the storage", environment=pip)
    first = playbook("Watch the storage", environment=pip, roles=["raidctl.raid.raid_export"])
    checked = own_site.play(first, *words, "--check")
    assert checked.code == 0, checked.printed
    assert not [*(target / "bin").iterdir(), *(target / "units").iterdir()]
    done = own_site.play(text, *words)
    assert done.code == 0, done.printed
    assert "db1: raidctl.raid.raid_export : Install the package" in done.changed()
    assert (target / "bin" / "raidctl").resolve() == target / "venv" / "bin" / "raidctl"
    unit = (target / "units" / "raidctl-export.service").read_text().splitlines()
    [start] = [line.removeprefix("ExecStart=") for line in unit if line.startswith("ExecStart=")]
    argv = shlex.split(start)
    assert Path(argv[0]).is_relative_to(target)
    subprocess.run([*argv, "--demo", "p400"], check=True, cwd="/", env={"PATH": os.environ["PATH"]})
    metrics = (target / "node" / "raidctl.prom").read_text()
    assert 'raidctl_controller_info{controller="smartarray:1"' in metrics
    again = own_site.play(text, *words)
    assert (again.code, again.changed()) == (0, []), again.printed
