"""Storage functions of the PCI bus, and their responsible vendor packages."""

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


def test_a_raid_controller_without_its_tool_is_reported_with_the_tool_to_install() -> None:
    """The problem names controller and tools. The controller is shown with its block devices, without a status."""
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


def test_a_raid_controller_of_no_family_is_reported_with_its_driver() -> None:
    """A controller of the RAID class is shown despite an unknown driver."""
    bare, problems = pci_controllers.unlisted(VIEW, (), VENDORS, ())
    unknown = next(problem for problem in problems if problem.where == "0000:82:00.0")
    assert unknown.kind == "no_tool"
    assert "No vendor package of raidctl supports" in unknown.message
    assert "megaraid_sas" in unknown.message
    assert [controller.id for controller in bare] == ["pci:0000:03:00.0", "pci:0000:82:00.0"]


def test_every_fact_of_a_bare_controller_has_a_line() -> None:
    """Each object of a controller without a tool can be explained."""
    bare, _ = pci_controllers.unlisted(VIEW, (), VENDORS, ())
    (output,) = pci_controllers.evidence(bare, VIEW)
    explained = {fact.object_id for fact in output.facts}
    assert explained == {c.id for c in bare} | {volume.id for c in bare for volume in c.volumes}
    assert output.unparsed() == []


def test_an_installed_tool_that_does_not_list_the_controller_is_another_problem() -> None:
    """As root, the reading is incomplete; without root, a permission is missing."""
    _, as_root = pci_controllers.unlisted(VIEW, (), VENDORS, ["oldcli"])
    _, as_user = pci_controllers.unlisted(replace(VIEW, root=False), (), VENDORS, ["oldcli"])
    assert [p.kind for p in as_root if p.where == "0000:03:00.0"] == ["unread"]
    assert [p.kind for p in as_user if p.where == "0000:03:00.0"] == ["no_right"]


def test_a_controller_is_unread_for_the_reason_of_its_failed_tool() -> None:
    """A tool that may not be run lists nothing: a permission is missing, not a newer version."""
    denied = Problem("error", "/opt/oldcli show", "The tool may not be run.", kind="no_right")
    _, problems = pci_controllers.unlisted(VIEW, (), VENDORS, ["oldcli"], known=[denied])
    known = next(problem for problem in problems if problem.where == "0000:03:00.0")
    assert known.kind == "no_right"
    assert known.message.endswith("was not read, as oldcli failed.")


def test_a_family_that_failed_has_an_unread_controller() -> None:
    """Its tool may be installed, so the remedy is not to install one."""
    _, problems = pci_controllers.unlisted(VIEW, (), VENDORS, (), ["example"])
    known = next(problem for problem in problems if problem.where == "0000:03:00.0")
    assert (known.kind, known.remedy) == ("unread", None)
    assert "the vendor package example failed" in known.message


def test_a_controller_that_a_family_lists_is_matched() -> None:
    """It matches by PCI address, or as its family's only controller. Plain drives on it do not count."""
    view = HostView(pci=(raid("0000:03:00.0"),))
    addressed = Controller(id="example:1", pci_address="0000:03:00.0")
    assert pci_controllers.unlisted(view, [addressed], VENDORS, ["newcli"]) == ([], [])
    assert pci_controllers.unlisted(view, [Controller(id="example:1")], VENDORS, ["newcli"]) == ([], [])
    plain = Controller(id="drives:0000:03:00.0", pci_address="0000:03:00.0")
    assert len(pci_controllers.unlisted(view, [plain], VENDORS, [])[1]) == 1


def test_fewer_controllers_than_pci_functions_are_ambiguous() -> None:
    """Two PCI functions with one controller without an address are ambiguous.

    Neither is shown bare; both problems give the reason.
    """
    view = HostView(pci=(raid("0000:03:00.0"), raid("0000:04:00.0")))
    bare, problems = pci_controllers.unlisted(view, [Controller(id="example:1")], VENDORS, ["newcli"])
    assert bare == []
    assert [problem.kind for problem in problems] == ["unread", "unread"]
    both = [Controller(id="example:1"), Controller(id="example:2")]
    assert pci_controllers.unlisted(view, both, VENDORS, ["newcli"]) == ([], [])


def test_ports_of_plain_drives_are_no_raid_controllers() -> None:
    """Ports of plain drives (VMD, virtio, NVMe, HBAs) give no problem."""
    functions = (
        raid("0000:00:17.0", "ahci"), raid("0000:00:0e.0", "vmd"), raid("0000:00:05.0", "virtio-pci", 0x010000),
        raid("0000:01:00.0", "nvme", 0x010802), raid("0000:02:00.0", "mpt3sas", 0x010700),
        raid("0000:05:00.0", "vfio-pci"),
    )  # fmt: skip
    assert pci_controllers.unlisted(HostView(pci=functions), (), VENDORS, ()) == ([], [])


def test_a_controller_without_a_driver_hides_its_devices() -> None:
    """A RAID controller without a kernel driver is an incomplete reading. An unused IDE port is a note."""
    view = HostView(pci=(raid("0000:03:00.0", None), raid("0000:00:01.1", None, 0x010180)))
    bare, problems = pci_controllers.unlisted(view, (), VENDORS, ())
    assert [(p.where, p.kind) for p in problems] == [("0000:03:00.0", "unread"), ("0000:00:01.1", "note")]
    assert [controller.id for controller in bare] == ["pci:0000:03:00.0"]


def test_devices_that_a_family_shows_are_not_shown_twice() -> None:
    """The bare controller omits block devices shown as a volume or drive."""
    taken = Controller(id="drives:0000:03:00.0", volumes=(Volume(id="x", device="/dev/sda"),))
    bare, _ = pci_controllers.unlisted(VIEW, [taken], VENDORS, ())
    assert [volume.device for volume in bare[0].volumes] == ["/dev/sdb"]


def test_the_overview_has_a_row_for_each_storage_function() -> None:
    """The overview has a row for each storage function.

    It shows the responsible family, its tools, those that are installed, and whether one lists the controller.
    """
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


def test_a_port_does_not_list_the_drives_of_another() -> None:
    """Of two ports of one driver, only the one with a drive is shown as listed."""
    with_drive, bare = raid("0000:00:1f.2", "ahci", 0x010601), raid("0000:02:00.0", "ahci", 0x010601)
    found = [Controller(id="drives:0000:00:1f.2", pci_address="0000:00:1f.2")]
    rows = pci_controllers.overview(HostView(pci=(with_drive, bare)), VENDORS, found)
    assert [(row.address, row.controllers) for row in rows] == [
        ("0000:00:1f.2", ("drives:0000:00:1f.2",)), ("0000:02:00.0", ()),
    ]  # fmt: skip


def test_the_overview_explains_a_port_in_raid_mode() -> None:
    """The overview explains what differs from RAID controllers.

    Examples are a port that calls itself RAID, a virtual controller, and one passed to a guest.
    """
    functions = (
        raid("0000:00:17.0", "ahci"),
        raid("0000:00:05.0", "virtio-pci", 0x010000),
        raid("0000:05:00.0", "vfio-pci"),
    )
    notes = {row.address: row.note or "" for row in pci_controllers.overview(HostView(pci=functions), VENDORS, ())}
    assert "Its PCI class is RAID" in notes["0000:00:17.0"]
    assert "virtual" in notes["0000:00:05.0"]
    assert "guest" in notes["0000:05:00.0"]


def test_the_overview_names_the_tool_that_was_used_and_why() -> None:
    """The evidence names the tool that a controller was read with. The family's note on it gives the reason."""
    output = Output.of_text("/opt/bin/oldcli show all", "Card 1\n")
    output.lines[0].fact("example:1", "model", "Card 1")
    note = Problem(severity="info", where="example:1", message="newcli does not know it.")
    ill = Problem(severity="error", where="example:1", message="It is ill.", kind="state")
    (row,) = pci_controllers.overview(
        HostView(pci=(raid("0000:03:00.0"),)), VENDORS, [Controller(id="example:1", pci_address="0000:03:00.0")],
        [Tool(name="newcli"), Tool(name="oldcli")], problems=[note, ill], outputs=[output],
    )  # fmt: skip
    assert (row.found, row.reported_by, row.notes) == (("newcli", "oldcli"), ("oldcli",), ("newcli does not know it.",))


BOTH = (
    Family("another", ["hpsa"], [ToolSpec("anothercli", package="the other package")]),
    Family("example", ["hpsa"], [ToolSpec("newcli", package="the example package")]),
)


def test_of_two_families_with_one_driver_the_one_with_data_is_responsible() -> None:
    """The family that lists the controller is responsible. Otherwise it is the one with an installed tool."""
    view = HostView(pci=(raid("0000:03:00.0"),))
    listed = [Controller(id="example:1", pci_address="0000:03:00.0")]
    assert [row.family for row in pci_controllers.overview(view, BOTH, listed)] == ["example"]
    assert [row.family for row in pci_controllers.overview(view, BOTH, [Controller(id="example:1")])] == ["example"]
    assert [row.family for row in pci_controllers.overview(view, BOTH, (), [Tool(name="newcli")])] == ["example"]
    assert [row.family for row in pci_controllers.overview(view, BOTH, ())] == ["another"]


def test_the_family_that_lists_a_controller_is_responsible() -> None:
    """A controller belongs to the family that lists it, even if its driver is not one of the family's."""
    listed = [Controller(id="example:1", pci_address="0000:03:00.0")]
    (row,) = pci_controllers.overview(HostView(pci=(raid("0000:03:00.0", "new_driver"),)), BOTH, listed)
    assert (row.family, row.controllers, row.listed) == ("example", ("example:1",), True)


def test_of_two_families_with_one_driver_both_tools_are_named() -> None:
    """Without a tool the vendor is unknown: both are offered."""
    (problem,) = pci_controllers.unlisted(HostView(pci=(raid("0000:03:00.0"),)), (), BOTH, ())[1]
    assert (problem.kind, problem.where) == ("no_tool", "0000:03:00.0")
    for word in ("anothercli", "newcli"):
        assert word in problem.message
    assert "the other package" in (problem.remedy or "")
    assert "the example package" in (problem.remedy or "")


def test_a_drive_of_the_kernel_that_no_tool_lists_is_reported() -> None:
    """A volume that the tool left out makes the reading incomplete. If a volume has no device, that is a note."""
    machine = replayed("smartarray-gen9-degraded")
    controllers = machine.inventory.controllers
    assert list(unmatched(machine.view, controllers)) == []
    [controller] = [one for one in controllers if one.id == "smartarray:0"]
    last = controller.volumes[-1]
    short = replace(controller, volumes=controller.volumes[:-1])
    [lost] = unmatched(machine.view, [short if one is controller else one for one in controllers])
    assert (lost.kind, lost.where, last.device in lost.message.split(":")) == ("unread", controller.id, True)
    loose = replace(short, volumes=(*short.volumes, replace(last, device=None)))
    [doubtful] = unmatched(machine.view, [loose if one is controller else one for one in controllers])
    assert (doubtful.kind, last.id in doubtful.message) == ("note", True)
