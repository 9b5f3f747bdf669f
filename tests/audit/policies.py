"""Policies as text, and machines to audit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from raidctl.audit.engine import Auditor
from raidctl.audit.finding import Audited, Finding
from raidctl.audit.policy.sets import Policy, load
from raidctl.audit.rule import Rule
from raidctl.model import (
    Array,
    Battery,
    Cache,
    Controller,
    Drive,
    Host,
    Inventory,
    Problem,
    Volume,
    VolumeCache,
)  # fmt: skip
from raidctl.model.write_protection import derived
from raidctl.toml_files.mistakes import MistakesError
from tests.support.machines import FIXTURES


def policy(text: str, *, builtin: tuple[Rule, ...] = (), **files: str) -> Policy:
    """Load a policy; included files are given by name: ``base="…"`` is ``base.toml``."""
    return load("site.toml", reader(text, files), builtin)


def reader(text: str, files: Mapping[str, str]) -> Callable[[str], bytes]:
    """Return a reader of ``site.toml`` and the included files."""
    held = {"site.toml": text, **{f"{name}.toml": content for name, content in files.items()}}

    def read(name: str) -> bytes:
        if name not in held:
            raise FileNotFoundError(2, "No such file or directory", name)
        return held[name].encode()

    return read


def mistakes(text: str, **files: str) -> list[str]:
    """The mistakes that are reported for an invalid policy."""
    try:
        load("site.toml", reader(text, files), ())
    except MistakesError as error:
        return [str(fault) for fault in error.faults]
    return []


def audited(text: str, inventory: Inventory, *, keep: bool = False, builtin: tuple[Rule, ...] = ()) -> Audited:
    """The result of auditing one machine with a policy."""
    return Auditor(policy(text, builtin=builtin), keep=keep, alone=True).audit(inventory, "here")


def outcomes(text: str, inventory: Inventory) -> list[tuple[str, str]]:
    """Object and outcome of each finding, passes included."""
    return [(one.where, one.outcome) for one in audited(text, inventory, keep=True).findings]


def only(text: str, inventory: Inventory) -> Finding:
    """The only finding of a policy, passes included."""
    [found] = audited(text, inventory, keep=True).findings
    return found


def recorded(name: str) -> Inventory:
    """The reviewed inventory of a recorded machine."""
    return msgspec.json.decode((FIXTURES / name / "expected" / "inventory.json").read_bytes(), type=Inventory)


def machine(
    *volumes: Volume, problems: tuple[Problem, ...] = (), hostname: str | None = "db1", **fields: Any
) -> Inventory:
    """Return a machine with one controller, two array drives and a spare. ``fields`` overrides its values."""
    drives = tuple(
        Drive(id=f"c:1/{bay}", array="c:1/A", role="member", media="hdd", model="HARBOR", status="ok") for bay in "ab"
    )
    usual: dict[str, Any] = {
        "id": "c:1",
        "mode": "raid",
        "cache": Cache(present=True, size_bytes=512 << 20, read_percent=25, write_percent=75),
        "batteries": (Battery(id="c:1/battery0", status="ok", replace=False),),
        "arrays": (Array(id="c:1/A", drives=("c:1/a", "c:1/b"), spares=("c:1/s",)),),
        "drives": (*drives, Drive(id="c:1/s", role="spare", media="hdd", model="HARBOR", status="ok")),
        "volumes": volumes or (volume(),),
    }
    controller = Controller(**{**usual, **fields})
    return Inventory(host=Host(hostname=hostname), controllers=derived([controller]), problems=problems)


def volume(**fields: Any) -> Volume:
    """A volume on that array; ``fields`` overrides its values."""
    cache = VolumeCache(write_policy="protected_write_back", write_active="write_back", controller_cache="protected")
    usual: dict[str, Any] = {
        "id": "c:1/v1", "array": "c:1/A", "raid_level": "raid1", "status": "ok", "device": "/dev/sda",
        "mountpoints": ("/srv/db",), "size_bytes": 4_000_787_030_016, "strip_bytes": 256 << 10, "cache": cache,
    }  # fmt: skip
    return Volume(**{**usual, **fields})
