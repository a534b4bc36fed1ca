# SPDX-License-Identifier: BSD-3-Clause
"""A small matrix costs little more than NumPy and click: no other package is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest
from btfperm_cli.main import COMMANDS

LISTING = """
import sys
from btfperm_cli.main import main
main({words!r}, standalone_mode=False)
print(*sorted(name.partition(".")[0] for name in sys.modules), file=sys.stderr)
"""


def imported(*words) -> set[str]:
    code = LISTING.format(words=[str(word) for word in words])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_main_job_imports_neither_scipy_nor_rich(matrix, tmp_path):
    modules = imported(matrix("singular"), "-o", tmp_path / "perm.npz", "-o", tmp_path / "p.txt")
    assert "numpy" in modules
    large = {"scipy", "rich", "matplotlib", "cupy", "mpi4py", "pandas", "networkx"}
    assert not large & modules


def test_a_small_matrix_touches_no_gpu(matrix, tmp_path):
    """`auto` does not even call the driver."""
    words = [str(matrix("singular")), "-o", str(tmp_path / "perm.npz")]
    code = (
        "import ctypes\nfrom btfperm_cli.main import main\n"
        "def refused(name, *_, **__): raise AssertionError(f'{name} was loaded')\n"
        f"ctypes.CDLL = refused\nmain({words!r}, standalone_mode=False)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "perm.npz").exists()
    forced = code.replace("'-o'", "'--backend', 'gpu', '-o'")
    done = subprocess.run(
        [sys.executable, "-c", forced], capture_output=True, text=True, check=False
    )
    assert "was loaded" in done.stderr, "this test detects calls of the driver"


def test_rank_and_check_import_neither(matrix, tmp_path, cli):
    cli(matrix("blocks"), "-q", "-o", tmp_path / "perm.npz")
    for words in (("rank", matrix("blocks")), ("check", matrix("blocks"), tmp_path / "perm.npz")):
        assert not {"scipy", "rich"} & imported(*words)


@pytest.mark.parametrize(
    "words", [("--help",), ("rank", "--help"), ("algorithms",), ("check", "-h")]
)
def test_help_imports_no_numpy(words):
    assert "numpy" not in imported(*words)


def test_version_imports_no_numpy():
    """`--version` ends the process before LISTING can print, so this test reads the list that
    Python prints with `-X importtime`."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "btfperm_cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "click" in done.stderr and "numpy" not in done.stderr


@pytest.mark.parametrize(("command", "bound"), [("order", 112), ("rank", 104)])
def test_a_small_matrix_needs_little_beside_numpy(matrix, command, bound):
    """No time is checked here; section `start-up` of the benchmarks measures it."""
    listing = "import sys\n{}\nprint(*sys.modules, file=sys.stderr)"
    words = [command, str(matrix("blocks"))]
    job = f"from btfperm_cli.main import main; main({words!r}, standalone_mode=False)"

    def loaded(code):
        line = [sys.executable, "-c", listing.format(code)]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        return set(done.stderr.split())

    more = loaded(job) - loaded("import numpy, click")
    ours = {name for name in more if name.partition(".")[0] in ("btfperm", "btfperm_cli")}
    roots = {name.partition(".")[0] for name in more - ours}
    assert roots <= {"numpy", "click"} | sys.stdlib_module_names
    assert "numpy.ma" not in more, "nothing has made a masked array"
    assert "btfperm.transversal" in more and len(ours) <= bound
    commands = {f"btfperm_cli.{name}" for name in COMMANDS}
    assert commands & more == {f"btfperm_cli.{command}"}


def test_modules_are_attributes():
    """`btfperm.io` and the like need no import of their own, and SciPy is imported only when it is
    used."""
    code = (
        "import sys, btfperm; btfperm.io.read_matrix, btfperm.conventions, btfperm.reports;"
        "print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
