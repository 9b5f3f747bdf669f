"""Cache policies are read from a token such as ``RWBD``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidctl_megaraid.cache_token import cache_token


@pytest.mark.parametrize(
    ("text", "read", "write", "io"),
    [
        ("RWBD", "read_ahead", "protected_write_back", "direct"),
        ("RAWBD", "read_ahead", "unprotected_write_back", "direct"),
        ("NRAWBC", "none", "unprotected_write_back", "cached"),
        ("NRWTC", "none", "write_through", "cached"),
        ("RaWBD", "adaptive", "protected_write_back", "direct"),
        ("RaAWBD", "adaptive", "unprotected_write_back", "direct"),
        ("RWB", "read_ahead", "protected_write_back", None),
        ("WTD", None, "write_through", "direct"),
        ("NR,WB", "none", "protected_write_back", None),
        ("R,AWB", "read_ahead", "unprotected_write_back", None),
        ("RA, WT", "read_ahead", "write_through", None),
    ],
)
def test_a_token_names_its_policies(text: str, read: str | None, write: str, io: str | None) -> None:
    """``RAWBD`` is read ahead and always write back. A policy that a token lacks is None."""
    assert cache_token(text) == (read, write, io)


@pytest.mark.parametrize("text", ["-", "", "N/A", "R", "NR", "XWBD", "RWBX", "rwbd", "RWBDD", "NR,", ",WB", "NR WB"])
def test_a_token_that_is_not_known_is_none(text: str) -> None:
    """No policy is guessed from a part of a token."""
    assert cache_token(text) is None


@given(st.text(max_size=40))
def test_any_text_is_a_token_or_none(text: str) -> None:
    """No text raises an exception."""
    found = cache_token(text)
    assert found is None or found.write_policy is not None
