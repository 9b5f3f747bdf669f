"""Masking: no original survives, and the same stays the same. What is not a secret stays readable."""

from __future__ import annotations

import json
import random
import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidctl.recording.identities import identities
from raidctl.recording.manifest import FORMAT, Entry, Manifest
from raidctl.recording.recording import Recording, load
from raidctl.recording.redact import redact
from raidctl.recording.save import save

CONTROLLER = """
Smart Card X440 in Slot 1                (sn: RCTLC0A9Q7)
   Serial Number: RCTLC0A9Q7
   Cache Serial Number: RCTLM4410B
   Host Serial Number: RCTH57
   WWN: 5001438AA1B2C3D0
   Firmware Version: 6.30.8.0
   Logical Drive: 1
      Unique Identifier: 600508B1001CA1B2C3D4E5F60718293A
      Logical Drive Label: 0A1BRCTLC0A9Q75C2D
      Mount Points: /home/alice 100 GB
   physicaldrive 1I:1:1
      Size: 900.1 GB
      Serial Number: RCTLD00017          00009123XYZ1
      WWID: 5000C500A1B2C3D5
      Model: HP      EG0900RCTL
      SAS Address: 5001438012345678
      Drive Serial: N/A
      Array Serial: None
      Bay Serial Number: 1234
      Blocks: 1234
"""
SMART = """Model Family:     Rivercastle Enterprise
Device Model:     RC4000NM0035-1V4107
Serial Number:    RCZ1ABCD17
LU WWN Device Id: 5 000c50 0a1b2c3d4
Firmware Version: TNC3
Logical Unit id:      0x5000c500a1b2c3d4
Attached SAS address = 0x5000c500a1b2c3d6
IEEE EUI-64:          002538 5b71b00d64
      0x1122a34455667788
Logical Unit id:      0x5000cb0847
"""
IDENTIFY = """
\tModel Number:       RC4000NM0035-1V4107
\tSerial Number:      RCZ1ABCD17
\tLogical Unit WWN Device Identifier: 5000c500a1b2c3d4
\t\tNAA\t\t: 5
\t\tIEEE OUI\t: 000c50
\t\tUnique ID\t: 0a1b2c3d4
"""
ARRAY = """           Version : 1.2
              Name : db-prod-07:0  (local to host db-prod-07)
              UUID : 4af01b2c:77d1e0a9:0b2cd3e4:f5061728
ARRAY /dev/md/db-prod-07:0 metadata=1.2 name=db-prod-07:0 UUID=4af01b2c:77d1e0a9:0b2cd3e4:f5061728
"""
UDEV = """P: /devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda
N: sda
S: disk/by-id/ata-RC4000NM0035-1V4107_RCZ1ABCD17
S: disk/by-id/wwn-0x5000c500a1b2c3d4
S: disk/by-id/scsi-35000c500a1b2c3d4
E: ID_MODEL=RC4000NM0035-1V4107
E: ID_SERIAL=RC4000NM0035-1V4107_RCZ1ABCD17
E: ID_SERIAL_SHORT=RCZ1ABCD17
E: ID_WWN=0x5000c500a1b2c3d4
E: ID_PART_ENTRY_TYPE=a19d880f-05fc-4d3b-a006-743f0f84911e
E: ID_PART_ENTRY_UUID=0b8a3c1d-9e4f-4a21-8c77-5d6e7f809142

P: /devices/virtual/block/md0
E: MD_UUID=4af01b2c:77d1e0a9:0b2cd3e4:f5061728
E: MD_NAME=db-prod-07:0
S: disk/by-id/md-uuid-4af01b2c:77d1e0a9:0b2cd3e4:f5061728
E: DM_UUID=LVM-q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9Z0x1C2v3B4n5M6q7W8e9R0t1Y2
E: ID_FS_UUID=1A2B-3C4D

P: /devices/pci0000:00/0000:00:04.0/virtio1/block/vda
E: ID_SERIAL=volume-77-root
S: disk/by-id/virtio-volume-77-root

P: /devices/pci0000:00/0000:00:05.0/nvme/nvme0/nvme0n1
E: ID_MODEL=RC SSD 990
E: ID_SERIAL=RC_SSD_990_RCN5A00042
E: ID_SERIAL_SHORT=RCN5A00042
E: ID_WWN=nvme.1b36-52434e35413030303432-5243-00000001
"""
MOUNTS = """36 25 0:31 / /srv/data rw shared:9 - nfs4 nas-west-2.example.org:/export rw,addr=192.0.2.77
37 25 8:1 / /home/alice rw - ext4 /dev/disk/by-uuid/0b8a3c1d-9e4f-4a21-8c77-5d6e7f809142 rw
"""
JSON = json.dumps(
    {
        "wwn": {"naa": 5, "oui": 3152, "id": 0x0A1B2C3D4},
        "serial_number": "RCZ1ABCD17",
        "model_name": "RC4000NM0035-1V4107",
        "nvme_ieee_oui_identifier": 9528,
        "user_capacity": {"bytes": 4000787030016},
    },
    indent=1,
)
TABLE = """Node             SN                   Model                                    Namespace
---------------- -------------------- ---------------------------------------- ---------
/dev/nvme0n1     RCN5A00042           RC SSD 990                               1
/dev/nvme1n1     RCN5A00043           RC SSD 990                               1
"""
SECRETS = (
    "RCTLC0A9Q7", "RCTLM4410B", "RCTH57", "5001438AA1B2C3D0", "600508B1001CA1B2C3D4E5F60718293A",
    "A1B2C3D4E5F60718293A", "alice", "RCTLD00017", "00009123XYZ1", "5000C500A1B2C3D5", "5001438012345678",
    "RCZ1ABCD17", "0a1b2c3d4", "00a1b2c3d6", "5b71b00d64", "db-prod-07", "77d1e0a9", "0b2cd3e4",
    "0b8a3c1d-9e4f-4a21-8c77-5d6e7f809142", "q1W2e3R4t5Y6", "1A2B-3C4D", "volume-77-root", "RCN5A00042", "RCN5A00043",
    "52434e35413030303432", "nas-west-2", "example.org", "192.0.2.77", "web-front-3", "2712847316", "1122a34455667788",
    "5000cb0847",
)  # fmt: skip
FILES = {
    "card.out": CONTROLLER, "smart.out": SMART, "identify.out": IDENTIFY, "array.out": ARRAY, "udev-db": UDEV,
    "mounts": MOUNTS, "smart.json": JSON, "list-RCN5A00042.out": TABLE, "hostname": "web-front-3\n",
}  # fmt: skip


def machine(files: dict[str, str]) -> Recording:
    """A recording whose files were printed by programs. ``hostname`` is the kernel's file."""
    entries = tuple(
        Entry(read="/proc/sys/kernel/hostname", data=name)
        if name == "hostname"
        else Entry(run=("tool", "/dev/disk/by-id/ata-RC4000NM0035-1V4107_RCZ1ABCD17", name), code=0, out=name)
        for name in files
    )
    manifest = Manifest(format=FORMAT, source="ssh:alice@web-front-3", about="of web-front-3", answers=entries)
    return Recording(manifest, {name: text.encode("utf-8", "surrogateescape") for name, text in files.items()})


def one(text: str, salt: bytes = b"s") -> str:
    """A text masked alone."""
    return next(iter(redact(machine({"x": text}), salt).files.values())).decode()


def everything(recording: Recording) -> str:
    """All that a recording holds, as one text."""
    data = b"\n".join(name.encode() + b"\n" + content for name, content in recording.files.items())
    return repr(recording.manifest) + data.decode("utf-8", "surrogateescape")


def test_no_original_survives_anywhere() -> None:
    """No output, argument, path, file name, source or description has an original."""
    masked_text = everything(redact(machine(FILES), b"s")).lower()
    assert [secret for secret in SECRETS if secret.lower() in masked_text] == []
    assert redact(machine(FILES)).manifest.redacted


def test_lines_keep_their_length_and_their_kinds_of_characters() -> None:
    """Columns survive. Capitals stay capitals, digits digits, hexadecimal digits hexadecimal, all else itself."""
    before, after = machine(FILES), redact(machine(FILES))
    for old, new in zip(before.files.items(), after.files.items(), strict=True):
        assert len(old[0]) == len(new[0])
        if old[0] != "smart.json":
            lines = zip(old[1].split(b"\n"), new[1].split(b"\n"), strict=True)
            assert [(a, b) for a, b in lines if len(a) != len(b)] == []
    shape = str.maketrans(string.ascii_letters + string.digits, "a" * 26 + "A" * 26 + "0" * 10)
    masked = one("Serial Number: RCz1-AB.17\n")
    assert masked != "Serial Number: RCz1-AB.17\n"
    assert masked.translate(shape) == "Serial Number: RCz1-AB.17\n".translate(shape)


@pytest.mark.parametrize(
    "kept",
    [
        "Smart Card X440 in Slot 1", "Firmware Version: 6.30.8.0", "Model: HP      EG0900RCTL", "Size: 900.1 GB",
        "Drive Serial: N/A", "Array Serial: None", "Blocks: 1234", "Device Model:     RC4000NM0035-1V4107",
        "E: ID_MODEL=RC4000NM0035-1V4107", "ID_PART_ENTRY_TYPE=a19d880f-05fc-4d3b-a006-743f0f84911e",
        "IEEE OUI\t: 000c50",
        "block/sda", '"bytes": 4000787030016', '"model_name": "RC4000NM0035-1V4107"', "/srv/data", "RC SSD 990",
        "0000:00:1f.2",
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(kept: str) -> None:
    """Models, firmware, sizes, bus addresses and words for "none" stay."""
    assert kept in everything(redact(machine(FILES))).replace("\\t", "\t")


def test_the_same_original_is_the_same_replacement_everywhere() -> None:
    """A serial number is the same in reports, links, udev and arguments."""
    masked = redact(machine(FILES))
    serial = re.search(rb"Serial Number:    (\S+)", masked.files["smart.out"])
    assert serial is not None
    for name in ("identify.out", "udev-db", "smart.json"):
        assert serial[1] in masked.files[name]
    masked_text = everything(masked)
    assert masked_text.count(f"1V4107_{serial[1].decode()}") == 2 + len(FILES) - 1


def test_a_world_wide_name_is_the_same_in_every_spelling() -> None:
    """A world wide name is the same in every spelling.

    Tools print it with blanks, with 0x, in capitals, in parts, and as a decimal number in JSON.
    """
    masked = redact(machine(FILES))
    found = re.search(rb"Identifier: 5000c50([0-9a-f]{9})\n", masked.files["identify.out"])
    assert found is not None
    tail = found[1].decode()
    assert f"5 000c50 {tail}" in masked.files["smart.out"].decode()
    assert f"0x5000c50{tail}" in masked.files["smart.out"].decode()
    assert f"Unique ID\t: {tail}" in masked.files["identify.out"].decode()
    assert f"scsi-35000c50{tail}" in masked.files["udev-db"].decode()
    assert json.loads(masked.files["smart.json"])["wwn"] == {"naa": 5, "oui": 3152, "id": int(tail, 16)}
    # the port beside it stays beside it
    assert f"0x5000c50{tail[:-1]}" in masked.files["smart.out"].decode().split("Attached")[1]


def test_a_name_with_its_bytes_reversed_is_masked_along() -> None:
    """sas2ircu prints the bytes of a volume's name in reverse order. The volume still matches the kernel's drive."""
    text = one("Volume wwid : 0b1f84d2c76a3e95\nE: ID_WWN_WITH_EXTENSION=0x600508e000000000953e6ac7d2841f0b\n")
    wwid, name = re.findall(r": ([0-9a-f]{16})\n|=0x600508e000000000([0-9a-f]{16})\n", text)
    assert bytes.fromhex(wwid[0])[::-1] == bytes.fromhex(name[1])
    assert wwid[0] != "0b1f84d2c76a3e95"


def test_a_name_in_hexadecimal_digits_is_masked_along() -> None:
    """A serial number in hexadecimal is masked as the same number."""
    text = one("E: ID_SERIAL_SHORT=RCN5A00042\nS: disk/by-id/nvme-nvme.1b36-52434e35413030303432-5243-00000001\n")
    serial, link = re.findall(r"SHORT=(\S+)|1b36-([0-9a-f]+)", text)
    assert bytes.fromhex(link[1]).decode() == serial[0]


def test_a_shortened_serial_number_is_still_a_beginning() -> None:
    """A masked serial number still begins with its shortened, masked form."""
    text = one("Serial Number: 6RC1AB42\nSerial Number: 6RC1AB420000N2240XYZ\n")
    short, long = re.findall(r": (\S+)", text)
    assert long.startswith(short)


def test_short_and_common_values_are_masked_only_behind_their_label() -> None:
    """Sizes and paths stay, despite a serial number "1234". The same holds for a host called "data"."""
    text = one(
        "Serial Number: 1234\nSize: 1234 MB\nName : data:0\n/srv/data\nhostname: web\nweb\nSerial: sda\n/dev/sda\n"
    )
    assert re.fullmatch(
        r"Serial Number: (?!1234)\d{4}\nSize: 1234 MB\nName : (?!data)[a-z]{4}:0\n/srv/data\n"
        r"hostname: (?!web)[a-z]{3}\nweb\nSerial: (?!sda)[a-z]{3}\n/dev/sda\n",
        text,
    )


def test_a_short_host_name_goes_with_its_long_one() -> None:
    """``db7`` and ``db7.example.org`` are the same machine afterwards."""
    text = one("hostname: db7.example.org\n/dev/vg_db7/root\ndb7 example.org\nxdb7\n")
    host, domain = re.findall(r"hostname: (\w+)\.(\S+)", text)[0]
    assert text == f"hostname: {host}.{domain}\n/dev/vg_{host}/root\n{host} {domain}\nxdb7\n"
    assert host != "db7"


def test_a_host_name_in_plain_letters_is_masked_inside_other_names() -> None:
    """Volume groups and file systems are often called after their machine. An English word in a sentence stays."""
    text = one("hostname: kestrel\n/dev/mapper/kestrel-root kestrel_vg kestrel:0\nkestrel: a bird, a kestrel.\n")
    host = re.findall(r"hostname: (\w+)", text)[0]
    assert host != "kestrel"
    assert text.split("\n", 1)[1] == f"/dev/mapper/{host}-root {host}_vg {host}:0\nkestrel: a bird, a kestrel.\n"


def test_json_stays_json() -> None:
    """A number in JSON stays a number, of the same length."""
    for salt in range(40):
        value = json.loads(one('{"serial_number": 900417, "unique_id": 100000007, "uuid": "0a0b"}', bytes([salt])))
        assert len(str(value["serial_number"])) == 6
        assert value["unique_id"] != 100000007


def test_two_maskings_have_nothing_in_common() -> None:
    """The key is random. A serial number in one recording reveals nothing about one in another."""
    assert redact(machine(FILES)).files != redact(machine(FILES)).files
    assert redact(machine(FILES), b"k") == redact(machine(FILES), b"k")


def test_a_masked_recording_is_a_recording(tmp_path: object) -> None:
    """It is saved, loaded and masked again like any other."""
    masked = redact(machine(FILES))
    save(masked, f"{tmp_path}/m.tgz")
    assert load(f"{tmp_path}/m.tgz") == masked
    assert len(redact(masked).files) == len(FILES)


SERIALS = st.text(string.ascii_uppercase + string.digits, min_size=8, max_size=20).filter(
    lambda text: any(c.isdigit() for c in text) and any(c.isalpha() for c in text)
)


@settings(max_examples=80, deadline=None)
@given(serials=st.lists(SERIALS, min_size=1, max_size=8, unique=True))
def test_different_serial_numbers_stay_different(serials: list[str]) -> None:
    """Masking is one to one. None of the originals is left, glued to other words or not."""
    text = "".join(f"Serial Number: {serial}\nlink-{serial}x {serial.lower()}\n" for serial in serials)
    masked = one(text)
    assert len(set(re.findall(r"Number: (\S+)", masked))) == len(serials)
    assert [serial for serial in serials if serial.lower() in masked.lower()] == []


@settings(max_examples=100, deadline=None)
@given(
    data=st.binary(max_size=300)
    | st.text(max_size=200).map(lambda text: f"Serial Number: {text}".encode("utf-8", "ignore"))
)
def test_any_bytes_can_be_masked(data: bytes) -> None:
    """Any bytes, and any serial number in text, keep their length."""
    recording = Recording(Manifest(format=FORMAT, answers=(Entry(read="/x/serial", data="x"),)), {"x": data})
    assert len(redact(recording).files["x"]) == len(data)


@pytest.mark.slow
def test_a_big_machine_is_masked() -> None:
    """A thousand drives, each in five places: no serial number is left."""
    dice = random.Random(7)  # noqa: S311 - test data
    serials = ["".join(dice.choices(string.ascii_uppercase + string.digits, k=12)) + "0A" for _ in range(1000)]
    text = "".join(
        f"Serial Number: {serial}\nWWID: 5000C500{number:08X}\nlink {serial} {serial}\n{'x1 ' * 200}\n"
        for number, serial in enumerate(serials, 0x10A1B2C3)
    )
    masked = one(text)
    assert not any(serial in masked for serial in serials)


def test_the_labels_of_every_tool_are_known() -> None:
    """Where tools tell an identity, in their own spelling."""
    lines = (
        "Serial Number:      RCX00017", "serial number: RCX00017", "Unit serial number: RCX00017",
        "Serial No. : RCX00017", "Serial Num : RCX00017", "sn        : RCX00017", '"SerialNumber" : "RCX00017",',
        '"serial_number":"RCX00017"', "(sn: RCX00017)", "E: ID_SERIAL_SHORT=RCX00017", "E: ID_SCSI_SERIAL=RCX00017",
        "  Disk00 Serial : RCX00017", "SCSI_IDENT_SERIAL=RCX00017", "S/N: RCX00017", "Serial Number (SN): RCX00017",
        "E: ID_SERIAL=RCX00017", "SN=RCX00017", "Serial #: RCX00017", "Media Serial Num:  RCX00017\r",
    )  # fmt: skip
    for line in lines:
        assert {identity.text for identity in identities(line + "\n")} == {"RCX00017"}, line


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("  Logical ID          : 500605b0:0a1b2c30\n", "a1b2c30"),
        ('{"lv_uuid":"4nDSeh-Xxjq-gO5T-gMkG-XrMj-WWqw-TLP6M9"}', "Xxjq"),
        ("  WARNING: Couldn't find device with uuid FqJ96d-4X8v-rVsJ-TIXd-u6Ce-91em-fzWfhp.\n", "rVsJ"),
        ('{"lv_host":"sapprod.corp.example"}', "sapprod"),
        ('{"Property" : "tmmSerialNo",\n "Value" : "SK91234567890"}', "91234567890"),
        ('{"Property" : "scapSerialNo",\n "Value" : "0x54b1"}', "54b1"),
        ("tmmSerialNo        SK91234567890\n", "91234567890"),
        ("subnqn    : nqn.1994-11.com.samsung:nvme:PM1733:2.5-inch:S4YNNE0N801309\n", "801309"),
        ("subnqn    : nqn.2014-08.org.nvmexpress:144d144dS4EWNX0N123456      SSD 970\n", "123456"),
        ('{"IPv4Addresses": [{"Address": "10.1.2.3"}]}', "10.1.2.3"),
        ('{"IPv6Addresses": [{"Address":"fe80::21f:29ff:fe0a:1b2c"}]}', "29ff"),
        ("Current IP Address   : 10.1.2.3\n", "10.1.2.3"),
        ("Service Tag : 7ABC123\n", "7ABC123"),
        ("Express Service Code : 15634872561\n", "15634872561"),
        ('{"_MACHINE_ID":"0123456789abcdef0123456789abcdef"}', "89abcdef"),
        ("\t    ata-RC4000NM0035-1V4107_ZC1A2B3C-part1  ONLINE  0 0 0\n", "ZC1A2B3C"),
        ("\t    nvme-RIVER_MZ512HAJQ-00000_S3W8NX0M123456_1  ONLINE  0 0 0\n", "S3W8NX0M123456"),
        ("54 27 0:54 / /mnt rw - ceph 10.77.3.11:6789,10.77.3.12:6789:/ rw\n", "10.77.3.12"),
        ("54 27 0:54 / /mnt rw - ceph 10.77.3.11,10.77.3.12:/ rw\n", "10.77.3.11"),
        ("51 27 0:51 / /mnt rw - cifs //nas1/hr rw,username=jdoe,domain=ACMECORP,uid=0\n", "ACMECORP"),
        ("E: SCSI_IDENT_LUN_T10=ACME___SN998877665544\n", "998877665544"),
        ("E: SCSI_IDENT_LUN_ATA=RC4000NM0035-1V4107_ZC1A2B3C\n", "ZC1A2B3C"),
    ],
)
def test_an_identity_is_masked_wherever_a_tool_prints_it(line: str, secret: str) -> None:
    """It needs no other output in which it has another label; length and format stay."""
    masked = one(line)
    assert secret.lower() not in masked.lower()
    assert re.sub(r"[0-9A-Za-z]", "", masked) == re.sub(r"[0-9A-Za-z]", "", line)


@pytest.mark.parametrize(
    "line",
    [
        "PCI Address = 00:04:00:00\n", '"PCI Address" : "00:af:00:00"', '"Address": "0x0a"', "Bus Address : 0:1:0\n",
        "ata-2.00: exception Emask 0x0\n", "nqn.2014-08.org.nvmexpress.discovery\n",
        "disk/by-id/ata-LAB_4000_P1-part1\n",
    ],
)  # fmt: skip
def test_other_addresses_stay(line: str) -> None:
    """Bus addresses, and names that all machines have, identify no machine."""
    assert one(line) == line


def test_a_world_wide_name_in_two_halves_is_the_same_name() -> None:
    """sas2ircu prints the name of a controller in halves, the kernel in one. The maker's part stays."""
    halves, name = one("Logical ID : 500605b0:0a1b2c30\nE: ID_WWN=0x500605b00a1b2c30\n").split("\n")[:2]
    assert halves.split()[-1].replace(":", "") == name.partition("0x")[2]
    assert "500605b" in name


def test_a_name_of_lvm_is_the_same_with_and_without_dashes() -> None:
    """The tools print a name with dashes, the kernel without; a masked volume still matches."""
    text = one("4nDSeh-Xxjq-gO5T-gMkG-XrMj-WWqw-TLP6M9\nLVM-4nDSehXxjqgO5TgMkGXrMjWWqwTLP6M9\n")
    dashed, bare = text.split()
    assert f"LVM-{dashed.replace('-', '')}" == bare


@pytest.mark.parametrize(
    "place", ["(Controller:1,Enclosure:0,Slot:3)      ", "(953869MB, SATA, HDD, Channel:0, Device:4)  ", "(1,12) "]
)
def test_a_serial_number_behind_a_place_is_known_without_a_label(place: str) -> None:
    """A missing member's serial number behind its place needs no label."""
    line = f"   Group 1, Segment 1    : Missing {place}RCX00017\n"
    assert {identity.text for identity in identities(line)} == {"RCX00017"}
    assert not list(identities(f"   Group 1, Segment 2    : Present {place}Hot-Spare\n"))
