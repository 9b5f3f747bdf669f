"""A third party's vendor package, whose tool prints an inventory as JSON.

Its entry point installs it like any other package. It shows whatever machine a test describes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from raidctl.model import Inventory
from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording
from raidctl.recording.save import save
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
TOOL = "acmecli"
PLUGIN = """
import msgspec
from raidctl.evidence import Output, mark_read
from raidctl.model import Capability, Inventory, Tool
from raidctl.request import Run, Which, ask
from raidctl.vendor.protocol import Confidence, Observation, Sniffed, ToolSpec

FAMILY, TITLE, DRIVERS, LAST = "acme", "Acme RAID controllers", ("acme",), False
TOOLS = (ToolSpec("acmecli", ("/opt/acme/acmecli",), "acme-tools", ("version",)),)
SUPPORT = {"controllers": Capability(read=True, set=False)}


def observe(host):
    found = yield from ask(Which("acmecli"))
    if found.path is None:
        return Observation()
    answer = yield from ask(Run(("acmecli", "show")))
    if answer.text.startswith("crash"):
        raise KeyError("Cache Ratio")
    return _read("acmecli show", answer.text, (Tool(name="acmecli", path=found.path),))


def sniff(name, text):
    return Sniffed("json", Confidence.SURE, "acmecli show") if text.startswith('{"acme"') else None


def read(documents):
    return _read(documents[0].name, documents[0].text, ())


def _read(command, text, tools):
    inventory = msgspec.json.decode(text.partition("\\n")[2], type=Inventory)
    output = Output.of_text(command, text)
    mark_read(output.lines[0])
    for controller in inventory.controllers:
        for line in output.lines:
            if f'"id": "{controller.id}"' in line.text:
                line.fact(controller.id, "id", controller.id)
    return Observation(inventory.controllers, inventory.problems, tools, (output,))
"""


def install(folder: Path) -> None:
    """Install the package as pip does."""
    (folder / "raidctl_acme.py").write_text(PLUGIN, encoding="utf-8")
    info = folder / "raidctl_acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: raidctl-acme\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[raidctl.vendors]\nacme = raidctl_acme\n", encoding="utf-8")


def output_of(inventory: Inventory) -> bytes:
    """What the tool prints of a machine."""
    return b'{"acme": 1}\n' + msgspec.json.format(msgspec.json.encode(inventory), indent=1) + b"\n"


def record(inventory: Inventory | None, path: Path) -> Path:
    """The recording of a machine on which the tool prints this inventory. With None, it crashes our package."""
    files = {"show.out": b"crash\n" if inventory is None else output_of(inventory)}
    answers = (
        Entry(which=TOOL, path=f"/usr/sbin/{TOOL}"),
        Entry(run=(TOOL, "show"), code=0, out="show.out"),
        Entry(run=(f"/usr/sbin/{TOOL}", "version"), code=0, out="version.out"),
        Entry(read="/proc/sys/kernel/hostname", text="db7\n"),
        Entry(glob="/sys/class/block/*", paths=("/sys/class/block/ram0",)),
        Entry(read="/proc/self/mountinfo", text=""),
    )
    manifest = Manifest(
        format=FORMAT, collected_at="2026-03-04T05:06:07Z", source="written", unrecorded="missing", answers=answers
    )
    save(Recording(manifest, {**files, "version.out": b"Acme CLI 1.2.3\n"}), path)
    return path


def program(
    plugins: Path, arguments: Sequence[str | Path], *, environment: dict[str, str] | None = None, **how: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run raidctl as a separate process. The package of the folder ``plugins`` is installed."""
    path = os.pathsep.join([str(plugins), str(ROOT), str(ROOT / "vendors")])
    ours = {"COLUMNS", "NO_COLOR", "PYTHONIOENCODING"}
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [sys.executable, "-m", "raidctl", *map(str, arguments)],
        env={**clean, "PYTHONPATH": path, **(environment or {})},
        stdout=how.pop("stdout", subprocess.PIPE),
        stderr=how.pop("stderr", subprocess.PIPE),
        check=False,
        timeout=PATIENCE,
        **how,
    )
