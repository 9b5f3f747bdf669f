"""The verification benchmark: measurements of a device, compared with its controller's reports.

``work`` describes requests and results; ``targets`` and ``engines`` carry them out; ``estimators`` are arithmetic on
measurements; ``trials`` are the tests; ``verdict`` weighs their results.
"""
