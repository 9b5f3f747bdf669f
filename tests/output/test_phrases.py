"""How values are shown."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from raidctl.model import (
    Battery,
    Cache,
    Controller,
    ControllerCacheSafety,
    Drive,
    DriveCaches,
    Progress,
    Volume,
    VolumeCache,
)  # fmt: skip
from raidctl.model.write_protection import write_protected
from raidctl.output import phrases


@pytest.mark.parametrize(
    ("policy", "active", "expected"),
    [
        ("protected_write_back", "write_back", "write-back"),
        ("protected_write_back", "write_through", "back → through"),
        ("unprotected_write_back", "write_back", "write-back always"),
        ("unprotected_write_back", "write_through", "always → through"),
        ("write_through", "write_through", "write-through"),
        ("write_through", "write_back", "through → back"),
        ("protected_write_back", None, "back → ?"),
        (None, "write_through", "? → through"),
        (None, None, "?"),
        ("off", "off", "off"),
    ],
)
def test_configured_and_active_policies_are_distinguished(
    policy: str | None, active: str | None, expected: str
) -> None:
    """Policies that agree show as one word, differing ones as both. An unknown one shows as a question mark."""
    cache = VolumeCache(write_policy=policy, write_active=active)  # type: ignore[arg-type]  # plain texts of the table above
    assert phrases.write_cache(cache)[0] == expected


@pytest.mark.parametrize(
    ("controller", "drives", "expected"),
    [
        ("protected", "off", "yes"), ("not_caching", "off", "yes"), ("protected", "unknown", "yes, drives ?"),
        ("protected", "on", "NO, drives"), ("unknown", "on", "NO, drives"), ("unprotected", "off", "NO, cache"),
        ("unprotected", "unknown", "NO, cache"), ("unprotected", "on", "NO, both"), ("unknown", "off", "?"),
        ("unknown", "unknown", "?"),
    ],
)  # fmt: skip
def test_protection_names_the_culprit_and_what_is_unknown(
    controller: ControllerCacheSafety, drives: DriveCaches, expected: str
) -> None:
    """Both caches count. One that is open is named, one that is unknown leaves it open."""
    cache = VolumeCache(controller_cache=controller, drive_caches=drives)
    assert phrases.protected(replace(cache, write_protected=write_protected(cache)))[0] == expected


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("ok", "OK", "ok"),
        ("degraded", "Interim Recovery Mode", "DEGRADED Interim Recovery Mode"),
        ("failed", "Failed", "FAILED"),
        ("unknown", None, "?"),
        ("unknown", "Flabbergasted", "? Flabbergasted"),
        (None, None, "?"),
        ("checking", "Parity scan", "checking"),
    ],
)
def test_a_status_is_quiet_when_good_and_loud_when_bad(word: str | None, text: str | None, expected: str) -> None:
    """Without colour, capitals mark a problem."""
    assert phrases.status(word, text)[0] == expected


@pytest.mark.parametrize(
    ("battery", "expected"),
    [
        (Battery(id="b", status="ok", status_text="OK"), "ok"),
        (Battery(id="b", status="failed", status_text="Failed (Replace Batteries)"), "FAILED (Replace Batteries)"),
        (Battery(id="b", status="charging", status_text="Recharging"), "charging (Recharging)"),
        (Battery(id="b", status="unknown", status_text="Odd"), "? Odd"),
        (Battery(id="b"), "?"),
    ],
)
def test_a_battery_shows_its_state_once(battery: Battery, expected: str) -> None:
    """The tool's words follow the neutral one if they add something."""
    assert phrases.battery_status(battery)[0] == expected


def test_a_split_is_shown_in_percent_and_in_bytes() -> None:
    """Bytes only where they are known."""
    cache = Cache(read_percent=25, write_percent=75, read_bytes=128 * 1024**2, write_bytes=384 * 1024**2)
    assert phrases.cache_split(cache) == "25% read / 75% write = 128 MiB / 384 MiB"
    assert phrases.cache_split(Cache(read_percent=100, write_percent=0)) == "100% read / 0% write"
    assert phrases.cache_split(Cache()) == ""


def test_progress_is_shown_with_what_is_known() -> None:
    """The figure, or the operation alone."""
    assert phrases.progress(Progress(operation="recovery", percent=12.6)) == "recovery 12.6%"
    assert phrases.progress(Progress(operation="check")) == "check"
    assert phrases.progress(Progress()) == "under way"
    assert phrases.progress(Progress(operation="rebuild", percent=12, remaining_seconds=4800)) == (
        "rebuild 12%, 1 h 20 min left"
    )


def test_zero_is_a_figure() -> None:
    """No error is not an unknown number of errors. Likewise, 0 percent is not nothing."""
    assert phrases.battery_facts(Battery(id="b", charge_percent=0)) == ("charge 0%",)
    assert phrases.celsius(0) == "0 °C"


def test_a_drive_shows_its_interface_and_its_media() -> None:
    """The speed is in thousands of rpm."""
    assert phrases.medium(Drive(id="d", interface="sas", media="hdd", rpm=10_500)) == "sas hdd 10.5k"
    assert phrases.medium(Drive(id="d")) == "?"


def test_settings_of_a_volume_are_only_those_that_are_known() -> None:
    """A volume of md has other settings than one of a controller."""
    cache = VolumeCache(read_policy="adaptive", io_policy="direct", drive_write_cache="default")
    assert phrases.volume_settings(Volume(id="v", strip_bytes=65536, cache=cache)) == (
        "strip 64 KiB", "adaptive read-ahead", "direct I/O", "drive write caches at the drives' default",
    )  # fmt: skip
    assert phrases.volume_settings(Volume(id="v")) == ()


def test_a_shortened_text_ends_with_a_whole_phrase() -> None:
    """No preposition, article or figure is left at its end."""
    long = "No kernel driver is bound to SCSI controller 1af4:1001 at 0000:00:08.0, where drives are"
    assert phrases.brief(long) == "No kernel driver is bound to SCSI controller 1af4:1001…"
    counts = "2 pending sectors, 2 uncorrectable sectors and 16 reallocated sectors"
    assert phrases.brief(counts + " more") == "2 pending sectors, 2 uncorrectable sectors…"


@pytest.mark.parametrize(
    ("vendor", "model", "expected"),
    [
        ("Broadcom / LSI", "LSI MegaRAID SAS 8708EM2", "LSI MegaRAID SAS 8708EM2"),
        ("Linux", "Linux md", "Linux md"),
        ("Avago", "AVAGO MegaRAID SAS 9361-8i", "AVAGO MegaRAID SAS 9361-8i"),
        ("Broadcom / LSI", "MegaRAID SAS 1078", "Broadcom / LSI MegaRAID SAS 1078"),
        ("Adaptec", None, "Adaptec"), (None, "OpenZFS", "OpenZFS"), (None, None, ""),
    ],
)  # fmt: skip
def test_a_vendor_is_not_repeated(vendor: str | None, model: str | None, expected: str) -> None:
    """The vendor comes before the model, unless the model begins with it or with one of its two names."""
    assert phrases.product(Controller(id="acme:0", vendor=vendor, model=model)) == expected
