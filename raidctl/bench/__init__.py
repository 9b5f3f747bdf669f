"""The verification benchmark: what the clock says of a device, beside what its controller says of itself.

``work`` says what is to be done and what came of it; ``targets`` and ``engines`` do it; ``estimators`` are arithmetic
on what was measured; ``trials`` are the tests; ``verdict`` weighs what they say.
"""
