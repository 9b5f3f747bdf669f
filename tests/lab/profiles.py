"""Short profiles of ``raidctl bench run`` for the lab, added when this module is imported.

``python -m tests.lab.profiles bench run …`` is raidctl with these profiles.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from raidctl.bench import profiles
from raidctl.bench.profiles import Profile
from raidctl.bench.trials.commits import Commits
from raidctl.bench.trials.knee import Knee
from raidctl.bench.trials.medium import Medium
from raidctl.bench.trials.sequential import Sequential
from raidctl.bench.trials.trial import MIB

COMMITS = Profile(
    name="lab-commits", title="Commits of a drive that waits for them.", seconds=60, size=0,
    trials=(Commits(seconds=1.5),),
)  # fmt: skip
CACHE = Profile(
    name="lab-cache", title="What acknowledges early, and how much it takes.", seconds=120, size=0,
    trials=(Medium(reads=60, commits=60), Commits(seconds=0.2), Knee(most=128 * MIB, rest=1.0)),
)  # fmt: skip

SHORT = Profile(
    name="lab-short", title="Each measurement at its shortest.", seconds=30, size=0,
    trials=(Medium(reads=60, commits=60), Commits(seconds=0.1), Sequential(seconds=0.1, positions=(0.5,), depths=(1,))),
)  # fmt: skip
# the options of the command list the profiles that there are when it is imported, which is later
cast("dict[str, Profile]", profiles.PROFILES).update({one.name: one for one in (COMMITS, CACHE, SHORT)})

if __name__ == "__main__":
    import_module("raidctl.cli").main()
