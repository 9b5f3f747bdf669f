"""The power-cut test: is what was acknowledged still there? A witness on another machine keeps the account."""
