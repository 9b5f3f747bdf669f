"""Engines that run a `raidctl.bench.work.Work`: compiled, portable, or fio.

``choose`` takes the best one for a target, with the reason; ``calibrate`` measures the maximum of an engine, so that a
figure limited by the engine rather than by the device is marked. A new engine is a module with a class that satisfies
`raidctl.bench.work.Engine`, and a row of the table in ``choose``.
"""
