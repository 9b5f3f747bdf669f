"""What a truncated output described last, and what depends on that, loses its good state. The rest keeps it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from raidctl.evidence import Output
from raidctl.model import Array, Battery, Cache, Controller, Drive, Volume, VolumeCache
from raidctl.select import items
from raidctl.survey.truncated_outputs import withdraw_unsupported

CACHED = VolumeCache(controller_cache="protected", drive_caches="off", write_protected=True)
WHOLE = Controller(
    id="x:0", status="ok", cache=Cache(status="ok"), batteries=(Battery(id="x:0/battery0", status="ok"),),
    arrays=tuple(Array(id=f"x:0/a{number}", status="ok", drives=(f"x:0/d{number}",)) for number in range(2)),
    volumes=tuple(
        Volume(id=f"x:0/v{number}", array=f"x:0/a{number}", status="ok", failures_tolerated=1, cache=CACHED)
        for number in range(2)
    ),
    drives=tuple(Drive(id=f"x:0/d{number}", status="ok", serial=f"S{number}") for number in range(2)),
)  # fmt: skip
PARTS = [item.id for item in items(WHOLE)]


def _cut_after(name: str) -> Controller:
    """The controller of an output that describes all objects, this one last, and then breaks off."""
    names = [*(one for one in PARTS if one != name), name]
    output = Output.of_text("tool", "\n".join(names))
    for one, line in zip(names, output.lines, strict=True):
        output.record(one, [(line, "status", "ok")])
    output.gap = "its last table has no end"
    [found] = withdraw_unsupported([WHOLE], [output], ())
    return found


def _good(controller: Controller) -> Iterator[str]:
    """Good conclusions: the ids of objects that are "ok", and what protects the writes of volumes."""
    yield from (one.id for one in items(controller) if one.status == "ok")
    yield from ["cache"] * (controller.cache is not None and controller.cache.status == "ok")
    for volume in controller.volumes:
        cache = volume.cache
        assert cache is not None
        yield from [f"{volume.id} protected"] * bool(
            cache.write_protected or cache.controller_cache == "protected" or cache.drive_caches == "off"
        )
        yield from [f"{volume.id} redundant"] * bool(volume.failures_tolerated)


@pytest.mark.parametrize("name", PARTS)
def test_what_depends_on_the_object_that_was_described_last_is_unknown(name: str) -> None:
    """A controller and a battery protect the writes of all volumes, a drive and an array those of their volume.

    Any volume may have further members that have failed.
    """
    number = name[-1]
    lost = {name, "x:0/v0 redundant", "x:0/v1 redundant"}
    if name == "x:0":
        lost |= {"cache"}
    if name in ("x:0", "x:0/battery0"):
        lost |= {"x:0/v0 protected", "x:0/v1 protected"}
    else:
        lost |= {f"x:0/a{number}", f"x:0/v{number}", f"x:0/v{number} protected"}
    if name[-2] in "av":  # the lines of an array and a volume describe its members, too
        lost |= {f"x:0/d{number}"}
    assert set(_good(WHOLE)) - set(_good(_cut_after(name))) == lost
    assert set(_good(_cut_after(name))) <= set(_good(WHOLE))


def test_a_bad_state_stays() -> None:
    """A known bad state does not become unknown."""
    bad = replace(WHOLE, status="critical", drives=tuple(replace(one, status="critical") for one in WHOLE.drives))
    output = Output.of_text("tool", "x:0\nx:0/d0")
    for line in output.lines:
        output.record(line.text, [(line, "status", "critical")])
    output.gap = "its last table has no end"
    [found] = withdraw_unsupported([bad], [output], ())
    assert (found.status, [one.status for one in found.drives]) == ("critical", ["critical", "critical"])
