"""The power-cut test of acknowledged data, with a witness on another machine."""
