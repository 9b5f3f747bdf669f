"""Caches from the top of the stack to the bottom: page cache, device mapper, bcache, md, controllers, drives.

* :mod:`raidctl.layers.model`: the answers, one vocabulary for every layer; the names are a contract.
* :mod:`raidctl.layers.probe`: what the kernel tells of its caches; a dialogue.
* :mod:`raidctl.layers.scope`: which devices, volumes and drives lie below a target.
* :mod:`raidctl.layers.build`: the layers of a stack, each with its answer to flush, thresholds, statistics, split.
* :mod:`raidctl.layers.capabilities`: whether a limit or a split can be set: what its family would plan.
* :mod:`raidctl.layers.flushing`: how each layer is flushed, or why not.
* :mod:`raidctl.layers.stats`: counters, and their growth.
* :mod:`raidctl.layers.estimate`: what can be concluded where there are none, from the times of requests.
* :mod:`raidctl.layers.family`: the kernel's settings as the engine of changes takes them, like a vendor package.
"""
