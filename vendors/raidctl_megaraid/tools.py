"""The family's tools: their paths, and which two names are one tool."""

from __future__ import annotations

from raidctl.vendor.protocol import ToolSpec

DRIVERS = ("megaraid_sas", "mpi3mr", "megaraid", "megaraid_mbox", "megaraid_mm")
"""Kernel drivers of the controllers. They are for the SAS generations up to the 95xx, the 96xx, and the parallel SCSI
controllers before them."""

MFI_DRIVER = "megaraid_sas"
"""The driver whose controllers use MFI, the protocol of raidctl-mfi."""

OUTPUT_WORDS = ("nolog", "J")
"""Of storcli: no log file in the working directory; JSON. Both come last, with ``J`` at the end."""

_BROADCOM = "from Broadcom's site, for controllers up to the 95xx"
_DELL = "from Dell's site, for PERC controllers up to the H755"
_OLD = "from Broadcom's site, for controllers up to the 93xx"
_V = ("v",)
_MEGACLI_V: tuple[str, ...] = ()
"""No arguments, as MegaCli is never run for its version alone. Starting it can freeze a host with a 95xx controller."""

MAKERS = (
    ToolSpec(
        name="storcli64",
        places=("/opt/MegaRAID/storcli/storcli64", "/opt/hpe/storcli/storcli64", "/opt/lsi/storcli/storcli64"),
        package=f"StorCLI, {_BROADCOM}",
        version_argv=_V,
    ),
    ToolSpec(
        name="storcli",
        places=("/opt/MegaRAID/storcli/storcli", "/opt/hpe/storcli/storcli", "/opt/lsi/storcli/storcli"),
        package=f"StorCLI, {_BROADCOM}",
        version_argv=_V,
    ),
    ToolSpec(
        name="perccli64",
        places=("/opt/MegaRAID/perccli/perccli64",),
        package=f"PERCCLI, {_DELL}",
        version_argv=_V,
    ),
    ToolSpec(
        name="perccli",
        places=("/opt/MegaRAID/perccli/perccli",),
        package=f"PERCCLI, {_DELL}",
        version_argv=_V,
    ),
    ToolSpec(
        name="storcli2",
        places=("/opt/MegaRAID/storcli2/storcli2",),
        package="StorCLI2, from Broadcom's site, for the 96xx (driver mpi3mr)",
        version_argv=_V,
    ),
    ToolSpec(
        name="perccli2",
        places=("/opt/MegaRAID/perccli2/perccli2",),
        package="PERCCLI2, from Dell's site, for the PERC H965 and H365 (driver mpi3mr)",
        version_argv=_V,
    ),
    ToolSpec(
        name="MegaCli64",
        places=("/opt/MegaRAID/MegaCli/MegaCli64", "/opt/lsi/MegaCLI/MegaCli64"),
        package=f"MegaCli, {_OLD}",
        version_argv=_MEGACLI_V,
    ),
    ToolSpec(
        name="MegaCli",
        places=("/opt/MegaRAID/MegaCli/MegaCli", "/opt/lsi/MegaCLI/MegaCli"),
        package=f"MegaCli, {_OLD}",
        version_argv=_MEGACLI_V,
    ),
    ToolSpec(name="megacli", package=f"MegaCli as distributions pack it; or {_OLD}", version_argv=_MEGACLI_V),
    ToolSpec(name="megasascli", package="MegaCli under Fujitsu's name", version_argv=_MEGACLI_V),
    ToolSpec(
        name="CmdTool2",
        places=("/opt/MegaRAID/CmdTool2/CmdTool2_64", "/opt/MegaRAID/CmdTool2/CmdTool2"),
        package="MegaCli under Intel's name",
        version_argv=_MEGACLI_V,
    ),
)
"""The programs of the controllers' makers."""

MFI = ToolSpec(
    name="raidctl-mfi", package="raidctl itself: reads controllers on the driver megaraid_sas up to the 94xx"
)
"""raidctl's own tool, run if the others report no controller."""

TOOLS = (*MAKERS, MFI)

KINDS: dict[str, str] = {
    "storcli64": "storcli", "storcli": "storcli", "perccli64": "perccli", "perccli": "perccli",
    "storcli2": "storcli2", "perccli2": "perccli2", "MegaCli64": "megacli", "MegaCli": "megacli",
    "megacli": "megacli", "megasascli": "megacli", "CmdTool2": "megacli",
}  # fmt: skip
"""The kind of each tool, whatever its name. A second one of the same kind reports nothing more."""
STORCLI, MEGACLI, MFI_JSON = "storcli", "megacli", "mfi"
"""The kinds of documents: storcli and perccli in JSON and text, MegaCli, the JSON of raidctl-mfi."""
SECOND_GENERATION = frozenset({"storcli2", "perccli2"})
"""Kinds whose grammar is that of version 8."""
