"""Changes on a machine since the last run: transitions of findings, and their delivery."""
