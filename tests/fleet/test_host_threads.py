"""Requests to many hosts. Each host is queried once, an unreachable one again, and requests can end at any time."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.errors import EXIT_CANNOT_TELL, EXIT_UNREACHABLE, CannotTell, UnreachableError
from raidctl.fleet.host_threads import Closeable, HostThreads
from raidctl.fleet.hosts import Host
from raidctl.fleet.report import HostAnswer, combined, report


def hosts(number: int) -> list[Host]:
    """Hosts with different names."""
    return [Host(f"h{index}", f"h{index}") for index in range(number)]


@given(st.lists(st.integers(0, 4), max_size=12), st.integers(1, 5), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_each_host_has_one_outcome(faults: list[int], jobs: int, retries: int) -> None:
    """Each host has one outcome, however often it fails. The first try that succeeds gives the value."""
    left = Counter({f"h{index}": fault for index, fault in enumerate(faults)})
    guard = threading.Lock()

    def work(host: Host, _: Callable[[Closeable], None]) -> str:
        with guard:
            left[host.name] -= 1
            if left[host.name] >= 0:
                raise UnreachableError("refused", passing=True)
        return host.name

    found = {
        one.host.name: one
        for one in HostThreads(hosts(len(faults)), work, jobs=jobs, retries=retries, pause=0).outcomes()
    }
    assert len(found) == len(faults)
    for index, fault in enumerate(faults):
        one = found[f"h{index}"]
        assert one.tries == min(fault, retries) + 1
        assert (one.value is not None) == (fault <= retries) == (one.error is None)


def test_what_will_not_pass_is_tried_once() -> None:
    """Waiting does not help with a changed key or a refused login. A bug is a failure of its host alone."""
    calls: Counter[str] = Counter()

    def work(host: Host, _: Callable[[Closeable], None]) -> str:
        calls[host.name] += 1
        if host.name == "h0":
            raise UnreachableError("its host key has changed")
        if host.name == "h1":
            raise CannotTell("unread")
        if host.name == "h2":
            raise ZeroDivisionError
        return "fine"

    some = [*hosts(4), Host("local", "local", refused="It is not reached over ssh.")]
    found = {one.host.name: one for one in HostThreads(some, work, jobs=2, retries=3, pause=0).outcomes()}
    assert calls == {"h0": 1, "h1": 1, "h2": 1, "h3": 1}
    assert {name: one.error.exit_code for name, one in found.items() if one.error} == {
        "h0": 8, "h1": 3, "h2": 3, "local": 2,
    }  # fmt: skip
    assert "ZeroDivisionError" in str(found["h2"].error)


class Held:
    """Something that runs until it is closed."""

    def __init__(self) -> None:
        self.closed = threading.Event()

    def close(self) -> None:
        """End it."""
        self.closed.set()


def test_an_end_in_the_middle_closes_what_runs() -> None:
    """An early exit waits for nothing; no host is started afterwards."""
    held, begun = Held(), []

    def work(host: Host, hold: Callable[[Closeable], None]) -> str:
        begun.append(host.name)
        if host.name == "h0":
            hold(held)
            held.closed.wait(60)
            raise UnreachableError("ended", passing=True)
        return host.name

    found = HostThreads(hosts(30), work, jobs=2).outcomes()
    assert next(found).host.name != "h0"
    found.close()
    assert held.closed.is_set()
    assert begun.count("h0") == 1


def test_the_worst_exit_code_of_the_hosts_decides() -> None:
    """Findings come before unreachable hosts, and those before incomplete readings. 0 is every host's 0."""
    assert [combined(codes) for codes in ([], [0, 0], [0, 4], [4, 3, 0], [3, 8], [8, 1, 2], [2, 0], [5])] == [
        0, 0, 4, 3, 8, 1, 2, 3,
    ]  # fmt: skip
    assert [code for code in range(1, 256) if combined([0, code]) == 0] == []
    answer = HostAnswer(host="a", exit_code=EXIT_UNREACHABLE, state="unreachable", error="refused")
    assert report("show", [answer], 1).exit_code == EXIT_UNREACHABLE
    whole = report("show", [answer], 3)
    assert (whole.exit_code, whole.summary.not_asked, whole.summary.unreachable) == (130, 2, 1)
    assert combined([EXIT_CANNOT_TELL]) == EXIT_CANNOT_TELL
