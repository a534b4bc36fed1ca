# SPDX-License-Identifier: BSD-3-Clause
"""Hypothesis profiles, and the seed of large random matrices.

`HYPOTHESIS_PROFILE=thorough pytest` tries many more examples. Hypothesis prints failing examples as
code that repeats them; `--hypothesis-seed` and BTFPERM_SEED repeat a run. BTFPERM_TEST_THREADS=3
gives every call that sets no number of threads three, and they share all loops, however short.
Tests with one thread as a parameter are left out then. `.ci/run threads` sets it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import secrets
import signal
from datetime import timedelta
from functools import cache, wraps
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from btfperm import _core
from btfperm.backends.gpu.device import why_not
from btfperm.path import make_plan as planning
from btfperm.transversal.augmenting import gpubfs_gpu
from tests import sampling, skips
from tests.on_device import EMULATED

ROOT = Path(__file__).parents[1]
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

# `.ci/run` draws other examples in each of the steps `sanitizers` and `threads`.
settings.register_profile(
    "ci",
    max_examples=10,
    deadline=timedelta(seconds=5),  # detects a hang, but allows for a busy machine
    print_blob=True,
    suppress_health_check=QUIET,
)
settings.register_profile("thorough", settings.get_profile("ci"), max_examples=2000)
# For a sanitizer, which is several times slower, so that an example may take any time. It tests the
# executed code more than the results.
settings.register_profile("sanitizer", settings.get_profile("ci"), max_examples=6, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# pytest would import this stand-in in place of CuPy in all test modules that it collects later.
collect_ignore = ["emulated_gpu/stand_in"]

# A run that names no tests, as that of the README, leaves these out: tests of the tools of this
# project, of which none calls a function of btfperm that the others do not call, the page in a
# browser, and tests for which g++ compiles for several seconds. They run if they are named (`pytest
# tests/benchmarks`), and in the step `tools` of `.ci/run`.
TOOLS = (
    *("benchmarks", "fuzz/test_fuzzer.py", "reports/page/test_browser.py"),
    *("backends/test_ended_passes.py", "transversal/test_added_algorithm.py"),
    "transversal/test_narrow_indices.py",
)
_OF_TOOLS = {ROOT / "tests" / name for name in TOOLS}

# With this variable, Python stores no compiled modules, so that each of the hundreds of processes
# that the tests start may have to compile them again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A background job ignores Ctrl-C, and so would every process that its tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Each run has a new seed, which is part of the name of every test that uses it. BTFPERM_SEED
# repeats a run. All workers of pytest-xdist (-n 2) have the same seed.
_RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", "")[:7] or secrets.token_hex(4)[:7]
SEED = int(os.environ.get("BTFPERM_SEED", "0")) or int(_RUN, 16) + 1

THREADS = int(os.environ.get("BTFPERM_TEST_THREADS", "0"))

no_gpu = cache(why_not)


def pytest_generate_tests(metafunc):
    if metafunc.definition.get_closest_marker("gpu") and no_gpu():
        sampling.keep_first_values(metafunc.definition)
    if "run_seed" in metafunc.fixturenames:
        metafunc.parametrize("run_seed", [SEED], ids=lambda seed: f"seed{seed}")


def names_no_tests(config):
    """Whether the command line names neither files nor folders, as that of the README."""
    return config.args == config.getini("testpaths")


def is_of_a_tool(path):
    return not _OF_TOOLS.isdisjoint({path, *path.parents})


def pytest_ignore_collect(collection_path, config):
    return True if is_of_a_tool(collection_path) and names_no_tests(config) else None


def pytest_sessionstart(session):
    """Each worker of pytest-xdist imports all test modules, whose assertions pytest rewrites. Here
    a worker imports its share first, so that the others find these modules rewritten on disk."""
    input_of_worker = getattr(session.config, "workerinput", None)
    if input_of_worker is None or not names_no_tests(session.config):
        return
    share = int(input_of_worker["workerid"].removeprefix("gw")), input_of_worker["workercount"]
    paths = [path for path in ROOT.glob("tests/**/test_*.py") if not is_of_a_tool(path)]
    for path in sorted(paths)[slice(share[0], None, share[1])]:
        # the collection reports what fails
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Test modules are not searched for doctests, of which they have none."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Disables the garbage collector while thousands of tests are collected, all of which stay in
    memory."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `-n`, an idle worker takes tests that another worker has not started yet."""
    if config.getoption("dist") != "load":
        return None  # the caller chose another scheduler
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_addoption(parser):
    sampling.add_option(parser)


@pytest.hookimpl(trylast=True)  # runs after -m and -k have deselected tests
def pytest_collection_modifyitems(config, items):
    """Skips tests marked `gpu` if there is no GPU; `--sample` and `--one` deselect most
    tests, with a GPU or without, and BTFPERM_TEST_THREADS those with one thread as a parameter."""
    if THREADS:
        items[:], alone = sampling.without_one_thread(items)
        config.hook.pytest_deselected(items=alone)
    if (one := config.getoption("--one")) or config.getoption("--sample"):
        items[:], left_out = sampling.sampled(items, SEED, one=one)
        config.hook.pytest_deselected(items=left_out)
    # a name with an address would differ between the workers of pytest-xdist
    for item in items:
        assert " at 0x" not in item.name, f"{item.nodeid}: give its parameters names by ids="
    marked = [item for item in items if item.get_closest_marker("gpu")]
    why = no_gpu() if marked else None
    for item in marked if why else ():
        item.add_marker(pytest.mark.skip(reason=f"no GPU: {why}"))


def pytest_configure(config):
    if THREADS:
        _core.backends.share_always(True)
        chosen = wraps(planning.choose_threads)  # inspect.unwrap finds the original
        planning.choose_threads = chosen(lambda asked, rule: asked or THREADS)
    if EMULATED:  # apfb-ct starts 65,536 threads, which is slow on a CPU
        gpubfs_gpu._CT_BLOCKS = 2
    # A search whose certificate fails is repaired by a second algorithm, with this warning. Only
    # tests that plant a wrong kernel expect it, by `pytest.warns`; in all others it is a failure.
    config.addinivalue_line("filterwarnings", "error::btfperm.errors.DefectWarning")
    # Many drawn matrices hold stored zeros; test_stored_zeros.py tests that warning.
    config.addinivalue_line("filterwarnings", "ignore::btfperm.errors.StoredZerosWarning")


def pytest_terminal_summary(terminalreporter):
    skips.report(terminalreporter)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """In CI, a run with too many skipped tests, or with an unknown reason, is a failed run."""
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == 0 and terminal is not None and skips.fails(terminal):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
