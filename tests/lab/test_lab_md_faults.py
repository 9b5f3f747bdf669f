"""`show` while drives of arrays fail and return."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.lab.machines import MD


@contextmanager
def always(script: str) -> Iterator[list[int]]:
    """Repeat a shell script beside a test. Yields a list that grows with every round."""
    rounds: list[int] = []
    end = threading.Event()

    def loop() -> None:
        while not end.is_set():
            subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=False)
            rounds.append(len(rounds))

    thread = threading.Thread(target=loop)
    thread.start()
    yield rounds
    end.set()
    thread.join()


@pytest.mark.lab(MD, last=True, minutes=1, timeout=600)
def test_show_is_consistent_while_a_drive_fails_and_returns() -> None:
    """The exit code is 0 or 3, and the JSON is valid. The state of the array is a possible one."""
    member = next(Path("/sys/block/md5/md").glob("dev-*")).name.removeprefix("dev-")
    steps = [f"mdadm /dev/md5 --{step} /dev/{member}" for step in ("fail", "remove", "add")]
    turn = "; ".join((*steps, "sleep 1"))
    Path("/proc/sys/dev/raid/speed_limit_max").write_text("200000")
    size = int(Path("/sys/block/md5/size").read_text()) * 512
    with always(turn) as rounds:
        done = subprocess.run([sys.executable, "-m", "raidctl", "show", "--json"], capture_output=True, check=False)
    assert done.returncode in (0, 3), done.stderr
    assert b"Traceback" not in done.stderr
    shown = json.loads(done.stdout)
    controller = next(controller for controller in shown["controllers"] if controller["id"] == "md")
    array = next(volume for volume in controller["volumes"] if volume["device"] == "/dev/md5")
    assert array["status"] in ("ok", "degraded", "rebuilding")
    assert array["raid_level"] == "raid5"
    assert array["size_bytes"] == size
    others = {volume["device"]: volume["status"] for volume in controller["volumes"]}
    assert {others[f"/dev/{name}"] for name in ("md0", "md1", "md10", "md11", "md12", "md17")} == {"ok"}
    assert len(rounds) >= 2
