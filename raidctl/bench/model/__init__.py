"""A model of an array with known properties, served over NBD.

Every verdict of the benchmark can be tested against it, without hardware or permissions: rotation, a finite write cache
with its destage rate, caches that are volatile, lying or backed by a battery, RAID levels, and a power cut. ``python -m
raidctl.bench.model --kind battery --cache 64MiB --destage 20MB/s --socket PATH`` serves one.

``drive`` and ``array`` are the mechanics, ``cache`` and ``content`` the stored data, ``device`` combines them; ``nbd``
is the protocol, ``serve`` the server with its timing, ``control`` changes settings from outside.
"""
