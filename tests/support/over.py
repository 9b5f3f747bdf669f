"""Many small cases as one test, which lists those that fail."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]
_LISTED = 20


def over(names: str, cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test for each case, but as one test. The cases are as in ``pytest.mark.parametrize``.

    For tables of words and figures: a test item costs more than such a case. All cases share the fixtures. The
    parameters are ``names``, with commas between them.
    """
    words, table = [name.strip() for name in names.split(",")], list(cases)
    assert table, "a test without a case checks nothing"

    def decorated(test: Test) -> Test:
        @wraps(test)
        def run(**given: Any) -> None:
            failed: dict[str, BaseException] = {}
            for case in table:
                chosen = dict(zip(words, case if len(words) > 1 else (case,), strict=True))
                try:
                    test(**given, **chosen)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - each failure is listed
                    failed[repr(chosen)] = error
            if failed:
                listed = "\n".join(list(failed)[:_LISTED])
                first = next(iter(failed.values()))
                raise AssertionError(f"{len(failed)} of {len(table)} cases fail:\n{listed}") from first

        before = inspect.signature(test)
        kept = [one for name, one in before.parameters.items() if name not in words]
        run.__signature__ = before.replace(parameters=kept)  # type: ignore[attr-defined]  # the fixtures that are left
        return run

    return decorated
