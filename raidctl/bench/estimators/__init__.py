"""Arithmetic on measurements: pure functions without I/O, clocks or unseeded randomness.

Every figure comes with its interval, and every judgement is made on intervals: a series that is too short, too noisy or
without the feature looked for gives None, or the word ``unclear``, and never a guess. Resampling uses fixed seeds, so
the same samples give the same figures. Values that are not finite are left out.
"""
