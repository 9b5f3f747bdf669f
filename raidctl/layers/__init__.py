"""The stack of caches: page cache, device mapper, bcache, md, controllers, drives.

* :mod:`raidctl.layers.model`: the layers and their answers, one vocabulary for all; field names are stable.
* :mod:`raidctl.layers.probe`: read the kernel's caches; a dialogue.
* :mod:`raidctl.layers.scope`: the devices, volumes and drives below a target.
* :mod:`raidctl.layers.build`: the layers of a stack, each with its answers on flush, thresholds, statistics, split.
* :mod:`raidctl.layers.capabilities`: whether a limit or a split can be set.
* :mod:`raidctl.layers.flushing`: how each layer is flushed, or why not.
* :mod:`raidctl.layers.stats`: counters, and their growth.
* :mod:`raidctl.layers.estimate`: estimates from the times of requests, if there are no counters.
* :mod:`raidctl.layers.family`: the kernel's settings in the form of a vendor package, for the change engine.
"""
