"""Write the chosen drives into a layout file. Their identifiers do not depend on their bays. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raidctl.layout.plan import Creation
from raidctl.layout.specification import Counted
from raidctl.text import regex
from raidctl.toml_files.lines import locate
from raidctl.toml_files.write import toml_value

# drives = { count = 8, media = "hdd" }  # a comment
_LINE = regex(r"(?P<head>\s*(?:drives|spares)\s*=\s*)(?:\{[^{}]*\}|\d{1,4})(?P<tail>\s*(?:#.*)?)")


class CannotPin(Exception):
    """The file has another form; the message is one sentence."""


def pinned(text: str, names: Mapping[int, tuple[Sequence[str], Sequence[str]]], creations: Sequence[Creation]) -> str:
    """The text of a TOML layout with these volumes' drives filled in. All else is unchanged.

    Args:
        text: The file.
        names: Drives and spares by the line of the volume.
        creations: The volumes.

    Raises:
        CannotPin: The drives are not on one line of the file.
    """
    lines = text.splitlines(keepends=True)
    places = locate(text.replace("\r\n", "\n"))
    numbers = {line: path[1] for path, line in places.items() if path[:1] == ("volume",) and len(path) == 2}
    for one in creations:
        drives, spares = names[one.wanted.line]
        wanted = [("drives", drives)] if isinstance(one.wanted.drives, Counted) else []
        wanted += [("spares", spares)] if isinstance(one.wanted.spares, int) and spares else []
        for key, found in wanted:
            line = places.get(("volume", numbers.get(one.wanted.line, -1), key))
            match = _LINE.fullmatch(lines[line - 1].rstrip("\r\n")) if line is not None else None
            if match is None or line is None:
                raise CannotPin(f'"{key}" of {one.wanted.label} is not on one line of the file.')
            end = lines[line - 1][len(lines[line - 1].rstrip("\r\n")) :]
            value = f"[{', '.join(toml_value(name) for name in found)}]"
            lines[line - 1] = f"{match['head']}{value}{match['tail']}{end}"
    return "".join(lines)
