"""Tests of reports in a real browser: no message, no request, readable at every width."""
