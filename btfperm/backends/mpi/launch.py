# SPDX-License-Identifier: BSD-3-Clause
"""Whether this process is one of several MPI ranks, and the communicator of all ranks.

mpi4py is imported only if a launcher (such as ``mpiexec``) has started this process, if the caller
requests MPI, or by `library`.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from btfperm.errors import BackendUnavailableError, InvalidArgumentError

__all__ = [
    "communicator",
    "is_alone",
    "keyval",
    "launched_ranks",
    "rank_by_launcher",
    "refuse_other_communicators",
    "require_mpi",
    "world",
]

# Environment variables that launchers set for each process: the number of ranks, and the number of
# its own rank. PMI_ is of MPICH and Intel MPI; OMPI_ and PMIX_ are of Open MPI.
_RANKS_SET_BY_LAUNCHERS = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")
_RANK_SET_BY_LAUNCHERS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")


def launched_ranks() -> int:
    """The number of ranks that the launcher reports in a variable of _RANKS_SET_BY_LAUNCHERS. It is
    0 if none is set, or if the environment variable ``BTFPERM_MPI`` is 0. If several are set, the
    largest number counts: this process may have inherited the others from a shell that another
    launcher started."""
    return _number_set(_RANKS_SET_BY_LAUNCHERS)


def rank_by_launcher() -> int:
    """The rank of this process that the launcher reports; 0 in the cases of `launched_ranks`."""
    return _number_set(_RANK_SET_BY_LAUNCHERS)


def _number_set(names: tuple[str, ...]) -> int:
    if os.environ.get("BTFPERM_MPI") == "0":
        return 0
    texts = (os.environ.get(name, "") for name in names)
    return max((int(text) for text in texts if text.isdigit()), default=0)


def communicator(backend: str) -> Any:
    """The communicator that the command line uses: that of all ranks if the backend is ``"mpi"``,
    or if it is ``"auto"`` and the launcher reports more than one rank; otherwise None. If the
    launcher reports one rank, MPI is not started, because that takes longer than the analysis of
    many matrices: with ``"mpi"``, the result is the object of a rank that needs no messages. If no
    variable is set, MPI finds the number of ranks, because the launcher may be an unknown one."""
    if backend == "mpi" and is_alone():
        from btfperm.backends.mpi.exchange import Exchange

        return Exchange(None)
    if backend == "mpi" or (backend == "auto" and launched_ranks() > 1):
        return world()
    return None


def is_alone() -> bool:
    """Whether a launcher has started this process as the only rank, and MPI is not initialized."""
    return launched_ranks() == 1 and "mpi4py.MPI" not in sys.modules


def require_mpi() -> Any:
    """The module ``mpi4py.MPI``, with MPI initialized.

    Raises
    ------
    BackendUnavailableError : mpi4py or an MPI library is missing, or cannot be loaded
    """
    MPI = _loaded()
    if not MPI.Is_initialized():
        MPI.Init_thread()
    return MPI


def library() -> str:
    """The name and the version of the MPI library. MPI is not initialized, because an MPI process
    may need a launcher.

    Raises
    ------
    BackendUnavailableError : as `require_mpi`
    """
    text: str = _loaded().Get_library_version().replace("\x00", " ")
    words = text.split("\n")[0].replace("Version:", " ").replace(",", " ").split()
    return " ".join(words[:3])


def _loaded() -> Any:
    try:
        import mpi4py

        if "mpi4py.MPI" not in sys.modules:
            mpi4py.rc.initialize, mpi4py.rc.finalize = False, True
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BackendUnavailableError(
            f"the mpi backend cannot be used: {reason}; install btfperm[mpi], or mpi4py with the "
            "MPI of your system"
        ) from error
    return MPI


def refuse_other_communicators(comm: Any) -> None:
    """Raises InvalidArgumentError unless this is a communicator of mpi4py with ranks of one group.
    COMM_NULL is refused, too: ``comm.Split`` returns it to the ranks that passed ``UNDEFINED``,
    and these must not call btfperm with it."""
    mpi = require_mpi()
    if not isinstance(comm, mpi.Comm):
        what = f"a {type(comm).__name__}"
    elif comm == mpi.COMM_NULL:
        what = "COMM_NULL, which has no ranks"
    elif comm.Is_inter():
        what = "an intercommunicator, which has two groups of ranks"
    else:
        return
    raise InvalidArgumentError(f"comm must be an mpi4py communicator of one group, not {what}")


def world() -> Any:
    """The communicator of all ranks."""
    return require_mpi().COMM_WORLD


_key: list[int] = []


def keyval() -> int:
    """The key of the attribute of a communicator that holds its `Ranks` object."""
    if not _key:
        from mpi4py import MPI

        _key.append(MPI.Comm.Create_keyval())
    return _key[0]
