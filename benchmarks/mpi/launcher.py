# SPDX-License-Identifier: BSD-3-Clause
"""The command that starts MPI ranks: the ``mpiexec`` that the environment variable BTFPERM_MPIEXEC
names, or the one in the folder of the interpreter, or else the one in the path of the system.

mpi4py must load the MPI of this launcher: for its wheels, MPI4PY_LIBMPI names the library.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

__all__ = ["launcher"]


@cache
def launcher() -> tuple[str, ...]:
    """The command without the number of ranks. Raises OSError if there is none."""
    beside = str(Path(sys.executable).parent)
    named = os.environ.get("BTFPERM_MPIEXEC") or "mpiexec"
    found = shutil.which(named, path=beside) or shutil.which(named)
    if found is None:
        raise OSError("there is no mpiexec on this machine: pip install 'btfperm[mpi]'")
    # Open MPI starts neither more ranks than cores nor ranks of root without these options.
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    if "Open MPI" not in version.stdout and "OpenRTE" not in version.stdout:
        return (found,)
    return (found, "--oversubscribe", *(["--allow-run-as-root"] if os.getuid() == 0 else []))
