"""The replacements for masking a recording, and the search for them. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from raidctl.recording.identities import LVM, Identity, Kind
from raidctl.text import regex

_STEM = 3
"""Characters by which an original is searched for. Shorter originals are masked only after a label."""
_DEVICE = regex(
    r"(?:[shv]|xv)d[a-z]{1,4}\d{0,3}|nvme\d{1,3}(?:n\d{1,3})?(?:p\d{1,3})?|"
    r"(?:md|dm-|mmcblk|sr|loop|raid|ext)\d{1,3}(?:p\d{1,3})?"
)
"""Names of the kernel: never replaced without a label."""
_IR = "600508e000000000"
"""The beginning of the names of all LSI IR volumes. The rest is specific to the volume."""

_COMMON = frozenset({
    "array", "backup", "block", "boot", "bulk", "card", "centos", "check", "data", "debian", "device", "devices",
    "disk", "drive", "fedora", "home", "host", "linux", "local", "mail", "mapper", "media", "member", "mount", "name",
    "node", "none", "part", "path", "raid", "root", "scsi", "server", "slot", "spare", "state", "status", "storage",
    "super", "swap", "system", "target", "test", "type", "ubuntu", "uuid", "virtio", "virtual", "volume", "web",
})  # fmt: skip
"""Common machine names that have other meanings in outputs and paths."""
# a name is part of another one: /dev/NAME/root, NAME-vg, NAME:0; not a label "NAME: "
_JOINT = regex(r"[/_=@.-]\0|.?\0(?:[/_@-]|:\S)", re.DOTALL)


@dataclass
class Masks:
    """Replacements by original; keys are in lower case."""

    salt: bytes
    everywhere: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    """Replaced as whole words."""
    joined: dict[str, str] = field(default_factory=dict)
    """Machine names of plain letters. They are replaced as a whole word inside another name, as in ``/dev/NAME-vg``."""
    labelled: dict[str, str] = field(default_factory=dict)
    """Too short or too common: replaced only after a label."""
    _lengths: dict[str, list[int]] = field(default_factory=dict)
    _stems: re.Pattern[str] = field(default=regex(r"(?!)"))

    def add(self, identity: Identity) -> None:
        """Add an identity and its other spellings."""
        text = identity.text.lower()
        if identity.kind is Kind.HEX:
            self._add_hex(text)
        elif identity.kind is Kind.HOST and "." in text:
            short, _, domain = text.partition(".")
            self._put(text, f"{self.replacement(short)}.{self.replacement(domain)}", Kind.HOST)
            self._put(short, self.replacement(short), Kind.HOST)
            self._put(domain, self.replacement(domain), Kind.HOST)
        elif LVM.fullmatch(identity.text):
            filled = iter(new := self.replacement(text.replace("-", "")))
            self._put(text.replace("-", ""), new, identity.kind)
            self._put(text, "".join(char if char == "-" else next(filled) for char in text), identity.kind)
        else:
            self._put(text, self.replacement(text), identity.kind)
            if identity.kind is Kind.SERIAL and len(text) >= 6:
                self._add_encoded(identity.text)

    def add_number(self, match: re.Match[str]) -> None:
        """Add a world wide name or EUI-64 in JSON. Its parts are decimal numbers."""
        digits = 9 if match["naa"] else 10
        number = int(match["id"])
        if 16**digits <= number or match["naa"] not in {None, "5"}:
            return
        tail = f"{number:0{digits}x}"
        self._add_hex(f"{match['naa'] or ''}{int(match['oui']):06x}{tail}")
        self._put(match["id"], str(int(self._hex(tail), 16)), Kind.SERIAL)

    def add_reversed(self, match: re.Match[str]) -> None:
        """Add part of a volume's name in both byte orders. Outputs also contain it with its bytes reversed."""
        old = match["id"].lower()
        new = self._hex(old)
        self._put(old, new, Kind.HEX)
        self._put(_reversed(old), _reversed(new), Kind.HEX)

    def _add_hex(self, text: str) -> None:
        digits = re.sub(r"[:\- ]", "", text)
        keep = 0
        halves = len(text) == 17 and text[8] == ":"  # 500605b0:0a1b2c30
        if (halves or digits == text.replace(" ", "")) and len(digits) in {16, 32}:
            # the maker's part: 5 or 6 and the registered number, or the registered number alone
            keep = 7 if digits[0] == ("5" if len(digits) == 16 else "6") else 6 if len(digits) == 16 else 0
        if keep and digits.startswith(_IR):
            keep = len(_IR)
        tail = digits[keep:]
        new = digits[:keep] + self._hex(tail)
        self._put(digits, new, Kind.HEX)
        filled = iter(new)
        self._put(text, "".join(next(filled) if char in "0123456789abcdef" else char for char in text), Kind.HEX)
        if keep:
            self._put(tail, new[keep:], Kind.HEX)

    def _add_encoded(self, text: str) -> None:
        """Add the serial number in hexadecimal digits. The kernel uses them to name a namespace without an id."""
        new = _as(text, self.replacement(text.lower()))
        self._put(text.encode("latin-1").hex(), new.encode("latin-1").hex(), Kind.HEX)

    def _put(self, old: str, new: str, kind: Kind) -> None:
        known = (self.everywhere, self.words, self.joined, self.labelled)
        if old != new and not any(old in mapping for mapping in known):
            known[_reach(old, kind)][old] = new

    def replacement(self, text: str) -> str:
        """Replace letters with letters, and digits with digits. Each depends on the text before it."""
        out = []
        for place, char in enumerate(text):
            if "a" <= char <= "z":
                out.append(chr(97 + (ord(char) - 97 + self._shift(text[:place], 26)) % 26))
            elif "1" <= char <= "9" and not place:  # a number keeps its length, and does not begin with 0
                out.append(chr(49 + (ord(char) - 49 + self._shift("", 9)) % 9))
            elif "0" <= char <= "9" and place:
                out.append(chr(48 + (ord(char) - 48 + self._shift(text[:place], 10)) % 10))
            else:
                out.append(char)
        return "".join(out)

    def _hex(self, digits: str) -> str:
        return "".join(
            f"{(int(char, 16) + self._shift(f'x{digits[:place]}', 16)) % 16:x}" for place, char in enumerate(digits)
        )

    def _shift(self, before: str, size: int) -> int:
        digest = hashlib.blake2b(f"{size} {before}".encode(), key=self.salt[:64], digest_size=8).digest()
        return 1 + int.from_bytes(digest, "big") % (size - 1)

    def prepare(self) -> None:
        """Compile the search patterns; nothing may be added afterwards."""
        lengths: dict[str, set[int]] = {}
        for old in (*self.everywhere, *self.words, *self.joined):
            lengths.setdefault(old[:_STEM], set()).add(len(old))
        self._lengths = {stem: sorted(found, reverse=True) for stem, found in lengths.items()}
        self._stems = re.compile(_alternation(sorted(self._lengths)) if lengths else r"(?!)")

    def hits(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the originals in a text: start, end, replacement. At each position, the longest one wins."""
        low = text.lower()
        place = 0
        while match := self._stems.search(low, place):
            start = match.start()
            place = start + 1
            for length in self._lengths[match[0]]:
                old = low[start : start + length]
                new = self.everywhere.get(old)
                if new is None and _alone(low, start, start + length):
                    new = self.words.get(old)
                    if new is None and _JOINT.match(low[max(0, start - 1) : start + length + 2].replace(old, "\0", 1)):
                        new = self.joined.get(old)
                if new is not None:
                    yield start, start + length, new
                    place = start + length
                    break

    def left(self, text: str) -> bool:
        """Whether an original is in a text."""
        return any(True for _ in self.hits(text))

    def apply(self, text: str, found: Iterable[Identity] = ()) -> str:
        """Mask a text. ``found`` are the identities that were found by labels in it."""
        spans = list(self.hits(text))
        for identity in found:
            old = identity.text.lower()
            new = self.labelled.get(old) or self.joined.get(old)
            if new is not None:
                spans.append((identity.start, identity.start + len(identity.text), new))
        out, place = [], 0
        for start, end, new in sorted(spans):
            if start >= place:
                out += [text[place:start], _as(text[start:end], new)]
                place = end
        return "".join([*out, text[place:]])


def _reversed(digits: str) -> str:
    return bytes.fromhex(digits)[::-1].hex()


def _reach(old: str, kind: Kind) -> int:
    """Return where a value is replaced, from 0 to 3.

    The levels are anywhere (0), as a whole word (1), inside other names (2), and only after its label (3).
    """
    letters, digits = any(char.isalpha() for char in old), any(char.isdigit() for char in old)
    if kind is Kind.USER or len(old) < _STEM or (len(old) < 8 and _DEVICE.fullmatch(old)):
        return 3
    if kind in {Kind.HOST, Kind.ADDRESS}:
        plain = 3 if len(old) < 4 or old in _COMMON else 2
        return 1 if digits or "-" in old or "." in old else plain
    if not digits or len(old) < 5:
        return 3
    if kind is Kind.HEX or not letters:
        return 0 if len(old) >= 12 else 1 if len(old) >= 7 else 3
    return 0 if len(old) >= 8 else 1


def _alone(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if text[max(0, start - 2) : start] == "0x":
        before = ""
    return not (before.isalnum() and before.isascii()) and not (after.isalnum() and after.isascii())


def _as(original: str, new: str) -> str:
    """Return the replacement in the case of the original. A digit that became a letter gets the others' case."""
    upper = original.upper() == original and any(char.isalpha() for char in original)
    pairs = zip(original, new, strict=False)
    cased = "".join(n.upper() if o.isupper() or (upper and o.isdigit()) else n for o, n in pairs)
    return cased + new[len(original) :]


def _alternation(words: list[str]) -> str:
    """Build a tree-shaped pattern for many words of the same length.

    The words are sorted. The pattern is fast for any number.
    """
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(word[:1], []).append(word[1:])
    parts = [re.escape(head) + (_alternation(rest) if rest != [""] else "") for head, rest in groups.items()]
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"
