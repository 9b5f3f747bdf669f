"""A contract: what was promised, as TOML. Its claims are those of ``raidctl verify``. Pure.

::

    contract = 1
    provider = "Example Hosting"

    [every_volume]
    battery = true

    [[volume]]
    target = "/srv/db"
    raid_level = "raid6"
    drives = 8
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidctl.errors import RaidctlError, UsageError
from raidctl.text import regex
from raidctl.toml_files.mistakes import Fault, MistakesError, Place, hint
from raidctl.toml_files.read import read_toml
from raidctl.verify import wanted
from raidctl.verify.judge import join, verify, why_not_applicable
from raidctl.verify.report import Answer, ClaimName, Skipped, Verification
from raidctl.verify.subjects import CheckedMachine, Subject, named, whole
from raidctl.verify.wanted import Claim

_TEXTS = ("provider", "reference")
_TOP = ("contract", *_TEXTS, "every_volume", "volume")
_OPTION = regex(r"^--[a-z-]+: ")


@dataclass(frozen=True)
class Section:
    """The claims about one volume, or about every volume."""

    target: str | None
    """As for ``raidctl verify``; None: every volume."""
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Contract:
    """What was promised."""

    file: str
    sections: tuple[Section, ...]
    provider: str | None = None
    reference: str | None = None

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets of all sections."""
        return tuple(section.target for section in self.sections if section.target is not None)


def read_contract(path: str, data: bytes) -> Contract:
    """Read a contract.

    Raises:
        MistakesError: It has mistakes; the message lists all of them, each with its line.
    """
    faults: list[Fault] = []
    read = read_toml(path, data, faults)
    found = _contract(path, *read) if read is not None else None
    if faults or found is None:
        raise MistakesError(faults)
    return found


def _contract(path: str, table: Mapping[str, Any], place: Place) -> Contract:
    for key in table:
        if key not in _TOP:
            also = [*_TOP, *wanted.NAMES]
            meant = "write claims below [every_volume] or [[volume]]." if _name(key) else hint(key, also)
            place.at(key).wrong(f'"{key}" is unknown here; {meant}')
    if type(table.get("contract")) is not int or table["contract"] != 1:
        place.at("contract").wrong('a contract begins with "contract = 1", the version of this format.')
    texts = {key: _text(table[key], place.at(key)) for key in _TEXTS if key in table}
    sections = list(_sections(table, place))
    if not sections and not place.faults:
        place.wrong("nothing is promised; write claims below [every_volume] or [[volume]].")
    return Contract(path, tuple(sections), texts.get("provider"), texts.get("reference"))


def _sections(table: Mapping[str, Any], place: Place) -> Iterator[Section]:
    every = table.get("every_volume")
    if every is not None:
        yield Section(None, _claims(every, place.at("every_volume")))
    volumes = table.get("volume", [])
    if not isinstance(volumes, list):
        place.at("volume").wrong("write [[volume]], with two brackets: there may be several.")
        return
    for number, one in enumerate(volumes):
        here = place.at("volume", number)
        target = one.get("target") if isinstance(one, dict) else None
        if target is None:
            here.wrong("target is missing: an id of raidctl show, a device, a mount point or the name of the volume.")
        text = _text(target, here.at("target")) if target is not None else None
        yield Section(text or "", _claims(one, here, "target"))


def _claims(table: object, place: Place, *beside: str) -> tuple[Claim, ...]:
    if not isinstance(table, dict):
        place.wrong("write a table of claims.")
        return ()
    found: dict[ClaimName, Claim] = {}
    for key, value in table.items():
        name = _name(key)
        here = place.at(key)
        if name is None and key not in beside:
            here.wrong(f'there is no claim "{key}"; {hint(key, (*beside, *wanted.NAMES))}')
        elif name in found:
            here.wrong(f'"{key}" is given twice.')
        elif name is not None and (claim := _claim(name, value, here)) is not None:
            found[name] = claim
    if not found and not place.faults:
        place.wrong("nothing is promised here; write at least one claim.")
    return tuple(found[name] for name in wanted.NAMES if name in found)


def _name(key: str) -> ClaimName | None:
    """The claim for a key; an option's dashes are accepted."""
    return next((name for name in wanted.NAMES if name == key.replace("-", "_")), None)


def _claim(name: ClaimName, value: object, place: Place) -> Claim | None:
    if name in wanted.SWITCHES:
        if value is not True:
            place.wrong("this claim has the value true; leave it out if it was not promised.")
            return None
    elif name in wanted.NUMBERS:
        if type(value) is not int:
            place.wrong("a whole number is required here.")
            return None
    elif not _is_text(value) and not (name == "raid_level" and _all_texts(value)):
        place.wrong("a string in quotation marks is required here.")
        return None
    try:
        return wanted.claim(name, value)
    except UsageError as error:
        place.wrong(_OPTION.sub("", str(error)))
        return None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _all_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _text(value: object, place: Place) -> str | None:
    if not _is_text(value):
        place.wrong("a string in quotation marks is required here.")
        return None
    return str(value).strip()


def judged(machine: CheckedMachine, contract: Contract, path_of: Callable[[str], str] = str) -> Verification:
    """The answers to all claims of a contract. A volume that is not found is inconclusive, never skipped.

    ``path_of`` converts a target to its path on the machine.
    """
    parts = [_section(machine, section, path_of) for section in contract.sections]
    return join(machine, parts, contract.file)


def _section(machine: CheckedMachine, section: Section, path_of: Callable[[str], str]) -> Verification:
    left_out: Sequence[str] = ()
    targets = () if section.target is None else (section.target,)
    try:
        if section.target is None:
            subjects, left_out = whole(machine, drives=False)
        else:
            subjects = named(machine, [path_of(section.target)])
    except RaidctlError as error:
        answers = [_unanswered(claim, section.target, str(error)) for claim in section.claims]
        return _report(machine, answers, targets)
    fitting = [
        claim for claim in section.claims if not subjects or not all(why_not_applicable(claim, one) for one in subjects)
    ]
    report = verify(machine, fitting, subjects, targets, left_out)
    answers = [*report.answers, *_claims_without_subject(section.claims, subjects, fitting)]
    return _report(machine, answers, targets, report.skipped, report.left_out)


def _claims_without_subject(
    claims: Sequence[Claim], subjects: Sequence[Subject], fitting: Sequence[Claim]
) -> Iterator[Answer]:
    """Claims that apply to none of the volumes. Nothing shows that they hold."""
    for claim in claims:
        if claim not in fitting:
            for one in subjects:
                yield _unanswered(claim, one.id, f"The claim does not apply to it: {why_not_applicable(claim, one)}.")


def _unanswered(claim: Claim, name: str | None, reason: str) -> Answer:
    test = "Compare the contract with `raidctl show`."
    return Answer(
        claim=claim.name, wanted=claim.wanted, object=name, verdict="inconclusive", reasons=(reason,), next_test=test
    )


def _report(
    machine: CheckedMachine, answers: Sequence[Answer], targets: tuple[str, ...], skipped: tuple[Skipped, ...] = (),
    left_out: tuple[str, ...] = (),
) -> Verification:  # fmt: skip
    return Verification(
        host=machine.inventory.host, targets=targets, verdict="inconclusive", answers=tuple(answers), skipped=skipped,
        left_out=left_out,
    )  # fmt: skip
