"""Every command of a deed has a form of the tool.

The form is that of the tool's own help or manual, word by word and in its order.

Those of storcli2 run only where its help on the machine lists them; ``set uconf`` is raidmgmt's.

The forms are those of storcli 007.2707 and 007.04, MegaCli 8.07.14, the Smart Storage Administrator guide, arcconf as
its help is quoted by pyarcconf, the 3ware CLI guide 10.2, and mdadm(8) 4.2. Areca has no manual that is known: its
forms are those of einarc and Mtf.Hardware.Raid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from raidctl.vendor.operations import operations_of
from raidctl.vendor.shapes import Shape
from raidctl_megaraid.change.megacli import MegaCli
from raidctl_megaraid.change.storcli import StorCli
from tests.support.deeds import VENDORS

_DRIVE = "/cN(/eN)?/sN"
_STORCLI = (
    f"{_DRIVE} set (online|offline|missing|good|jbod)",
    f"{_DRIVE} del jbod",
    f"{_DRIVE} (spinup|spindown)",
    f"{_DRIVE} insert dg=N array=N row=N",
    f"{_DRIVE} (start|stop|pause|resume) rebuild",
    f"{_DRIVE} start copyback target=N:N",
    f"{_DRIVE} add hotsparedrive( DGs=N)?",
    f"{_DRIVE} delete hotsparedrive",
    "/cN/vN (start|stop|pause|resume) cc",
    "/cN (start|stop) patrolread",
    "/cN/fall (import|delete)",
    "/cN/vN delete preservedcache",
    "/cN/(bbu|cv) start learn",
)
_STORCLI2 = (*(form for form in _STORCLI if form.startswith(_DRIVE) and "del jbod" not in form), f"{_DRIVE} set uconf")
_ALSO_SET = (
    r"/cN/vN set wrcache=(WT|WB|AWB)",
    r"/cN/vN set rdcache=(RA|NoRA)",
    r"/cN/vN set iopolicy=(Cached|Direct)",
    r"/cN/vN set pdcache=(On|Off|Default)",
    r"/cN set (rebuildrate|ccrate|prrate|bgirate|reconrate|cacheflushint)=\d+",
    r"/cN set alarm=(on|off|silence)",
    r"/cN flushcache",
)
_PHYSICAL = "-PhysDrv[(N)?:N]"
_MEGACLI = (
    f"-PD(Offline|Online|MakeGood|MakeJBOD) {_PHYSICAL}",
    f"-PdMarkMissing {_PHYSICAL}",
    f"-PdPrpRmv( -UnDo)? {_PHYSICAL}",
    f"-PdReplaceMissing {_PHYSICAL} -ArrayN -rowN",
    f"-PDRbld -(Start|Stop) {_PHYSICAL}",
    f"-PDHSP -(Set|Rmv) {_PHYSICAL}",
    "-PDCpyBk -Start -PhysDrv[N:N,N:N]",
    "-LDCC -(Start|Abort) -LN",
    "-AdpPR -(Start|Stop)",
    "-CfgForeign -(Import|Clear)( N)?",
    "-DiscardPreservedCache -LN",
    "-AdpBbuCmd -BbuLearn",
)
_MEGACLI_SET = (
    r"-LDSetProp (WT|WB|ForcedWB|RA|NORA|ADRA|Cached|Direct|CachedBadBBU|NoCachedBadBBU|-EnDskCache|-DisDskCache) -LN",
    r"-AdpSetProp (CacheFlushInterval|RebuildRate|PatrolReadRate|BgiRate|CCRate|ReconRate) -\d+",
    r"-AdpSetProp Alarm(Enbl|Dsbl|Silence)",
    r"-AdpCacheFlush",
)
_ARCCONF = (
    "SETSTATE N DEVICE N N (HSP( (LOGICALDRIVE|ARRAY) N)?|RDY|DDD) noprompt",
    "TASK START N (LOGICALDRIVE N (VERIFY|VERIFY_FIX)|DEVICE N N INITIALIZE) noprompt",
    "TASK STOP N LOGICALDRIVE N",
)
_TW_CLI = (
    "/cN/pN remove quiet",
    "/cN rescan",
    "/cN/uN start rebuild disk=N",
    "/cN add type=spare disk=N",
    "/cN/uN del quiet",
    "/cN/uN (start|stop) verify",
    "/cN/bbu test quiet",
)
_HP = ("ctrl slot=N array N (add|remove) spares=N",)
_ARECA = ("rsf (createhs|deletehs) drv=N", "vsf check vol=N", "vsf stopcheck")
_MDADM = (
    "N --(fail|remove|add|add-spare) N",
    "N --remove N --add N",
    "N --replace N --with N",
    "--stop N",
    "--zero-superblock N",
)
_MEGA = (_MEGACLI, " -aN -NoLog")
FORMS = {
    "storcli": (_STORCLI, " nolog J"), "perccli": (_STORCLI, " nolog J"), "storcli2": (_STORCLI2, " nolog J"),
    "perccli2": (_STORCLI2, " nolog J"), "MegaCli": _MEGA, "megacli": _MEGA,
    "megasascli": _MEGA, "CmdTool2": _MEGA, "arcconf": (_ARCCONF, ""), "tw": (_TW_CLI, ""), "ssacli": (_HP, ""),
    "hpssacli": (_HP, ""), "hpacucli": (_HP, ""), "cli": (_ARECA, ""), "areca": (_ARECA, ""), "mdadm": (_MDADM, ""),
}  # fmt: skip
"""Forms by the name of the tool without its word width. With them are the options behind each."""


def commands() -> Iterator[Shape]:
    """The table of every family. It lacks what is written to files and the tools of the distribution."""
    for vendor in VENDORS:
        offered = operations_of(vendor)
        yield from (shape for shape in (offered.SHAPES if offered is not None else ()) if program(shape) in FORMS)


def program(shape: Shape) -> str:
    """``storcli`` of ``storcli64``, ``cli`` of ``cli64``, ``areca`` of ``areca_cli64``."""
    return re.sub(r"(?<!CmdTool)(?!2$)[\d_-].*", "", shape[0])


def spelled(form: str) -> Iterator[str]:
    """Every command of a form; its innermost ``(…|…)`` or ``(…)?`` is replaced first."""
    match = re.search(r"\(([^()]*)\)(\??)", form)
    if match is None:
        yield form
        return
    for one in [*match[1].split("|"), *[""] * len(match[2])]:
        yield from spelled(form[: match.start()] + one + form[match.end() :])


def test_every_command_has_a_form_of_its_manual() -> None:
    """No command has an invented word, order or option, and each form is used.

    Making an md array is tested with the program itself.
    """
    found = {known: set[str]() for known in FORMS.values()}
    for shape in commands():
        if shape[1] != "--create":
            found[FORMS[program(shape)]].add(" ".join(shape[1:]).replace("{}", "N"))
    for (forms, tail), words in found.items():
        assert words == {f"{one}{tail}" for form in forms for one in spelled(form)}


@pytest.mark.parametrize(
    ("grammar", "forms", "tail"), [(StorCli(), _ALSO_SET, " nolog J"), (MegaCli(), _MEGACLI_SET, " -aN -NoLog")]
)
def test_every_setting_has_a_form_of_its_manual(grammar: StorCli | MegaCli, forms: tuple[str, ...], tail: str) -> None:
    """Every value of every setting that MegaRAID's tools are given."""
    volumes = (
        "wrcache",
        "rdcache",
        "iopolicy",
        "pdcache",
        "WritePolicy",
        "BadBBU",
        "ReadPolicy",
        "IoPolicy",
        "DskCache",
    )
    actions = [
        grammar.action("tool", "0", (f"megaraid:0{'/v0' if name in volumes else ''}", name), value)
        for name, values in grammar.risks.items() for value in values
    ]  # fmt: skip
    for action in [*actions, grammar.flush("tool", "0")]:
        words = re.sub(r"(?<=/[cv])0|(?<=-[aL])0", "N", " ".join(action.argv[1:]))
        assert any(re.fullmatch(f"{form}{re.escape(tail)}", words) for form in forms), action
