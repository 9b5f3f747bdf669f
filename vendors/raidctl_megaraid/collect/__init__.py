"""The dialogue with the tools: which is asked, what, and in which order."""
