"""``raidctl cache threshold``: limits at which a cache writes out its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import click

from raidctl.cli.cache._stack import caches
from raidctl.cli.shared.apply_change import perform
from raidctl.cli.shared.exit_codes import exit_code
from raidctl.cli.shared.options import Settings, examples, machine_options, output_options, settings_of
from raidctl.cli.shared.plan_change import Consent, changing_options
from raidctl.cli.shared.terminal import emit_found
from raidctl.errors import UsageError
from raidctl.layers import family
from raidctl.layers.build import stack
from raidctl.layers.flushing import has_cache
from raidctl.layers.scope import VM, Scope, scope
from raidctl.model import Volume
from raidctl.model.objects import by_id
from raidctl.survey.survey import Survey
from raidctl.vendor.plan import Desired, Setting
from raidctl.vendor.protocol import Vendor

F = TypeVar("F", bound=Callable[..., Any])
FAMILY = cast("Vendor", family)
_MAX_VALUE = 2**62
_PAIRS = (("dirty_background_bytes", "dirty_background_ratio"), ("dirty_bytes", "dirty_ratio"))
_LIMITS: tuple[tuple[str, Setting, str], ...] = (
    ("dirty_background_bytes", "dirty_background_limit", " bytes"),
    ("dirty_background_ratio", "dirty_background_limit", " percent"),
    ("dirty_bytes", "dirty_limit", " bytes"),
    ("dirty_ratio", "dirty_limit", " percent"),
    ("dirty_expire", "dirty_expire", ""),
    ("dirty_writeback", "dirty_writeback", ""),
)
"""Options for the page cache: name, setting, and format of the value."""
_OF_KIND: tuple[tuple[str, Setting, str], ...] = (
    ("writeback_percent", "writeback_percent", "cache_mode"),
    ("high_watermark", "high_watermark", "target"),
    ("low_watermark", "low_watermark", "target"),
)
"""Options for other caches of the kernel, and the detail identifying these."""
_OF_CONTROLLERS: tuple[tuple[str, Setting], ...] = (
    ("flush_interval", "flush_interval"),
    ("bypass_threshold", "bypass_threshold"),
)


def _option(name: str, metavar: str, text: str, least: int = 0, most: int = _MAX_VALUE) -> Callable[[F], F]:
    return click.option(name, metavar=metavar, type=click.IntRange(least, most), help=text)


@click.command(
    "threshold",
    epilog=examples(
        "raidctl cache threshold",
        "raidctl cache threshold --dirty-background-bytes 67108864 --dirty-bytes 268435456",
        "raidctl cache threshold /srv/db --flush-interval 4 --dry-run",
    ),
)
@click.argument("target", required=False)
@_option("--flush-interval", "SECONDS", "Controllers: longest time that data stays unwritten.", 1, 86400)
@_option("--bypass-threshold", "KIB", "Controllers: larger requests bypass the cache.", 0, 1 << 20)
@_option("--dirty-background-bytes", "N", "Page cache: background writeback starts at N bytes.", 1)
@_option("--dirty-background-ratio", "P", "Page cache: the same in percent of available memory.", 0, 100)
@_option("--dirty-bytes", "N", "Page cache: writers are blocked at N bytes.", 1)
@_option("--dirty-ratio", "P", "Page cache: the same in percent of available memory.", 0, 100)
@_option("--dirty-expire", "CENTISECONDS", "Page cache: data of this age is written.", 0, 2**31 - 1)
@_option("--dirty-writeback", "CENTISECONDS", "Page cache: interval of the writeback; 0: never.", 0, 2**31 - 1)
@_option("--writeback-percent", "P", "bcache: target of unwritten data, percent of the cache.", 0, 100)
@_option("--high-watermark", "P", "dm-writecache: writeback starts at P percent in use (printed only).", 0, 100)
@_option("--low-watermark", "P", "dm-writecache: writeback stops at P percent in use (printed only).", 0, 100)
@changing_options
@machine_options
@output_options
@click.pass_context
def command(context: click.Context, /, *, target: str | None, consent: Consent, **given: int | None) -> int:
    """Show or set when written data has to leave a cache.

    TARGET is a mount point, a device, an id or a volume's name. A limit is set on
    each layer below it that has such a limit; without TARGET, on all. Limits of
    the page cache apply to the whole machine; there, bytes and percent replace
    each other. Settings of the kernel last until the next reboot, as the plan
    shows. For the watermarks of dm-writecache, which need a new device-mapper
    table, raidctl only prints the command of LVM.

    Exit codes: as for "cache set"; without an option as for "cache show".
    """
    settings = settings_of(context)
    wanted = {name: value for name, value in given.items() if value is not None}
    for pair in _PAIRS:
        if all(name in wanted for name in pair):
            raise click.UsageError(f"{_spelt(pair[0])} and {_spelt(pair[1])} cannot be used together.")
    if not wanted:
        if consent.dry_run or consent.yes or consent.unsafe:
            raise click.UsageError("No setting is given.")
        return _show(settings, target)

    def desired(seen: Survey) -> list[Desired]:
        return found_settings(seen, target, wanted)

    return perform(settings, consent, desired, [FAMILY])


def _spelt(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def found_settings(seen: Survey, target: str | None, wanted: dict[str, int]) -> list[Desired]:
    """Return each given limit for each layer below that has it.

    Raises:
        UsageError: No layer below the target has such a limit.
    """
    below = scope(seen.view, seen.inventory, target)
    found = [
        Desired(object_id=VM, setting=setting, value=f"{wanted[name]}{unit}")
        for name, setting, unit in _LIMITS
        if name in wanted
    ]
    for name, kernels_setting, sign in _OF_KIND:
        if name in wanted:
            ids = [volume.id for volume in _kernel(seen, below) if sign in volume.details]
            found += _limit_for_each(ids, kernels_setting, wanted[name], name, target)
    for name, controller_setting in _OF_CONTROLLERS:
        if name in wanted:
            ids = [controller.id for controller in below.controllers if has_cache(controller)]
            found += _limit_for_each(ids, controller_setting, wanted[name], name, target)
    return found


def _kernel(seen: Survey, below: Scope) -> list[Volume]:
    names = {f"{family.FAMILY}:{name}" for name in below.names}
    controller = by_id(seen.inventory.controllers, family.FAMILY)
    volumes = controller.volumes if controller is not None else ()
    # dm-cache and dm-writecache share the detail "target"; only the latter has watermarks
    return [volume for volume in volumes if volume.id in names and volume.details.get("target") != "cache"]


def _limit_for_each(ids: Sequence[str], setting: Setting, value: int, name: str, target: str | None) -> list[Desired]:
    if not ids:
        where = f'Nothing below "{target}"' if target else "Nothing here"
        raise UsageError(f'{where} has a limit for {_spelt(name)}; "raidctl cache threshold" shows what there is.')
    return [Desired(object_id=identifier, setting=setting, value=str(value)) for identifier in ids]


def _show(settings: Settings, target: str | None) -> int:
    with caches(settings, target) as found:
        report = stack(found.scope, found.seen.view, found.kernel, found.seen.inventory, found.named.vendors)
    emit_found(report, settings, "layers_limits.limits_screen")
    return exit_code(report.problems)
