# SPDX-License-Identifier: BSD-3-Clause
"""`KeptPattern`: a pattern of the host that is copied to a device once, for all steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from btfperm.pattern.arrays import IndexArray
from btfperm.pattern.device_pattern import DevicePattern
from btfperm.pattern.pattern import Pattern

if TYPE_CHECKING:
    from btfperm.transversal.device_problem import DeviceProblem

__all__ = ["KeptPattern"]


@dataclass(frozen=True, eq=False, repr=False)
class KeptPattern(Pattern):
    """A `Pattern` for the time of one call: the search leaves its copy on a device to what comes
    after it. Whoever made it forgets the copies in the end.

    Attributes
    ----------
    whole : the pattern that it stands for
    copies : by the number of the device
    matched : where the search ended on a device, by its number: `row_match` on the host, and the
        problem there, with the matching and its row lists, if the search made them
    """

    whole: Pattern | None = None
    copies: dict[int, DevicePattern] = field(default_factory=dict, init=False)
    matched: dict[int, tuple[IndexArray, DeviceProblem]] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, pattern: Pattern) -> Self:
        """For a pattern on the host; itself where it is one already."""
        if isinstance(pattern, cls):
            return pattern
        arrays = pattern.indptr, pattern.indices
        zeros = pattern.stored_zeros, pattern.zeros_dropped
        kept = cls._unchecked(pattern.shape, *arrays, pattern.name, pattern.source, *zeros)
        vars(kept).update(whole=pattern, copies={}, matched={})
        return kept

    def on_host(self) -> Pattern:
        """The pattern that it stands for."""
        return self if self.whole is None else self.whole

    def on_device(self, device: int) -> DevicePattern:
        """The copy on that device, which is CuPy's current one; made when it is asked for first."""
        from btfperm.backends.gpu.arrays import upload

        copy = self.copies.get(device)
        if copy is None:
            arrays = upload(self.indptr), upload(self.indices)
            about = self.name, self.source
            copy = self.copies[device] = DevicePattern._unchecked(self.shape, *arrays, *about)
        return copy

    def forget(self) -> None:
        """Gives the memory on the devices back."""
        self.copies.clear()
        self.matched.clear()
