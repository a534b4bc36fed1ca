# SPDX-License-Identifier: BSD-3-Clause
"""The libraries of KLU that are installed here."""

from __future__ import annotations

import pytest

from btfperm.preorder import klu_libraries, preordering


@pytest.fixture(params=["nbklu", "libklu"])
def library(request, monkeypatch):
    """Makes `factor` use this library."""
    found = {one.name: one for one in klu_libraries.libraries()}.get(request.param)
    if found is None:
        pytest.skip(f"{request.param} is not installed, or not for a sanitizer")
    monkeypatch.setattr(preordering, "find_klu", lambda: found)
    return found
