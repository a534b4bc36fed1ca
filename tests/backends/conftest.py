# SPDX-License-Identifier: BSD-3-Clause
"""The fixtures of the command line, for its messages about backends, and the child process that
runs small tests on an emulated device while the other tests run."""

from __future__ import annotations

import os

import pytest

from tests import conftest as settings
from tests.cli.conftest import cli, matrix
from tests.emulated_gpu import beside

__all__ = ["cli", "matrix"]

_CHILD = pytest.StashKey()


def pytest_collection_finish(session):
    """Starts the child early. A worker of pytest-xdist collects every test but runs only some, so
    in a worker the fixture starts the child."""
    wanted = any("emulated_run" in getattr(item, "fixturenames", ()) for item in session.items)
    alone = "PYTEST_XDIST_WORKER" not in os.environ and not session.config.option.collectonly
    if wanted and alone and beside.why_no_child() is None:
        session.config.stash[_CHILD] = beside.start(settings.SEED)


def pytest_unconfigure(config):
    """Kills the child if the run was interrupted."""
    child = config.stash.get(_CHILD, None)
    if child is not None and child.poll() is None:
        child.kill()
        child.wait()


@pytest.fixture
def emulated_run(request):
    stash = request.config.stash
    if _CHILD not in stash:
        stash[_CHILD] = beside.start(settings.SEED)
    return stash[_CHILD]
