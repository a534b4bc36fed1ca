# SPDX-License-Identifier: BSD-3-Clause
"""The page in a browser: zoom, hover, sort, filter, the keyboard, narrow screens, hostile names."""

from __future__ import annotations

import numpy as np
import pytest

import btfperm
from tests.reports.page.pages import HOSTILE, browser, load, shown, watched


@pytest.fixture(scope="module")
def running():
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A report on a matrix with blocks of 1, 2, 3, 1, 2, 3, ... rows, and groups of both kinds."""
    n = 12
    A = np.zeros((27, 27))
    at = 0
    for k in range(n):
        size = k % 3 + 1
        A[at : at + size, at : at + size] = 1
        at += size
    A[24, 26] = A[25, 26] = 1
    A[0, 20] = 1
    target = tmp_path_factory.mktemp("page") / "report.html"
    btfperm.report(A, target, solvers_within=0, row_names=[f"{HOSTILE} {k}" for k in range(27)])
    np.save(target.with_suffix(".npy"), A)
    return target


@pytest.fixture(scope="module")
def d(path):
    return btfperm.dulmage_mendelsohn(np.load(path.with_suffix(".npy")))


@pytest.fixture(scope="module")
def wide(running):
    """A tab, and the list of its problems. A tab of its own for each test takes a second longer."""
    tab = running.new_page(viewport={"width": 1100, "height": 900})
    return tab, watched(tab)


@pytest.fixture
def tab(wide, path):
    """The page as it is after it was loaded."""
    tab, problems = wide
    problems.clear()
    tab.emulate_media(media="screen", color_scheme="light")
    tab.mouse.move(0, 0)
    load(tab, path)
    yield tab
    assert not problems


def cells(tab, table, column):
    return tab.locator(f"#{table} tbody tr > :nth-child({column})").all_inner_texts()


def test_the_numbers_equal_the_librarys(tab, d):
    found = tab.evaluate("btfperm.blocks.table.map((b) => [b.number, b.part, b.height, b.width])")
    assert sorted(found) == [[b.number, b.part, *b.shape] for b in d]
    assert tab.evaluate("Array.from(btfperm.rows.perm)") == d.row_perm.tolist()
    assert tab.locator(".figures").inner_text().split("structural rank")[1].split()[0] == str(
        d.structural_rank
    )


def test_a_block_for_each_place(tab, d):
    for place in range(27):
        assert (
            tab.evaluate(f"btfperm.blocks.ofRow({place}).number") == d.row_block[d.row_perm[place]]
        )
        assert (
            tab.evaluate(f"btfperm.blocks.ofCol({place}).number") == d.col_block[d.col_perm[place]]
        )


def test_hover_names_the_block_its_rows_and_its_columns(tab, d):
    k = int(d.row_block[7])
    b = d.block(k)
    box = tab.locator("#canvas").bounding_box()
    x = box["x"] + (b.col_slice.start + 0.5) / 27 * box["width"]
    y = box["y"] + (b.row_slice.start + 0.5) / 27 * box["height"]
    tab.mouse.move(x, y)
    text = tab.locator("#readout").inner_text()
    assert f"Block {k}, square: {b.shape[0]} x {b.shape[1]}" in text
    for i in b.rows:
        assert f"({i})" in text
    assert "columns: " + ", ".join(map(str, b.cols)) in text


def test_the_picture_shows_the_entries(tab, d):
    """A pixel in the middle of each place has ink exactly where there is an entry."""
    permuted = d.apply(d.pattern).to_scipy().toarray()
    inked = tab.evaluate(
        """() => {
          const { picture } = btfperm;
          picture.outlines = () => [];
          picture.draw();
          const canvas = picture.canvas;
          const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const ink = (r, c) => {
            const y = Math.floor(((r + 0.5) * canvas.height) / 27);
            const x = Math.floor(((c + 0.5) * canvas.width) / 27);
            return pixels.data[4 * (y * canvas.width + x) + 3] > 0;
          };
          const places = [...Array(27).keys()];
          return places.map((r) => places.map((c) => ink(r, c)));
        }"""
    )
    assert (np.array(inked) == (permuted != 0)).all()


def test_zoom_with_buttons_keys_and_wheel(tab):
    width = "btfperm.picture.view.width"
    tab.click("#zoom-in")
    assert tab.evaluate(width) == 27 / 2
    tab.locator("#canvas").press("+")
    assert tab.evaluate(width) == 27 / 4
    before = tab.evaluate("btfperm.picture.view.x")
    tab.locator("#canvas").press("ArrowLeft")
    assert tab.evaluate("btfperm.picture.view.x") < before
    tab.click("#zoom-out")
    assert tab.evaluate(width) == 27 / 2
    tab.locator("#canvas").hover()
    tab.mouse.wheel(0, -100)
    tab.wait_for_function("btfperm.picture.view.width < 13")
    tab.click("#zoom-all")
    assert tab.evaluate("[btfperm.picture.isWhole, btfperm.picture.view.x]") == [True, 0]


def test_drag_moves_the_picture(tab):
    tab.click("#zoom-in")
    tab.locator("#canvas").scroll_into_view_if_needed()
    box = tab.locator("#canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 50
    before = tab.evaluate("btfperm.picture.view.x")
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + 60, y, steps=4)
    tab.mouse.up()
    assert tab.evaluate("btfperm.picture.view.x") == pytest.approx(
        before - 60 / box["width"] * 27 / 2, abs=0.1
    )


def test_a_block_by_its_number_and_from_the_table(tab, d):
    tab.fill("#block-number", "3")
    tab.click("#go-to button")
    assert "Block 3, " in tab.locator("#readout").inner_text()
    assert not tab.evaluate("btfperm.picture.isWhole")
    tab.fill("#block-number", "4000")
    tab.click("#go-to button", force=True)
    tab.click("#show-before")
    assert tab.get_attribute("#show-before", "aria-pressed") == "true"
    tab.locator("#block-table .open").first.click()
    assert tab.get_attribute("#show-after", "aria-pressed") == "true"


def test_tables_sort(tab, d):
    button = tab.locator("#block-table thead button", has_text="rows")
    button.click()
    rows = list(map(int, cells(tab, "block-table", 3)))
    assert rows == sorted((b.shape[0] for b in d), reverse=True)
    assert tab.locator("#block-table th[aria-sort=descending]").inner_text().strip() == "rows"
    button.press("Enter")
    assert list(map(int, cells(tab, "block-table", 3))) == rows[::-1]
    tab.locator("#group-table thead button", has_text="kind").click()
    kinds = cells(tab, "group-table", 1)
    assert kinds == sorted(kinds) and len(set(kinds)) == 2


def test_tables_filter(tab, d):
    tab.select_option("#block-part", "square")
    assert set(cells(tab, "block-table", 2)) == {"square"}
    tab.fill("#block-least", "3")
    assert len(cells(tab, "block-table", 1)) == sum(b.shape == (3, 3) for b in d)
    tab.fill("#block-least", "1")
    tab.fill("#block-row", "7")
    assert cells(tab, "block-table", 1) == [str(d.row_block[7])]
    tab.fill("#block-row", "4000")
    assert cells(tab, "block-table", 1) == []
    tab.fill("#group-text", "no such name")
    assert cells(tab, "group-table", 1) == []


def test_hostile_names_stay_text(tab):
    assert tab.title() == "matrix: structure"
    assert tab.locator("img").count() == 0
    assert HOSTILE[:40] in tab.locator("#group-table").inner_text()


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_needs_no_horizontal_scroll(running, path, width):
    with shown(running, path, viewport={"width": width, "height": 700}, has_touch=True) as tab:
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        tab.click("#zoom-in")
        tab.locator("#canvas").tap()
        assert "lock" in tab.locator("#readout").inner_text()


def contrast(tab, selector):
    """The ratio of WCAG 2 between the text of an element and what is behind it."""
    colours = tab.evaluate(
        """(selector) => {
          let at = document.querySelector(selector);
          const text = getComputedStyle(at).color;
          const behind = (element) => getComputedStyle(element).backgroundColor;
          while (behind(at) === "rgba(0, 0, 0, 0)") at = at.parentElement;
          return [text, behind(at)].map((colour) => colour.match(/[0-9.]+/g).map(Number));
        }""",
        selector,
    )

    def luminance(rgb):
        parts = [c / 255 for c in rgb[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted(map(luminance, colours))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(tab, scheme):
    tab.emulate_media(color_scheme=scheme)
    for selector in ("p.hint", "dt", "nav a", "#show-after", "caption", ".open", ".readout"):
        assert contrast(tab, selector) >= 4.5, selector


def test_every_control_has_a_name(tab):
    nameless = tab.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas, [role=region]")]
          .filter((e) => !(e.innerText || "").trim() && !e.getAttribute("aria-label")
            && !(e.labels && e.labels.length)).map((e) => e.outerHTML)"""
    )
    assert nameless == []


def test_print_hides_the_controls(tab):
    tab.emulate_media(media="print")
    assert not tab.locator(".tools").is_visible() and tab.locator("#canvas").is_visible()
    box = tab.locator("#canvas").bounding_box()
    assert box["width"] > 300 and box["height"] == pytest.approx(box["width"], rel=0.02)
    assert tab.locator("h1").is_visible()
