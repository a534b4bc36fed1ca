# SPDX-License-Identifier: BSD-3-Clause
"""Draw the entries of a matrix before and after the block triangular form.

python docs/examples/draw_before_and_after.py matrices/west0479.mtx.gz docs/figures/west0479.png
"""

from __future__ import annotations

import sys

import btfperm


def draw(path: str, picture: str) -> None:
    """Two plots of the entries; a line surrounds each diagonal block of more than one row."""
    import matplotlib

    matplotlib.use("Agg")  # no window
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    A = btfperm.read_matrix(path)
    form = btfperm.block_triangular_form(A)
    figure, (before, after) = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained")
    before.spy(A, markersize=1, color="black")
    before.set_title("as stored")
    after.spy(form.apply(A), markersize=1, color="black")
    after.set_title(f"block triangular form, {form.n_blocks} blocks")
    for first, last in zip(form.row_blocks[:-1], form.row_blocks[1:], strict=True):
        if last - first > 1:
            size = int(last - first)
            after.add_patch(
                Rectangle((first - 0.5, first - 0.5), size, size, fill=False, color="tab:red")
            )
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    draw(*sys.argv[1:])
