"""The verification benchmark: measurements of a device, compared with its controller's reports.

``work`` says what is to be done and what came of it; ``targets`` and ``engines`` do it; ``estimators`` are arithmetic
on what was measured; ``trials`` are the tests; ``verdict`` weighs what they say.
"""
