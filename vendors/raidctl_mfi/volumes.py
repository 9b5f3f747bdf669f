"""The volumes of a controller, from the firmware's replies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from raidctl_mfi.config import SECTOR, Config, operations
from raidctl_mfi.dialogue import Answers
from raidctl_mfi.drives import block_size
from raidctl_mfi.frame import Answer
from raidctl_mfi.layout import elements
from raidctl_mfi.problems import Json, Problems
from raidctl_mfi.structures import LD_ENTRY, LD_INFO, LD_LIST, LD_PROPS
from raidctl_mfi.vocabulary import ACCESS, DISK_CACHE, INIT_STATES, VOLUME_STATES, policy, raid_level

_LARGEST_STRIPE = 15
_OPERATIONS = ((0, "check"), (1, "background_init"), (2, "foreground_init"), (3, "reconstruction"))
_WORDS = (
    ("write", "write policy"), ("bad_bbu", "write cache with a bad BBU"), ("read", "read policy"), ("io", "IO policy"),
)  # fmt: skip
_BySource = dict[str, dict[str, Any]]
"""The values of one structure, by the command that returned them."""


def volumes(found: Answers, known: Config, where: str, problems: Problems) -> list[Json] | None:
    """Describe all volumes; None if the list could not be read."""
    answer = found.ld_list
    if answer is None or not answer.has_data:
        return None
    count = LD_LIST.decode(answer.data)["count"]
    rows = list(elements(LD_ENTRY, answer.data, LD_LIST.offset("entries"), min(count or 0, 64)))
    by_target = {row["ld"]["target_id"]: row for row in rows}
    if count is None or count != len(by_target):
        problems.unread(
            where, f"The list of volumes counts {count}, and {len(by_target)} could be read in it: some may be missing."
        )
    return [_Volume(by_target[target], found, known, where, problems).json() for target in sorted(by_target)]


@dataclass
class _Volume:
    row: dict[str, Any]
    """Its entry in LD_GET_LIST."""
    found: Answers
    known: Config
    controller: str
    problems: Problems

    @property
    def target(self) -> int:
        number: int = self.row["ld"]["target_id"]
        return number

    @property
    def where(self) -> str:
        return f"{self.controller}, volume {self.target}"

    @cached_property
    def info(self) -> dict[str, Any] | None:
        """LD_GET_INFO, if it is complete and about the requested volume."""
        answer = self.found.ld_info.get(self.target)
        if answer is None or not answer.has_data or len(answer.data) < LD_INFO.size:
            return None  # a problem of the controller reports it
        info = LD_INFO.decode(answer.data)
        given = info["config"]["properties"]["ld"]["target_id"]
        if given != self.target:
            self.problems.unread(
                self.where, f"Requested volume {self.target}, the firmware returned volume {given}, which is not shown."
            )
            return None
        return info

    @cached_property
    def configs(self) -> _BySource:
        """The volume's configuration; CFG_READ and LD_GET_INFO contain the same structure."""
        read = {"CFG_READ": self.known.volumes.get(self.target), "LD_GET_INFO": self.info and self.info["config"]}
        return {source: one for source, one in read.items() if one is not None}

    @cached_property
    def properties(self) -> _BySource:
        """Name and policies, from the same two and LD_GET_PROP."""
        own = properties(self.found.ld_prop.get(self.target), self.target)
        held = {source: one["properties"] for source, one in self.configs.items()}
        found = ({"LD_GET_PROP": own} if own is not None else {}) | held
        # QEMU's firmware fills them in CFG_READ and leaves them at zero in LD_GET_INFO
        filled = {source: one for source, one in found.items() if _filled(one)}
        return filled or found

    def json(self) -> Json:
        state = self._param("state", first=("LD_GET_LIST", self.row["state"]))
        init, consistent = self._param("init_state"), self._param("consistent")
        spans, stripe = self._param("spans", zero=False), self._param("stripe_size")
        refs = self._refs(spans)
        return {
            "target": self.target,
            "name": next((one["name"] for one in self.properties.values() if one["name"]), None),
            "state": None if state is None else VOLUME_STATES.get(state, f"state 0x{state:02x}"),
            "raid_level": self._level(spans),
            "size_bytes": self._size(refs),
            "strip_bytes": SECTOR << stripe if stripe is not None and 0 < stripe <= _LARGEST_STRIPE else None,
            "drives_per_span": self._param("drives"),
            "spans": spans,
            "initialised": None if init is None else INIT_STATES.get(init, f"state 0x{init:02x}"),
            "consistent": None if consistent is None else bool(consistent),
            "arrays": refs,
            "wwn": naa(self.info["vpd_page83"]) if self.info else None,
            "cache": self._cache(),
            "progress": operations(self.info["progress"], _OPERATIONS) if self.info else None,
        }

    def _param(self, name: str, *, zero: bool = True, first: tuple[str, int] | None = None) -> int | None:
        """A parameter on which all sources agree. ``zero`` False: 0 means not filled in."""
        read = [(source, one["params"][name]) for source, one in self.configs.items()]
        values = [(source, value) for source, value in read if zero or value]
        return self.problems.agree(self.where, name.replace("_", " "), [*([first] if first else []), *values])

    def _level(self, spans: int | None) -> str | None:
        primary, secondary = self._param("primary_level"), self._param("secondary_level")
        if primary is None or secondary is None or spans is None:
            return None
        level = raid_level(primary, secondary, spans)
        if level is None:
            self.problems.unread(self.where, f"RAID level {primary}, {secondary} with {spans} spans is unknown.")
        return level

    def _size(self, refs: list[int]) -> int | None:
        """Size in bytes. None if the block size is not 512: the unit of the firmware's count is then unknown."""
        counts = [("LD_GET_LIST", self.row["blocks"]), ("LD_GET_INFO", self.info["blocks"] if self.info else None)]
        blocks = self.problems.agree(self.where, "size", counts)
        arrays = [array for array in self.known.arrays if array["ref"] in refs]
        sizes = {block_size(self.found, drive["device_id"]) for array in arrays for drive in array["drives"]}
        other = sizes - {None, SECTOR}
        if other and blocks is not None:
            self.problems.unread(self.where, "Its drives have a block size other than 512 bytes: its size is unknown.")
            return None
        return None if blocks is None else blocks * SECTOR

    def _refs(self, spans: int | None) -> list[int]:
        """The arrays of its spans."""
        one = next(iter(self.configs.values()), None)
        return list(dict.fromkeys(span["array_ref"] for span in one["spans"][:spans])) if one and spans else []

    def _cache(self) -> Json:
        """The policies on which the replies agree, and what each reply contains."""
        found = self.properties
        disk, access = (
            self.problems.agree(
                self.where, f"{name} policy", [(source, one[f"{field}_policy"]) for source, one in found.items()]
            )
            for name, field in (("disk cache", "disk_cache"), ("access", "access"))
        )
        return {
            "default": self._policy("default"),
            "current": self._policy("current"),
            "disk": None if disk is None else DISK_CACHE.get(disk, f"policy 0x{disk:02x}"),
            "access": None if access is None else ACCESS.get(access, f"policy 0x{access:02x}"),
            "told": {
                source: {name: f"0x{one[f'{name}_cache_policy']:02x}" for name in ("default", "current", "disk")}
                for source, one in found.items()
            },
        }

    def _policy(self, which: str) -> Json | None:
        found = {source: policy(one[f"{which}_cache_policy"]) for source, one in self.properties.items()}
        if not found:
            return None
        return {
            name: self.problems.agree(
                self.where, f"{which} {title}", [(source, getattr(one, name)) for source, one in found.items()]
            )
            for name, title in _WORDS
        }


def properties(answer: Answer | None, target: int) -> dict[str, Any] | None:
    """Decode LD_GET_PROP; None if it is all zeros or about another volume."""
    if answer is None or not answer.has_data or len(answer.data) < LD_PROPS.size or not any(answer.data):
        return None
    read = LD_PROPS.decode(answer.data)
    return read if read["ld"]["target_id"] == target else None


def _filled(properties: dict[str, Any]) -> bool:
    return any(value for name, value in properties.items() if name not in ("ld", "reserved"))


def naa(page: bytes | None) -> str | None:
    """``0x600605b0…``: the first NAA designator in vital product data page 83."""
    if page is None or len(page) < 4 or page[1] != 0x83:
        return None
    place, end = 4, min(len(page), 4 + int.from_bytes(page[2:4], "big"))
    while place + 4 <= end:
        length = page[place + 3]
        data = page[place + 4 : place + 4 + length]
        if page[place + 1] & 0x3F == 0x03 and len(data) == length and length in (8, 16):
            return f"0x{data.hex()}"
        place += 4 + length
    return None
