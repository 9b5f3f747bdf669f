"""Storage cards, and who answers for them."""

from __future__ import annotations

from msgspec.structs import replace

from raidctl.evidence import Output
from raidctl.host import HostView, PciDevice
from raidctl.model import Controller, Problem, Tool, Volume
from raidctl.survey import pci_controllers
from raidctl.survey.unmatched_drives import unmatched
from raidctl.vendor.protocol import ToolSpec
from tests.discovery.machines import Family, seen
from tests.support.machines import replayed

KNOWN = Family("example", ["hpsa"], [ToolSpec("newcli", package="the example package"), ToolSpec("oldcli")])
PLAIN = Family("drives", ["ahci"], [ToolSpec("drivetool")], last=True)
VENDORS = (KNOWN, PLAIN)
VIEW = seen("host-raid-card-no-tool").view


def raid(address: str, driver: str | None = "hpsa", pci_class: int = 0x010400) -> PciDevice:
    """A storage function of the PCI bus."""
    return PciDevice(address, pci_class, 0x1000, 0x5D, driver=driver)


def test_a_raid_card_without_its_tool_is_said_with_the_tool_to_install() -> None:
    """The problem names card and programs; the card is shown with its block devices, mount points and no status."""
    bare, problems = pci_controllers.unlisted(VIEW, (), VENDORS, ())
    known = next(problem for problem in problems if problem.where == "0000:03:00.0")
    assert (known.kind, known.severity) == ("no_tool", "error")
    assert "newcli or oldcli" in known.message
    assert "the example package" in (known.remedy or "")
    shown = next(controller for controller in bare if controller.id == "pci:0000:03:00.0")
    assert (shown.model, shown.driver, shown.status) == ("Smart Array Gen8 Controllers", "hpsa", "unknown")
    assert [(v.id, v.device, v.mountpoints) for v in shown.volumes] == [
        ("pci:0000:03:00.0/sda", "/dev/sda", ("/", "[swap]")),
        ("pci:0000:03:00.0/sdb", "/dev/sdb", ("/srv/db",)),
    ]


def test_a_raid_card_that_no_package_knows_is_said_with_its_driver() -> None:
    """A card of the RAID class with a driver that no family names is shown all the same."""
    bare, problems = pci_controllers.unlisted(VIEW, (), VENDORS, ())
    unknown = next(problem for problem in problems if problem.where == "0000:82:00.0")
    assert unknown.kind == "no_tool"
    assert "No vendor package of raidctl supports" in unknown.message
    assert "megaraid_sas" in unknown.message
    assert [controller.id for controller in bare] == ["pci:0000:03:00.0", "pci:0000:82:00.0"]


def test_every_fact_of_a_bare_card_has_a_line() -> None:
    """What is shown of a card without a tool can be explained, object by object."""
    bare, _ = pci_controllers.unlisted(VIEW, (), VENDORS, ())
    (sheet,) = pci_controllers.evidence(bare, VIEW)
    explained = {fact.object_id for fact in sheet.facts}
    assert explained == {c.id for c in bare} | {volume.id for c in bare for volume in c.volumes}
    assert sheet.unparsed() == []


def test_an_installed_tool_that_does_not_list_the_card_is_another_problem() -> None:
    """As root it is something that could not be read; without root it is a right that is missing."""
    _, as_root = pci_controllers.unlisted(VIEW, (), VENDORS, ["oldcli"])
    _, as_user = pci_controllers.unlisted(replace(VIEW, root=False), (), VENDORS, ["oldcli"])
    assert [p.kind for p in as_root if p.where == "0000:03:00.0"] == ["unread"]
    assert [p.kind for p in as_user if p.where == "0000:03:00.0"] == ["no_right"]


def test_a_card_that_a_family_lists_is_answered() -> None:
    """By its PCI address, or as the only card and controller of the family; plain drives on it do not count."""
    view = HostView(pci=(raid("0000:03:00.0"),))
    addressed = Controller(id="example:1", pci_address="0000:03:00.0")
    assert pci_controllers.unlisted(view, [addressed], VENDORS, ["newcli"]) == ([], [])
    assert pci_controllers.unlisted(view, [Controller(id="example:1")], VENDORS, ["newcli"]) == ([], [])
    plain = Controller(id="drives:0000:03:00.0", pci_address="0000:03:00.0")
    assert len(pci_controllers.unlisted(view, [plain], VENDORS, [])[1]) == 1


def test_fewer_controllers_than_cards_cannot_be_told_apart() -> None:
    """Two cards and one controller without an address: neither is shown bare, and both problems say why."""
    view = HostView(pci=(raid("0000:03:00.0"), raid("0000:04:00.0")))
    bare, problems = pci_controllers.unlisted(view, [Controller(id="example:1")], VENDORS, ["newcli"])
    assert bare == []
    assert [problem.kind for problem in problems] == ["unread", "unread"]
    both = [Controller(id="example:1"), Controller(id="example:2")]
    assert pci_controllers.unlisted(view, both, VENDORS, ["newcli"]) == ([], [])


def test_ports_of_plain_drives_are_no_raid_cards() -> None:
    """SATA ports in RAID mode, VMD, virtio, NVMe and SAS adapters without RAID give no problem."""
    functions = (
        raid("0000:00:17.0", "ahci"), raid("0000:00:0e.0", "vmd"), raid("0000:00:05.0", "virtio-pci", 0x010000),
        raid("0000:01:00.0", "nvme", 0x010802), raid("0000:02:00.0", "mpt3sas", 0x010700),
        raid("0000:05:00.0", "vfio-pci"),
    )  # fmt: skip
    assert pci_controllers.unlisted(HostView(pci=functions), (), VENDORS, ()) == ([], [])


def test_a_card_without_a_driver_hides_what_hangs_on_it() -> None:
    """A RAID card that no kernel driver serves is something that cannot be told; an unused IDE port is a note."""
    view = HostView(pci=(raid("0000:03:00.0", None), raid("0000:00:01.1", None, 0x010180)))
    bare, problems = pci_controllers.unlisted(view, (), VENDORS, ())
    assert [(p.where, p.kind) for p in problems] == [("0000:03:00.0", "unread"), ("0000:00:01.1", "note")]
    assert [controller.id for controller in bare] == ["pci:0000:03:00.0"]


def test_devices_that_a_family_shows_are_not_shown_twice() -> None:
    """A block device that is a volume or a drive of somebody already is left out of the bare card."""
    taken = Controller(id="drives:0000:03:00.0", volumes=(Volume(id="x", device="/dev/sda"),))
    bare, _ = pci_controllers.unlisted(VIEW, [taken], VENDORS, ())
    assert [volume.device for volume in bare[0].volumes] == ["/dev/sdb"]


def test_the_overview_has_a_row_for_each_storage_function() -> None:
    """Who is in charge, which programs can tell, which are there, and whether one does."""
    bare, _ = pci_controllers.unlisted(VIEW, (), VENDORS, ())
    found = [*bare, Controller(id="drives:0000:00:1f.2", pci_address="0000:00:1f.2")]
    rows = pci_controllers.overview(VIEW, VENDORS, found, [Tool(name="drivetool")])
    port, known, unknown = rows
    assert (port.family, port.found, port.controllers, port.listed) == (
        "drives", ("drivetool",), ("drives:0000:00:1f.2",), True,
    )  # fmt: skip
    assert (known.family, known.tools, known.found, known.listed) == ("example", ("newcli", "oldcli"), (), False)
    assert (unknown.family, unknown.listed) == (None, False)
    assert unknown.note == "No vendor package of raidctl supports this controller."
    assert known.name == "Hewlett-Packard Company Smart Array Gen8 Controllers"


def test_the_overview_says_what_a_port_in_raid_mode_is() -> None:
    """A port that calls itself RAID, a virtual controller and a card given to a guest are told from RAID cards."""
    functions = (
        raid("0000:00:17.0", "ahci"),
        raid("0000:00:05.0", "virtio-pci", 0x010000),
        raid("0000:05:00.0", "vfio-pci"),
    )
    notes = {row.address: row.note or "" for row in pci_controllers.overview(HostView(pci=functions), VENDORS, ())}
    assert "Its PCI class is RAID" in notes["0000:00:17.0"]
    assert "virtual" in notes["0000:00:05.0"]
    assert "guest" in notes["0000:05:00.0"]


def test_the_overview_tells_which_program_was_used_and_why() -> None:
    """The evidence knows whose output a controller was read from; the family's note on the controller says why."""
    sheet = Output.of_text("/opt/bin/oldcli show all", "Card 1\n")
    sheet.lines[0].fact("example:1", "model", "Card 1")
    note = Problem(severity="info", where="example:1", message="newcli does not know it.")
    ill = Problem(severity="error", where="example:1", message="It is ill.", kind="state")
    (row,) = pci_controllers.overview(
        HostView(pci=(raid("0000:03:00.0"),)), VENDORS, [Controller(id="example:1", pci_address="0000:03:00.0")],
        [Tool(name="newcli"), Tool(name="oldcli")], problems=[note, ill], outputs=[sheet],
    )  # fmt: skip
    assert (row.found, row.reported_by, row.notes) == (("newcli", "oldcli"), ("oldcli",), ("newcli does not know it.",))


BOTH = (
    Family("another", ["hpsa"], [ToolSpec("anothercli", package="the other package")]),
    Family("example", ["hpsa"], [ToolSpec("newcli", package="the example package")]),
)


def test_of_two_families_with_one_driver_the_one_that_tells_is_in_charge() -> None:
    """Two makers' cards share a driver: whoever lists the card, else whoever has a program, answers for it."""
    view = HostView(pci=(raid("0000:03:00.0"),))
    listed = [Controller(id="example:1", pci_address="0000:03:00.0")]
    assert [row.family for row in pci_controllers.overview(view, BOTH, listed)] == ["example"]
    assert [row.family for row in pci_controllers.overview(view, BOTH, [Controller(id="example:1")])] == ["example"]
    assert [row.family for row in pci_controllers.overview(view, BOTH, (), [Tool(name="newcli")])] == ["example"]
    assert [row.family for row in pci_controllers.overview(view, BOTH, ())] == ["another"]


def test_whoever_lists_a_card_is_in_charge_of_it() -> None:
    """Also where its family does not count the card's driver among its own."""
    listed = [Controller(id="example:1", pci_address="0000:03:00.0")]
    (row,) = pci_controllers.overview(HostView(pci=(raid("0000:03:00.0", "new_driver"),)), BOTH, listed)
    assert (row.family, row.controllers, row.listed) == ("example", ("example:1",), True)


def test_of_two_families_with_one_driver_both_tools_are_named() -> None:
    """Without a program nobody can tell whose card it is: both are offered."""
    (problem,) = pci_controllers.unlisted(HostView(pci=(raid("0000:03:00.0"),)), (), BOTH, ())[1]
    assert (problem.kind, problem.where) == ("no_tool", "0000:03:00.0")
    for word in ("anothercli", "newcli"):
        assert word in problem.message
    assert "the other package" in (problem.remedy or "")
    assert "the example package" in (problem.remedy or "")


def test_a_drive_of_the_kernel_that_no_tool_lists_is_reported() -> None:
    """The tool left a volume out: the reading is not complete. A volume without a device may be the drive: a note."""
    machine = replayed("smartarray-gen9-degraded")
    cards = machine.inventory.controllers
    assert list(unmatched(machine.view, cards)) == []
    [card] = [one for one in cards if one.id == "smartarray:0"]
    last = card.volumes[-1]
    short = replace(card, volumes=card.volumes[:-1])
    [lost] = unmatched(machine.view, [short if one is card else one for one in cards])
    assert (lost.kind, lost.where, last.device in lost.message.split(":")) == ("unread", card.id, True)
    loose = replace(short, volumes=(*short.volumes, replace(last, device=None)))
    [doubtful] = unmatched(machine.view, [loose if one is card else one for one in cards])
    assert (doubtful.kind, last.id in doubtful.message) == ("note", True)
