"""The scorer of signatures. It decides which claim a text gets, and which command is named."""

from __future__ import annotations

from raidctl.vendor.protocol import Confidence, Sniffed
from raidctl.vendor.recognise import Recogniser, Signature, surest

PLUMS = Recogniser(
    "show",
    (
        Signature("plum show all", parts=("plum show", "plum drives")),
        Signature("plum show", (r"Plum controller \d",)),
        Signature("plum drives", (r"Drives$",), ("ripeness", "stone", "skin"), confidence=None),
        Signature("plum test", (r"ok$",), confidence=Confidence.POSSIBLE, every_line=True),
        Signature("plum json", json_keys=("plum", "stone"), kind="json"),
    ),
    tool="plum(?:64)?",
)


def test_texts_get_the_claim_that_they_deserve() -> None:
    """A line that only the tool prints makes it sure.

    Two labels make it likely. A title alone, or one label, is not a claim.
    """
    expected = {
        "Plum controller 1\n": (Confidence.SURE, "plum show"),
        "  Plum controller 1\r\n\r\nDrives\n": (Confidence.SURE, "plum show all"),
        "Ripeness : 1\nStone: 2\nSkin   : 3\n": (Confidence.SURE, "plum drives"),
        "Drives\nRipeness : 1\nStone: 2\n": (Confidence.LIKELY, "plum drives"),
        "ok\n\nok\n": (Confidence.POSSIBLE, "plum test"),
        "ok\nno\n": None,
        "Drives\nStone : 1\n": None,
        "": None,
    }
    for text, claim in expected.items():
        found = PLUMS.sniff("x", text)
        assert (found and (found.confidence, found.command)) == claim, text


def test_a_line_far_down_is_not_sure() -> None:
    """A mail or a log may quote such a line."""
    found = PLUMS.sniff("x", "words\n" * 1000 + "Plum controller 1\n")
    assert found is not None
    assert found.confidence is Confidence.LIKELY


def test_the_name_is_only_a_hint() -> None:
    """A file name makes a claim only of what fits the table."""
    found = PLUMS.sniff("plum64_show.txt", "Drives\n")
    assert found is not None
    assert found.confidence is Confidence.LIKELY
    assert PLUMS.sniff("plum64_show.txt", "words\n") is None


def test_json_is_claimed_by_its_keys_alone() -> None:
    """The labels of a text in it do not count."""
    assert PLUMS.sniff("x", '{"plum": 1, "stone": 2}') == Sniffed("json", Confidence.SURE, "plum json")
    assert PLUMS.sniff("x", '{"plum": "\nPlum controller 1\n"}') is None


def test_of_several_claims_the_surest_counts() -> None:
    """The surest claim counts; of equal ones, the first."""
    one, other = (Sniffed(kind, Confidence.LIKELY, "c") for kind in "ab")
    assert surest((None, one, other)) is one
    assert surest((one, Sniffed("c", Confidence.SURE, "c"))) == Sniffed("c", Confidence.SURE, "c")
    assert surest((None,)) is None
