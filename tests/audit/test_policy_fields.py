"""Every model field can be required, with every value of its type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from raidctl.audit.policy.checks import together
from raidctl.audit.policy.conditions import conditions
from raidctl.audit.policy.schema import kind_of, kinds, selectable
from raidctl.audit.policy.scope import Machine
from raidctl.model import Array, BlockLayer, Inventory
from raidctl.model.block_layer import Model
from raidctl.toml_files.mistakes import Place
from tests.audit.policies import machine, mistakes, only, recorded, volume
from tests.support.machines import MACHINES

STRUCTS = {kind_of(cls): cls for cls in Model.__subclasses__()}


def refused(kind: str, table: dict[str, Any]) -> list[str]:
    """The mistakes that refuse this requirement."""
    place = Place("site.toml", {})
    made = conditions(kinds()[kind], table, place)
    return [fault.message for fault in place.faults] or ([] if made else ["It asks for nothing."])


def samples(kind: inspect.Type) -> Iterator[Any]:
    """Values of a field of this type, as written in a policy."""
    if isinstance(kind, inspect.Metadata):
        yield from samples(kind.type)
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from samples(one)
    elif isinstance(kind, inspect.NoneType):
        yield {"known": False}
    elif isinstance(kind, inspect.LiteralType):
        yield from ({"known": False} if value == "unknown" else value for value in kind.values)
    elif isinstance(kind, inspect.BoolType):
        yield from (True, False)
    elif isinstance(kind, (inspect.IntType, inspect.FloatType)):
        yield from (0, 100, {"min": 1, "max": 2}, {"not": 3}, [4, 5])
    elif isinstance(kind, (inspect.VarTupleType, inspect.ListType)):
        yield {"count": 1}
        yield from (() if isinstance(kind.item_type, inspect.StructType) else samples(kind.item_type))
    elif isinstance(kind, inspect.StructType):
        yield {"known": True}
    elif isinstance(kind, inspect.DictType):
        inner: Any = {"known": True} if isinstance(kind.value_type, inspect.StructType) else "x"
        yield {"a label": inner}
    else:
        assert isinstance(kind, inspect.StrType), kind
        yield from ("a text", {"is": "[x]"}, ["a", "b"], {"not": "a*"})


@pytest.mark.parametrize("kind", sorted(STRUCTS))
def test_each_field_can_be_asked_for_by_each_value_of_its_type(kind: str) -> None:
    """A model field or type that a policy refuses is an error."""
    info = inspect.type_info(STRUCTS[kind])
    assert isinstance(info, inspect.StructType)
    asked = [(field.name, value) for field in info.fields for value in samples(field.type)]
    assert [(name, value, messages) for name, value in asked if (messages := refused(kind, {name: value}))] == []


def required_values(item: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Path and value that a policy needs to select just this object. Nested objects are included."""
    for name in item.__struct_fields__:
        value, path = getattr(item, name), f"{prefix}{name}"
        if isinstance(value, Model):
            yield from required_values(value, f"{path}.")
        elif isinstance(value, dict):
            yield from _labelled(path, value)
        elif isinstance(value, tuple):
            yield from _listed(path, value)
        else:
            yield path, _written(value)


def _labelled(path: str, table: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Model):
            yield path, {key: dict(required_values(value))}
        else:
            yield path, {key: _written(value)}


def _listed(path: str, values: tuple[Any, ...]) -> Iterable[tuple[str, Any]]:
    if values and not isinstance(values[0], Model):
        yield path, _written(values[0])
        yield path, [_written(one) for one in values]
    for one in values if values and isinstance(values[0], Model) else ():
        yield path, {"any": dict(required_values(one))}


def _written(value: Any) -> Any:
    if value is None or value == "unknown":
        return {"known": False}
    return {"is": value} if isinstance(value, str) else value


@pytest.mark.parametrize("name", MACHINES)
def test_the_values_of_a_recorded_object_select_it(name: str) -> None:
    """Each reported value of each recorded object selects it."""
    wrong = []
    inventory = recorded(name)
    with Machine(msgspec.structs.replace(inventory, problems=())) as made:
        for kind in selectable():
            for item, scope in made.objects(kind):
                for path, value in required_values(item) if kind != "host" else ():
                    place = Place("site.toml", {})
                    checks = conditions(kinds()[kind], {path: value}, place)
                    if place.faults or together(checks)(item, scope) is not True:
                        wrong.append((kind, path, value, [fault.message for fault in place.faults]))
    assert wrong == []


PARTITION = BlockLayer(device="/dev/sda1", kind="partition", offsets_bytes=(1 << 20, 5 << 20))


@pytest.mark.parametrize(
    ("wanted", "outcome"),
    [
        ("1048576", "pass"), ('"1MiB"', "pass"), ('"5MB"', "pass"), ("1048064", "fail"), ("{ min = 6000000 }", "fail"),
        ("{ not = 1048576 }", "fail"), ("{ not = 512 }", "pass"), ("[512, 1048576]", "pass"), ("{ count = 2 }", "pass"),
        ("{ known = true }", "pass"), ("{ known = false }", "fail"),
    ],
)  # fmt: skip
def test_a_list_of_numbers_is_matched_like_a_list_of_texts(wanted: str, outcome: str) -> None:
    """The list matches if one of its numbers does. Sizes may have units, and offsets are exact."""
    one = volume(layers=(PARTITION,))
    assert only(f"layers = {{ any = {{ offsets_bytes = {wanted} }} }}", machine(one)).outcome == outcome


def test_an_empty_list_of_numbers_is_unknown() -> None:
    """An empty list of offsets is not reported, so it is UNKNOWN."""
    one = volume(layers=(BlockLayer(device="/dev/sda1"),))
    assert only("layers = { any = { offsets_bytes = 1048576 } }", machine(one)).outcome == "unknown"
    assert only("layers = { any = { offsets_bytes = { known = false } } }", machine(one)).outcome == "pass"


def test_the_drives_of_an_array_are_matched_by_id() -> None:
    """The model has ids there, so a text matches one of them."""
    rule = '[[rule]]\nfor = "array"\nrequire = { drives = %s }'
    answers = [only(rule % text, machine()).outcome for text in ('"c:1/a"', '["x", "c:1/b"]', '"c:1/s"', '"c:1/*"')]
    assert answers == ["pass", "pass", "fail", "pass"]
    unlisted = machine(arrays=(Array(id="c:1/A", spares=("c:1/s",)),))
    assert only(rule % '"c:1/a"', unlisted).outcome == "unknown"


def test_a_label_of_a_tool_that_looks_like_a_size_is_a_text() -> None:
    """A detail called ``x_bytes`` is compared as text."""
    found = only('details.x_bytes = "1"', machine(volume(details={"x_bytes": "2"})))
    assert (found.outcome, found.actual) == ("fail", "2")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("drives.rpm = 10000.5", '"rpm" cannot be 10000.5: use a whole number, 10000 or 10001.'),
        ("drives.rpm = { min = 0.5 }", '"rpm" cannot be 0.5: use a whole number, 0 or 1.'),
        ("controller.cache.read_percent = '25.5%'", '"read_percent" cannot be "25.5%": use a whole number, 25 or 26.'),
        ("layers = { any = { offsets_bytes = 1.5 } }", "use a whole number, 1 or 2."),
    ],
)
def test_a_fraction_is_refused_where_the_model_counts_in_whole_numbers(line: str, expected: str) -> None:
    """The message suggests the nearest whole numbers."""
    [found] = mistakes(line)
    assert expected in found


def test_an_ssd_may_have_used_more_than_all_of_its_life() -> None:
    """``life_used_percent`` may be up to 255, every other percentage up to 100."""
    assert mistakes("drives.life_used_percent = { max = 120 }") == []
    assert mistakes("drives.life_used_percent = 256") != []


def test_a_fraction_is_accepted_where_the_model_has_them() -> None:
    """Volts and link speeds may have fractions. Whole numbers may have a decimal point."""
    assert mistakes("drives.link_gbps = 1.5\ncontroller.batteries = { any = { voltage_volts = 3.9 } }") == []
    assert mistakes("drives.rpm = 10000.0") == []


def test_fields_of_an_inventory_can_be_required() -> None:
    """Fields of the host are required by dotted paths."""
    rule = '[[rule]]\nfor = "host"\nrequire = { "host.hostname" = "db1", schema_version = "1", controllers = 1 }'
    assert only(rule, machine()).outcome == "pass"
    assert STRUCTS["host"] is Inventory
