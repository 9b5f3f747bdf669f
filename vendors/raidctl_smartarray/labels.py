"""Labels in each kind of section, over all versions of the tools.

A label in these tables that fills no field of the model becomes a detail. A label that is not in them stays unparsed:
the tables define the format, so a new label is noticed. Some labels come in families (``Driver Supports …``):
an ellipsis in their tables is any text. All are compared in lower case with runs of blanks made one.
"""

from __future__ import annotations

from functools import lru_cache

from raidctl.text import regex
from raidctl_smartarray.vocabulary import normalized

_CONTROLLER = """
bus interface|slot|serial number|cache serial number|host serial number|chassis serial number|chassis name
chassis slot|controller status|hardware revision|firmware version|raid stack version|cpld revision|bios version
uefi driver version|raid 6 status|raid 6 (adg) status|raid 6 (adg) license|rebuild priority|expand priority
expansion priority|queue depth|monitor and performance delay|elevator sort|degraded performance optimization
inconsistency repair policy|wait for cache room|post prompt timeout|write cache bypass threshold size
write cache bypass threshold|cache board present|cache status|cache status details|cache disable reason
cache disable code|cache ratio|accelerator ratio|array accelerator ratio|read cache size|write cache size
total cache size|total cache memory available|cache size|accelerator total memory|accelerator status
battery backed cache size|no-battery write cache|no battery write cache|drive write cache
configured drive write cache policy|unconfigured drive write cache policy|hba drive write cache policy
unconfigured/hba drive write cache policy|physical drive write cache|physical drive write cache state
cache backup power source|battery/capacitor count|battery/capacitor status|battery/capacitor pack count
battery pack count|battery count|battery status|capacitor count|capacitor status|number of ports|encryption
encryption supported|encryption status|encryption model|express local encryption|driver name|driver version
driver package version|wwn|wwn port|port wwn|node wwn|sas address|pci address (domain:bus:device.function)
pci address|negotiated pcie data rate|pcie rate|hba mode enabled|controller mode|pending controller mode
controller mode reboot|latency scheduler setting|latency scheduler|current power mode|pending power mode|power mode
power mode reboot|survival mode|survival mode setting|i/o performance mode|predictive spare activation mode
spare activation mode|primary boot volume|secondary boot volume|boot volume|primary boot controller|boot controller
io mode|redundancy mode|redundant path mode|redundant controller|preferred path mode|preferred path|cluster mode
current controller mode|controller role|licensed features|performance mode|out of box mode|device number|vendor id
product id|board id|part number|spare part number|multidomain status|cache module serial number
cache module part number|controller location|location|nvram status|smart array mode|os status|dual domain
number of logical drives|number of physical drives|number of arrays|max logical drives|max physical drives
array accelerator|array accelerator status|controller memory size|memory size|lockup code|lock up code
controller lockup code|rebuild rate|expand rate|drive authentication|array size limit|capacitor charge
battery charge|battery temperature (c)|temperature|mass storage class|ports|language
"""
_ARRAY = """
interface type|unused space|used space|status|multidomain status|array type|spare type|smart path|encryption
encrypted|hp ssd smart path|hpe ssd smart path|ssd smart path|hp smart path|ssd i/o bypass|ssd bypass
failed spare drives|transform status|transformation status|progress|transformation progress|number of logical drives
number of drives|drive type|power status|volatile keys|spare rebuild mode|predictive spare rebuild|size|raid level
"""
_VOLUME = """
size|fault tolerance|number of parity groups|heads|sectors per track|cylinders|strip size|stripe size
full stripe size|status|multidomain status|caching|array accelerator|parity initialization status
parity initialization progress|unique identifier|disk name|mount points|mount point|os status|logical drive label
drive type|ld acceleration method|acceleration method|caching association|unrecoverable media errors
last surface scan completed|surface scan progress|rebuild status|rebuild progress|recovery progress
recovering progress|transformation progress|expand progress|progress|boot volume|preferred controller
preferred controller slot|preferred path|write cache policy|cache line size|cache write policy|cache status
caching status|ssd caching|encryption|encrypted|encryption key|volume key|volume status|key status|volatile key
max boot partition|maxboot|disk offset|ld number|logical drive number|array|interface type|os disk number
os device name|erase status|erase progress|data logical drive|cache logical drive|split mirror status
predictive spare rebuild|logical drive type|cached logical drive|ssd over provisioning
ssd over provisioning optimization|io bypass|number of mirror groups|bus interface|port|raid level|raid
parity groups|mirror groups|target|lun|volume type|smart path|ssd smart path|hp ssd smart path|hpe ssd smart path
"""
_DRIVE = """
port|box|bay|scsi bus|scsi id|bus|id|status|drive type|interface type|size|drive exposed to os
logical/physical block size|native block size|block size|rotational speed|firmware revision|firmware version
serial number|wwid|model|drive model|sata ncq capable|sata ncq enabled|current temperature (c)
maximum temperature (c)|usage remaining|power on hours
estimated life remaining based on workload to date|estimated life remaining|ssd smart trip wearout
ssd wearout status|ssd status|ssd wear status|phy count|phy transfer rate|phy physical link rate
phy maximum link rate|transfer mode|transfer speed|data rate|negotiated data rate|maximum data rate
drive authentication status|carrier application version|carrier bootloader version|carrier authentication status
multi-actuator drive|drive unique id|unique id|unique identifier|write cache status|write cache changeable
write cache|disk name|mount points|mount point|os status|last failure reason|failure reason|self encrypting drive
encrypted drive|encryption|encryption status|drive sku number|multidomain status|shingled magnetic recording support
shingled magnetic recording|predictive failure|configured|connector|location|legacy drive|redundant path
number of paths|path status|rebuild status|rebuild progress|recovery progress|progress|power status|power state
drive location|enclosure|slot|part number|spare part number|host serial number|drive exposed to host|device number
hot-plug support|hot plug|target id|lun|wear status|wearout|bus type|physical drive status|media type
pcie link speed|pcie link width|negotiated pcie data rate|nvme namespace|subsystem nqn|drive family|ssd utilization
removable|array|smart status|s.m.a.r.t. status|s.m.a.r.t. supported|erase status|erase progress|erase pattern
estimated erase time|error count|media errors|firmware upgrade|sas address|product id|vendor id|drive location index
"""
_DEVICE = """
device number|firmware version|firmware revision|hardware revision|wwid|port|box|vendor id|model|serial number
product id|product revision|location|drive bays|fan status|temperature status|power supply status|enclosure status
status|name|redundant power|type|size|bays|part number|spare part number|sas address|cpld version|phy count
phy transfer rate|sku|enclosure type|enclosure name|chassis serial number|active ses processor|number of bays
drive box|connector|protocol|port location|number of phys|drives|monitor status|slot|bootloader version
storage enclosure status|door status|index
"""
_PORT = """
port id|port connection number|sas address|port location|port mode|port type|connector location|device count|status
managed cable connected|managed cable length|managed cable serial number|managed cable part number|port protocol|box
current port mode|pending port mode|wwn|connector type|cable type|lane count|port speed|discovery protocol|mode
"""
_SENSOR = """
location|current value (c)|max value since power on|maximum value since power on|maximum value (c)|state|type|name
current value|min value since power on|max value since power on (c)|warning threshold (c)|critical threshold (c)
sensor location|sensor type|status
"""

_BEGINNINGS = {
    "controller": """
driver support …|driver supports …|firmware support …|firmware supports …|controller support …|controller supports …
spdm …|surface scan …|surface analysis …|pldm …|current parallel surface scan …|max parallel surface scan …|sanitize …
ssd caching …|port max phy …|spare spindown …|manufacturing …|backplane …|encryption …|battery pack …
persistent event log …|uefi …|i2c …|mctp …|license …|sed …|managed sed …|self-encrypting …|self encrypting …|nvme …
power mode …|total solid state …|total smart solid state …|expander …|cache module …|spare …|predictive …
volatile key…|master key…|key manag…|local key …|online firmware …|flexible latency …|max latency …|maximum latency …
ssd smart path …|array accelerator …
""",
    "array": "ssd smart path…|hp ssd smart path…|hpe ssd smart path…|spare …|predictive …|encryption …",
    "volume": """
parity …|caching …|surface scan …|last surface …|encryption …|erase …|boot …|rebuild …|volatile …|smartcache …|split …
multi-domain …|multi domain …|multidomain …|sed …
""",
    "drive": """
sanitize …|unrestricted sanitize …|sata ncq …|phy …|carrier …|ssd …|erase …|shingled …|power on …|estimated …
drive authentication …|nvme …|pcie …|encryption …|smart …|write cache …|usage …|self-encrypting …|self encrypting …
drive exposed …|sed …|foreign …|hot-plug…|hot plug…|hotplug…|lane …|link …|namespace …|vendor specific …
multi-actuator …|multi actuator …|controller authentication …|depopulat…
""",
    "device": """
backplane …|io module …|fan …|temperature …|power supply …|expander …|firmware …|ubm …|managed cable …
""",
    "port": "managed cable …|port …|phy …|cable …",
    "sensor": "current value…|max value…|min value…|maximum value…|minimum value…",
}
_ENDS = {
    "controller": """
… supported|… temperature (c)|… part number|… serial number|… assembly number|… activation mode|… reboot
… status
""",
    "volume": "… progress|… unique id",
    "drive": "… temperature (c)|… supported|… block size|… status",
    "device": "… part number|… serial number|… status|… temperature (c)",
}
_OTHER_FAMILIES = {
    "controller": regex(r"redundan.+ .+"),
    "array": regex(r".+ encryption .+|transform.+ .+"),
    "drive": regex(r".+ endurance.*|drive .+ (?:number|status)|crypto.* .+|total .+ (?:read|written)"),
}


def _table(text: str) -> frozenset[str]:
    return frozenset(label.strip() for row in text.split("\n") for label in row.split("|") if label.strip())


_TABLES = {
    "controller": _table(_CONTROLLER),
    "array": _table(_ARRAY),
    "volume": _table(_VOLUME),
    "drive": _table(_DRIVE),
    "device": _table(_DEVICE),
    "port": _table(_PORT),
    "sensor": _table(_SENSOR),
}
_STARTS_WITH = {kind: tuple(form.removesuffix("…") for form in _table(text)) for kind, text in _BEGINNINGS.items()}
_ENDS_WITH = {kind: tuple(form.removeprefix("…") for form in _table(text)) for kind, text in _ENDS.items()}
_DECIDING = frozenset().union(*_TABLES.values()) - {"array", "error count", "mirror groups", "parity groups"}
_LONGEST = 80


@lru_cache(maxsize=8192)
def holds(kind: str, label: str) -> bool:
    """Whether a kind of section (``controller``, ``drive`` …) can hold the label. Other kinds do not count."""
    if kind not in _TABLES or len(label) > _LONGEST:
        return False
    plain = normalized(label)
    if plain in _TABLES[kind] or plain.startswith(_STARTS_WITH[kind]) or plain.endswith(_ENDS_WITH.get(kind, ())):
        return True
    other = _OTHER_FAMILIES.get(kind)
    return other is not None and other.fullmatch(plain) is not None


def known(label: str) -> bool:
    """Whether any kind of section can hold the label."""
    return any(holds(kind, label) for kind in _TABLES)


@lru_cache(maxsize=8192)
def decides(label: str) -> bool:
    """Whether a line with the label is a pair, whatever its value. No heading and no message begins with it."""
    return normalized(label) in _DECIDING
