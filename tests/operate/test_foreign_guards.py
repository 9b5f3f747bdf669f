"""The guards of foreign configurations and preserved cache. One machine passes each guard, another does not."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from raidctl.change.permitted_commands import tables
from raidctl.model import Cache, Controller, ForeignGroup, Inventory, PreservedCache, Problem
from raidctl.operate.foreign_guards import denials, listed_hits
from raidctl.survey.survey import Survey
from raidctl.vendor.foreign import ForeignPreview, ForeignVolume
from raidctl.vendor.plan import Deed, Verb
from raidctl.vendor.registry import vendors
from tests.operate.machines import inventory, raid

GROUP = ForeignGroup(number="0", raid_level="raid5", size_bytes=2_000_000_000_000, volumes=1)
OTHER = ForeignGroup(number="1", raid_level="raid1", volumes=1)
FOREIGN: dict[str, Any] = {"role": "unassigned", "array": None, "foreign": True}
OWN: dict[str, Any] = {"foreign": False}
WHOLE = ForeignPreview(volumes=(ForeignVolume(number="0", complete=True),), complete=True)
PINNED = (PreservedCache(volume="x:0/v6", status_text="Missing"),)
VERBS: tuple[Verb, ...] = ("import_foreign", "clear_foreign")


def machine(*drives: dict[str, Any], controller: dict[str, Any] | None = None, **volume: Any) -> Inventory:
    """A controller with a whole RAID-6, and these drives before its members."""
    own: dict[str, Any] = {
        "serial": "SV1", "foreign": True, "foreign_groups": (GROUP,), "cache": Cache(preserved_data=False),
        **(controller or {}),
    }  # fmt: skip
    return inventory(raid("raid6", *drives, *[OWN] * 4, controller=own, **volume))


def refused(
    verb: Verb,
    found: Inventory,
    preview: ForeignPreview | None = WHOLE,
    *,
    part: str | None = None,
    selects: bool = False,
) -> dict[str, bool]:
    """The guards that refuse a deed on the controller. With each is whether --unsafe lifts every reason of it."""
    lifted: dict[str, bool] = {}
    deed = Deed(object_id="x:0", verb=verb, part=part)
    for one in denials(deed, Survey(found), preview, selects=selects):
        lifted[one.guard] = lifted.get(one.guard, True) and one.overridable
    return lifted


def test_guard_F1_an_incomplete_configuration_is_not_imported() -> None:
    """The same if it is unknown; --unsafe overrides this."""
    found = machine(FOREIGN, FOREIGN)
    assert refused("import_foreign", found) == {}
    lost = ForeignPreview(volumes=(ForeignVolume(number="0", name="db", complete=False),), complete=False)
    for preview in (lost, ForeignPreview(), None):
        assert refused("import_foreign", found, preview) == {"F1": True}, preview
    for cache, wanted in ((Cache(status="critical"), {"F1": True}), (Cache(status="ok"), {})):
        faulty = machine(FOREIGN, FOREIGN, controller={"cache": replace(cache, preserved_data=False)})
        assert refused("import_foreign", faulty) == wanted, cache


def test_guard_F2_what_an_array_lacks_is_not_cleared() -> None:
    """A configuration is not cleared while a volume is not whole.

    The exception is a level that shows that it is another. Preserved cache forbids it too.
    """
    assert refused("clear_foreign", machine(FOREIGN)) == {}
    for status in ("degraded", "failed", "offline", "rebuilding", "inactive", "unknown"):
        same = machine(FOREIGN, controller={"foreign_groups": (replace(GROUP, raid_level="raid6"),)}, status=status)
        assert refused("clear_foreign", same) == {"F2": False}, status
    assert refused("clear_foreign", machine(FOREIGN, status="degraded")) == {}
    for group in (ForeignGroup(number="0"), ForeignGroup(number="0", raid_level="unknown")):
        unknown = machine(FOREIGN, controller={"foreign_groups": (group,)}, status="degraded")
        assert refused("clear_foreign", unknown) == {"F2": False}
    assert refused("clear_foreign", machine(FOREIGN, controller={"foreign_groups": ()}, status="degraded")) == {
        "F2": False
    }
    mirrors = machine(FOREIGN, controller={"foreign_groups": (OTHER,)}, status="degraded", raid_level="raid10")
    assert refused("clear_foreign", mirrors) == {"F2": False}
    assert refused("clear_foreign", machine(FOREIGN, controller={"preserved": PINNED})) == {"F2": False}
    assert refused("clear_foreign", machine(FOREIGN, controller={"cache": Cache(preserved_data=True)})) == {"F2": False}
    for cache in (Cache(preserved_data=None), None):
        assert refused("clear_foreign", machine(FOREIGN, controller={"cache": cache})) == {"F2": True}


def test_guard_F3_every_drive_that_is_hit_is_listed() -> None:
    """A drive for which this is unknown may be affected, too.

    A tool that takes all is not used for one of several groups.
    """
    two = machine(FOREIGN, FOREIGN, controller={"foreign_groups": (GROUP, OTHER)})
    for verb in VERBS:
        assert refused(verb, machine(FOREIGN)) == {}
        assert refused(verb, machine({**FOREIGN, "foreign": None})) == {"F3": False}
        assert refused(verb, machine(FOREIGN, {**FOREIGN, "foreign": None})) == {"F3": False}
        assert refused(verb, machine(FOREIGN), part="0") == {}
        assert refused(verb, machine(FOREIGN), part="7") == {"F3": False}
        assert refused(verb, two) == {}
        assert refused(verb, two, part="0") == {"F3": False}
        assert refused(verb, two, part="0", selects=True) == {}
        nothing = machine(controller={"foreign": False, "foreign_groups": ()})
        assert refused(verb, nothing) == {"": False}
    lines = listed_hits(two, Deed(object_id="x:0", verb="import_foreign"))
    assert len(lines) == 4
    assert all(any(name in line for line in lines) for name in ("x:0/0", "S0", "x:0/1", "S1", "raid5", "raid1"))


def test_guard_F4_cache_is_not_discarded_while_its_drives_may_be_here() -> None:
    """And without them, never without a reason: its data exists nowhere else."""
    own: dict[str, Any] = {"preserved": PINNED, "foreign": False, "foreign_groups": (), "cache": None}

    def discard(found: Inventory, part: str = "x:0/v6") -> dict[str, bool]:
        return refused("discard_preserved", found, None, part=part)

    assert discard(machine(controller=own)) == {"F4": True}
    assert discard(machine(FOREIGN, controller=own)) == {"F4": False}
    assert discard(machine(controller={**own, "foreign": True})) == {"F4": False}
    assert discard(machine({**FOREIGN, "foreign": None}, controller=own)) == {"F4": False}
    empty = machine(controller={**own, "foreign": None})
    nothing_listed = replace(empty.controllers[0], drives=(), arrays=(), volumes=())
    assert discard(replace(empty, controllers=(nothing_listed,))) == {"F4": False}
    assert discard(machine(controller=own), "x:0/v7") == {"F4": False}
    nothing = {**own, "preserved": (), "cache": Cache(preserved_data=False)}
    assert discard(machine(controller=nothing)) == {"": False}


def test_guard_F5_nothing_imports_or_discards_by_itself() -> None:
    """No family has such a command."""
    words = {word.lower() for shape in tables(vendors()[0]) for word in shape}
    never = ("foreignautoimport", "discardpinnedcache", "discardcache", "restorehotspare", "-cfgclr", "-cfgforeignauto")
    assert not [word for word in words if word.startswith(never)]


def test_guard_X1_the_controller_is_identified_by_its_serial_number() -> None:
    """Unknown, or that of two controllers: refused."""
    for verb in VERBS:
        assert refused(verb, machine(FOREIGN, controller={"serial": None})) == {"X1": False}
        twin = Controller(id="x:1", serial="SV1", mode="raid")
        found = machine(FOREIGN)
        assert refused(verb, replace(found, controllers=(*found.controllers, twin))) == {"X1": False}
        other = replace(twin, serial="SV2")
        assert refused(verb, replace(found, controllers=(*found.controllers, other))) == {}


def test_guard_X8_a_controller_is_changed_as_a_whole_only_if_all_of_it_was_read() -> None:
    """A whole controller is changed only if fully read.

    An unread drive, an array without a listed volume, or a drive of unknown use or serial number forbids it.
    """
    unread = Problem("error", "x:0", "A drive did not answer.", kind="unread")
    for verb in VERBS:
        found = machine(FOREIGN)
        assert refused(verb, replace(found, problems=(unread,))) == {"X8": False}
        elsewhere = replace(unread, where="x:1")
        two = (*found.controllers, Controller(id="x:1", serial="SV2"))
        assert refused(verb, replace(found, problems=(elsewhere,), controllers=two)) == {}
        assert "X8" in refused(verb, machine({**FOREIGN, "serial": None}))
        assert "X8" in refused(verb, machine({**FOREIGN, "role": None}))
        assert "X8" in refused(verb, machine(FOREIGN, controller={"volumes": ()}))
        controller = found.controllers[0]
        missing = replace(controller.arrays[0], drives=(*controller.arrays[0].drives, "x:0/9"))
        assert "X8" in refused(verb, replace(found, controllers=(replace(controller, arrays=(missing,)),)))
