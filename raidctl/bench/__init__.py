"""The verification benchmark: what the clock says of a device, beside what its controller says of itself.

``result`` says what a trial tells; ``verdict`` weighs what was measured against what the controller says.
"""
