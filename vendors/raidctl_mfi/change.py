"""What is set and flushed: dialogues that read, write, and read again.

The emulated controller of QEMU is the only one that this was tried on. It answers "ok" to every write and stores
nothing, so the verdict rests on what is read afterwards, never on the status.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from raidctl_mfi import commands as c
from raidctl_mfi.commands import status_text
from raidctl_mfi.frame import Answer, Question
from raidctl_mfi.gather import Dialogue, ld_prop
from raidctl_mfi.problems import Json
from raidctl_mfi.structures import CTRL_PROPS, LD_PROPS
from raidctl_mfi.words import BAD_BBU, READ_ADAPTIVE, READ_AHEAD, WRITE_BACK

Outcome = Literal["done", "already so", "not sent", "refused", "not confirmed"]

READ_BITS = {"none": 0, "read-ahead": READ_AHEAD, "adaptive": READ_AHEAD | READ_ADAPTIVE}
WRITE_BITS = {"write-through": 0, "write-back": WRITE_BACK}
BAD_BBU_BITS = {"off": 0, "on": BAD_BBU}
DISK_BYTES = {"default": 0, "enabled": 1, "disabled": 2}


@dataclass(frozen=True)
class Policies:
    """What is wanted of a volume; None leaves it as it is."""

    write: str | None = None
    read: str | None = None
    bad_bbu: str | None = None
    disk: str | None = None

    @property
    def any(self) -> bool:
        """Whether something is wanted at all."""
        return any(word is not None for word in (self.write, self.read, self.bad_bbu, self.disk))


def wanted(properties: bytes, policies: Policies) -> bytes:
    """The 32 bytes of a volume's properties with the wanted policies in them; all else stays as it was read."""
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
    """Have the card write out its cache, and its drives theirs. The status is all that the firmware tells of it."""
    mask = c.FLUSH_CONTROLLER | (c.FLUSH_DISKS if disks else 0)
    answer = yield Question(c.CTRL_CACHE_FLUSH, bytes([mask]))
    if answer.ok:
        return _result("done", "The firmware says that its cache is written out.")
    return _failed(answer)


def set_policies(target: int, policies: Policies) -> Dialogue[Json]:
    """Set a volume's cache policies: the 32 bytes that were read go back with nothing but the wanted bits changed."""
    before = yield ld_prop(target)
    trouble = _unusable(before, LD_PROPS.size, "LD_GET_PROP")
    if trouble is None and LD_PROPS.decode(before.data)["ld"]["target_id"] != target:
        trouble = _result("not sent", f"The firmware told of another volume than {target}; nothing was sent.")
    if trouble is not None:
        return trouble
    data = wanted(before.data, policies)
    if data == before.data:
        return _result("already so", "The volume is set so; nothing was sent.", before=before.data)
    places = [LD_PROPS.offset("default_cache_policy"), LD_PROPS.offset("disk_cache_policy")]
    # the first four bytes name the volume and the sequence number that was read: a change in between is refused
    return (yield from _write(before, Question(c.LD_SET_PROP, data[:4], data=data), ld_prop(target), places))


def set_flush_interval(seconds: int) -> Dialogue[Json]:
    """Set how long written data may wait in the cache, 1 to 255 seconds, for the whole card."""
    before = yield Question(c.CTRL_GET_PROPERTIES)
    trouble = _unusable(before, CTRL_PROPS.size, "CTRL_GET_PROPERTIES")
    if trouble is not None:
        return trouble
    place = CTRL_PROPS.offset("cache_flush_interval")
    data = before.data[:place] + bytes([seconds]) + before.data[place + 1 :]
    if data == before.data:
        return _result("already so", "The card is set so; nothing was sent.", before=before.data)
    question = Question(c.CTRL_SET_PROPERTIES, data=data)
    return (yield from _write(before, question, Question(c.CTRL_GET_PROPERTIES), [place]))


def _unusable(answer: Answer, size: int, name: str) -> Json | None:
    """Why the present setting cannot be the ground of a change."""
    if answer.fault is not None or not answer.ok:
        return _failed(answer)
    if len(answer.data) == size and any(answer.data):
        return None
    told = "nothing" if not any(answer.data) else f"{len(answer.data)} of {size} bytes"
    return _result("not sent", f"The firmware said ok to {name} and told {told}; nothing was sent.")


def _failed(answer: Answer) -> Json:
    """A question that came to nothing, and that changes nothing."""
    name = answer.question.command.name
    if answer.fault is not None:
        return _result("not sent", f"{name} could not be asked ({answer.fault}).")
    return _result("refused", f"The firmware refused {name}: {status_text(answer.status or 0)}.")


def _write(before: Answer, question: Question, again: Question, places: list[int]) -> Dialogue[Json]:
    """Send it, and read again whatever the firmware says: the verdict is on the bytes that were meant to change."""
    data, name = question.data, question.command.name
    sent = yield question
    if sent.fault is not None:
        said = f"{name} was sent and has no answer ({sent.fault}); what is set now is not known."
        return _result("not confirmed", said, before=before.data, sent=data)
    after = yield again
    kept = {"before": before.data, "sent": data, "after": after.data}
    if not after.told or len(after.data) != len(data):
        return _result("not confirmed", "It was sent, and could not be read again.", **kept)
    if sent.ok and all(after.data[place] == data[place] for place in places):
        return _result("done", "It was read again and is set.", **kept)
    if not sent.ok and all(after.data[place] == before.data[place] for place in places):
        return _result(
            "refused", f"The firmware refused {name} ({status_text(sent.status or 0)}); nothing changed.", **kept
        )
    said = "ok" if sent.ok else status_text(sent.status or 0)
    return _result("not confirmed", f"The firmware said {said} to {name}, and what it tells now is not that.", **kept)


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
"""As raidctl's own: 5 where the firmware refused and nothing changed, 6 where it is not known what is set now."""
