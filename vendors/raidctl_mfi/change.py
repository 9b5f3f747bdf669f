"""Change settings and flush caches: dialogues that read, write, and read back.

The emulated controller of QEMU is the only one that this was tried on. It replies "ok" to every write and stores
nothing, so the verdict depends on what is read back, never on the status.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidctl_mfi import commands as c
from raidctl_mfi.commands import status_text
from raidctl_mfi.dialogue import Dialogue, ld_prop
from raidctl_mfi.frame import Answer, Question
from raidctl_mfi.problems import Json
from raidctl_mfi.structures import CTRL_PROPS, LD_PROPS, PD_INFO
from raidctl_mfi.vocabulary import BAD_BBU, READ_ADAPTIVE, READ_AHEAD, WRITE_BACK

Outcome = Literal["done", "already so", "not sent", "refused", "not confirmed"]

READ_BITS = {"none": 0, "read-ahead": READ_AHEAD, "adaptive": READ_AHEAD | READ_ADAPTIVE}
WRITE_BITS = {"write-through": 0, "write-back": WRITE_BACK}
BAD_BBU_BITS = {"off": 0, "on": BAD_BBU}
DISK_BYTES = {"default": 0, "enabled": 1, "disabled": 2}


@dataclass(frozen=True)
class Policies:
    """The desired policies of a volume; None leaves one as it is."""

    write: str | None = None
    read: str | None = None
    bad_bbu: str | None = None
    disk: str | None = None

    @property
    def any(self) -> bool:
        """Whether any policy is desired."""
        return any(word is not None for word in (self.write, self.read, self.bad_bbu, self.disk))


def wanted(properties: bytes, policies: Policies) -> bytes:
    """Put the desired policies into the 32 bytes of a volume's properties. All else stays as read."""
    made = bytearray(properties)
    default, disk = LD_PROPS.offset("default_cache_policy"), LD_PROPS.offset("disk_cache_policy")
    for word, bits in ((policies.write, WRITE_BITS), (policies.read, READ_BITS), (policies.bad_bbu, BAD_BBU_BITS)):
        if word is not None:
            made[default] = made[default] & ~_mask(bits) & 0xFF | bits[word]
    if policies.disk is not None:
        made[disk] = DISK_BYTES[policies.disk]
    return bytes(made)


def _mask(bits: dict[str, int]) -> int:
    mask = 0
    for one in bits.values():
        mask |= one
    return mask


def flush(*, disks: bool) -> Dialogue[Json]:
    """Flush the caches of the controller and of its drives. The firmware reports no more than a status."""
    mask = c.FLUSH_CONTROLLER | (c.FLUSH_DISKS if disks else 0)
    answer = yield Question(c.CTRL_CACHE_FLUSH, bytes([mask]))
    if answer.ok:
        return _result("done", "The firmware reports that its cache is flushed.")
    if answer.fault is not None:
        message = f"CTRL_CACHE_FLUSH got no reply ({answer.fault}); whether the cache is flushed is unknown."
        return _result("not confirmed", message)
    return _failed(answer)


def set_policies(target: int, policies: Policies) -> Dialogue[Json]:
    """Set a volume's cache policies. The 32 bytes are written back with only the desired bits changed."""
    before = yield ld_prop(target)
    trouble = _unusable(before, LD_PROPS.size, "LD_GET_PROP")
    if trouble is None and LD_PROPS.decode(before.data)["ld"]["target_id"] != target:
        trouble = _result("not sent", f"The firmware's reply is about another volume than {target}; nothing was sent.")
    if trouble is not None:
        return trouble
    data = wanted(before.data, policies)
    if data == before.data:
        return _result("already so", "The volume has these settings already; nothing was sent.", before=before.data)
    places = [LD_PROPS.offset("default_cache_policy"), LD_PROPS.offset("disk_cache_policy")]
    # the first four bytes name the volume and the sequence number that was read: a change in between is refused
    return (yield from _write(before, Question(c.LD_SET_PROP, data[:4], data=data), ld_prop(target), places))


def set_flush_interval(seconds: int) -> Dialogue[Json]:
    """Set the flush interval of the controller's cache, 1 to 255 seconds."""
    before = yield Question(c.CTRL_GET_PROPERTIES)
    trouble = _unusable(before, CTRL_PROPS.size, "CTRL_GET_PROPERTIES")
    if trouble is not None:
        return trouble
    place = CTRL_PROPS.offset("cache_flush_interval")
    data = before.data[:place] + bytes([seconds]) + before.data[place + 1 :]
    if data == before.data:
        return _result("already so", "The controller has this interval already; nothing was sent.", before=before.data)
    question = Question(c.CTRL_SET_PROPERTIES, data=data)
    return (yield from _write(before, question, Question(c.CTRL_GET_PROPERTIES), [place]))


def locate(device: int, *, on: bool) -> Dialogue[Json]:
    """Switch the locate LED of a drive. No command reports whether it blinks, so it is never confirmed."""
    asked = device.to_bytes(2, "little")
    info = yield Question(c.PD_GET_INFO, asked)
    if info.fault is not None or not info.ok:
        return _failed(info)
    # QEMU's firmware returns drive 0 for drives 256 and 1280
    given = PD_INFO.decode(info.data)["ref"]["device_id"] if info.has_data else None
    if given != device:
        return _result("not sent", f"The firmware's reply is not about drive {device}; nothing was sent.")
    sent = yield Question(c.PD_LOCATE_START if on else c.PD_LOCATE_STOP, asked)
    name = sent.question.command.name
    if sent.fault is not None:
        return _result("not confirmed", f"{name} was sent, and no reply came ({sent.fault}).")
    if not sent.ok:
        return _failed(sent)
    message = f"The firmware reported success for {name}; no command shows whether the LED blinks: check the drive."
    return _result("not confirmed", message)


def _unusable(answer: Answer, size: int, name: str) -> Json | None:
    """Why the current setting cannot be changed; None if it can."""
    if answer.fault is not None or not answer.ok:
        return _failed(answer)
    if len(answer.data) == size and any(answer.data):
        return None
    got = "no data" if not any(answer.data) else f"{len(answer.data)} of {size} bytes"
    return _result("not sent", f"The firmware reported success for {name}, but returned {got}; nothing was sent.")


def _failed(answer: Answer) -> Json:
    """The result of a command that was not sent, or was refused."""
    name = answer.question.command.name
    if answer.fault is not None:
        return _result("not sent", f"{name} got no reply ({answer.fault}); nothing else was sent.")
    return _result("refused", f"The firmware refused {name}: {status_text(answer.status or 0)}.")


def _write(before: Answer, question: Question, again: Question, places: list[int]) -> Dialogue[Json]:
    """Send a change and read it back. The verdict depends on the bytes that were to change."""
    data, name = question.data, question.command.name
    sent = yield question
    if sent.fault is not None:
        message = f"{name} was sent, and no reply came ({sent.fault}); the current setting is unknown."
        return _result("not confirmed", message, before=before.data, sent=data)
    after = yield again
    kept = {"before": before.data, "sent": data, "after": after.data}
    if not after.has_data or len(after.data) != len(data):
        return _result("not confirmed", "The setting was sent, but could not be read back.", **kept)
    if sent.ok and all(after.data[place] == data[place] for place in places):
        return _result("done", "The setting was read back.", **kept)
    if not sent.ok and all(after.data[place] == before.data[place] for place in places):
        return _result(
            "refused", f"The firmware refused {name} ({status_text(sent.status or 0)}); nothing changed.", **kept
        )
    status = "success" if sent.ok else status_text(sent.status or 0)
    message = f"The firmware reported {status} for {name}, but the setting that was read back is another one."
    return _result("not confirmed", message, **kept)


def _result(
    outcome: Outcome,
    message: str,
    *,
    before: bytes | None = None,
    sent: bytes | None = None,
    after: bytes | None = None,
) -> Json:
    kept = {"before": before, "sent": sent, "after": after}
    return {"outcome": outcome, "message": message} | {
        name: None if data is None else data.hex() for name, data in kept.items()
    }


EXIT_CODES: dict[str, int] = {"done": 0, "already so": 0, "not sent": 3, "refused": 5, "not confirmed": 6}
"""Exit codes, as raidctl's own. Code 5 means that the firmware refused and nothing changed, 6 that the current setting
is unknown."""
