"""A brief run of the fuzzer over the recorded machines. ``python -m tests.fuzz`` runs it for as long as one likes."""

from __future__ import annotations

import re
import time

import pytest

from tests.fuzz.__main__ import main
from tests.fuzz.case import LARGEST, check, made, minimised
from tests.fuzz.samples import Sample, samples
from tests.support.conclusions import read_text

_SMALL = 20_000


@pytest.mark.parametrize("part", range(4))
def test_no_damage_to_an_output_makes_a_conclusion_wrong(part: int) -> None:
    """Damage to an output makes no conclusion wrong.

    There is no exception, hang or false OK, and nothing looks better because it was cut off.
    """
    found = [sample for sample in samples() if len(sample.text) < _SMALL]
    bad = []
    for number in range(part * 100, part * 100 + 100):
        sample, text, only_cut = made(5, number, found)
        bad += [(number, sample.name, one) for one in check(sample, text, only_cut=only_cut) if one.kind != "time"]
    assert bad == []


def test_levels_of_mdstat_that_go_on_below_a_damaged_line_are_read() -> None:
    """The first line of the list, quoted and misspelt, is not a list. The second one is no reason to fail."""
    text = "> Personalities : [raid1] [linear] [multapath] [raid0] [raid6] Zraid5]\n> [raid4] [raid10]\n"
    assert read_text(text).tracebacks == ()


def test_an_input_depends_on_its_seed_and_number_alone() -> None:
    """The line of a violation is enough to make its input again."""
    found = samples()
    assert made(3, 8, found) == made(3, 8, found)
    assert made(3, 8, found)[1] != made(3, 9, found)[1]


def test_an_input_is_made_smaller_as_long_as_it_fails() -> None:
    """What is left cannot do without any line."""
    text = "".join(f"line {number}\n" for number in range(100))
    assert minimised(text, lambda less: "line 17\n" in less and "line 71\n" in less) == "line 17\nline 71\n"


def test_making_an_input_smaller_ends_on_time() -> None:
    """Minimising ends on time, however slow the input is to read."""
    attempts = []

    def slow(less: str) -> bool:
        attempts.append(less)
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return False

    assert minimised("line\n" * 1000, slow, seconds=0.05) == "line\n" * 1000
    assert len(attempts) <= 3


def test_the_command_ends_on_time(capsys: pytest.CaptureFixture[str]) -> None:
    """A process stops at the first input after the deadline. It does not wait for the end of its batch."""
    assert main(["--minutes", "1e-9", "--inputs", "4", "--jobs", "1"]) == 0
    assert capsys.readouterr().out.startswith("0 inputs ")


def test_glued_outputs_are_no_larger_than_the_limit() -> None:
    """Reading is linear. What a larger input shows, a smaller one shows too."""
    sample = Sample("large", "a line of an output\n" * 10_000)
    assert max(len(made(1, number, [sample])[1]) for number in range(40)) == LARGEST


def test_the_command_counts_its_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    """Its last line has the number of inputs and of violations."""
    assert main(["--inputs", "4", "--jobs", "1", "--seed", "5"]) == 0
    assert re.fullmatch(r"4 inputs in \d+ seconds \(\d+ per second\), 0 violations\n", capsys.readouterr().out)
