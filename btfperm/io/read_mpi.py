# SPDX-License-Identifier: BSD-3-Clause
"""Reading over ranks: each rank parses its byte range of a Matrix Market file.

The first rank unpacks a packed Matrix Market file and distributes the entries block by block. Every
other input is read by the first rank alone: other formats, dense arrays, standard input, pipes, and
members of a tar archive. If there is one rank, it reads the pattern of every file as one process
does, a Matrix Market file on all its cores. If the values are needed, too, one rank parses the file
as each of several ranks does, on one core.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from btfperm import _core
from btfperm.arguments import path_text
from btfperm.backends.mpi.exchange import Exchange
from btfperm.backends.mpi.file_ranges import FileRange, line_range, lines_before
from btfperm.errors import UnreadableInputError
from btfperm.io.file_hash import FileHash
from btfperm.io.header import Header
from btfperm.io.matrix_market import read_header, recognises
from btfperm.io.matrix_market_body import VALUE_TYPE, Body, Parser
from btfperm.io.source import Source, open_source
from btfperm.io.values import NO_VALUES, reflected
from btfperm.pattern import index_type
from btfperm.pattern.distributed import DistributedPattern
from btfperm.pattern.distributed_values import of_one_type

__all__ = ["read_distributed"]

BLOCK = 1 << 22
"""Bytes of text that a rank parses at a time."""

_UNKNOWN = 1 << 62  # stands for the entries of one range; only their sum over all ranges is known
_LEAST_LINE = 4  # bytes: "1 1\\n"

Positions = list[npt.NDArray[Any]]


def read_distributed(
    path: Any,
    comm: Any,
    *,
    drop_zeros: bool = False,
    values_or: str | None = None,
    threads: int | None = None,
) -> DistributedPattern:
    """The pattern of the matrix in a file, over the ranks of a communicator; with `values_or`, it
    has the values of the entries, too. Collective.

    An unpacked Matrix Market file in coordinate format must be visible to all ranks under this
    name; other files are read by the first rank alone. Raises `UnreadableInputError` on all ranks,
    with one sentence that names the file; about a file without values, the sentence ends with
    `values_or`. If `values_or` is empty, the values of such a file are ones. `threads` is used only
    if one rank reads the file as one process does; the default is all cores.
    """
    exchange = Exchange.of(comm)
    given = {"path": path, "drop_zeros": drop_zeros, "values_or": values_or}
    with exchange.guarded("read_distributed", given):
        name = path_text(path)
        opened = _opened(path, exchange.rank == 0, values_or)
        opened = exchange.broadcast(opened)
        if exchange.size == 1 and values_or is None:
            from btfperm.io import read

            whole = read(path, drop_zeros=drop_zeros, threads=threads or 0)
            pattern = DistributedPattern.of_whole(exchange, whole, name)
            pattern.set_source(dict(whole.source), None)
            return pattern._with(zeros_dropped=whole.zeros_dropped, without_zeros=drop_zeros)
        if opened["how"] == "whole":
            return _from_first_rank(exchange, path, drop_zeros, values_or)
        source: dict[str, Any] = {"file": Path(name).name}
        hashing = FileHash(Path(name), source) if exchange.rank == 0 else None
        exchange.background = hashing
        header = Header(**{**opened["header"], "shape": tuple(opened["header"]["shape"])})
        kind = None if values_or is None else VALUE_TYPE.get(header.field)
        if opened["how"] == "ranges":
            _require_same_file(exchange.rank, Path(name), opened["size"])
            own, n_zeros = _read_range(
                exchange, Path(name), header, opened["line"], opened["at"], drop_zeros, kind
            )
        else:
            own, n_zeros = _read_packed(exchange, path, drop_zeros, kind)
        values = None
        if kind is not None:
            values = own.pop().astype(np.complex128 if header.field == "complex" else np.float64)
        width = index_type(header.shape, 0)
        own = [array.astype(width, copy=False) for array in own]
        symmetric = header.symmetry != "general"
        pattern = DistributedPattern.of_parts(
            exchange,
            own,
            header.shape,
            symmetric,
            name,
            values=values,
            mirror=partial(reflected, symmetry=header.symmetry),
        )
        if values_or is not None and kind is None:
            pattern = pattern._with(values=np.ones(pattern.indices.size))
        pattern.set_source(source, hashing)
        if drop_zeros:
            dropped = exchange.sums(n_zeros)[0] > 0
            pattern = pattern._with(zeros_dropped=dropped, without_zeros=True)
        if opened["how"] == "packed" and exchange.size > 1:
            pattern.set_note(f"{name} is packed: the first rank unpacked it for all others")
        return pattern


def _opened(path: Any, is_first: bool, values_or: str | None = None) -> dict[str, Any]:
    """How the file is read, which the first rank decides: ``"ranges"``, ``"packed"`` or
    ``"whole"``."""
    if not is_first:
        return {}
    file_path = Path(path_text(path))
    if not file_path.is_file():
        return {"how": "whole"}  # standard input and pipes can be opened only once
    with open_source(path) as source:
        is_file = source.largest_size is not None and not source.member
        if not recognises(source.head(), source.suffix):
            return {"how": "whole"}
        header, line = read_header(source)
        if header.layout != "coordinate" or not is_file:
            return {"how": "whole"}
        if values_or and header.field == "pattern":
            raise source.error(f"{NO_VALUES}: {values_or}")
        found = {"header": asdict(header), "line": line}
        if source.packing:
            return {"how": "packed", **found}
    with file_path.open("rb") as file:
        for _ in range(line):
            file.readline()
        size = file_path.stat().st_size
        return {"how": "ranges", **found, "at": file.tell(), "size": size}


def _require_same_file(rank: int, path: Path, size: int) -> None:
    """Raises UnreadableInputError unless this rank sees a file of `size` bytes under this name."""
    needed = "every rank must see the same file under this name"
    try:
        own = path.stat().st_size
    except OSError as error:
        reason = f"{path}: rank {rank} cannot open the file ({error.strerror}); {needed}"
        raise UnreadableInputError(reason) from error
    if own != size:
        sizes = f"rank {rank} sees {own:,} bytes, the first rank {size:,}"
        raise UnreadableInputError(f"{path}: {sizes}; {needed}")


class _RangeSource(Source):
    """The byte range of one rank as a source: messages name lines of the whole file."""

    def __init__(self, path: Path, begin: int, end: int) -> None:
        self.name = str(path)
        self.stream = FileRange.buffered(path, begin, end)
        self._range = path, begin

    def error(self, what: str, line: int | None = None) -> UnreadableInputError:
        before = lines_before(*self._range)
        return super().error(what, None if line is None else before + line)


def _read_range(
    exchange: Exchange,
    path: Path,
    header: Header,
    line: int,
    at: int,
    drop_zeros: bool,
    kind: Any = None,
) -> tuple[Positions, int]:
    """(entries of this rank's range: rows, columns, and values unless `kind` is None; number of
    zeros left out)."""
    begin, end = line_range(path, at, path.stat().st_size, exchange.rank, exchange.size)
    source = _RangeSource(path, begin, end)
    body = Body(header, (end - begin) // (2 * _LEAST_LINE) + 1, kind)
    parser = Parser(source, replace(header, entries=_UNKNOWN), 0, 1, body)
    for text in parser.blocks(min(BLOCK, max(end - begin, 1 << 12))):
        parser.parse(text)
    source.stream.close()
    body.finish()
    counts = exchange.from_all(parser.found, parser.line)
    before, all_found = counts[: exchange.rank, 0].sum(), int(counts[:, 0].sum())
    announced = header.entries or 0
    if before <= announced < before + parser.found:
        raise _surplus(path, begin, end, announced, announced - int(before))
    if all_found < announced and exchange.rank == exchange.size - 1:
        raise super(_RangeSource, source).error(
            f"the file ends after {all_found} of the {announced} entries that its header "
            "announces; it seems truncated",
            line + int(counts[:, 1].sum()),
        )
    return _without_zeros(body, drop_zeros)


def _surplus(path: Path, begin: int, end: int, announced: int, wanted: int) -> UnreadableInputError:
    """The error about the first entry beyond those that the header announces."""
    source = _RangeSource(path, begin, end)
    lines = 0
    for raw in source.stream:
        lines += 1
        text = np.frombuffer(raw if raw.endswith(b"\n") else raw + b"\n", dtype=np.uint8)
        ends, before = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
        entries = _core.io.divide_text(text, ends, before)[1]
        if entries > wanted:
            break
        wanted -= entries
    from btfperm.io.source import shown

    what = f"there are more entries than the {announced} that the header announces"
    return source.error(f"{what}: {shown(raw)}", lines)


def _read_packed(
    exchange: Exchange, path: Any, drop_zeros: bool, kind: Any
) -> tuple[Positions, int]:
    """(entries that this rank receives from the first rank, which distributes equal parts of each
    block while it unpacks the file; number of zeros that this rank left out)."""
    blocks = _unpacked_blocks(path, drop_zeros, kind) if exchange.rank == 0 else iter(())
    nothing = [np.empty(0, dtype=np.int64)] * 2
    if kind is not None:
        nothing.append(np.empty(0, dtype=kind))
    arrived: list[npt.NDArray[Any]] = []
    values: list[npt.NDArray[Any]] = []
    n_zeros = 0
    while True:
        block, left_out = next(blocks, (None, 0))
        n_zeros += left_out
        if exchange.largest(int(block is not None))[0] == 0:
            break
        rows, cols, *value = block or nothing
        owner = np.arange(rows.size) * exchange.size // max(rows.size, 1)
        got = exchange.route_to(owner, rows, cols)
        arrived.append(got.items)
        for own in value:  # `value` has one array, or none for a pattern
            moved = own[got.order][:, None]
            if exchange.size > 1:
                moved = exchange.move(moved, got.sent, got.received)
            values.append(moved[:, 0])
    items = np.concatenate(arrived) if arrived else np.empty((0, 2), dtype=np.int64)
    positions = [items[:, 0].copy(), items[:, 1].copy()]
    if kind is not None:
        positions.append(np.concatenate([*values, nothing[2]]))
    return positions, n_zeros


def _unpacked_blocks(path: Any, drop_zeros: bool, kind: Any) -> Iterator[tuple[Positions, int]]:
    with open_source(path) as source:
        header, line = read_header(source)
        body = Body(header, 0, kind)
        parser = Parser(source, header, line, 1, body)
        for text in parser.blocks(BLOCK):
            parser.parse(text)
            body.finish()
            yield _without_zeros(body, drop_zeros)
            body = parser.body = Body(header, 0, kind)
        parser.check_end()


def _without_zeros(body: Body, drop_zeros: bool) -> tuple[Positions, int]:
    """(entries; number of zeros left out)."""
    own = [body.rows, body.cols] if body.values is None else [body.rows, body.cols, body.values]
    if body.zeros is None or not drop_zeros:
        return own, 0
    kept = ~body.zeros
    return [array[kept] for array in own], int(np.count_nonzero(body.zeros))


def _from_first_rank(
    exchange: Exchange, path: Any, drop_zeros: bool, values_or: str | None
) -> DistributedPattern:
    """The pattern of a file that the first rank reads whole; `values_or` as `read_distributed`."""
    from btfperm.io import read, values_of, values_or_ones

    source, shape, dropped = {}, (0, 0), 0
    own = [np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)]
    values: npt.NDArray[Any] = np.empty(0)
    if exchange.rank == 0:
        if values_or is None:
            whole = read(path, drop_zeros=drop_zeros)
        else:
            valued = (
                values_of(path, drop_zeros, values_or)
                if values_or
                else values_or_ones(path, drop_zeros)
            )
            whole, values = valued.pattern, valued.values
        source, shape = dict(whole.source), whole.shape
        dropped = int(whole.zeros_dropped)
        own = [whole.indices.copy(), whole.cols()]
    m, n, dropped = exchange.largest(*shape, dropped)
    width = index_type((m, n), 0)
    own = [array.astype(width) for array in own]
    name = path_text(path)
    numbers = None if values_or is None else of_one_type(exchange, values, own[0].size, name)
    pattern = DistributedPattern.of_parts(
        exchange, own, (m, n), False, name, source, values=numbers
    )
    if exchange.size > 1:
        how = "cannot be read in parts by the ranks: the first rank read it whole"
        pattern.set_note(f"{name} {how}")
    return pattern._with(zeros_dropped=bool(dropped), without_zeros=drop_zeros)
