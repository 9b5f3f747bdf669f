"""Saved outputs of storcli and its relatives are recognised."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl.vendor.protocol import Confidence
from raidctl_megaraid.storcli.recognise import JSON, TEXT, sniff
from tests.vendors.megaraid.storcli_outlines import (
    SECOND,
    answer_text,
    controller,
    drive,
    json_text,
    pairs,
    status,
    table,
    title,
    volume,
)

SHOW_ALL: dict[str, Any] = {"Basics": {"Model": "TestRAID"}, "HwCfg": {"BBU": "Yes"}, "VD LIST": [volume()]}
DRIVE: dict[str, Any] = {"Drive /c0/e9/s0": [drive()]}
DETAILS = DRIVE | {"Drive /c0/e9/s0 - Detailed Information": {"Inquiry Data": "00"}}
VOLUME: dict[str, Any] = {"/c0/v0": [volume()]}
PATROL = {"Controller Properties": [{"Ctrl_Prop": "PR Mode", "Value": "Auto"}]}
CHECK = {"Controller Properties": [{"Ctrl_Prop": "CC Operation Mode", "Value": "Disabled"}]}
VAULT = {"Cachevault_Info": [{"Property": "Type", "Value": "CVTEST"}]}
BATTERY = {"BBU_Info": [{"Property": "Type", "Value": "BBU"}]}
GROUPS = {"TOPOLOGY": [{"DG": "0", "Arr": "-", "Row": "-", "EID:Slot": "-", "DID": "-"}]}
REBUILD = {"Rebuild": [{"Drive-ID": "/c0/e9/s0", "Progress%": "12", "Status": "In progress"}]}

COMMANDS = [
    (SHOW_ALL, "/c0 show all"), (DRIVE, "/c0/eall/sall show"), (DETAILS, "/c0/eall/sall show all"),
    ({"Drive /c0/s1": [drive()], "Drive /c0/s1 - Detailed Information": {"a": "b"}}, "/c0/sall show all"),
    (VOLUME, "/c0/vall show"), (VOLUME | {"VD0 Properties": {"Strip Size": "64 KB"}}, "/c0/vall show all"),
    (PATROL, "/c0 show patrolread"), (CHECK, "/c0 show cc"), (VAULT, "/c0/cv show all"), (BATTERY, "/c0/bbu show all"),
    (GROUPS, "/c0/dall show"), (REBUILD, "/c0/eall/sall show rebuild"),
    ({"Product Name": "TestRAID", "VD LIST": [volume()], "PD LIST": [drive()]}, "/c0 show"),
    ({"Total foreign Drive Groups": 1, "FOREIGN CONFIGURATION": [{"DG": "0"}]}, "/c0/fall show"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "command"), COMMANDS)
def test_json(data: dict[str, Any], command: str) -> None:
    """JSON is recognised with the command that prints it."""
    found = sniff("x", json_text(controller(data)))
    assert found is not None
    assert (found.kind, found.command) == (JSON, f"storcli {command} J")
    assert found.confidence is Confidence.SURE


@pytest.mark.parametrize(("data", "command"), COMMANDS)
def test_text(data: dict[str, Any], command: str) -> None:
    """Text is recognised with the command that prints it."""
    found = sniff("x", answer_text(data))
    assert found is not None
    assert (found.kind, found.command) == (TEXT, f"storcli {command}")
    assert found.confidence is Confidence.SURE


def test_overview() -> None:
    """The list of all controllers is recognised as ``show``."""
    found = sniff("x", answer_text({"Number of Controllers": 1, "Host Name": "far"}, status(None)))
    assert found is not None
    assert found.command == "storcli show"


def test_several_controllers() -> None:
    """An output about several controllers is that of /call."""
    found = sniff("x", answer_text(SHOW_ALL) + answer_text(SHOW_ALL, status(1)))
    assert found is not None
    assert found.command == "storcli /call show all"


@pytest.mark.parametrize(
    ("version", "model", "tool"),
    [
        ("007.1999", "TestRAID", "storcli"), ("007.1999", "PERC T999", "perccli"), (SECOND, "TestRAID", "storcli2"),
        (SECOND, "PERC T999", "perccli2"),
    ],
)  # fmt: skip
def test_tool(version: str, model: str, tool: str) -> None:
    """Version and model give the tool."""
    for text in (
        json_text(controller({"Basics": {"Model": model}}, status() | {"CLI Version": version})),
        answer_text({"Basics": {"Model": model}}, status() | {"CLI Version": version}),
    ):
        found = sniff("x", text)
        assert found is not None
        assert found.command.split()[0] == tool


def test_name_is_a_hint() -> None:
    """The file's name gives the tool unless the text contradicts it."""
    named = sniff("out/perccli64_c0_show.txt", answer_text(SHOW_ALL))
    assert named is not None
    assert named.command.startswith("perccli64 ")
    second = sniff("storcli64.txt", answer_text(SHOW_ALL, status() | {"CLI Version": SECOND}))
    assert second is not None
    assert second.command.startswith("storcli2 ")


@pytest.mark.parametrize(
    "text",
    [
        pairs({"CLI Version": SECOND, "Status": "Failure", "Description": "syntax error"}),
        "Controller = 0\nStatus = Failure\nDescription = Controller 0 not found\n",
        "Status = Failure\nDescription = syntax error, unexpected TOKEN_WRITE_CACHE, expecting $end\n",
        "syntax error, unexpected TOKEN_JBOD, expecting TOKEN_HOTSPARE_DRIVE\n",
        "Generating detailed summary of the adapter, it may take a while to complete.\n",
        "     Storage Command Line Tool  Ver 007.1999.0000.0000 Feb 29, 2024\n",
        "      StorCli SAS Customization Utility Ver 007.1999.0000.0000 Feb 29, 2024\n",
        "    PercCli2 SAS Customization Utility Ver 008.0099.0000.0001\n",
        table([drive()]), table([volume()]), f"{title('HwCfg')}BBU = Absent\n",
        f"{title('Drive /c0/e9/s0')}\n", f"{title('Detailed Status')}\n{table([{'Ctrl': 0, 'Status': 'Failed'}])}",
        table([{"Ctrl_Prop": "Alarm", "Value": "ON"}]),
    ],
)  # fmt: skip
def test_short_texts(text: str) -> None:
    """Failures, banners and pasted tables are recognised."""
    found = sniff("x", text)
    assert found is not None
    assert found.kind == TEXT
    assert found.confidence >= Confidence.LIKELY


def test_words_before_the_json() -> None:
    """JSON after warnings is recognised."""
    found = sniff("x", f"WARNING: slow\n{json_text(controller(SHOW_ALL))}")
    assert found is not None
    assert found.kind == JSON


def test_broken_json() -> None:
    """The first and the second half of a JSON output are recognised."""
    text = json_text(controller({"PD LIST": [drive(), drive("9:1")]}))
    for part in (text[: len(text) // 2], text[len(text) // 2 :]):
        found = sniff("x", part)
        assert found is not None
        assert found.kind == JSON


@pytest.mark.parametrize(
    "text",
    [
        "", " \n", '{"Controllers": {"a": 1}}', '{"Controllers": [{"name": "x"}]}', '{"status": "ok"}', "x" * 100_000,
        "Controller Status : Optimal\nChannel description : SAS\n", "Status = ok\n", "a = b\nc = d\n",
        "Adapter 0 -- Virtual Drive Information:\nVirtual Drive: 0 (Target Id: 0)\nState : Optimal\n",
        "Smart Array P999 in Slot 1\n   Controller Status: OK\n", "\x00\x01\x02" * 50, "storcli64 is a tool\n",
        "TITLE :\n=======\nwords\n", "-----\nab cd\n-----\n",
    ],
)  # fmt: skip
def test_others_are_not_claimed(text: str) -> None:
    """Outputs of other tools, prose and random text are not recognised."""
    assert sniff("x", text) is None


@given(st.text())
def test_any_text_is_survived(text: str) -> None:
    """Random text raises no exception."""
    found = sniff(text[:20], text)
    assert found is None or found.confidence in Confidence
