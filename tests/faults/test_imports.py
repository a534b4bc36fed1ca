# SPDX-License-Identifier: BSD-3-Clause
"""Large packages are imported only when they are used."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
