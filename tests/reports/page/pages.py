# SPDX-License-Identifier: BSD-3-Clause
"""Pages for the tests, and a browser that shows them."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

import pytest

HOSTILE = "</script><img src=x onerror=\"document.title='broken'\"> & <b>\u2028${name}"


def chromium() -> str:
    """The browser of this machine; skips the test where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium here")
    return found


@contextmanager
def browser():
    """Chromium, driven by Playwright."""
    sync_api = pytest.importorskip("playwright.sync_api")
    program = chromium()
    if "LD_PRELOAD" in os.environ:
        pytest.skip("a sanitizer takes the memory of a browser")
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=arguments)
        yield running
        running.close()


@contextmanager
def shown(running, path, **how):
    """A page in a tab of its own. It must not write to the console, fail, or load anything."""
    tab = running.new_page(**how)
    problems = watched(tab)
    load(tab, path)
    yield tab
    assert not problems
    tab.close()


def watched(tab):
    """A list to which the tab adds what no page may do: write to the console, fail, load."""
    problems = []
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on(
        "request",
        lambda request: (
            None if request.url.startswith(("file:", "data:")) else problems.append(request.url)
        ),
    )
    return problems


def load(tab, path):
    tab.goto(path.as_uri())
    tab.wait_for_selector("html[data-ready=true]", state="attached")
