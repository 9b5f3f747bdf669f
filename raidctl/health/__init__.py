"""The health of a machine: problems, severity, and failures that it survives. Pure."""
