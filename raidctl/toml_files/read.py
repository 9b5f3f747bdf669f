"""Read the text of a TOML file. Pure."""

from __future__ import annotations

import codecs
import sys
from typing import Any

from raidctl.toml_files.lines import locate
from raidctl.toml_files.mistakes import Fault, Place

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(path: str, data: bytes, faults: list[Fault]) -> tuple[dict[str, Any], Place] | None:
    """Return the table of a file and its place.

    The place adds to ``faults``. None if invalid; the mistake is then added.
    """
    data = data.removeprefix(codecs.BOM_UTF8)  # written by Windows editors
    try:
        table: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        faults.append(Fault(path, line, "invalid UTF-8, so not TOML."))
    except tomllib.TOMLDecodeError as error:
        message, _, where = str(error).rpartition(" (at ")
        words = where.removesuffix(")").replace(",", "").split()
        last = data.count(b"\n") + 1
        line = int(words[1]) if len(words) > 1 and words[0] == "line" and words[1].isdecimal() else last
        faults.append(Fault(path, line, f"invalid TOML: {message or error}."))
    except RecursionError:
        faults.append(Fault(path, 1, "nested too deeply."))
    else:
        return table, Place(path, locate(data.decode("utf-8").replace("\r\n", "\n")), faults)
    return None
