"""The power-cut test: check that acknowledged data survives, with a witness on another machine."""
