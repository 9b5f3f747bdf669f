"""Runners of requests: on this machine, over ssh, through a BMC, or from a recording.

Callers do not depend on which; the protocol is :class:`raidctl.request.Runner`. ``local``, ``ssh``, ``bmc``, ``replay``
and ``record`` are the runners. ``process`` and ``foreground_child`` alone start programs: no other module of raidctl
may, except the benchmark's engines.
"""
