"""Tables fit their width."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from raidctl.output.console import Display, broken, hanging, pack
from raidctl.output.table import Column, cells, fit, nonempty, table

WIDTHS = st.integers(1, 200)


@settings(deadline=None)
@given(st.lists(st.tuples(WIDTHS, WIDTHS, WIDTHS), min_size=1, max_size=12), st.integers(40, 250))
def test_widths_never_need_more_than_there_is(columns: list[tuple[int, int, int]], room: int) -> None:
    """Widths never need more than there is, and are never nothing. Where there is room, columns get what they need."""
    naturals = [natural for natural, _, _ in columns]
    steps = [(natural, min(first, natural), min(second, first, natural)) for natural, first, second in columns]
    widths = fit(naturals, steps, room)
    assert sum(widths) <= room
    assert all(1 <= width <= natural for width, natural in zip(widths, naturals, strict=True))
    assert widths == naturals or sum(naturals) > room


def test_what_may_fold_folds_before_what_may_not() -> None:
    """A long model gives way, the id beside it stays whole."""
    assert fit([20, 40], [(20, 20, 20), (10, 10, 5)], 40) == [20, 20]


def test_the_longest_word_stays_whole_while_another_column_can_still_give() -> None:
    """Folding between words comes before folding within one."""
    columns = [Column("model", cells(["ACME ULTRADRIVE-3000-X"]), 5), Column("text", cells(["word " * 20]), 5)]
    rendered = Display(width=60).render([table(columns, Display(width=60))])
    assert "ULTRADRIVE-3000-X" in rendered


NAMES = st.text("abcdefgh-0123456789", min_size=1, max_size=20)


@settings(deadline=None)
@given(st.lists(st.lists(st.lists(NAMES, min_size=1, max_size=3), min_size=7, max_size=7), min_size=1, max_size=4))
def test_no_word_is_broken_where_each_fits_on_a_line(rows: list[list[list[str]]]) -> None:
    """No word is broken where each fits on a line.

    In 80 columns, with paths and ids, a column without room is below its row.
    """
    texts = [
        [" ".join(f"/srv/{word}" if number % 3 else word for word in cell) for number, cell in enumerate(row)]
        for row in rows
    ]
    columns = [
        Column(f"c{number}", cells(column), least=(0, 4, 8)[number % 3])
        for number, column in enumerate(zip(*texts, strict=True))
    ]
    rendered = Display(width=80).render([table(columns, Display(width=80))])
    assert max(map(len, rendered.splitlines())) <= 80
    words = rendered.split()
    assert sorted(word for word in words if word not in {f"c{n}" for n in range(7)}) == sorted(
        word for row in texts for cell in row for word in cell.split() if word not in {f"c{n}" for n in range(7)}
    )


def test_an_optional_column_is_shown_only_where_it_fits() -> None:
    """An optional column never makes another column fold."""
    columns = [Column("a", cells(["x" * 50])), Column("b", cells(["y" * 20]), optional=True)]
    assert "y" not in Display(width=60).render([table(columns, Display(width=60))])
    assert "y" in Display(width=90).render([table(columns, Display(width=90))])


def test_columns_without_a_value_are_left_out() -> None:
    """A column without a known value is left out."""
    assert [c.title for c in nonempty([Column("a", cells(["?", ""])), None, Column("b", cells(["?", "1"]))])] == ["b"]


def test_wide_characters_count_as_two() -> None:
    """A Japanese model name does not make the screen too wide."""
    rendered = Display(width=60).render([table([Column("m", cells(["磁気ディスク装置" * 10]), 5)], Display(width=60))])
    assert max(map(cell_len, rendered.split("\n"))) <= 60


@settings(deadline=None)
@given(st.lists(st.text("abc ", min_size=1, max_size=30), max_size=12), st.integers(10, 60))
def test_facts_in_a_row_break_between_facts(pieces: list[str], room: int) -> None:
    """A line ends with a fact, not with a separator. No fact is lost."""
    lines = pack(pieces, room, " · ").plain.split("\n")
    assert [part for text in lines for part in text.split(" · ")] == (pieces or [""])
    assert all(len(text) <= room or " · " not in text for text in lines)


def test_a_long_path_is_broken_behind_a_slash() -> None:
    """A mount point that does not fit stays readable. No name in it is torn apart, and nothing is lost."""
    path = "/srv/customers/northwind/databases/warehouse"
    columns = [Column("volume", cells(["example:1/v1"])), Column("mounted", cells([f"{path}, /home"]), 10)]
    rendered = Display(width=60).render([table(columns, Display(width=60), indent=20)])
    rows = [row.removeprefix(" " * 20)[14:] for row in rendered.splitlines()[1:]]
    assert rows == ["/srv/customers/northwind/", "databases/warehouse, /home"]


def test_a_long_path_among_facts_is_broken_behind_a_slash() -> None:
    """A row of a drive's long mount points also breaks behind slashes."""
    rendered = pack(["/dev/sda on /srv/customers/northwind", "/dev/sdb on /"], 20, ", ").plain
    assert rendered == "/dev/sda on /srv/\ncustomers/northwind\n/dev/sdb on /"


@given(st.text(alphabet="ab/ ,.:=\u4e00", max_size=60), st.integers(1, 30))
def test_breaking_adds_line_ends_and_nothing_else(text: str, width: int) -> None:
    """Each break follows a separator or replaces a blank. Lines are as long as permitted."""
    rendered = broken(text, width)
    assert "".join(rendered.split()) == "".join(text.split())
    rows = rendered.split("\n")
    if rendered != text:
        assert all(cell_len(row) <= width or not re.search(r"[/,.:=]", row[:-1].strip("/")) for row in rows)


def test_a_long_list_and_a_long_place_are_broken_between_their_names() -> None:
    """A line ends after the comma of a field; within a place that is still too long, after a full stop."""
    assert broken("-o lv_size,sync_percent,devices", 16) == "-o lv_size,\nsync_percent,\ndevices"
    assert broken("controllers[0].volumes[0].cache", 20) == "controllers[0].\nvolumes[0].cache"


def test_an_id_that_fits_below_its_label_is_not_broken() -> None:
    """Behind a long label, a word that does not fit begins on the next line instead of being cut into pieces."""
    rendered = Display(width=44).render(
        [hanging("redfish:RAID.Integrated.1-1/aDisk  ", ["redfish:RAID.1-1/vDisk"], Display(width=44))]
    )
    assert rendered.splitlines() == ["redfish:RAID.Integrated.1-1/aDisk", "  redfish:RAID.1-1/vDisk"]


def test_what_cannot_be_broken_is_left_to_the_screen() -> None:
    """A word without a separator, or a path that fits, is not changed."""
    assert broken("averyveryverylongword and /a/b", 10) == "averyveryverylongword and /a/b"
    assert broken("/a/b", 10) == "/a/b"
