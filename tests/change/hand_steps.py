"""Steps that a person does by hand."""

from __future__ import annotations

import msgspec

from raidctl.vendor.plan import Expectation, Step


def hand(**more: object) -> Step:
    """A step in which a person pulls the first drive."""
    gone = Expectation(object_id="serial:LABD00001", field="present", value="no", within_seconds=0)
    step = Step(
        object_id="md:md0", setting="pull", before="", after="", kind="hand", expects=(gone,), hand="Pull bay 1.",
        keeps=("LABD00002", "LABD00003"),
    )  # fmt: skip
    return msgspec.structs.replace(step, **more)
