# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of a test that one test runs in a loop.

pytest spends some milliseconds on each test before and after its first line. Where the cases of a
test are many and shorter than that, `looped` runs them in one test.
"""

from __future__ import annotations

import functools
import inspect

import pytest

__all__ = ["looped"]


def looped(names, values, ids=None):
    """Like `pytest.mark.parametrize`, but all values are in one test. A failure ends it, with a
    note that names the value.

    Each case has its own folder below `tmp_path`, and what it changes by `monkeypatch` is undone
    before the next one. A case that skips leaves the others; if all skip, so does the test.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    ids = ids if ids is None or callable(ids) else list(ids)
    cases = [_case(names, value, k, ids) for k, value in enumerate(values)]

    def of_function(function):
        @functools.wraps(function)
        def every_case(*args, **fixtures):
            skipped = []
            for k, (name, parameters) in enumerate(cases):
                own = dict(fixtures)
                if "tmp_path" in own:
                    own["tmp_path"] = own["tmp_path"] / str(k)
                    own["tmp_path"].mkdir()
                with pytest.MonkeyPatch.context() as patch:
                    if "monkeypatch" in own:
                        own["monkeypatch"] = patch
                    try:
                        function(*args, **own, **parameters)
                    except pytest.skip.Exception as reason:
                        skipped.append(reason)
                    except BaseException as error:
                        error.add_note(f"in the case {name}")
                        raise
            if cases and len(skipped) == len(cases):
                raise skipped[0]

        signature = inspect.signature(function)
        every_case.__signature__ = signature.replace(
            parameters=[p for name, p in signature.parameters.items() if name not in names]
        )
        return every_case

    return of_function


def _case(names, value, k, ids):
    """The name of a case and its parameters."""
    name = None
    if hasattr(value, "values") and hasattr(value, "marks"):  # pytest.param
        assert not value.marks, "marks belong to a test, not to a case of a loop"
        name, value = value.id, value.values
        value = value if len(names) > 1 else value[0]
    parameters = dict(zip(names, value, strict=True)) if len(names) > 1 else {names[0]: value}
    if name is None and ids is not None:
        name = ", ".join(map(str, map(ids, parameters.values()))) if callable(ids) else ids[k]
    if name is None:
        name = ", ".join(f"{key}={shown!r}" for key, shown in parameters.items())
    return str(name)[:300], parameters
