"""The pytest plugin of the lab. It runs tests marked ``lab`` inside the machine that they name.

On the host the plugin boots the machine, or uses the running one, has it run pytest with ``tests.lab.guest_pytest``,
and requests one test after the other. Failures are returned as pytest's serialised reports, so tracebacks, junit
files, -x and xdist work as usual. A test marked ``lab`` without a machine runs on the host and drives machines with
the fixture ``lab_machine``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import chain, groupby

import pytest

from tests.lab import bytecode
from tests.lab.guest import Guest
from tests.lab.machine import Machine
from tests.lab.places import LabError
from tests.lab.session import INSIDE, Session

TIMEOUT = 600.0

SESSIONS = pytest.StashKey["Pool"]()


class Wanted:
    """The arguments of a test's marker."""

    def __init__(self, item: pytest.Item) -> None:
        marker = item.get_closest_marker("lab")
        self.marked = marker is not None
        self.machine: Machine | None = marker.args[0] if marker and marker.args else None
        self.last = bool(marker and marker.kwargs.get("last"))
        self.minutes = int(marker.kwargs.get("minutes", 0)) if marker else 0
        self.timeout = float(marker.kwargs.get("timeout", TIMEOUT)) if marker else TIMEOUT


class Pool:
    """The running machine. There is at most one per process, since each needs a core."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.spoilt = False

    def take(self, wanted: Wanted, items: list[pytest.Item]) -> Session:
        """The running machine if it is the right one and not spoilt. Otherwise another one, booted."""
        machine = wanted.machine
        assert machine is not None
        running = self.session
        if running and running.alive and running.machine == machine and not self.spoilt:
            self.spoilt = wanted.last
            return running
        self.close()
        mine = [name_inside(item) for item in items if Wanted(item).machine == machine]
        self.session = Session(machine, mine)
        self.spoilt = wanted.last
        return self.session

    def close(self) -> None:
        """Power off."""
        if self.session is not None:
            self.session.close()
            self.session = None


def name_inside(item: pytest.Item) -> str:
    """A node id in the guest. It lacks the group that pytest-xdist appends: ``test_a.py::test_b@group``."""
    for mark in item.iter_markers("xdist_group"):
        if item.nodeid.endswith(f"@{mark.args[0]}"):
            return item.nodeid.removesuffix(f"@{mark.args[0]}")
    return item.nodeid


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and the pool of machines."""
    config.addinivalue_line(
        "markers",
        "lab(machine, last=False, timeout=600, minutes=0): inside an emulated server; see docs/lab.md",
    )
    config.addinivalue_line("markers", "xdist_group(name): known where pytest-xdist is not loaded, too")
    config.stash[SESSIONS] = Pool()
    if not os.environ.get(INSIDE):
        bytecode.keep()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Power off the machine at the end of the tests."""
    if SESSIONS in config.stash:
        config.stash[SESSIONS].close()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark lab tests as slow. Those of one machine follow one another in one worker of xdist.

    Groups that take longest (``minutes``, about) start first, so that no worker is left with one at the end. The
    longest one is a single test: xdist gives its worker another group at once, which then waits for it, so that has to
    be a short one.
    """
    lab = [item for item in items if Wanted(item).marked]
    for item in lab:
        machine = Wanted(item).machine
        item.add_marker("slow")
        if machine is not None:
            item.add_marker(pytest.mark.xdist_group(f"lab-{machine.name}"))
    first: dict[str, int] = {}
    for position, item in enumerate(lab):
        first.setdefault(_group(item), position)
    minutes: dict[str, int] = {}
    for item in lab:
        minutes[_group(item)] = max(minutes.get(_group(item), 0), Wanted(item).minutes)
    others = [item for item in items if not Wanted(item).marked]

    def order_of(item: pytest.Item) -> tuple[int, int, bool]:
        return -minutes[_group(item)], first[_group(item)], Wanted(item).last

    groups = {group: list(tests) for group, tests in groupby(sorted(lab, key=order_of), key=_group)}
    order = list(groups)
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if len(order) > workers:
        order.insert(workers, order.pop())
    items[:] = [*others, *chain.from_iterable(groups[group] for group in order)]


def _group(item: pytest.Item) -> str:
    """The group of tests that share a boot. A test on the host without one is a separate group."""
    named = item.get_closest_marker("xdist_group")
    return item.nodeid if named is None else str(named.args[0])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Have the machine run the test, and log its reports. They look as if they had been made here."""
    wanted = Wanted(item)
    if wanted.machine is None or os.environ.get(INSIDE):
        return None
    pool = item.config.stash[SESSIONS]
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports(pool, item, nextitem, wanted):
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _reports(
    pool: Pool, item: pytest.Item, nextitem: pytest.Item | None, wanted: Wanted
) -> Iterator[pytest.TestReport | pytest.CollectReport]:
    """The machine's reports, or one with the reason why there are none."""
    follows = None
    if nextitem is not None and not wanted.last:
        follows = name_inside(nextitem) if Wanted(nextitem).machine == wanted.machine else None
    try:
        session = pool.take(wanted, item.session.items)
        for data in session.run(name_inside(item), follows, wanted.timeout):
            local = {**data, "nodeid": item.nodeid}
            yield item.config.hook.pytest_report_from_serializable(config=item.config, data=local)
    except LabError as error:
        pool.close()
        yield pytest.TestReport(
            item.nodeid, item.location, dict.fromkeys(item.keywords, 1), "failed", str(error), "call"
        )


@pytest.fixture
def lab_machine() -> Iterator[Callable[[Machine], Guest]]:
    """Boot a machine with new drives for a test on the host. It ends with the test."""
    guests: list[Guest] = []

    def boot(machine: Machine) -> Guest:
        guests.append(Guest(machine))
        return guests[-1].boot()

    yield boot
    for guest in guests:
        guest.close()
