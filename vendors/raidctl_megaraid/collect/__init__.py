"""The dialogue with the tools. It decides which is asked, what, and in which order."""
