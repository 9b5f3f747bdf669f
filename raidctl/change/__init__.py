"""Changes: planned, guarded, written down, carried out, read again, undone. One engine for all families.

* :mod:`raidctl.vendor.plan`: what is wished, and the steps that lead there; values only.
* :mod:`raidctl.change.guard`: which wishes could lose data, and are refused without a reason.
* :mod:`raidctl.change.journal`: what was changed, on disk before it happens.
* :mod:`raidctl.change.engine`: carries a plan out, reads again, undoes what failed.
* :mod:`raidctl.change.restore`: puts back what an ended or killed raidctl left changed.
"""
