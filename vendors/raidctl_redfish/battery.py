"""Batteries and capacitors: the standard resource and makers' additions.

Dell, HPE, Cisco, Lenovo and Huawei add to other resources.
"""

from __future__ import annotations

from collections.abc import Iterable

from raidctl.model import ASK_OWN_TOOL, BatteryStatus
from raidctl.text import printable
from raidctl.vendor.draft import REPORT, WEAK, Draft
from raidctl.vendor.limits import WORN_PERCENT
from raidctl.vendor.statuses import put_status
from raidctl_redfish.draft import ControllerDraft
from raidctl_redfish.fields import Field, flag, number, percent, read_fields, state_of, text, whole
from raidctl_redfish.resource import Resource, keep_rest, link_of, links_of, trimmed
from raidctl_redfish.vocabulary import ABSENT, BACKUP, BATTERY, DIMINISHED, LOST_STATES, WORKING, bare

_WORST: tuple[BatteryStatus, ...] = ("failed", "missing", "degraded", "unknown", "learning", "charging", "ok")
_DELL = "Oem.Dell.DellControllerBattery"
_CISCO = "Oem.Cisco.Bbu"
_LENOVO = "Oem.Lenovo.Battery"
_HUAWEI = ("Oem.Huawei", "Oem.Public")
_HPE = ("Oem.Hpe.SmartStorageBattery", "Oem.Hp.SmartStorageBattery")


def _kind(value: object) -> str | None:
    found = bare(text(value) or "")
    return "capacitor" if "cap" in found or "flash" in found else "battery" if "batt" in found else None


def _is_capacitor(value: object) -> str:
    return "capacitor" if flag(value) else "battery"


_STANDARD = (
    Field("ChargePercent", "charge_percent", percent),
    Field("Model", "kind", _kind),
)
_HPE_FIELDS = (
    Field("ProductName", "kind", _kind),
    Field("ChargeLevelPercent", "charge_percent", percent),
)
_CISCO_FIELDS = (
    Field("IsCapacitor", "kind", _is_capacitor),
    Field("BbuVoltageInVolts", "voltage_volts", number),
    Field("BbuTemperatureInCel", "temperature_celsius", whole),
    Field("BbuManufacturingDate", "made_at", text),
    Field("NextLearnCycleTimeStamp", "next_learn_at", text),
)

_LENOVO_FIELDS = (Field("ProductName", "kind", _kind),)


def read_batteries(controller: ControllerDraft, owners: Iterable[Resource], linked: Iterable[Resource]) -> None:
    """Read the batteries in a controller's resources, and those it links to."""
    for resource in linked:
        draft = controller.battery(resource.path)
        read_fields(draft, resource, _STANDARD)
        _put(draft, resource, ("Status.Health",), gone=state_of(resource) == ABSENT)
        charge = bare(resource.text("ChargeState"))
        if charge == "charging" and draft.get("status") == "ok":
            draft.restate("status", "charging", ("status",))
        keep_rest(draft, resource)
    for owner in owners:
        _read_dell(controller, owner)
        _read_cisco(controller, owner)
        _read_lenovo(controller, owner)
        _read_huawei(controller, owner)


def _read_dell(controller: ControllerDraft, owner: Resource) -> None:
    # "DellControllerBattery": {"PrimaryStatus": "OK", "RAIDState": "Ready"}
    own = owner.part(_DELL)
    if own is not None:
        draft = controller.battery(f"{owner.path} Dell")
        _put(draft, own, ("RAIDState", "PrimaryStatus"))
        draft.conclude("kind", "battery")
        keep_rest(draft, own)


def _read_cisco(controller: ControllerDraft, owner: Resource) -> None:
    # "Bbu": {"BbuStatus": "Optimal", "IsCapacitor": true, "IsBatteryPresent": true}
    own = owner.part(_CISCO)
    if own is not None:
        draft = controller.battery(f"{owner.path} Cisco")
        read_fields(draft, own, _CISCO_FIELDS)
        _put(draft, own, ("BbuStatus",), gone=own.get("IsBatteryPresent") is False)
        if bare(own.text("BbuChargingState")) == "charging" and draft.get("status") == "ok":
            draft.restate("status", "charging", ("status",))
        flaws = [name for name in ("IsTemperatureHigh", "IsVoltageLow") if own.get(name) is True]
        left = own.get("CapacitanceInPercent")
        flaws += ["CapacitanceInPercent"] if isinstance(left, int) and left <= WORN_PERCENT else []
        flaws += ["LearnCycleProgressStatus"] if "fail" in bare(own.text("LearnCycleProgressStatus")) else []
        for name in flaws:
            draft.add_problem("warning", "state", f"{name}: {own.get(name)}.", "Replace it if this stays.")
        if flaws and draft.get("status") == "ok":
            draft.restate("status", "degraded", ("status",))
        keep_rest(draft, own)


def _read_lenovo(controller: ControllerDraft, owner: Resource) -> None:
    # "Battery": {"ProductName": "SuperCaP", "OperationalStatus": "Operational", "VoltageMV": "9411"}
    own = owner.part(_LENOVO)
    if own is not None and not controller.batteries:  # newer ones are linked as well
        draft = controller.battery(f"{owner.path} Lenovo")
        read_fields(draft, own, _LENOVO_FIELDS)
        _put(draft, own, ("OperationalStatus",))
        keep_rest(draft, own)


def _read_huawei(controller: ControllerDraft, owner: Resource) -> None:
    # "CapacitanceName": "CVPM02", "CapacitanceStatus": {"Health": "OK", "State": "Enabled"}
    for name in _HUAWEI:
        own = owner.part(f"{name}.CapacitanceStatus")
        state = bare(own.text("State")) if own is not None else ""
        if own is not None and (own.text("Health") or state) and not controller.batteries:
            draft = controller.battery(f"{owner.path} {name}")
            draft.conclude("kind", "capacitor")
            _put(draft, own, ("Health",), gone=state == ABSENT)
            if state not in ("", *WORKING) and draft.get("status") == "ok":
                draft.restate("status", "unknown", ("status",))
            keep_rest(draft, own)


def battery_links(owner: Resource) -> list[str]:
    """The links of a controller to its batteries."""
    return [path for path in (*links_of(owner.get("Links.Batteries")), link_of(owner.get("Links.Battery"))) if path]


def chassis_of(system: Resource) -> list[str]:
    """The links of a system of HPE to its chassis, which describe the energy packs."""
    if system.get("Oem.Hpe") is None and system.get("Oem.Hp") is None:
        return []
    links = links_of(system.get("Links.Chassis")) or links_of(system.get("links.Chassis"))
    return [trimmed(path) for path in links]


def packs_of(chassis: Resource) -> list[Resource]:
    """Return the energy packs in a chassis of HPE. All its array controllers share them."""
    # "SmartStorageBattery": [{"ChargeLevelPercent": 99, "ProductName": "HPE Smart Stor Hybridcap", "Status": {…}}]
    return [pack for name in _HPE for pack in chassis.parts(name)]


def read_pack(controller: ControllerDraft, pack: Resource) -> None:
    """Read an energy pack of HPE as a battery of one controller."""
    draft = controller.battery(f"{pack.path} {pack.at}")
    read_fields(draft, pack, _HPE_FIELDS)
    # "BatteryHealthStatus": "OK" of iLO 4, beside "Status"
    more = ("BatteryHealthStatus",) if pack.text("BatteryHealthStatus") else ()
    for label in more:
        draft.keep_words(label, pack.text(label))
    _put(draft, pack, ("Status.Health", *more), gone=state_of(pack) == ABSENT)
    keep_rest(draft, pack)


def read_backup(controller: ControllerDraft, resource: Resource) -> None:
    """Read what an HPE array controller reports of its backup power.

    Beside a pack of the chassis, it counts only if it is worse: a good pack may not be connected to this controller. A
    controller that reports no cache may need none.
    """
    # "BackupPowerSourceStatus": "PresentAndCharged"
    word = resource.text("BackupPowerSourceStatus")
    known = BACKUP.get(bare(word)) in ("ok", "unknown")
    if not word or (controller.batteries and (known or controller.get("cache.size_bytes") == 0)):
        return
    silent = all(controller.get(f"cache.{name}") is None for name in ("size_bytes", "status"))
    if controller.batteries and silent and BACKUP.get(bare(word)) == "missing":
        controller.override("batteries_unread", value=True)
        return
    draft = controller.battery("backup")
    line = resource.line("BackupPowerSourceStatus")
    status = BACKUP.get(bare(word))
    put_status(draft, [line] if line else [], "battery", status, text=word)


def worst_battery(controller: ControllerDraft) -> BatteryStatus | None:
    """The worst state of the batteries of a controller. None: none is reported, and none was left unread."""
    found = {draft.get("status") or "unknown" for draft in controller.batteries.values()}
    found |= {"unknown"} if controller.get("batteries_unread") else set()
    return next((status for status in _WORST if status in found), None)


def _put(draft: Draft, resource: Resource, leaves: tuple[str, ...], *, gone: bool = False) -> None:
    """Put a battery's state from one or several words. The worst counts; each must be known to be good."""
    words = {leaf: resource.text(leaf) for leaf in leaves}
    states = [BATTERY.get(bare(word)) or "unknown" for word in words.values()]
    status: BatteryStatus = "missing" if gone else next(state for state in _WORST if state in states)
    state = state_of(resource)
    if status == "ok" and state and state not in WORKING:
        # "Status": {"Health": "OK", "State": "UnavailableOffline"}: it does not work
        status = "failed" if state in LOST_STATES else "degraded" if state == DIMINISHED else "unknown"
        words["Status.State"] = resource.text("Status.State")
    lines = [line for leaf in words if (line := resource.line(leaf)) is not None]
    shown = ", ".join(printable(word) for word in dict.fromkeys(words.values()) if word)
    if status == "unknown":
        draft.put(lines[0] if lines else None, "status", "unknown", WEAK)
        draft.put(None, "status_text", shown or None)
        why = f"is {shown[:60]!r}, which is not recognised" if shown else "is not reported"
        draft.add_problem(
            "warning", "unread", f"The state of the battery or capacitor {why}.", REPORT if shown else ASK_OWN_TOOL
        )
        return
    put_status(draft, lines, "battery", status, text=shown or status)
