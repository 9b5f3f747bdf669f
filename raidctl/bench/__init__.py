"""The verification benchmark: measurements of a device, compared with its controller's reports.

``work`` describes requests and results; ``targets`` and ``engines`` carry them out; ``estimators`` are arithmetic on
measurements; ``trials`` are the tests, one module each; ``verdict`` weighs their results; ``session`` runs the trials
of a profile, and ``store`` keeps the runs. ``model`` is an array with known properties to test all of it against.
"""
