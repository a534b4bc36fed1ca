# SPDX-License-Identifier: BSD-3-Clause
"""The page of `btfperm report` of each matrix: its size, and when Chromium can use it.

Solvers are left out: the section `solver-ratios` measures them. The time in the browser is from the
request of the file to the mark that the script of the page sets when zoom, sort and filter work; it
includes the start of the process that shows the tab. It is the median of several openings, because
single openings vary. Playwright drives a Chromium of this machine; without them, only the size and
the time to make the page are measured. The page was written just before it is opened, so that the
browser normally reads it from the cache of the system.
"""

from __future__ import annotations

import importlib
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.report import (
    Options,
    Row,
    Section,
    by_matrix,
    milliseconds,
    paragraphs,
    progress,
)

MOST_BYTES = 5_000_000
MOST_SECONDS = 1.0
READY = "html[data-ready=true]"


def run(cases: list[Case], options: Options) -> Section:
    """Bytes and seconds of each page, which is opened `repeats` times. A tab may take `limit`
    seconds, and at least 30, to load the file, and again until the page is ready."""
    btfperm = importlib.import_module("btfperm")
    rows: list[Row] = []
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as folder, _browser() as browser:
        page = Path(folder) / "report.html"
        for case in cases:
            source = case.path if case.path is not None else case.load()
            since = time.perf_counter()
            btfperm.report(source, page, solvers_within=0, threads=options.threads)
            made = time.perf_counter() - since
            size = page.stat().st_size
            row: Row = {"matrix": case.name, "bytes": size, "made": made}
            wrong = [] if size < MOST_BYTES else [f"{size:,} bytes"]
            if browser is not None:
                openings = [_shown(browser, page, options.limit) for _ in range(options.repeats)]
                row["openings"] = [seconds for seconds, _ in openings]
                row["ready"] = statistics.median(row["openings"])
                wrong += [problem for _, problems in openings for problem in problems]
            rows.append(row)
            complaints += [f"{case.name}: {what}" for what in wrong]
            options.say(progress(case.name, [f"{size:,} bytes in {milliseconds(made)}"], wrong))
    largest = max((row["bytes"] for row in rows), default=0)
    times = [row["ready"] for row in rows if "ready" in row]
    slowest, late = max(times, default=None), sum(time >= MOST_SECONDS for time in times)
    ready = "no browser is here"
    if slowest is not None:
        ready = (
            f"usable after {slowest:.2f} s at most, in the median of {options.repeats} openings, "
            f"{late} of them too late"
        )
    text = paragraphs(
        f"{len(rows)} pages: {largest / 1e6:.2f} MB at most (aim: below {MOST_BYTES / 1e6:.0f}), "
        f"{ready} (aim: less than {MOST_SECONDS:.0f}).",
        by_matrix("page in kB, made in, usable after, at most", rows, _cells),
    )
    data = {"rows": rows, "largest": largest, "slowest": slowest}
    return Section("Pages", text, data, complaints)


def _cells(row: Row) -> list[str]:
    times = ["-", "-"]
    if "ready" in row:
        times = [milliseconds(row["ready"]), milliseconds(max(row["openings"]))]
    return [f"{row['bytes'] / 1e3:,.0f}", milliseconds(row["made"]), *times]


@contextmanager
def _browser() -> Iterator[Any]:
    """Chromium, or None where it or Playwright is missing."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        sync_api = importlib.import_module("playwright.sync_api")
    except ImportError:
        program = None
    if program is None:
        yield None
        return
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


def _shown(browser: Any, page: Path, limit: float) -> tuple[float, list[str]]:
    """Seconds until the page is usable, and what it wrote to the console."""
    problems: list[str] = []
    limit = max(limit, 30.0)  # a browser starts slowly on a busy machine
    tab = browser.new_page()
    tab.on("console", lambda message: problems.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: problems.append(f"error: {error}"))
    error = importlib.import_module("playwright.sync_api").TimeoutError
    since = time.perf_counter()
    try:
        tab.goto(page.as_uri(), timeout=limit * 1e3)
        tab.wait_for_selector(READY, state="attached", timeout=limit * 1e3)
    except error:
        problems.append(f"not usable after {limit:g} s each for loading and drawing")
    seconds = time.perf_counter() - since
    tab.close()
    return seconds, problems
