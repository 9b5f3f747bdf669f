"""The health of a machine: problems, their severity, and the failures that it survives. Pure."""
