"""The kernel's files, ledctl and sg_ses. The tests cover which LED belongs to a drive, and why there is none."""

from __future__ import annotations

import re

from raidctl.change.indicator import Indicator
from raidctl.host import BlockDevice
from raidctl.locate import enclosures, ledctl, npem, pci_slots, sg_ses
from raidctl.locate.kernel import KernelLeds, read_kernel_leds
from raidctl.request import Failure, RunAnswer, converse
from raidctl.vendor.plan import Action
from tests.layers.written import runner
from tests.locate.locate_views import SAS, Programs, wanted, with_which
from tests.support.over import over

E = "/sys/class/enclosure"
PATH2 = BlockDevice("sdf", "/dev/sdf", kind="disk", serial="S2", transport="sas", pci_address="0000:41:00.0")
NVME = BlockDevice("nvme0n1", "/dev/nvme0n1", kind="disk", serial="N1", transport="nvme", pci_address="0000:03:00.0")


def leds(files: dict[str, str | Failure]) -> KernelLeds:
    """What the kernel shows on a machine with these files."""
    return converse(read_kernel_leds(), runner(files))


def enclosure(
    address: str, logical: str, bay: str, block: str | None, locate: str | Failure = "0\n"
) -> dict[str, str | Failure]:
    """The files of one bay."""
    slot = f"{E}/{address}/{bay}"
    inside = {f"{slot}/device/block/{block}/size": "8\n"} if block else {}
    return {f"{E}/{address}/id": f"{logical}\n", f"{slot}/locate": locate, f"{slot}/fault": "0\n", **inside}


def test_the_bay_that_links_to_the_drive_is_its_bay() -> None:
    """The path of the bay's ``locate`` is written. The enclosure and the bay are named."""
    files = enclosure("0:0:20:0", "0x5003048001a2b3bd", "Slot 01", "sda")
    files |= enclosure("0:0:20:0", "0x5003048001a2b3bd", "Slot 02", "sdb", "1\n")
    indicator = enclosures.find(wanted(SAS), leds(files))
    assert isinstance(indicator, Indicator)
    assert (indicator.id, indicator.state, indicator.bay.bay) == (
        "enclosure:0x5003048001a2b3bd/Slot 02",
        "on",
        "Slot 02",
    )
    assert (indicator.on.path, indicator.on.data, indicator.off.data) == (f"{E}/0:0:20:0/Slot 02/locate", "1", "0")


def test_an_enclosure_with_two_modules_is_one() -> None:
    """Both modules show the same bays under their logical identifier. Either path of the drive finds the enclosure."""
    files = enclosure("0:0:20:0", "0x5003048001a2b3bd", "Slot 02", None)
    files |= enclosure("0:0:21:0", "0x5003048001a2b3bd", "Slot 02", "sdf")
    found = leds(files)
    assert len(found.enclosures) == 1
    assert isinstance(enclosures.find(wanted(SAS, PATH2), found), Indicator)


@over(
    "files, why",
    [
        ({}, "shows no enclosure"),
        (enclosure("0:0:20:0", "0x5", "Slot 02", "sda"), "no bay of an enclosure is linked"),
        (enclosure("0:0:20:0", "0x5", "Slot 02", "sdb", Failure.DENIED), "cannot be read"),
        (enclosure("0:0:20:0", "0x5", "S1", "sdb") | enclosure("0:0:20:0", "0x5", "S2", "sdb"), "2 bays are linked"),
    ],
)
def test_a_bay_that_is_not_certain_is_not_used(files: dict[str, str | Failure], why: str) -> None:
    """An uncertain bay is not used, and has its reason.

    There is no enclosure, no link, no reading, or there are two links. Nothing is guessed.
    """
    found = enclosures.find(wanted(SAS), leds(files))
    assert isinstance(found, str)
    assert why in found


LOCATE = "/sys/class/leds/0000:00:1c.0:enclosure:locate/brightness"
BELOW = {"/sys/bus/pci/devices/0000:00:1c.0/0000:03:00.0/class": "0x010802\n"}


def test_npem_is_on_the_port_above() -> None:
    """The LED is that of the port above the NVMe drive. A SAS drive gets none from its controller."""
    found = leds({LOCATE: "0\n", **BELOW})
    indicator = npem.find(wanted(NVME), found)
    assert isinstance(indicator, Indicator)
    assert indicator.on.path == LOCATE
    sas = BlockDevice("sdb", "/dev/sdb", kind="disk", serial="S2", transport="sas", pci_address="0000:03:00.0")
    assert isinstance(npem.find(wanted(sas), found), str)


def slot(name: str, address: str, attention: str | Failure) -> dict[str, str | Failure]:
    """The files of a hot plug slot."""
    folder = f"/sys/bus/pci/slots/{name}"
    return {f"{folder}/address": f"{address}\n", f"{folder}/attention": attention}


def test_a_pcie_slot_is_found_by_its_address() -> None:
    """Between two slots with the number 0, the address decides.

    A slot whose LED cannot be read (acpiphp) is not used.
    """
    files = slot("0", "0000:02:00", "0\n") | slot("0-1", "0000:03:00", "0\n")
    indicator = pci_slots.find(wanted(NVME), leds(files))
    assert isinstance(indicator, Indicator)
    assert indicator.on.path == "/sys/bus/pci/slots/0-1/attention"
    unreadable = pci_slots.find(wanted(NVME), leds(slot("0", "0000:03:00", Failure.MISSING)))
    assert isinstance(unreadable, str)
    vmd = BlockDevice("nvme1n1", "/dev/nvme1n1", kind="disk", transport="nvme", pci_address="10000:01:00.0")
    assert "VMD" in str(pci_slots.find(wanted(vmd), leds(slot("1", "10000:01:00", "0\n"))))


def test_ledctl_is_used_on_controllers_that_it_lists() -> None:
    """A drive on another one, or without ledctl, has its reason."""
    listed: Programs = {("ledctl", "--list-controllers"): (0, "/sys/devices/pci0000:00/0000:41:00.0 (SCSI)\n", "")}
    other: Programs = {("ledctl", "--list-controllers"): (0, "/sys/devices/pci0000:00/0000:00:17.0 (AHCI)\n", "")}
    for programs, works in ((listed, True), (other, False), ({}, False)):
        [found] = converse(ledctl.find([wanted(SAS)]), with_which("ledctl", programs)).values()
        assert isinstance(found, Indicator) == works
    assert ledctl.judge(Action(argv=("ledctl",)), RunAnswer(code=0, err=b"/dev/sdb: device not supported\n"))
    assert ledctl.judge(Action(argv=("ledctl",)), RunAnswer(code=0)) is None


PAGE = """  LSI       SAS2X28           0601
Additional element status diagnostic page:
  generation code: 0x0
  additional element status descriptor list
    Element type: Array device slot, subenclosure id: 0 [ti=0]
      Element index: 0  eiioe=0
        Transport protocol: SAS
          phy index: 0
            attached SAS address: 0x500304800e1a2b3f
            SAS address: 0x5000c500a1b2c3d5
      Element index: 3  eiioe=0
        Transport protocol: SAS
          phy index: 0
            attached SAS address: 0x500304800e1a2b3f
            SAS address: 0x5000c500a1b2c3d9
      Element index: 4  eiioe=0
        Transport protocol: SAS
            SAS address: 0x0000000000000000
"""


def test_sg_ses_numbers_bays_as_its_option_counts_them() -> None:
    """``--index`` counts the elements of the first type from 0. If it is unclear how a page counts, none blinks."""
    near, far = "0x5000c500a1b2c3d5", "0x5000c500a1b2c3d9"
    shifted = re.sub(r"Element index: (\d)", lambda found: f"Element index: {int(found[1]) + 1}", PAGE)
    for page in (PAGE, shifted, shifted.replace("eiioe=0", "eiioe=1")):
        assert list(sg_ses.elements(page)) == [("0", near), ("3", far)]
    for old, new in (("[ti=0]", "[ti=1]"), ("eiioe=0", "eiioe=1"), ("index: 0  ", "index: 8  ")):
        assert list(sg_ses.elements(PAGE.replace(old, new))) == []
    second = "    Element type: SAS expander, subenclosure id: 0 [ti=1]\n      Element index: 3"
    assert list(sg_ses.elements(PAGE.replace("      Element index: 3", second))) == [("0", near)]


def test_sg_ses_finds_a_bay_by_the_drives_sas_address() -> None:
    """sg_ses uses the element's own SAS address.

    The expander's or an empty one is never used. The LED is read back.
    """
    assert list(sg_ses.elements(PAGE)) == [("0", "0x5000c500a1b2c3d5"), ("3", "0x5000c500a1b2c3d9")]
    programs: Programs = {
        ("sg_ses", "--page=aes", "/dev/sg3"): (0, PAGE, ""),
        ("sg_ses", "--index=3", "--get=ident", "/dev/sg3"): (0, "0\n", ""),
    }
    files: dict[str, str | Failure] = {
        "/sys/bus/scsi/devices/0:0:20:0/type": "13\n",
        "/sys/bus/scsi/devices/0:0:20:0/scsi_generic/sg3/dev": "21:3\n",
        "/sys/class/block/sdb/device/sas_address": "0x5000c500a1b2c3d9\n",
    }
    [indicator] = converse(sg_ses.find([wanted(SAS)]), with_which("sg_ses", programs, files)).values()
    assert isinstance(indicator, Indicator), indicator
    assert indicator.on.argv == ("sg_ses", "--index=3", "--set=ident", "/dev/sg3")
    assert (indicator.off.argv[2], indicator.state) == ("--clear=ident", "off")
