"""Contract files of ``verify`` and ``report``."""

from __future__ import annotations

from raidctl.cli.shared import files
from raidctl.cli.shared.target_path import path_of
from raidctl.text import printable
from raidctl.verify.contract import Contract, judged, read_contract
from raidctl.verify.report import Verification
from raidctl.verify.subjects import CheckedMachine


def contract_of(file: str) -> Contract:
    """Return the contract in a file.

    Raises:
        CannotTell: It cannot be read.
        MistakesError: It has mistakes.
    """
    return read_contract(file, files.read(file, printable(file), "a contract"))


def judged_by(machine: CheckedMachine, contract: Contract) -> Verification:
    """Check all claims of a contract."""
    return judged(machine, contract, lambda word: path_of(word, machine))
