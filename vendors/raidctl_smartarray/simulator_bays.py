"""The bays of a simulated Smart Array: drives, spares and rebuilds, and a clock. Pure.

=============================  =====================================================================================
name                           value
=============================  =====================================================================================
``smartarray/clock``           seconds
``smartarray/bay 1I:1:4``      serial number of the drive in the bay; ``0/1I:1:4`` with several controllers
``smartarray/drive S402KX1B``  ``from=1I:1:4 kind=like state=ok``: the recorded drive that it looks like; state: ok
                               failing failed
``smartarray/slot 1I:1:4``     ``array=A use=data``: what the bay is for; use: data spare; none: unassigned
``smartarray/fill 1I:1:4``     the clock when the rebuild onto the drive in this bay began
``smartarray/helps 1I:1:7``    the bay whose place the spare in this bay has taken
``smartarray/array A``         ``tolerates=1 state=ok``: how many members may be gone; state: ok failed
=============================  =====================================================================================

A place in an array is a bay: a new drive there is rebuilt at once, and a spare that helped becomes a spare again (Smart
Storage Administrator guide, "spares"; "drive replacement"). The controller fails a drive that is too small or of
another kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raidctl.text import listing, regex
from raidctl.vendor.simulated_bays import new_serial, not_on_shelf_error
from raidctl.vendor.simulator import NewDrive, Reply, State, fields, words
from raidctl_smartarray.simulator_headings import ARRAY, CONTROLLER, UNASSIGNED

HEAD = "smartarray/"
SECONDS = 3600.0
"""Time that a whole rebuild takes."""
# physicaldrive 1I:3:6
_DRIVE = regex(r"\s*physicaldrive (?P<address>[\w:]+)\s*$")
_PAIR = regex(r"\s*(?P<label>[^:]+): *(?P<value>.*?)\s*$")
# Recovering, 12.5% complete
_RECOVERING = regex(r"Recovering, ([\d.]+)% complete")
_TOLERATED = {"1": 1, "1+0": 1, "5": 1, "RAID 5": 1, "50": 1, "6": 2, "60": 2, "1adm": 2, "RAID 6 (ADG)": 2}


def initial(text: str) -> State:
    """The bays of all controllers in a ``ctrl all show config detail``."""
    several = len({match["slot"] for line in text.split("\n") if (match := CONTROLLER.match(line))}) > 1
    found: State = {}
    slot = array = key = ""
    percent = "0"
    for line in text.split("\n"):
        if match := CONTROLLER.match(line):
            slot, array, key = match["slot"] if several else "", "", ""
        elif match := ARRAY.match(line):
            array, key = match["name"], ""
        elif UNASSIGNED.match(line):
            array = key = ""
        elif match := _DRIVE.match(line):
            key = _key(slot, match["address"])
        elif match := _PAIR.match(line):
            label, value = match["label"].strip(), match["value"]
            if not key and array and label == "Fault Tolerance":
                name = f"{HEAD}array {_key(slot, array)}"
                least = min(_TOLERATED.get(value, 0), int(fields(found.get(name, "tolerates=9"))["tolerates"]))
                found[name] = words({"tolerates": str(least), "state": "ok"})
            elif not key and array and label == "Status" and (going := _RECOVERING.match(value)):
                percent = going[1]
            elif key:
                _note(found, key, (label, value), array, percent)
    found = {name: value for name, value in found.items() if not name.startswith(f"{HEAD}status ")}
    return {**found, f"{HEAD}clock": "0.0"} if named(found, "bay") else {}


def _note(found: State, key: str, pair: tuple[str, str], array: str, percent: str) -> None:
    """Store the facts in a line of a drive's section."""
    label, value = pair
    if label == "Serial Number" and value:
        found[f"{HEAD}bay {key}"] = value
        state = found.pop(f"{HEAD}status {key}", "ok")
        found[f"{HEAD}drive {value}"] = words({"from": key, "kind": "like", "state": state})
    elif label == "Status":
        found[f"{HEAD}status {key}"] = {"Predictive Failure": "failing", "Failed": "failed"}.get(value, "ok")
        if value == "Rebuilding":
            found[f"{HEAD}fill {key}"] = str(-SECONDS * float(percent) / 100)
    elif label == "Drive Type" and array:
        found[f"{HEAD}slot {key}"] = words({"array": array, "use": "spare" if "Spare" in value else "data"})


def _key(slot: str, name: str) -> str:
    return f"{slot}/{name}" if slot else name


def address_of(key: str) -> str:
    """``1I:1:4`` of ``0/1I:1:4``."""
    return key.rpartition("/")[2]


def has_bays(state: Mapping[str, str]) -> bool:
    """Whether the machine has a Smart Array with bays."""
    return f"{HEAD}clock" in state


def named(state: Mapping[str, str], kind: str) -> dict[str, str]:
    """Return the values of one kind, by the objects that they belong to.

    The kind is ``bay``, ``drive``, ``slot``, ``fill``, ``helps`` or ``array``.
    """
    head = f"{HEAD}{kind} "
    return {name[len(head) :]: value for name, value in state.items() if name.startswith(head)}


# --- what happens to the machine


def advance(state: Mapping[str, str], seconds: float) -> State:
    """Let time pass: rebuilds that are complete end."""
    if not has_bays(state):
        return dict(state)
    return settled({**state, f"{HEAD}clock": f"{float(state[f'{HEAD}clock']) + seconds:.1f}"})


def pull(state: Mapping[str, str], bay: str) -> State:
    """Take the drive out of a bay; a spare helps."""
    key = _occupied(state, bay)
    gone = {f"{HEAD}bay {key}", f"{HEAD}fill {key}", f"{HEAD}helps {key}"}
    return settled({name: value for name, value in state.items() if name not in gone})


def fail(state: Mapping[str, str], bay: str) -> State:
    """Let the drive in a bay fail; a spare helps."""
    key = _occupied(state, bay)
    serial = state[f"{HEAD}bay {key}"]
    drive = {**fields(state[f"{HEAD}drive {serial}"]), "state": "failed"}
    return settled({**state, f"{HEAD}drive {serial}": words(drive)})


def insert(state: Mapping[str, str], bay: str, serial: str | None, kind: NewDrive = "like") -> State:
    """Put a drive into an empty bay. In the place of a missing member it is rebuilt."""
    if not has_bays(state):
        raise LookupError
    places = {one for kinds in ("slot", "bay") for one in named(state, kinds)}
    places |= {fields(value)["from"] for value in named(state, "drive").values()}
    key = next((one for one in sorted(places) if bay in (one, address_of(one)) or bay.endswith(f":{one}")), None)
    if key is None or f"{HEAD}bay {key}" in state:
        raise ValueError(f"{bay} is not an empty bay; {_taken(state)}")
    fresh, drives = dict(state), named(state, "drive")
    if serial is None:
        serial = new_serial(drives)
        like = next((one for one, value in drives.items() if fields(value)["from"] == key), None)
        source = fields(drives[like])["from"] if like is not None else key
        fresh[f"{HEAD}drive {serial}"] = words(
            {"from": source, "kind": kind, "state": "failing" if kind == "failing" else "ok"}
        )
    elif serial not in drives or serial in named(state, "bay").values():
        raise not_on_shelf_error(serial, set(drives) - set(named(state, "bay").values()))
    fresh[f"{HEAD}bay {key}"] = serial
    fresh.setdefault(f"led slot={key.partition('/')[0] if '/' in key else _slot(state)} pd {address_of(key)}", "off")
    drive = fields(fresh[f"{HEAD}drive {serial}"])
    if f"{HEAD}slot {key}" in state:
        if drive["kind"] in ("small", "other_media"):
            fresh[f"{HEAD}drive {serial}"] = words({**drive, "state": "failed"})
        elif fields(state[f"{HEAD}slot {key}"])["use"] == "data":
            fresh[f"{HEAD}fill {key}"] = state[f"{HEAD}clock"]
    return settled(fresh)


def _slot(state: Mapping[str, str]) -> str:
    """The slot of the only controller, as its settings are named: ``slot=0/cacheratio``."""
    return next((name[5:].partition("/")[0] for name in state if name.startswith("slot=")), "0")


def _occupied(state: Mapping[str, str], bay: str) -> str:
    if not has_bays(state):
        raise LookupError
    found = [key for key in named(state, "bay") if bay in (key, address_of(key)) or bay.endswith(f":{key}")]
    if len(found) != 1:
        raise ValueError(f"{bay} is not a bay with a drive; {_taken(state)}")
    return found[0]


def _taken(state: Mapping[str, str]) -> str:
    return f"there are drives in {listing(sorted(named(state, 'bay')))}"


# --- what the controller does automatically


def settled(state: Mapping[str, str]) -> State:
    """The state after what the controller does automatically."""
    fresh = dict(state)
    now = float(fresh[f"{HEAD}clock"])
    for key, began in named(fresh, "fill").items():
        if now - float(began) >= SECONDS:
            del fresh[f"{HEAD}fill {key}"]
    for name, value in named(fresh, "array").items():
        _settle(fresh, name, fields(value))
    return fresh


def _settle(state: State, array: str, about: dict[str, str]) -> None:
    """Let spares of one array help, or release them. Too many gaps make the array fail."""
    slots = dict(slots_of(state, array))
    for key in slots:
        place = state.get(f"{HEAD}helps {key}")
        if place is not None and (works(state, place) or not present(state, key)):
            for kind in ("helps", "fill"):
                state.pop(f"{HEAD}{kind} {key}", None)
    gaps = [key for key, use in slots.items() if use == "data" and not works(state, key)]
    helped = {state[f"{HEAD}helps {key}"]: key for key in slots if f"{HEAD}helps {key}" in state}
    lacking = [key for key in gaps if key not in helped or f"{HEAD}fill {helped[key]}" in state]
    if len(lacking) > int(about["tolerates"]):
        about["state"] = "failed"
        state[f"{HEAD}array {array}"] = words(about)
    if about["state"] == "failed":
        return
    for key in gaps:
        free = [
            one for one, use in slots.items()
            if use == "spare" and present(state, one) and f"{HEAD}helps {one}" not in state
        ]  # fmt: skip
        if key not in helped and free and f"{HEAD}fill {key}" not in state:
            state[f"{HEAD}helps {free[0]}"] = key
            state[f"{HEAD}fill {free[0]}"] = state[f"{HEAD}clock"]


def slots_of(state: Mapping[str, str], array: str) -> Iterator[tuple[str, str]]:
    """Yield the bays of an array with their use: data or spare."""
    controller = array.rpartition("/")[0]
    for key, value in named(state, "slot").items():
        about = fields(value)
        if about["array"] == address_of(array) and key.rpartition("/")[0] == controller:
            yield key, about["use"]


def present(state: Mapping[str, str], key: str) -> bool:
    """Whether a drive that has not failed is in a bay."""
    serial = state.get(f"{HEAD}bay {key}")
    return serial is not None and fields(state[f"{HEAD}drive {serial}"])["state"] != "failed"


def works(state: Mapping[str, str], key: str) -> bool:
    """Whether the drive in a bay holds its part of the data."""
    return present(state, key) and f"{HEAD}fill {key}" not in state


# --- spares


def change(tool_words: list[str], state: Mapping[str, str]) -> Reply | None:
    """``ctrl slot=0 array A add spares=1I:1:8``, ``… remove spares=…``; None for other commands."""
    if len(tool_words) != 6 or tool_words[2] != "array" or tool_words[4] not in ("add", "remove"):
        return None
    slot, array, verb, what = tool_words[1].removeprefix("slot="), tool_words[3], tool_words[4], tool_words[5]
    several = any(key.startswith(f"{slot}/") for key in named(state, "bay"))
    name, key = _key(slot if several else "", array), _key(slot if several else "", what.removeprefix("spares="))
    if f"{HEAD}array {name}" not in state:
        return Reply(1, "\nError: The specified device was not found.\n\n", state)
    if not what.startswith("spares=") or f"{HEAD}bay {key}" not in state:
        return Reply(1, f'\nError: "{what}" is not a valid option for array {array}\n\n', state)
    use = fields(state.get(f"{HEAD}slot {key}", "use=")).get("use", "")
    kind = fields(state[f"{HEAD}drive {state[f'{HEAD}bay {key}']}"])["kind"]
    fits = use == "" and present(state, key) and kind not in ("small", "other_media")
    if (verb == "add" and not fits) or (verb == "remove" and (use != "spare" or f"{HEAD}helps {key}" in state)):
        return Reply(1, f'\nError: "{what}" is not a valid option for array {array}\n\n', state)
    fresh = {one: value for one, value in state.items() if one != f"{HEAD}slot {key}"}
    if verb == "add":
        fresh[f"{HEAD}slot {key}"] = words({"array": array, "use": "spare"})
    return Reply(0, "\n", settled(fresh))
