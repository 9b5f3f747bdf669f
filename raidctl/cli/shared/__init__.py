"""Shared by several commands: options, machine, change engine, output."""
