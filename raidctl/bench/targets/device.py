"""A block device as a target: read-only, unless a range is named.

Even if the user names a range to overwrite, the device is refused for any reason in `raidctl.bench.targets.safety`; and
while it is open, O_EXCL prevents other exclusive use: no mount, no array.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from raidctl.bench.result import Confounder
from raidctl.bench.targets.handle import Opened, direct_block_size, open_direct
from raidctl.bench.targets.safety import Kernel, data_reasons
from raidctl.errors import BenchError
from raidctl.text import printable

_SECTOR = 512


class DeviceTarget(Opened):
    """A block device, or a range of it.

    Args:
        path: The device; links are followed.
        write: The range that may be overwritten, (first byte, bytes); None: only read, all of it.

    Raises:
        BenchError: It is not a block device, or may not be written; with all reasons. On entering.
        AccessMissing: It is not allowed. On entering.
    """

    kind = "device"

    def __init__(self, path: str, *, write: tuple[int, int] | None = None) -> None:
        self.path = os.path.realpath(path)
        self.name = path
        self.base = 0
        self.size = 0
        self.alignment = _SECTOR
        self.direct = False
        self.confounders: tuple[Confounder, ...] = ()
        self._write = write
        self._kernel = Kernel()

    @property
    def writable(self) -> bool:
        """Whether a range to overwrite was named."""
        return self._write is not None

    def _open(self) -> None:
        """Open it after all safety checks."""
        # checked before it is opened: opening a tape rewinds it
        if not stat.S_ISBLK(Path(self.path).stat().st_mode):
            raise BenchError(f"{printable(self.name)} is not a block device.")
        flags = os.O_RDONLY if self._write is None else os.O_RDWR | os.O_EXCL
        try:
            self._handle, self.direct = open_direct(self.path, flags)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            number = Path(self.path).stat().st_rdev
            reasons = [*self._kernel.reasons(f"{os.major(number)}:{os.minor(number)}")] or ["it is in use"]
            raise BenchError(f"{printable(self.name)} is not written to: {'; '.join(reasons)}.") from None
        about = os.fstat(self._handle)
        if not stat.S_ISBLK(about.st_mode):
            raise BenchError(f"{printable(self.name)} is no longer a block device.")
        self.size = os.lseek(self._handle, 0, os.SEEK_END)
        if not self.size:
            raise BenchError(f"{printable(self.name)} has no size: it has no medium, or is not set up.")
        self.alignment = (direct_block_size(self._handle) if self.direct else None) or self._logical(about.st_rdev)
        if not self.direct:
            text = "O_DIRECT is refused here, so the page cache of the kernel is measured together with the drive."
            self.confounders = (Confounder(name="page_cache", text=text, forbids=True),)
        if self._write is not None:
            self._refuse(f"{os.major(about.st_rdev)}:{os.minor(about.st_rdev)}")
            self.base, self.size = self._range(*self._write)

    def _logical(self, number: int) -> int:
        """The logical block size; the larger of the usual ones if unknown."""
        place = (self._kernel.sys / "dev/block" / f"{os.major(number)}:{os.minor(number)}").resolve()
        for where in (place, place.parent):
            try:
                return int((where / "queue/logical_block_size").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
        return 4096

    def _refuse(self, number: str) -> None:
        reasons = [*self._kernel.reasons(number), *data_reasons(self.path)]
        if reasons:
            raise BenchError(f"{printable(self.name)} is not written to: {'; '.join(reasons)}.")

    def _range(self, first: int, length: int) -> tuple[int, int]:
        shown = printable(self.name)
        if first < 0 or length <= 0 or first + length > self.size:
            raise BenchError(f"The range of {length} bytes from byte {first} is not within the {self.size} of {shown}.")
        if first % self.alignment or length % self.alignment:
            raise BenchError(f"The range must begin and end at multiples of {self.alignment} bytes of {shown}.")
        return first, length
