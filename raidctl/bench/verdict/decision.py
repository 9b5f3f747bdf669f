"""The tests that would decide, one sentence each."""

from __future__ import annotations

POWER_CUT = (
    "Cut the power (not a reset) while acknowledged writes are being counted from another machine, and look for each "
    "of them afterwards."
)
MEDIUM = "Measure random reads over the whole device: their median and spread tell whether it turns, and how fast."
COMMITS = "Measure commits a second of one stream that rewrites one block."
SLOPE = "Measure the time of a flush after different amounts of written data."
FLIP = "Switch the controller to write-through and measure commits again: a battery-backed cache makes the difference."
DRIVE_OFF = "Switch the drives' own caches off and measure commits again."
RAW = "Measure commits on the raw device, past the file system and the layers below it."
REPEAT = "Measure again, longer and on an idle machine, until the interval lies on one side."
LATER = "Measure again when that is over."
CONTROLLER = "Install the controller's tool, and ask it for the write policy in force."
BATTERY = "Ask the controller for the state of its battery or capacitor."
DRIVES = "Ask the drives, or their controller, for the state of their own write caches."
