"""The harness of changes (:mod:`tests.change.harness`) for the kernel's own caches.

They are its family. Run as a program.

    python -m tests.layers.kernel_harness layers kernel:vm=dirty_limit="268435456 bytes" --kill

Only settings are compared, as data that was written out stays written out.
"""

from __future__ import annotations

import sys
from typing import cast

from raidctl.layers import family
from raidctl.simulation.runner import Simulated
from raidctl.vendor.protocol import Vendor
from raidctl.vendor.simulator import State
from tests.change import harness

_DATA = ("/bcache/state", "/bcache/dirty_data")


class Settings(dict[str, str]):
    """The state of a machine. Two states are equal if all their settings are."""

    def settings(self) -> dict[str, str]:
        """Without the amounts of data."""
        return {name: value for name, value in self.items() if not name.endswith(_DATA)}

    def __eq__(self, other: object) -> bool:
        """Whether all settings are the same."""
        return isinstance(other, Settings) and self.settings() == other.settings()

    def __ne__(self, other: object) -> bool:
        """Whether a setting differs."""
        return not self == other

    __hash__ = None


def compared(machine: Simulated) -> State:
    """What the machine keeps."""
    return Settings(_kept(machine))


_kept = Simulated.state

if __name__ == "__main__":
    Simulated.state = compared  # type: ignore[method-assign,assignment]  # of this process only
    harness.VENDORS[:] = [cast("Vendor", family)]
    sys.exit(harness.main(sys.argv[1:]))
