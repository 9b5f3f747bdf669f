"""Options and fixtures of the whole suite."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.session import INSIDE
from tests.support.commands_run import Log, forbidden, logged
from tests.support.temporary import keep_in_memory

if not os.environ.get(INSIDE):  # a machine of the lab has no test that needs these, and takes seconds to import them
    from hypothesis import HealthCheck, settings

    from tests.support.command_line import Raidctl, command_line

    # The time of an example is a property of the machine, not of what has to hold. The examples are
    # the same in every run, so that two runs of one checkout agree; python -m tests.fuzz looks for new ones.
    settings.register_profile(
        "untimed", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("untimed")

# A shell without job control starts what runs in the background with these ignored, and that is inherited: what the
# tests start would not hear of a Ctrl-C.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

_LONG = 200
"""Characters of a text in the name of a test."""

pytest_plugins = ["tests.lab.plugin"]

if not os.environ.get(INSIDE):
    keep_in_memory()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-expected`` rewrites what the recorded machines are expected to give. Review the difference by eye."""
    parser.addoption("--update-expected", action="store_true", help="rewrite fixtures/*/expected")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a long text by its length. Each worker of xdist sends all names, and the name of a test five times more."""
    return f"{argname} of {len(val)}" if isinstance(val, (str, bytes)) and len(val) > _LONG else None


def pytest_collection_finish() -> None:
    """Leave the collected tests, some 100 MB, out of later garbage searches."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure() -> None:
    """Have everything collected at the end. DuckDB reports on standard error what is not."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()  # pytest searches several times more


@pytest.fixture
def raidctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Raidctl:
    """Run a command line in this process, with an empty state directory."""
    monkeypatch.setenv("COLUMNS", "80")
    return command_line("--state-dir", tmp_path / "state")


@pytest.fixture
def update_expected(request: pytest.FixtureRequest) -> bool:
    """Whether to rewrite the expected inventories."""
    return bool(request.config.getoption("--update-expected"))


@pytest.fixture(scope="session", autouse=True)
def locks_of_changes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give each process of the suite separate locks of changes. All simulated controllers look the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAIDCTL_LOCKS", str(tmp_path_factory.mktemp("locks") / "changes"))
        yield


@pytest.fixture(autouse=True)
def no_command_is_forced(commands_run: Log) -> Iterator[None]:
    """Check that no test has a forbidden command run.

    It would skip a tool's own checks, or be a deed outside the tables of commands.
    """
    commands_run.clear()
    yield
    assert forbidden(commands_run) == []


@pytest.fixture(scope="session")
def commands_run() -> Iterator[Log]:
    """The commands of all changes in this process."""
    with logged() as log:
        yield log


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Have no garbage looked for. What the handler of a signal raises meanwhile is lost to Python.

    Libraries have themselves called then (hypothesis does), and it is their code that it ends.
    """
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def signals_as_they_were() -> Iterator[None]:
    """Fail a test that leaves its signals changed.

    They would disturb a later one in the same process. Only the handlers that the command line installs for the life of
    its process are restored, as this process continues.
    """
    previous = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)}
    before = _answers()
    yield
    for number, handler in previous.items():
        signal.signal(number, handler)
    assert _answers() == before


def _answers() -> tuple[object, ...]:
    """How this process answers what interrupts it, and what it holds back."""
    answered = (signal.SIGINT, signal.SIGQUIT, signal.SIGALRM)
    return *map(signal.getsignal, answered), signal.pthread_sigmask(signal.SIG_BLOCK, ())
