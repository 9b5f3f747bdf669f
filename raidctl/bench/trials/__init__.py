"""The tests of the benchmark, one module each. ``trial`` is their common base.

A trial measures through a `Bench`, in rounds that the session interleaves with those of others, and returns a
`raidctl.bench.result.TrialResult`. Its parameters are data, so that a profile is a list of trials
(`raidctl.bench.profiles`).
"""
