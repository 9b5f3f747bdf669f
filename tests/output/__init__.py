"""Tests of screens and documents for programs."""
