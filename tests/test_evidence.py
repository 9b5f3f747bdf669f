"""Lines of an output, and which of them were read."""

from __future__ import annotations

from raidctl.evidence import Output, mark_read


def test_an_output_accounts_for_each_line() -> None:
    """A line that is neither a fact, a note nor blank is unparsed."""
    output = Output.of_text("tool", "Title\r\n\n  Size: 4 GB\n  Odd: 1\n")
    mark_read(output.lines[0])
    output.lines[2].fact("x:1", "size_bytes", 4)
    assert [line.text for line in output.unparsed()] == ["  Odd: 1"]
    assert output.lines[2].indent == 2
    assert output.facts[0].line.number == 3


def test_a_json_output_has_a_line_for_each_leaf() -> None:
    """Leaves are found by their path; empty containers count as leaves."""
    output = Output.of_json("tool", {"a": {"b": [1, {"c": "x: y"}]}, "e": []})
    assert [line.text for line in output.lines] == ["a.b[0]: 1", 'a.b[1].c: "x: y"', "e: []"]
    leaf = output.leaf("a.b[1].c")
    assert leaf is not None
    assert leaf.number == 2
    assert output.leaf("nothing") is None
