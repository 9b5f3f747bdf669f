"""The interface for vendor packages: protocol, drafts, tools, plans of changes."""
