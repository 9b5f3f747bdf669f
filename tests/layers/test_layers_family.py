"""Plans for the kernel's own caches."""

from __future__ import annotations

from raidctl.host import BlockDevice, HostView
from raidctl.layers import family
from raidctl.layers.family import change
from raidctl.model import Controller
from raidctl.request import Failure, converse
from raidctl.vendor.plan import Desired, Plan, Setting
from tests.layers.written import VM, runner

BCACHE = {
    "/sys/class/block/bcache0/bcache/state": "dirty\n",
    "/sys/class/block/bcache0/bcache/cache_mode": "writethrough [writeback] writearound none\n",
    "/sys/class/block/bcache0/bcache/writeback_percent": "10\n",
}
VIEW = HostView(blocks=(BlockDevice("bcache0", "/dev/bcache0", "other"),))


def machine(files: dict[str, str | Failure]) -> Controller:
    """The kernel of a machine with these files."""
    [controller] = converse(family.observe(VIEW), runner(files)).controllers
    return controller


def planned(files: dict[str, str | Failure], *requested: tuple[str, Setting, str]) -> Plan:
    """The plan for desired settings on such a machine."""
    desired = [Desired(object_id=name, setting=setting, value=value) for name, setting, value in requested]
    return change.plan(machine(files), desired, ())


def test_what_undoes_bytes_is_the_percentage_that_was_there() -> None:
    """The undo of bytes writes the previous percentage.

    Setting the one makes the other 0, so the other one has to be written.
    """
    [step] = planned({**VM}, ("kernel:vm", "dirty_limit", "400000000 bytes")).steps
    assert (step.action.path, step.action.data) == ("/proc/sys/vm/dirty_bytes", "400000000")
    assert (step.undo.path, step.undo.data) == ("/proc/sys/vm/dirty_ratio", "20")
    assert step.persistent is False


def test_what_undoes_a_percentage_is_the_bytes_that_were_there() -> None:
    """The undo of a percentage is the old value in bytes. The kernel sets the other limit to 0."""
    files = VM | {"/proc/sys/vm/dirty_bytes": "99999744\n", "/proc/sys/vm/dirty_ratio": "0\n"}
    [step] = planned({**files}, ("kernel:vm", "dirty_limit", "30 percent")).steps
    assert (step.undo.path, step.undo.data) == ("/proc/sys/vm/dirty_bytes", "99999744")


def test_a_state_that_cannot_come_back_is_not_left() -> None:
    """A state with both limits 0 is not left. The kernel has no way back to it once bytes are set."""
    plan = planned({**VM, "/proc/sys/vm/dirty_ratio": "0\n"}, ("kernel:vm", "dirty_limit", "400000000 bytes"))
    assert (plan.steps, plan.refusals[0].kind) == ((), "unknown")


def test_a_value_that_cannot_be_read_is_not_changed() -> None:
    """A value that was not read could not be restored."""
    plan = planned({**VM, "/proc/sys/vm/dirty_ratio": Failure.DENIED}, ("kernel:vm", "dirty_limit", "30 percent"))
    assert (plan.steps, plan.refusals[0].kind) == ((), "unknown")


def test_what_the_kernel_silently_ignores_is_refused() -> None:
    """A limit below two pages is refused, and so is a start value that is not below the limit."""
    tiny = planned({**VM}, ("kernel:vm", "dirty_limit", "4096 bytes"))
    above = planned({**VM}, ("kernel:vm", "dirty_background_limit", "20 percent"))
    assert not tiny.steps + above.steps
    assert "silently" in above.refusals[0].reason


def test_both_limits_are_judged_together() -> None:
    """The desired value of one is used to judge the other."""
    plan = planned(
        {**VM}, ("kernel:vm", "dirty_background_limit", "20 percent"), ("kernel:vm", "dirty_limit", "40 percent")
    )
    assert (len(plan.steps), plan.refusals) == (2, ())


def test_a_setting_that_has_the_value_already_needs_no_step() -> None:
    """A limit that is equal in another unit needs no step."""
    plan = planned({**VM}, ("kernel:vm", "dirty_limit", "20 percent"), ("kernel:vm", "dirty_expire", "3000"))
    assert (plan.steps, len(plan.already)) == ((), 2)


def test_a_cache_mode_is_written_as_a_word_and_goes_first() -> None:
    """It is kept in the superblock; the percentage is not."""
    plan = planned(
        VM | BCACHE, ("kernel:bcache0", "writeback_percent", "0"), ("kernel:bcache0", "cache_mode", "writethrough")
    )
    assert [(step.setting, step.before, step.persistent) for step in plan.steps] == [
        ("cache_mode", "writeback", True),
        ("writeback_percent", "10", False),
    ]


def test_a_setting_that_a_cache_does_not_have_is_unsupported() -> None:
    """The page cache has no cache mode, bcache no dirty limit."""
    plan = planned(
        VM | BCACHE, ("kernel:vm", "cache_mode", "writethrough"), ("kernel:bcache0", "dirty_limit", "5 percent")
    )
    assert [refusal.kind for refusal in plan.refusals] == ["unsupported", "unsupported"]


def test_the_end_of_periodic_writing_is_reported() -> None:
    """The kernel takes 0 centiseconds as never."""
    [step] = planned({**VM}, ("kernel:vm", "dirty_writeback", "0")).steps
    assert any("no longer writes" in sentence for sentence in step.affects)
