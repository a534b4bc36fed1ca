# SPDX-License-Identifier: BSD-3-Clause
"""Harwell-Boeing and Rutherford-Boeing files: four cards, and numbers in fixed-width fields."""

from __future__ import annotations

import random

from tests.fuzz.draw import Case, Draw, integer, token

__all__ = ["make"]

_FORMATS = (
    *("(1I5)", "(16I0)", "(0I5)", "(I)", "(80I1)", "(4096I1)", "(4097I1)", "(1I4096)", "(I5)"),
    *("(99999999999I9)", "(9I99999999999999999999)", "(1P,4D20.12)", "(1P4E20.12)", "(3(I5))"),
    *("((16I5))", "(16I5", "16I5)", "()", "(A8)", "(16I5.2)", "(4D20)", "(-2P,4F20.3E3)", "(16J5)"),
)


class _Cards:
    """The four cards, and the lists of fields after them."""

    def __init__(self, rng: random.Random) -> None:
        value = rng.choice("RRCIPQ")
        symmetry = rng.choice("UUSHZR")
        m = rng.choice((1, 2, 3, 4, 7))
        n = rng.choice((0, 1, 2, 3, 4, 7)) if symmetry in "UR" else m
        columns = [sorted(rng.sample(range(m), rng.randrange(min(m, 3) + 1))) for _ in range(n)]
        if symmetry in "SHZ":
            columns = [[i for i in rows if i >= j] for j, rows in enumerate(columns)]
        starts = [1]
        for rows in columns:
            starts.append(starts[-1] + len(rows))
        nnz = starts[-1] - 1
        self.type = value + symmetry + "A"
        self.title = f"{'title':<72}{'key':<8}"
        self.sizes = [str(number) for number in (m, n, nnz, 0)]
        self.width = rng.choice((3, 5, 8))
        self.count = rng.choice((1, 4, 10, 16))
        self.formats = [f"({self.count}I{self.width})"] * 2
        self.lists = [
            [str(start) for start in starts],
            [str(i + 1) for rows in columns for i in rows],
        ]
        if value not in "PQ":
            total = nnz * (2 if value == "C" else 1)
            form = (3, 12) if value != "I" else (self.count, self.width)
            self.formats.append("(3E12.4)" if value != "I" else self.formats[0])
            choices = ("1", "0", "12") if value == "I" else ("1.5E0", "0.0", "-2.0D+1", "1.0-100")
            self.lists.append([rng.choice(choices) for _ in range(total)])
            self.forms = [(self.count, self.width)] * 2 + [form]
        else:
            self.forms = [(self.count, self.width)] * 2
        self.counts = [
            str(-(-len(part) // f[0])) for part, f in zip(self.lists, self.forms, strict=True)
        ]
        self.counts += ["0"] * (4 - len(self.counts))
        self.sides = ""
        self.end = "\n"
        self.tail = ""

    def text(self) -> bytes:
        total = str(sum(int(c) for c in self.counts if c.isdecimal() and len(c) < 20))
        cards = [
            self.title,
            "".join(f"{count:>14}" for count in (total, *self.counts)),
            f"{self.type:<14}" + "".join(f"{size:>14}" for size in self.sizes),
            "".join(f"{form:<16}" for form in self.formats),
        ]
        if self.sides:
            cards.append(self.sides)
        for numbers, (count, width) in zip(self.lists, self.forms, strict=True):
            for at in range(0, len(numbers), count):
                cards.append("".join(f"{number:>{width}}" for number in numbers[at : at + count]))
        text = self.end.join(cards) + self.end + self.tail
        return text.encode("utf-8", "surrogateescape")


def _size(cards: _Cards, rng: random.Random) -> str:
    at = rng.randrange(4)
    cards.sizes[at] = str(integer(rng, int(cards.sizes[at])))
    return f"{at} = {cards.sizes[at]}"


def _size_word(cards: _Cards, rng: random.Random) -> str:
    at = rng.randrange(4)
    cards.sizes[at] = token(rng, cards.sizes[at])
    return f"{at} = {cards.sizes[at]!r}"


def _square(cards: _Cards, rng: random.Random) -> str:
    cards.sizes[0] = cards.sizes[1] = str(integer(rng, int(cards.sizes[1])))
    return cards.sizes[0]


def _count(cards: _Cards, rng: random.Random) -> str:
    at = rng.randrange(4)
    cards.counts[at] = str(integer(rng, int(cards.counts[at]))) if at else token(rng)
    return f"{at} = {cards.counts[at]!r}"


def _type(cards: _Cards, rng: random.Random) -> str:
    letters = [rng.choice("RCIPQrx"), rng.choice("SUHZRs?"), rng.choice("AAAEa")]
    cards.type = "".join(letters) + rng.choice(("", "", "x", " 3"))
    return cards.type


def _format(cards: _Cards, rng: random.Random) -> str:
    at = rng.randrange(len(cards.formats))
    cards.formats[at] = rng.choice(_FORMATS) if rng.random() < 0.8 else token(rng)
    return f"{at} = {cards.formats[at]!r}"


def _new_layout(cards: _Cards, rng: random.Random) -> str:
    """Another legal layout, both in the format and in the fields."""
    at = rng.randrange(2)
    count, width = rng.choice(((1, 1), (1, 20), (40, 2), (200, 20), (1, 4000)))
    cards.forms[at], cards.formats[at] = (count, width), f"({count}I{width})"
    return cards.formats[at]


def _number(cards: _Cards, rng: random.Random) -> str:
    part = rng.choice(cards.lists)
    at = rng.randrange(len(part))
    part[at] = str(integer(rng, int(part[at])))
    return f"{at} = {part[at]}"


def _word(cards: _Cards, rng: random.Random) -> str:
    part = rng.choice(cards.lists)
    at = rng.randrange(len(part))
    part[at] = token(rng, part[at])
    return f"{at} = {part[at]!r}"


def _order(cards: _Cards, rng: random.Random) -> str:
    part = rng.choice(cards.lists)
    kind = rng.choice(("swap", "drop", "add", "empty", "repeat"))
    at = rng.randrange(len(part))
    if kind == "swap":
        rng.shuffle(part)
    elif kind == "drop":
        del part[at]
    elif kind == "add":
        part.insert(at, token(rng))
    elif kind == "empty":
        part.clear()
    else:
        part.extend(part)
    return kind


def _right_sides(cards: _Cards, rng: random.Random) -> str:
    cards.counts.append("1")
    cards.sides = rng.choice(("F             1             0", "", "x" * 5000, "M"))
    return cards.sides[:40]


def _text(cards: _Cards, rng: random.Random) -> str:
    kind = rng.choice(("end", "tail", "title", "long title"))
    if kind == "end":
        cards.end = rng.choice(("\r\n", "\r", "\n\n", " \n", "\x00\n"))
    elif kind == "tail":
        cards.tail = rng.choice(("x", "\0", "1\n" * 10))
    else:
        cards.title = rng.choice(("", "\x1b[2J", "(", "٣")) * (5000 if "long" in kind else 1)
    return kind


_MUTATIONS = (
    *(_size, _size, _size_word, _square, _count, _type, _format, _new_layout),
    *(_number, _number, _word, _order, _right_sides, _text),
)


def make(draw: Draw) -> Case:
    rng = draw.random
    cards = _Cards(rng)
    if draw.is_large:
        count = rng.choice((20_000, 200_000))
        kind = rng.choice(("pointers", "tail"))
        if kind == "tail":
            cards.tail = "1\n" * count
        else:
            cards.sizes[1] = str(count)
            cards.lists[0] = ["1"] * (count + 1)
        return Case("", cards.text(), "a.rua", rng.random() < 0.3, None, [f"large {kind}: {count}"])
    draw.mutate(cards, _MUTATIONS)
    data = draw.bytes_mutated(cards.text(), 0.15, lambda: _Cards(rng).text())
    return Case("", data, "a.rua", rng.random() < 0.3, None, draw.log)
