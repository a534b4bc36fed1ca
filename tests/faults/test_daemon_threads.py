# SPDX-License-Identifier: BSD-3-Clause
"""The interpreter ends while daemon threads are in the core. The exit code must be the program's.

Each child starts one daemon thread for each kind of work of its group, which repeats that work
forever, and exits. An object with a slow destructor prolongs the end of the interpreter, so that
each thread requests the GIL during it: at the end of its pass, or when it polls for signals.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CHILD = """
import sys, threading, time
import numpy as np
import btfperm
from btfperm import _core
from btfperm.io import read
from btfperm.pattern import Pattern
from btfperm.transversal import maximum_transversal
from tests import families
from tests.transversal.methods import ALGORITHMS, INITIALIZERS

group, file = sys.argv[1:]
n = {"long searches": 200_000}.get(group, 20_000)
A = families.renumbered(families.chain(n), "mixed", 1).A.tocoo()
P = btfperm.as_pattern(A)
with open(file, "w") as target:
    target.write(f"%%MatrixMarket matrix coordinate pattern general\\n{n} {n} {n}\\n")
    target.writelines(f"{k} {k}\\n" for k in range(1, n + 1))
found = maximum_transversal(P)
order = btfperm.dulmage_mendelsohn(P)

def search(**how):
    return lambda: maximum_transversal(P, **how)

works = {
    "long searches": [search(algorithm=a, initializer="none") for a in ALGORITHMS],
    "short works": [
        *(search(algorithm=a, threads=2) for a in ALGORITHMS),
        *(search(initializer=i, threads=2) for i in INITIALIZERS),
        lambda: btfperm.dulmage_mendelsohn(P, transversal=found),
        lambda: btfperm.block_triangular_form(P),
        lambda: order.block_graph(P),
        lambda: order.apply(A),
        lambda: read(file),
        lambda: Pattern.from_coo(A.row, A.col, A.shape),
        lambda: Pattern.from_csc(P.indptr, P.indices, P.shape),
        lambda: P.transpose(),
        lambda: _core.transversal.count_matched(found.row_match, 2),
        lambda: _core.backends.return_free_memory(),
        lambda: _core.backends.copy_bytes(np.zeros(2**20, np.uint8), np.empty(2**20, np.uint8), 2),
    ],
}[group]

class SlowToGo:
    def __del__(self, sleep=time.sleep):
        sleep(0.3)

def repeat(work, started):
    started.set()
    while True:
        work()

here = SlowToGo()
for work in works:
    started = threading.Event()
    threading.Thread(target=repeat, args=(work, started), daemon=True).start()
    started.wait()
time.sleep(0.2)
print(len(works), flush=True)
sys.exit(7)
"""


@pytest.mark.parametrize("group", ["long searches", "short works"])
def test_the_process_ends_with_its_own_exit_code(group, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CHILD, group, str(tmp_path / "A.mtx")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (7, "")
    assert int(done.stdout) > 5


def test_the_core_releases_the_gil_in_one_way_only():
    """nanobind's scopes end the process if a daemon thread outlives the interpreter."""
    for file in (ROOT / "btfperm").rglob("*.[ch]pp"):
        assert not re.search(r"gil_scoped|PyGILState_\w+\(|Py_BEGIN_ALLOW", file.read_text()), file
