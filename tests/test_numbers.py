"""Numbers on the command line that are none. Every range includes nan, and any that is open includes infinity."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from raidctl.cli import cli
from raidctl.cli.shared.bench_plan import kind_of
from raidctl.errors import UsageError
from tests.support.over import over


def numeric(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command, click.Option]]:
    """The fractional options of a command and its subcommands, with their names."""
    for option in command.params:
        if isinstance(option, click.Option) and isinstance(option.type, (click.FloatRange, click.types.FloatParamType)):
            yield f"{path} {option.opts[-1]}".strip(), command, option
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from numeric(inner, f"{path} {name}".strip())


OPTIONS = {name: (command, option) for name, command, option in numeric(cli)}


def test_commands_that_measure_and_wait_take_such_numbers() -> None:
    """The next test has options to check."""
    assert {"bench run --seconds", "verify --seconds", "restore --wait", "cache flush --timeout"} <= set(OPTIONS)


@over("value", ["nan", "inf", "-inf"])
@over("name", OPTIONS)
def test_what_is_no_number_is_a_wrong_word(name: str, value: str) -> None:
    """Nothing is measured, served or waited for during an endless time."""
    command, option = OPTIONS[name]
    with pytest.raises(click.BadParameter, match=value):
        option.type.convert(value, option, click.Context(command))


def test_a_target_without_a_name_is_a_wrong_word() -> None:
    """An empty variable of a script names nothing."""
    with pytest.raises(UsageError, match='There is no ""'):
        kind_of("")
