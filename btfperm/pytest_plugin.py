# SPDX-License-Identifier: BSD-3-Clause
"""The pytest plugin: assertions as fixtures, and reports about matrices that fail them.

pytest loads this module at its start if btfperm is installed. So the module imports no other part
of btfperm, and not NumPy, before a test needs it. Unless ``--btfperm-reports`` names a folder, the
plugin writes no file, and prints nothing but the messages of failed assertions.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from btfperm.diagnosis import Diagnosis

__all__ = ["assert_blocks_at_most", "assert_structurally_nonsingular", "structural_diagnosis"]

_PROPERTY = "btfperm_report"
_LAST: pytest.StashKey[Diagnosis] = pytest.StashKey()
_LONGEST_NAME = 100  # characters of the test in the name of a file


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("btfperm")
    group.addoption(
        "--btfperm-reports",
        metavar="DIR",
        default=None,
        help="Write the diagnosis of each matrix that fails a structural assertion to DIR, as text "
        "and as JSON; also the result of the last call of structural_diagnosis in a failed test.",
    )
    group.addoption(
        "--btfperm-html",
        action="store_true",
        help="With --btfperm-reports: also write the page of `btfperm report` for each matrix.",
    )


@pytest.fixture
def assert_structurally_nonsingular() -> Callable[..., None]:
    """`btfperm.testing.assert_structurally_nonsingular`, whose message is a diagnosis."""
    from btfperm import testing

    return testing.assert_structurally_nonsingular


@pytest.fixture
def assert_blocks_at_most() -> Callable[..., None]:
    """`btfperm.testing.assert_blocks_at_most`, whose message describes the largest blocks."""
    from btfperm import testing

    return testing.assert_blocks_at_most


@pytest.fixture
def structural_diagnosis(request: pytest.FixtureRequest) -> Callable[..., Diagnosis]:
    """`btfperm.diagnose`, for tests of particular groups, names or entries."""
    from btfperm.diagnosis import diagnose

    if request.config.getoption("--btfperm-reports") is None:
        return diagnose

    @functools.wraps(diagnose)
    def diagnosed(*args: Any, **options: Any) -> Diagnosis:
        found = diagnose(*args, **options)
        request.node.stash[_LAST] = found
        return found

    return diagnosed


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, Any, None]:
    """Writes the report about a matrix that made the test fail, and stores the path of the report.
    If the failed assertion holds no matrix, the report is about the last matrix that the test
    diagnosed with the fixture `structural_diagnosis`."""
    outcome = yield
    folder = item.config.getoption("--btfperm-reports")
    if folder is None or call.excinfo is None:
        return
    error, report = call.excinfo.value, outcome.get_result()
    diagnosis = _diagnosis_of(error)
    if diagnosis is None and report.failed and call.when == "call":
        diagnosis = item.stash.get(_LAST, None)
    if diagnosis is None:
        return
    from btfperm.errors import BlockTooLargeError, ResourceMissingError

    about = f"{error}\n" if isinstance(error, BlockTooLargeError) else ""
    to = item.config.invocation_params.dir / folder
    html = item.config.getoption("--btfperm-html")
    try:
        path = _write(diagnosis, about, to, item.nodeid, call.when, html=html)
    except (ResourceMissingError, OSError) as error:
        report.sections.append(("btfperm", f"no report was written: {error}"))
    else:
        report.user_properties.append((_PROPERTY, str(path)))


def _diagnosis_of(error: BaseException) -> Diagnosis | None:
    """The diagnosis of the matrix that an assertion of `btfperm.testing` refused; None for other
    errors."""
    diagnosis: Diagnosis | None = getattr(error, "diagnosis", None)
    if diagnosis is None and "btfperm.errors" in sys.modules:
        from btfperm.errors import BlockTooLargeError

        if isinstance(error, BlockTooLargeError) and error.decomposition is not None:
            from btfperm.diagnosis import diagnose

            return diagnose(error.decomposition)
    return diagnosis


def _write(
    diagnosis: Diagnosis, about: str, folder: Path, nodeid: str, when: str, *, html: bool
) -> Path:
    """Writes NAME.txt and NAME.json into `folder`, and NAME.html if `html` is true. Returns the
    path of the text. `about` is a message of an assertion that the diagnosis does not contain, or
    empty."""
    from btfperm.io.atomic_write import atomic_write

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_file_name(nodeid, when)}.txt"
    text = f"{nodeid}\n{about}{diagnosis.text(limit=100)}\n"
    whole = {"test": nodeid, **diagnosis.to_dict()}
    files = {path: text, path.with_suffix(".json"): f"{json.dumps(whole)}\n"}
    if html:
        from btfperm.reports.page import page_of

        files[path.with_suffix(".html")] = page_of(diagnosis, nodeid)
    for name, content in files.items():
        with atomic_write(name) as file:
            file.write(content.encode("utf-8", "backslashreplace"))
    return path


def _file_name(nodeid: str, when: str) -> str:
    """A file name without a suffix that no other test has.

    >>> _file_name("tests/test_a.py::test_b[x/y]", "call")
    'tests-test_a-py-test_b-x-y-f85c6ad3'
    """
    test = nodeid if when == "call" else f"{nodeid} {when}"
    digest = hashlib.sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    words = re.sub(r"\W+", "-", test, flags=re.ASCII).strip("-")
    return f"{words[-_LONGEST_NAME:]}-{digest}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the reports, also those of the workers of pytest-xdist."""
    paths = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == _PROPERTY
    ]
    if paths:
        terminalreporter.section("diagnoses of failing matrices")
        for path in dict.fromkeys(paths):
            terminalreporter.line(path)
