"""A controller that requires its password first.

It is entered in the tool's session, and is in no command line or journal.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest

from raidctl.change import passwords
from raidctl.change.indicator import ON
from raidctl.change.journal import Journal
from raidctl.change.passwords import password, request_of, without_password
from raidctl.cli.shared.locate_leds import desired_state, led_machine, leds_on
from raidctl.cli.shared.machine import Machine
from raidctl.cli.shared.plan_change import AGREED, work_on
from raidctl.errors import AccessMissing, RaidctlError
from raidctl.request import Run, RunAnswer
from raidctl.vendor.plan import Action, Session
from tests.locate.locate_machines import VENDORS, simulated

WORD = "s3cret-Word"
ACTION = Action(
    argv=("cli64", "disk", "identify", "drv=8"), lock="areca", timeout=60.0,
    session=Session(name="areca", enter="set password={}", leave="exit"),
)  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where passwords are kept, and no variable of this machine."""
    monkeypatch.setattr(passwords, "FOLDER", tmp_path)
    for name in ("RAIDCTL_ARECA_PASSWORD", "RAIDCTL_ARECA_PASSWORD_FILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def keep(path: Path, text: str = f"{WORD}\n", mode: int = 0o600) -> Path:
    """A file with a password."""
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_password_is_on_the_standard_input_alone(folder: Path) -> None:
    """Without one, the command is run unchanged. With one, its words follow the password as lines of the session."""
    assert request_of(ACTION) == ACTION.request()
    keep(folder / "areca-password")
    asked = request_of(ACTION)
    assert isinstance(asked, Run)
    assert (asked.argv, asked.lock, asked.changes) == (("cli64",), "areca", True)
    assert asked.feed == f"set password={WORD}\ndisk identify drv=8\nexit\n".encode()
    assert WORD not in str(ACTION) + msgspec.json.encode(ACTION).decode()
    echoed = RunAnswer(code=0, out=f"CLI> set password={WORD}\nGuiErrMsg<0x00>: Success.\n".encode())
    assert WORD.encode() not in without_password(ACTION, echoed).out
    plain = Action(argv=("cli64", "disk", "info"))
    assert request_of(plain) == plain.request()


def test_where_it_comes_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The password comes from three sources in order.

    A variable, the file that a variable names, and the file for all are tried. A file that others can read is refused.
    """
    assert password("areca") is None
    keep(folder / "areca-password", "of-all\n")
    assert password("areca") == "of-all"
    monkeypatch.setenv("RAIDCTL_ARECA_PASSWORD_FILE", str(keep(folder / "own", "of-file\n")))
    assert password("areca") == "of-file"
    monkeypatch.setenv("RAIDCTL_ARECA_PASSWORD", "of-variable")
    assert password("areca") == "of-variable"
    for word in ("", "two words", "a\nb", "x" * 65):
        monkeypatch.setenv("RAIDCTL_ARECA_PASSWORD", word)
        with pytest.raises(AccessMissing, match="RAIDCTL_ARECA_PASSWORD"):
            password("areca")
    monkeypatch.delenv("RAIDCTL_ARECA_PASSWORD")
    for mode in (0o640, 0o604, 0o666):
        keep(folder / "own", mode=mode)
        with pytest.raises(AccessMissing, match="chmod 600"):
            password("areca")
    (folder / "own").unlink()
    with pytest.raises(AccessMissing, match="does not exist"):
        password("areca")


@pytest.mark.parametrize(("given", "lit"), [(WORD, True), (None, False), ("wrong", False)])
def test_a_controller_that_wants_it_first_blinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str | None, lit: bool
) -> None:
    """With the right password the drive blinks.

    The journal does not have the word. Without it, the refusal is reported.
    """
    if given is not None:
        monkeypatch.setenv("RAIDCTL_ARECA_PASSWORD", given)
    machine = simulated("areca-arc1882-degraded", tmp_path / "machine")
    machine.keep({**machine.state(), "areca password": WORD})
    named = Machine(machine, VENDORS, "demo:areca")
    found = leds_on(named, named.survey(), ["E2:S4"], 60.0)
    work = work_on(led_machine(named, found.indicators), tmp_path, desired_state(found.indicators, ON), AGREED)
    change = work.change(work.begin("locate", "locate"), lambda _: None)
    with nullcontext() if lit else pytest.raises(RaidctlError, match=r"(?i)password"):
        change.apply()
    assert (machine.state()["led areca drv=8"] == "on") == lit
    assert WORD not in Journal(tmp_path).path.read_text()
