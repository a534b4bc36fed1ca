# SPDX-License-Identifier: BSD-3-Clause
"""A fuzzer for everything that reads files.

Idea        An input is a model of a file (tokens, tags, arrays, archive records) to which a few
            mutations are applied before it is written out with correct checksums, so that the
            mutations reach the inner layers of a reader. A few byte mutations may follow.
Checks      See `properties`: crashes, hangs, exceptions, memory, and whether an accepted input is
            read as an independent and slow reader reads it (`oracles`).
Repeatable  Reader, seed and index determine an input, whatever the number of jobs.

Run it by ``python -m tests.fuzz --reader all --count 1000 --seed 1``.
"""
