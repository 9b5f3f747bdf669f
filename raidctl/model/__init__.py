"""The inventory model of a machine: one vocabulary for all vendors. Values only.

Everything may import its classes from here; helpers are in the modules: ``raid_levels``, ``drives_below``,
``write_policy``, ``write_protection``. A field is part of the ``--json`` output: its name and meaning are stable, null
means unknown, and its ``doc`` is printed in docs/model.md.
"""

from __future__ import annotations

from raidctl.model.block_layer import (
    Block,
    BlockLayer,
    LayerKind,
    Model,
    Mount,
    PciLink,
    Scrub,
    ScrubMode,
    ScrubState,
)  # fmt: skip
from raidctl.model.cache import (
    Battery,
    BatteryKind,
    BatteryStatus,
    Cache,
    ControllerCacheSafety,
    Details,
    DriveCachePolicy,
    DriveCaches,
    Health,
    IoPolicy,
    PreservedCache,
    ReadPolicy,
    VolumeCache,
    WriteActive,
    WritePolicy,
)  # fmt: skip
from raidctl.model.inventory import (
    SCHEMA_VERSION,
    Array,
    Capability,
    Controller,
    Drive,
    Errors,
    FailuresTolerated,
    ForeignGroup,
    Host,
    Interface,
    Inventory,
    Media,
    Mode,
    RaidLevel,
    Role,
    Tool,
    Volume,
    VolumeStatus,
    has_failed,
    is_complete,
)  # fmt: skip
from raidctl.model.problem import (
    ASK_OWN_TOOL,
    UNREAD_KINDS,
    Problem,
    ProblemKind,
    Severity,
    failed_readings,
    hides,
    hiding_problems,
    state_problems,
    unread_problems,
)  # fmt: skip
from raidctl.model.second_view import SecondView
from raidctl.model.task import Alarm, Operation, Progress, Rates, Task, TaskState

__all__ = [
    "ASK_OWN_TOOL",
    "SCHEMA_VERSION", "UNREAD_KINDS", "Alarm", "Array", "Battery", "BatteryKind", "BatteryStatus", "Block",
    "BlockLayer", "Cache", "Capability", "Controller", "ControllerCacheSafety", "Details", "Drive",
    "DriveCachePolicy", "DriveCaches", "Errors", "FailuresTolerated", "ForeignGroup", "Health", "Host", "Interface",
    "Inventory", "IoPolicy", "LayerKind", "Media", "Mode", "Model", "Mount", "Operation", "PciLink", "PreservedCache",
    "Problem", "ProblemKind", "Progress", "RaidLevel", "Rates", "ReadPolicy", "Role", "Scrub", "ScrubMode",
    "ScrubState", "SecondView", "Severity", "Task", "TaskState", "Tool", "Volume", "VolumeCache", "VolumeStatus",
    "WriteActive", "WritePolicy", "failed_readings", "has_failed", "hides",
    "hiding_problems", "is_complete", "state_problems", "unread_problems",
]  # fmt: skip
