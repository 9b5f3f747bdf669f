"""TOML files that people write: all mistakes at once, each with its line and a suggestion."""
