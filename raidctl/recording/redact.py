"""Mask a machine's identity, so that its recording can be shared.

An original has the same replacement everywhere: in outputs, arguments, paths and file names. A replacement has the
length and kinds of characters of its original, so that columns and formats stay (only a decimal number that is part of
a world wide name in JSON may change its length). Originals with the same beginning keep a common beginning, so that a
serial number still matches its shortened form. Models, firmware, sizes and the vendor's part of a world wide name stay.
The key is random and discarded, so the masking cannot be undone.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Sequence

from msgspec import structs

from raidctl.errors import RecordError
from raidctl.model import Inventory
from raidctl.recording.identities import IR_VOLUME, NUMBERS, Identity, identities, identities_of_answer, serial_parts
from raidctl.recording.manifest import Entry, Manifest
from raidctl.recording.masks import Masks
from raidctl.recording.recording import Recording

_ATTEMPTS = 8


def serials(inventory: Inventory) -> tuple[str, ...]:
    """Return the serial numbers that the vendor packages have read. Those in columns without a label are included."""
    found = [controller.serial for controller in inventory.controllers]
    found += [drive.serial for controller in inventory.controllers for drive in controller.drives]
    return tuple(dict.fromkeys(serial for serial in found if serial))


def redact(recording: Recording, salt: bytes | None = None, *, known: Sequence[str] = ()) -> Recording:
    """Copy a recording with masked identities.

    The copy has no serial numbers, unique ids, addresses or names of machines and users.

    Args:
        recording: The original.
        salt: Makes the replacements; random when None.
        known: Serial numbers to mask also without a label, see :func:`serials`.

    Raises:
        RecordError: the copy would still contain an original.
    """
    for attempt in range(_ATTEMPTS):
        masks = _masks(recording, (salt or secrets.token_bytes(32)) + bytes([attempt]), known)
        masked = _masked(recording, masks)
        if not any(masks.left(text) for _, text in _texts(masked)):
            return masked
    raise RecordError("The recording cannot be redacted: it would still contain identifying data. Do not share it.")


def _latin(text: str) -> str:
    """Convert text to one character per byte, for masking."""
    return text.encode("utf-8", errors="surrogatepass").decode("latin-1")


def _owners(manifest: Manifest) -> dict[str, Entry]:
    """Return the entry of each file with an answer."""
    return {name: entry for entry in manifest.answers for name in (entry.out, entry.data) if name}


def _texts(recording: Recording) -> Iterator[tuple[Entry | None, str]]:
    """Yield every text of a recording, with its entry."""
    manifest, owners = recording.manifest, _owners(recording.manifest)
    yield None, _latin(manifest.about)
    yield None, _latin(manifest.source)
    for entry in manifest.answers:
        yield entry, _latin(entry.text or "")
        for text in (
            *(entry.run or ()),
            *(entry.paths or ()),
            entry.read,
            entry.glob,
            entry.get,
            entry.path,
            entry.detail,
        ):
            yield None, _latin(text or "")
    for name, data in recording.files.items():
        yield None, _latin(name)
        yield owners.get(name), data.decode("latin-1")


def _found(entry: Entry | None, text: str) -> list[Identity]:
    return [*identities(text), *(identities_of_answer(entry, text) if entry else ())]


def _masks(recording: Recording, salt: bytes, known: Sequence[str]) -> Masks:
    masks = Masks(hashlib.blake2b(salt).digest())
    texts = list(_texts(recording))
    found = {(identity.kind, identity.text) for entry, text in texts for identity in _found(entry, text)}
    found |= {(one.kind, one.text) for text in known for one in serial_parts(_latin(text), 0)}
    for _, text in texts:
        for match in NUMBERS.finditer(text):
            masks.add_number(match)
        for match in IR_VOLUME.finditer(text):
            masks.add_reversed(match)
    for kind, text in sorted(found):
        masks.add(Identity(kind, text, 0))
    masks.prepare()
    return masks


def _masked(recording: Recording, masks: Masks) -> Recording:
    owners = _owners(recording.manifest)

    def plain(text: str | None, entry: Entry | None = None) -> str | None:
        if text is None:
            return None
        latin = _latin(text)
        return masks.apply(latin, _found(entry, latin)).encode("latin-1").decode("utf-8", errors="surrogatepass")

    def several(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if texts is None else tuple(plain(text) or "" for text in texts)

    def entry_of(entry: Entry) -> Entry:
        named = {
            name: plain(getattr(entry, name))
            for name in ("read", "glob", "get", "out", "err", "data", "path", "detail")
        }
        texts = {"run": several(entry.run), "paths": several(entry.paths), "text": plain(entry.text, entry)}
        return structs.replace(entry, **named, **texts)

    about = plain(recording.manifest.about) or ""
    source = plain(recording.manifest.source) or ""
    answers = tuple(entry_of(entry) for entry in recording.manifest.answers)
    manifest = structs.replace(recording.manifest, about=about, source=source, redacted=True, answers=answers)
    files: dict[str, bytes] = {}
    for name, data in recording.files.items():
        text = data.decode("latin-1")
        files[plain(name) or name] = masks.apply(text, _found(owners.get(name), text)).encode("latin-1")
    return Recording(manifest, files)
