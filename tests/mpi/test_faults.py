# SPDX-License-Identifier: BSD-3-Clause
"""The command line on several ranks: one message, one exit code, no file after a failure."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import threading

import numpy as np
import pytest

from tests.known_answers import MATRICES
from tests.mpi.launcher import emulated_or_skip, on_ranks

HEAD = "%%MatrixMarket matrix coordinate pattern general\n"
COMMAND = (sys.executable, "-m", "btfperm_cli")

# A rank notes its exit code after the command line has chosen it. All ranks then end at the same
# time, because the launcher ends the others as soon as one has ended with an error.
NOTING = """
import os, sys, time
from pathlib import Path
from btfperm.backends.mpi.launch import launched_ranks, rank_by_launcher
from btfperm_cli.main import main
leave = os._exit
def noted(code):
    notes = [Path(sys.argv[1], str(rank)) for rank in range(launched_ranks())]
    notes[rank_by_launcher()].write_text(str(code))
    until = time.monotonic() + 20
    while time.monotonic() < until and not all(note.exists() for note in notes):
        time.sleep(0.001)
    time.sleep(max(0, max(note.stat().st_mtime for note in notes) + 0.05 - time.time()))
    leave(code)
os._exit = noted
main(sys.argv[2:])
"""

# Each rank runs the command line in a folder of its own.
APART = """
import os, runpy, sys
from btfperm.backends.mpi.launch import rank_by_launcher
os.chdir(f"{sys.argv.pop(1)}/r{rank_by_launcher()}")
runpy.run_module("btfperm_cli", run_name="__main__")
"""

# Rank 1 runs `action` before it parses its first block.
MEETING = """
import os, signal, sys
from btfperm.backends.mpi.launch import rank_by_launcher
from btfperm.io.matrix_market_body import Parser
from btfperm_cli.main import main
def fail(self, text):
    if rank_by_launcher() == 1:
        {action}
    return parse(self, text)
parse, Parser.parse = Parser.parse, fail
main(sys.argv[1:])
"""


def test_a_bad_line_in_the_range_of_one_rank(tmp_path):
    matrix, out = tmp_path / "bad.mtx", tmp_path / "perm.npz"
    entries = [f"{k} {k}\n" for k in range(1, 41)]
    entries[30] = "31 x\n"
    matrix.write_text(HEAD + "40 40 40\n" + "".join(entries))
    ended = on_ranks(3, sys.executable, "-c", NOTING, tmp_path, matrix, "-o", out)
    sentence = f"btfperm: {matrix}, line 33: a row and a column number are expected: '31 x'"
    assert (ended.stdout, ended.stderr.splitlines()) == ("", [sentence])
    assert ended.returncode == 3 and not out.exists()
    assert {(tmp_path / rank).read_text() for rank in "012"} == {"3"}
    assert not list(tmp_path.glob(".*.part"))


def test_each_rank_must_see_the_same_file(tmp_path):
    """Ranks of several machines, which are started in folders of their own."""
    for rank in range(2):
        (tmp_path / f"r{rank}").mkdir()
    text = HEAD + "2 2 2\n1 1\n2 2\n"
    (tmp_path / "r0" / "a.mtx").write_text(text)
    needed = "every rank must see the same file under this name"
    for other, reason in (
        (None, "rank 1 cannot open the file (No such file or directory)"),
        (text + "\n", f"rank 1 sees {len(text) + 1} bytes, the first rank {len(text)}"),
    ):
        if other:
            (tmp_path / "r1" / "a.mtx").write_text(other)
        ended = on_ranks(2, sys.executable, "-c", APART, tmp_path, "a.mtx", "--backend", "mpi")
        assert ended.returncode == 3
        assert ended.stderr.splitlines() == [f"btfperm: a.mtx: {reason}; {needed}"]


@pytest.mark.parametrize("values", [(), ("--weights", "product")])
def test_standard_input_and_pipes(tmp_path, values):
    """They are opened once. MPICH's launcher passes only little standard input to a rank that does
    not read it at once, so only the pipe has more than a rank reads to recognise the format."""
    for n, is_pipe in ((20_000, True), (40, False)):
        text = HEAD.replace("pattern", "real") + f"{n} {n} {n}\n"
        text += "".join(f"{k} {k} 1.5\n" for k in range(1, n + 1))
        source = tmp_path / f"{n}.mtx"
        if is_pipe:
            os.mkfifo(source)
            writer = threading.Thread(target=source.write_text, args=(text,))
            writer.start()
            ended = on_ranks(2, *COMMAND, source, "--backend", "mpi", *values)
            writer.join()
        else:
            source.write_text(text)
            with source.open("rb") as stream:
                ended = on_ranks(2, *COMMAND, "-", "--backend", "mpi", *values, stdin=stream)
        assert ended.returncode == 0, ended.stderr
        assert f"structural rank   {n:,} (full)" in ended.stdout


def test_an_output_folder_that_one_rank_does_not_have(tmp_path):
    """Rank 1 fails before it starts MPI, and the other ranks wait for it."""
    text = HEAD + "2 2 2\n1 1\n2 2\n"
    for rank in range(3):
        (tmp_path / f"r{rank}").mkdir()
        (tmp_path / f"r{rank}" / "a.mtx").write_text(text)
    (tmp_path / "r0" / "out").mkdir()
    words = ("a.mtx", "-o", "out/perm.npz")
    ended = on_ranks(3, sys.executable, "-c", APART, tmp_path, *words, timeout=60)
    sentence = "btfperm: out/perm.npz cannot be written: there is no directory out"
    assert (ended.returncode, ended.stderr.splitlines()) == (4, [sentence]), ended.stderr
    assert not list((tmp_path / "r0" / "out").iterdir())


# Rank 1 gets a signal while it imports a module, or has no memory for MPI.
EARLY = """
import os, runpy, signal, sys
from btfperm.backends.mpi import launch
class Finder:
    def find_spec(name, *_):
        if name == "btfperm.order":
            os.kill(os.getpid(), signal.SIGTERM)
def fail(*_, **__):
    raise MemoryError
if launch.rank_by_launcher() == 1:
    if "{how}" == "signal":
        sys.meta_path.insert(0, Finder)
    else:
        from btfperm_cli import order
        order.check_targets = launch.world = fail
runpy.run_module("btfperm_cli", run_name="__main__")
"""


@pytest.mark.parametrize("how", ["signal", "no memory"])
def test_a_rank_that_ends_before_mpi_starts(tmp_path, how):
    matrix, out = tmp_path / "a.mtx", tmp_path / "perm.npz"
    matrix.write_text(HEAD + "2 2 2\n1 1\n2 2\n")
    program = EARLY.format(how=how)
    ended = on_ranks(3, sys.executable, "-c", program, matrix, "-o", out, timeout=60)
    assert ended.returncode != 0 and not out.exists()


def test_a_value_that_is_not_finite_in_the_range_of_one_rank(tmp_path):
    matrix, out = tmp_path / "nan.mtx", tmp_path / "perm.npz"
    entries = [f"{k} {k} {k}.5\n" for k in range(1, 41)]
    entries[30] = "31 31 nan\n"
    matrix.write_text(HEAD.replace("pattern", "real") + "40 40 40\n" + "".join(entries))
    weights = ("--weights", "product", "-o", out)
    ended = on_ranks(3, sys.executable, "-c", NOTING, tmp_path, matrix, *weights)
    sentence = (
        f"btfperm: {matrix}: the entry in row 30, column 30 (counted from 0) is nan; every value "
        "must be finite"
    )
    assert (ended.stdout, ended.stderr.splitlines()) == ("", [sentence])
    assert ended.returncode == 3 and not out.exists()
    assert {(tmp_path / rank).read_text() for rank in "012"} == {"3"}


def test_weights_from_file_to_file(tmp_path):
    """`check` accepts the file of several ranks; a file without values is refused."""
    matrix, out = MATRICES / "west0479.mtx.gz", tmp_path / "perm.npz"
    words = ("--weights", "product", "-o", out, "--backend", "mpi")
    ended = on_ranks(3, *COMMAND, matrix, *words, "--algorithm", "heavy-perfect")
    assert ended.returncode == 0 and "structural rank   479" in ended.stdout, ended.stderr
    assert "permuted and scaled: smallest" in ended.stdout
    checked = on_ranks(1, *COMMAND, "check", matrix, out, env={"BTFPERM_MPI": "0"})
    assert checked.returncode == 0 and "scalings" in checked.stdout, checked.stdout
    pattern = tmp_path / "pattern.mtx"
    pattern.write_text(HEAD + "1 1 1\n1 1\n")
    refused = on_ranks(2, *COMMAND, pattern, "--weights", "product")
    assert refused.returncode == 3 and refused.stderr.count("it holds no values") == 1


# No rank may gather an array, and the mates are written in pieces.
IN_PIECES = """
import sys
from btfperm.backends.mpi.exchange import Exchange
from btfperm.io import save_mpi
from btfperm_cli.main import main
save_mpi.PIECE, Exchange.gather_all = 7, None
main(sys.argv[1:])
"""


def test_a_matching_in_a_graph(tmp_path):
    """The file is that of one process; an asymmetric matrix is refused once."""
    graph, out, alone = (tmp_path / name for name in ("graph.mtx", "mate.npz", "alone.npz"))
    lines = "".join(f"{k + 1} {k} {k * 7 % 11 + 1}\n" for k in range(1, 40))
    graph.write_text("%%MatrixMarket matrix coordinate integer symmetric\n40 40 39\n" + lines)
    ended = on_ranks(3, sys.executable, "-c", IN_PIECES, "match", graph, "-o", out)
    assert ended.returncode == 0 and "local-max, over MPI ranks" in ended.stdout, ended.stderr
    serial = (*COMMAND, "match", graph, "--option", "limit=0", "-o", alone)
    assert on_ranks(1, *serial, env={"BTFPERM_MPI": "0"}).returncode == 0
    with np.load(out) as ours, np.load(alone) as theirs:
        assert np.array_equal(ours["mate"], theirs["mate"]) and ours["weight"] == theirs["weight"]
        assert ours["dual"].shape == (40,) and ours["upper_bound"] >= ours["weight"]
        assert {ours[name].dtype for name in ("dual", "weight")} == {np.dtype(np.float64)}
    wrong = tmp_path / "wrong.mtx"
    wrong.write_text(HEAD + "3 3 1\n1 3\n")
    refused = on_ranks(3, *COMMAND, "match", wrong)
    assert refused.returncode == 3 and refused.stderr.count("has no counterpart") == 1


@pytest.mark.parametrize(
    ("action", "code", "sentence"),
    [
        ("raise MemoryError", 4, "out of memory"),
        ("os.kill(os.getpid(), signal.SIGKILL)", None, ""),
    ],
)
def test_a_rank_out_of_memory_or_killed(tmp_path, action, code, sentence):
    matrix, out = tmp_path / "a.mtx", tmp_path / "perm.npz"
    matrix.write_text(HEAD + "9 9 9\n" + "".join(f"{k} {k}\n" for k in range(1, 10)))
    program = textwrap.dedent(MEETING).format(action=action)
    ended = on_ranks(3, sys.executable, "-c", program, matrix, "-o", out, timeout=60)
    assert ended.returncode == code if code else ended.returncode != 0
    assert sentence in ended.stderr and ended.stderr.count("btfperm:") == bool(sentence)
    assert not out.exists()


# The GPU of rank 1 has no room when its trees grow.
FULL = """
import sys
import cupy
from btfperm.backends.mpi.launch import rank_by_launcher
from btfperm.transversal.owned_trees_gpu import DeviceTrees
from btfperm_cli.main import main
def full(self, lines, depth, most):
    raise cupy.cuda.memory.OutOfMemoryError(9, 10)
if rank_by_launcher() == 1:
    DeviceTrees.grow = full
main(sys.argv[1:])
"""


def test_ranks_with_gpus(tmp_path):
    python, out = (sys.executable, *emulated_or_skip()), tmp_path / "perm.npz"
    matrix = MATRICES / "west0479.mtx.gz"
    command = (matrix, "-o", out, "--backend", "mpi", "--device", "gpu", "--initializer", "none")
    ended = on_ranks(2, *python, "-c", FULL, *command, timeout=120)
    assert ended.returncode == 4 and ended.stderr.count("btfperm:") == 1, ended.stderr
    assert "rank 1: device " in ended.stderr and "; leave out --device" in ended.stderr
    assert not out.exists()
    ended = on_ranks(2, *python, "-m", "btfperm_cli", *command, "--verbose", timeout=120)
    assert ended.returncode == 0 and out.exists(), ended.stderr
    assert ended.stdout.count("structural rank   479") == 1
    first = on_ranks(2, *python, "-m", "btfperm_cli", *command[:3], "--device", "gpu", "--json")
    facts = json.loads(first.stdout)
    assert "gpu" in str(facts) and facts["structural_rank"] == 479, first.stderr
    alone = on_ranks(1, *COMMAND, matrix, "--device", "gpu")
    assert alone.returncode == 2 and "or use --backend mpi" in alone.stderr


def test_rank_of_several_files(tmp_path):
    """All processes share each search. If one file cannot be read, the command still answers for
    the other files."""
    whole, short, bad = (tmp_path / f"{name}.mtx" for name in ("whole", "short", "bad"))
    whole.write_text(HEAD + "9 9 9\n" + "".join(f"{k} {k}\n" for k in range(1, 10)))
    short.write_text(HEAD + "9 8 9\n" + "".join(f"{k} 1\n" for k in range(1, 10)))
    bad.write_text(HEAD + "9 9 9\n1 x\n")
    words = ("--require-full", "--backend", "mpi")
    ended = on_ranks(3, *COMMAND, "rank", whole, bad, short, *words)
    assert ended.stdout.splitlines() == [f"9\t{whole}", f"1\t{short}"]
    assert ended.returncode == 3 and f"{bad}, line 3: " in ended.stderr
    assert ended.stderr.count("structural rank 1 of 8; diagnose it in one process") == 1
    answer = on_ranks(2, *COMMAND, "rank", whole, "--backend", "mpi", "--json")
    facts = json.loads(answer.stdout)
    assert (facts["structural_rank"], facts["backend"]) == (9, "mpi") and answer.returncode == 0
    assert facts["counters"]["collectives"] > 0, "the ranks share the search"


# The last line on stderr tells whether MPI was loaded.
LOADED = """
import atexit, sys
from btfperm_cli.main import main
atexit.register(lambda: print("mpi4py.MPI" in sys.modules, file=sys.stderr))
main(sys.argv[1:])
"""


def test_one_rank_starts_no_mpi(tmp_path):
    """The launcher reports one rank, so that the command needs no messages. The result has the
    backend mpi all the same. With BTFPERM_MPI=0, btfperm ignores the launcher, and starts MPI."""
    matrix, out = MATRICES / "west0479.mtx.gz", tmp_path / "perm.npz"
    found = []
    for variables, loaded in (({}, "False"), ({"BTFPERM_MPI": "0"}, "True")):
        words = (matrix, "-o", out, "--backend", "mpi", "--json")
        ended = on_ranks(1, sys.executable, "-c", LOADED, *words, env=variables)
        assert ended.returncode == 0 and ended.stderr.split() == [loaded], ended.stderr
        facts = json.loads(ended.stdout)
        assert facts["backend"] == "mpi"
        counters = facts["counters"]
        found.append({name: own for name, own in counters.items() if "peak" not in name})
        with np.load(out) as file:
            found[-1] |= {name: file[name].tolist() for name in file.files if name != "meta"}
    assert found[0] == found[1]
    for command in (("rank", matrix), ("match", MATRICES / "1138_bus.mtx.gz", "--weights=moduli")):
        words = (*command, "--backend", "mpi", "--algorithm", "auto")
        ended = on_ranks(1, sys.executable, "-c", LOADED, *words)
        assert ended.returncode == 0 and ended.stderr.split() == ["False"], ended.stderr
    wrong = tmp_path / "wrong.mtx"
    wrong.write_text(HEAD + "3 3 1\n1 x\n")
    ended = on_ranks(1, *COMMAND, wrong, "--backend", "mpi")
    assert ended.returncode == 3 and ended.stderr.count("line 3: ") == 1
    ended = on_ranks(1, *COMMAND, matrix, "--backend", "mpi", "--no-such")
    assert ended.returncode == 2


def test_only_the_first_rank_prints(tmp_path):
    out = tmp_path / "perm.npz"
    ended = on_ranks(2, *COMMAND, MATRICES / "west0479.mtx.gz", "-o", out, "--backend", "mpi")
    assert ended.returncode == 0 and out.exists(), ended.stderr
    assert ended.stdout.count("structural rank   479") == 1 and "(mpi backend)" in ended.stdout
    assert ended.stderr.count("is packed: the first rank unpacked it") == 1
    wrong = on_ranks(2, *COMMAND, "--no-such-option")
    assert wrong.returncode == 2 and wrong.stderr.count("No such option") == 1
    missing = {"MPI4PY_LIBMPI": "/nowhere/libmpi.so.12"}
    without = on_ranks(2, *COMMAND, MATRICES / "west0479.mtx.gz", env=missing)
    assert without.returncode == 4 and without.stderr.count("the mpi backend cannot be used") == 1
