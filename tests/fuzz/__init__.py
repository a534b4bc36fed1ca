# SPDX-License-Identifier: BSD-3-Clause
"""A fuzzer for every reader of files.

Idea        An input is a model of a file (tokens, tags, arrays, archive records). A few mutations
            are applied to the model before it is written with correct checksums, so that the
            mutations reach the inner layers of a reader. A few byte mutations may follow.
Checks      See `properties`: crashes, hangs, exceptions, memory, and whether an accepted input has
            the same entries as with an independent and slow reader (`oracles`).
Repeatable  Reader, seed and index determine an input, for any number of jobs.

Run it by ``python -m tests.fuzz --reader all --count 1000 --seed 1``.
"""
