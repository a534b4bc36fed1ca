# SPDX-License-Identifier: BSD-3-Clause
"""The measurements of five papers, repeated with the algorithms of the registry.

``paper_000.py`` to ``paper_004.py`` are one section for each paper; each file names its paper.
``gpu.py`` has the common parts of the two papers on searches on a GPU, and ``graph_codes.py`` has
the common parts of the two papers on matchings in graphs. ``grafting.py`` is the section
`published`, and ``grafting_parts.py`` is the section `grafting-parts`.
"""
