# SPDX-License-Identifier: BSD-3-Clause
"""Hypothesis profiles, and the seed of large random matrices.

`HYPOTHESIS_PROFILE=thorough pytest` tries many more examples. Failing examples are printed as
code that repeats them; `--hypothesis-seed` and BTFPERM_SEED repeat a run. BTFPERM_TEST_THREADS=4
gives every call four threads that share all work, however small; `.ci/run threads` asks for that.
"""

from __future__ import annotations

import os
import secrets
import signal
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, settings

from btfperm import _core
from btfperm.backends.gpu.device import why_not
from btfperm.path import request

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

settings.register_profile(
    "ci",
    max_examples=40,
    deadline=timedelta(seconds=5),  # catches a hang, not a busy machine
    print_blob=True,
    suppress_health_check=QUIET,
)
settings.register_profile("thorough", settings.get_profile("ci"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# Would be found as CuPy by all that is collected after it.
collect_ignore = ["emulated_gpu/stand_in"]

# A job in the background is started deaf to Ctrl-C, and so would be all that its tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# One fresh seed a run, part of the name of every test that uses it; BTFPERM_SEED repeats a run.
# Workers of pytest-xdist (-n 2) have one run, and so one seed.
_RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", "")[:7] or secrets.token_hex(4)[:7]
SEED = int(os.environ.get("BTFPERM_SEED", "0")) or int(_RUN, 16) + 1


def pytest_generate_tests(metafunc):
    if "run_seed" in metafunc.fixturenames:
        metafunc.parametrize("run_seed", [SEED], ids=lambda seed: f"seed{seed}")


def pytest_collection_modifyitems(items):
    """What needs a GPU runs wherever one is found."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    why = why_not() if marked else None
    for item in marked if why else ():
        item.add_marker(pytest.mark.skip(reason=f"no GPU: {why}"))


def pytest_configure(config):
    if threads := int(os.environ.get("BTFPERM_TEST_THREADS", "0")):
        _core.share_always(True)
        request.choose_threads = lambda package, nnz, asked: asked or threads
    # Many drawn matrices hold stored zeros; test_stored_zeros.py looks at what is said about them.
    config.addinivalue_line("filterwarnings", "ignore::btfperm.errors.StoredZerosWarning")
