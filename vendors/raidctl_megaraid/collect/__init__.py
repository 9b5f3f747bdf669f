"""The dialogue with the tools: which, what, and in which order."""
