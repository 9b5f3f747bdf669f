"""The command line of ``raidctl-mfi``, which prints JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence

import raidctl
from raidctl_mfi import FORMAT, NAME
from raidctl_mfi.change import (
    BAD_BBU_BITS,
    DISK_BYTES,
    EXIT_CODES,
    READ_BITS,
    WRITE_BITS,
    Policies,
    flush,
    locate,
    set_flush_interval,
    set_policies,
)
from raidctl_mfi.controller import describe
from raidctl_mfi.dialogue import Dialogue, read_controller
from raidctl_mfi.node import DriverUnavailable, Host, channel, close, hosts, is_root, open_node
from raidctl_mfi.problems import Json, Problems, exit_code

UNTRIED = "raidctl-mfi was tried on QEMU's emulated controllers (8708EM2, 9260-8i) and on no other."
USAGE, CANNOT_TELL, ACCESS = 2, 3, 4
FROZEN_BY_MEGACLI = range(0x10E0, 0x10E8)
"""Device ids of LSI (0x1000) that are not read. MegaCli, which uses the same interface, freezes these controllers."""
_FLUSH_TIMEOUT = 600.0
_ROOT = "Run it as root (sudo)."
_MODULE = "If the machine has such a controller, load the driver: `modprobe megaraid_sas`."


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    words = _parser().parse_args(argv)
    problems = Problems()
    output: Json = {"format": FORMAT, "version": raidctl.__version__, "tried_on": UNTRIED, "controllers": []}
    work: Callable[[argparse.Namespace, Json, Problems], int] = words.work
    code = work(words, output, problems)
    output["problems"] = problems.items
    json.dump(output, sys.stdout, indent=1)
    sys.stdout.write("\n")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=NAME,
        description="Reads MegaRAID controllers through the kernel driver megaraid_sas, without the vendor's tool; "
        f"prints JSON. {UNTRIED}",
        epilog="Exit codes: 0 fine, 2 usage or not allowed, 3 something could not be read, 4 no permission or no "
        "driver, 5 the firmware refused and nothing changed, 6 the current setting could not be confirmed.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{NAME} {raidctl.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    show = commands.add_parser("show", help="everything that the controllers report", allow_abbrev=False)
    show.add_argument("--controller", type=_number, metavar="N", help="only this controller (0 is the first)")
    show.add_argument("--raw", action="store_true", help="with the bytes of each reply in hexadecimal")
    show.set_defaults(work=_show)
    write_out = commands.add_parser("flush", help="flush a controller's cache", allow_abbrev=False)
    write_out.add_argument("--controller", type=_number, metavar="N", required=True)
    write_out.add_argument("--no-disks", action="store_true", help="not the caches of its drives")
    write_out.set_defaults(work=_flush)
    led = commands.add_parser("locate", help="switch the locate LED of a drive", allow_abbrev=False)
    led.add_argument("--controller", type=_number, metavar="N", required=True)
    led.add_argument("--drive", type=_device, metavar="DEVICE", required=True, help="device_id, as show prints it")
    led.add_argument("--allow-write", action="store_true", help="send the command; nothing is sent without this")
    led.add_argument("switch", choices=("on", "off"))
    led.set_defaults(work=_locate)
    _set_words(commands.add_parser("set", help="set policies of a volume, or the flush interval", allow_abbrev=False))
    return parser


def _set_words(change: argparse.ArgumentParser) -> None:
    change.add_argument("--controller", type=_number, metavar="N", required=True)
    change.add_argument("--volume", type=_target, metavar="TARGET", help="the volume's target id")
    change.add_argument("--write", choices=WRITE_BITS, help="write policy")
    change.add_argument("--read", choices=READ_BITS, help="read-ahead policy")
    change.add_argument("--bad-bbu", choices=BAD_BBU_BITS, help="keep write-back without a good battery")
    change.add_argument("--disk-cache", choices=DISK_BYTES, help="setting of the drives' write caches")
    change.add_argument("--flush-interval", type=_seconds, metavar="SECONDS", help="for the whole controller, 1 to 255")
    change.add_argument("--allow-write", action="store_true", help="send the change; nothing is sent without this")
    change.set_defaults(work=_set)


def _number(text: str) -> int:
    return _between(text, 0, 63)


def _target(text: str) -> int:
    return _between(text, 0, 255)


def _device(text: str) -> int:
    return _between(text, 0, 0xFFFF)


def _seconds(text: str) -> int:
    return _between(text, 1, 255)


def _between(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdecimal() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
    return int(text)


def _show(words: argparse.Namespace, output: Json, problems: Problems) -> int:
    found = list(enumerate(hosts()))
    if not found:
        problems.note(NAME, "The kernel shows no SCSI host of the driver megaraid_sas.")
    chosen = [(number, host) for number, host in found if words.controller in (None, number)]
    if words.controller is not None and not chosen:
        return _no_such(words.controller, len(found), problems)
    descriptor = None
    for number, host in chosen:
        controller: Json = {"number": number, **_place(host)}
        output["controllers"].append(controller)
        if _must_not_be_read(number, host, problems):
            continue
        descriptor = _opened(problems) if descriptor is None else descriptor
        if descriptor is None:
            break
        with channel(descriptor, host.number) as one:
            controller |= describe(one.run(read_controller()), number, problems, raw=words.raw)
    if descriptor is not None:
        close(descriptor)
    return exit_code(problems.items)


def _place(host: Host) -> Json:
    ids = None if host.pci_ids is None else ":".join(f"{one:04x}" for one in host.pci_ids)
    return {"scsi_host": host.number, "pci_address": host.pci_address, "pci_ids": ids}


def _no_such(number: int, count: int, problems: Problems) -> int:
    problems.unread(NAME, f"There is no controller {number}: the kernel shows {count} (numbers begin with 0).")
    return CANNOT_TELL


def _must_not_be_read(number: int, host: Host, problems: Problems) -> bool:
    """Whether a controller must not be read, as its kind is known to freeze, or is unknown."""
    if host.pci_ids is not None and not (host.pci_ids[0] == 0x1000 and host.pci_ids[1] in FROZEN_BY_MEGACLI):
        return False
    what = "its PCI ids could not be read" if host.pci_ids is None else "MegaCli freezes controllers of this kind"
    problems.unread(
        f"controller {number}",
        f"The controller at SCSI host {host.number} was not read: {what}, and it uses the same driver interface.",
        "Use storcli64 (from Broadcom) or perccli64 (from Dell).",
    )
    return True


def _opened(problems: Problems) -> int | None:
    """Open the driver's device; add a problem if that fails."""
    try:
        return open_node()
    except DriverUnavailable as error:
        if error.right:
            remedy = _ROOT if not is_root() else "Check what confines this process: a container, a security module."
            problems.add("error", "no_right", NAME, f"No permission to use the driver ({error}).", remedy)
        else:
            problems.add("error", "no_tool", NAME, f"The driver cannot be used: {error}.", _MODULE)
        return None


def _flush(words: argparse.Namespace, output: Json, problems: Problems) -> int:
    return _work(words.controller, flush(disks=not words.no_disks), output, problems)


def _locate(words: argparse.Namespace, output: Json, problems: Problems) -> int:
    if not words.allow_write:
        return _usage(problems, f"Nothing was sent: writing needs --allow-write. {UNTRIED}", "Read docs/mfi.md first.")
    return _work(words.controller, locate(words.drive, on=words.switch == "on"), output, problems)


def _set(words: argparse.Namespace, output: Json, problems: Problems) -> int:
    policies = Policies(words.write, words.read, words.bad_bbu, words.disk_cache)
    interval: int | None = words.flush_interval
    if policies.any == (interval is not None) or policies.any != (words.volume is not None):
        return _usage(problems, "Give --volume with at least one of its policies, or --flush-interval alone.", None)
    if not words.allow_write:
        return _usage(problems, f"Nothing was sent: writing needs --allow-write. {UNTRIED}", "Read docs/mfi.md first.")
    work = set_flush_interval(interval) if interval is not None else set_policies(words.volume, policies)
    return _work(words.controller, work, output, problems)


def _usage(problems: Problems, message: str, remedy: str | None) -> int:
    problems.add("error", "note", NAME, message, remedy)
    return USAGE


def _work(number: int, work: Dialogue[Json], output: Json, problems: Problems) -> int:
    """Carry out a flush or a change on one controller. The result is added to the output."""
    found = hosts()
    if number >= len(found):
        return _no_such(number, len(found), problems)
    if _must_not_be_read(number, found[number], problems):
        return CANNOT_TELL
    descriptor = _opened(problems)
    if descriptor is None:
        return ACCESS
    with channel(descriptor, found[number].number, _FLUSH_TIMEOUT) as one:
        result = one.run(work)
    close(descriptor)
    output["controllers"].append({"number": number, **_place(found[number]), "result": result})
    return EXIT_CODES[result["outcome"]]
