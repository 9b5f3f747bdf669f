"""The next tests that would decide, one sentence each."""

from __future__ import annotations

POWER_CUT = (
    "Cut the power (not a reset) while another machine counts acknowledged writes, and check afterwards that none "
    "is lost: raidctl bench powercut."
)
MEDIUM = "Measure random reads over the whole device: their median and spread show whether it rotates, and its rpm."
COMMITS = "Measure commits per second of one stream that rewrites one block."
SLOPE = "Measure the time of a flush after different amounts of written data."
FLIP = "Switch the controller to write-through and measure commits again: a battery-backed cache then becomes slow."
DRIVE_OFF = "Switch the drives' caches off and measure commits again."
RAW = "Measure commits on the raw device, without the file system and its layers."
REPEAT = "Measure again, longer and on an idle machine, until the whole interval is on one side of the limit."
LATER = "Measure again when that is over."
CONTROLLER = "Install the controller's tool, and ask it for the active write policy."
BATTERY = "Ask the controller for the state of its battery or capacitor."
DRIVES = "Ask the drives, or their controller, for the state of the drives' write caches."
