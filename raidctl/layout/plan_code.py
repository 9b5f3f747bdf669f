"""The code of a plan: eight hexadecimal digits that confirm it. Another machine or state has another code. Pure."""

from __future__ import annotations

import hashlib

import msgspec

from raidctl.layout.machine_facts import MachineFacts
from raidctl.layout.stages import Stages
from raidctl.model import Inventory

DIGITS = 8
_STATE = ("id", "serial", "unique_id", "device", "status", "role", "array", "size_bytes", "raid_level", "drives_active")


def code_of(found: Stages, inventory: Inventory, read: MachineFacts) -> str:
    """The code of the steps and the machine. It covers identity and state of all drives and volumes.

    Another machine, another order of the drives, or a state that has changed has another code.
    """
    objects = [
        [str(getattr(item, name, "")) for name in _STATE]
        for controller in inventory.controllers
        for item in (*controller.volumes, *controller.drives)
    ]
    signatures = sorted((node, one.signatures) for node, one in read.contents.items())
    whole = [
        [[name, plan.steps] for name, plan in found.plans], sorted(objects), signatures,
        inventory.host.hostname,
    ]  # fmt: skip
    return hashlib.sha256(msgspec.json.encode(whole)).hexdigest()[:DIGITS]
