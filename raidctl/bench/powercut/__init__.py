"""The power-cut test, with a witness on another machine. It checks that acknowledged data survives."""
