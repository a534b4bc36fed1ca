# SPDX-License-Identifier: BSD-3-Clause
"""Large packages are imported only when they are used."""

from __future__ import annotations

import subprocess
import sys
import threading
from types import ModuleType

import pytest

from btfperm import registry
from btfperm.pattern import as_pattern

LARGE = ("scipy", "cupy", "mpi4py", "matplotlib", "rich", "click", "networkx", "numba")


def loaded_after(code):
    """The top-level packages that a new interpreter has imported after `code`."""
    report = f"{code}\nimport sys; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code",
    [
        "import btfperm",
        "import btfperm; btfperm.algorithms()",
        "import btfperm; btfperm.structural_rank([[1, 0], [1, 1]])",
        "import btfperm; btfperm.dulmage_mendelsohn([[1, 0], [1, 1]]).block_graph()",
        "import btfperm; btfperm.block_triangular_form([[1, 0], [1, 1]])",
        "import btfperm; btfperm.testing.assert_structurally_nonsingular([[1]])",
    ],
)
def test_no_large_package_is_loaded(code):
    assert not loaded_after(code) & set(LARGE)


def test_the_import_alone_needs_no_numpy():
    """`btfperm --version` must answer at once."""
    assert "numpy" not in loaded_after("import btfperm; btfperm.__version__")


def test_every_public_name_exists():
    import btfperm

    for name in btfperm.__all__:
        assert getattr(btfperm, name) is not None
    assert set(btfperm.__all__) <= set(dir(btfperm))
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = btfperm.no_such_thing


FIRST_CALLS = """
import sys, threading
import btfperm
sys.setswitchinterval(1e-5)
A = [[2.0, 1.0], [1.0, 2.0]]
calls = [lambda: btfperm.maximum_transversal(A), lambda: btfperm.weighted_transversal(A),
         lambda: btfperm.match(A), lambda: btfperm.preorder(A),
         lambda: btfperm.dulmage_mendelsohn(A), lambda: btfperm.block_triangular_form(A),
         lambda: btfperm.solve(A, [1.0, 1.0])]
threads = [threading.Thread(target=call) for call in calls]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_the_first_calls_may_come_from_several_threads():
    """Modules that import each other must not be imported by two threads at the same time."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_CALLS], capture_output=True, text=True, check=True, timeout=60
    )
    assert not done.stderr, done.stderr


def test_a_step_waits_for_the_import_of_its_module(monkeypatch, tmp_path):
    (tmp_path / "slow_step.py").write_text(
        "import sys\nsys.begun.set()\nsys.may_end.wait(60)\ndef run(): return 7\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    begun, may_end = threading.Event(), threading.Event()
    monkeypatch.setattr(sys, "begun", begun, raising=False)
    monkeypatch.setattr(sys, "may_end", may_end, raising=False)
    registry.add_step("toy", "run", "cpu", "slow_step", "run")
    answers = []
    try:
        threads = [
            threading.Thread(target=lambda: answers.append(registry.step("toy", "run", "cpu")()))
            for _ in range(2)
        ]
        threads[0].start()
        assert begun.wait(60)
        threads[1].start()
        threads[1].join(0.05)  # it reaches the import that has not ended
        may_end.set()
        for thread in threads:
            thread.join(60)
    finally:
        registry.remove_step("toy", "run", "cpu")
        sys.modules.pop("slow_step", None)
    assert answers == [7, 7]


@pytest.mark.parametrize("name", ["scipy.sparse", "btfperm.pattern.valued"])
def test_another_thread_may_still_import_the_module_of_a_type(name, monkeypatch):
    """`sys.modules` holds a module from the start of its import, without its names."""
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    assert as_pattern([[1, 0], [1, 1]]).nnz == 3
