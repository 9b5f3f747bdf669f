"""Changes on a machine since the last run. They are transitions of findings, which are delivered."""
