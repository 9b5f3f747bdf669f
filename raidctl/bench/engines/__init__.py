"""Engines that run a `raidctl.bench.work.Work`: compiled, portable, or fio as a second opinion.

``choose`` takes the best one for a target and says why it is not another; ``calibrate`` says what an engine could do
at most, so that a figure that is the engine's rather than the device's is marked as such.
"""
