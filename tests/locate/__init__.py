"""Tests of locate LEDs."""
