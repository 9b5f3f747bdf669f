"""A model of an array with known properties, served over NBD with realistic timing.

Every verdict of the benchmark can be tried against it, without hardware and without rights: rotation, a finite write
cache with its destage rate, caches that are volatile, lying or backed by a battery, RAID levels, and a power cut.
``python -m raidctl.bench.model --kind battery --cache 64MiB --destage 20MB/s --socket PATH`` serves one.

``drive`` and ``array`` are mechanics, ``cache`` and ``content`` what is remembered, ``device`` puts them together;
``nbd`` is the protocol, ``serve`` keeps time, ``control`` turns its switches from outside.
"""
