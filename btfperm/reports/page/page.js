// SPDX-License-Identifier: BSD-3-Clause
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

// The fine blocks: where each begins, and the rows of the table.
class Blocks {
  static async read(packed) {
    const blocks = new Blocks();
    blocks.count = packed.count;
    blocks.partEnds = packed.partEnds;
    const lists = ["heights", "widths", "listed", "firstRows", "firstCols", "listedHeights",
      "listedWidths", "work", "level"];
    const arrays = await Promise.all(lists.map((name) => unpack(packed[name])));
    const [heights, widths, listed, firstRows, firstCols, tall, wide, work, level] = arrays;
    blocks.rowStarts = heights && runningTotals(heights);
    blocks.colStarts = widths && runningTotals(widths);
    blocks.table = Array.from(listed, (k, at) => ({
      number: k, part: blocks.partOf(k), height: tall[at], width: wide[at],
      row: firstRows[at], col: firstCols[at], work: work[at], level: level[at],
    }));
    blocks.byNumber = new Map(blocks.table.map((block) => [block.number, block]));
    return blocks;
  }

  partOf(k) {
    if (k < this.partEnds[0]) return "horizontal";
    return k < this.partEnds[1] ? "square" : "vertical";
  }

  // A block by its number, with what is known about it; null if the page does not hold it.
  get(k) {
    const listed = this.byNumber.get(k);
    if (listed) return listed;
    if (!this.rowStarts || !(k >= 0 && k < this.count)) return null;
    const [row, col] = [this.rowStarts[k], this.colStarts[k]];
    return {
      number: k, part: this.partOf(k), row, col,
      height: this.rowStarts[k + 1] - row, width: this.colStarts[k + 1] - col,
    };
  }

  ofRow(place) {
    if (this.rowStarts) return this.get(blockAt(this.rowStarts, place));
    return this.table.find((b) => b.row <= place && place < b.row + b.height) || null;
  }

  ofCol(place) {
    if (this.colStarts) return this.get(blockAt(this.colStarts, place));
    return this.table.find((b) => b.col <= place && place < b.col + b.width) || null;
  }
}

function placesOf(block) {
  return {
    rows: [block.row, block.row + block.height],
    cols: [block.col, block.col + block.width],
    part: block.part,
  };
}

function inverseOf(perm) {
  if (!perm) return null;
  const places = new Uint32Array(perm.length);
  perm.forEach((line, place) => { places[line] = place; });
  return places;
}

// The original numbers and names of rows and columns.
class Lines {
  constructor(perm, names) {
    this.perm = perm;
    this.names = names;
    this.places = inverseOf(perm);
  }

  name(line) {
    return this.names ? this.names[line] + " (" + number(line) + ")" : number(line);
  }

  at(place) {
    return this.perm ? this.name(this.perm[place]) : null;
  }

  between(first, last) {
    return Array.from(this.perm.slice(first, last), (line) => this.name(line));
  }

  // The place of a line that a reader typed: a number or a name; -1 if there is none.
  find(text) {
    const line = this.names && this.names.includes(text) ? this.names.indexOf(text) : Number(text);
    return this.places && Number.isInteger(line) && line in this.places ? this.places[line] : -1;
  }
}

function paragraphs(...texts) {
  return texts.filter(Boolean).map((text) => element("p", {}, text));
}

// The first lines of a block by their original numbers, and how many more there are.
function listOf(noun, lines, first, size) {
  if (!lines.perm) return noun + " at places " + number(first) + " to " + number(first + size - 1);
  const shown = lines.between(first, first + Math.min(size, 8));
  const more = size - shown.length;
  return noun + ": " + shown.join(", ") + (more ? " and " + number(more) + " more" : "");
}

function describe(block, rows, cols) {
  const entries = block.work === undefined ? "" : ", " + number(block.work) + " entries";
  return paragraphs(
    "Block " + number(block.number) + ", " + block.part + ": " + number(block.height) + " x "
      + number(block.width) + entries,
    block.height ? listOf("rows", rows, block.row, block.height) : "no rows",
    block.width ? listOf("columns", cols, block.col, block.width) : "no columns",
  );
}

function makePicture(blocks, rows, cols) {
  const outlines = (view, canvas) => {
    const least = (4 * view.width) / canvas.clientWidth;
    const found = [];
    for (const block of blocks.table) {
      if (Math.max(block.height, block.width) < least) break; // the largest come first
      found.push({ ...placesOf(block), width: 1.2 });
    }
    const coarse = data.coarse.length > 1 ? data.coarse : [];
    return [...found, ...coarse.map((part) => ({ ...part, width: 2.2 }))];
  };
  const picture = new Picture(byId("canvas"), data.shape, data.pictures, outlines);
  for (const layer of [...data.pictures.before, ...data.pictures.after]) {
    const image = new Image();
    image.onload = () => { layer.bitmap = image; picture.draw(); };
    image.src = layer.image;
  }
  byId("legend").replaceChildren(...data.coarse.map((part) => element("span", { className: part.part },
    part.part + " " + number(part.rows[1] - part.rows[0]) + " x " + number(part.cols[1] - part.cols[0]))));
  picture.onMove = (row, col) => readOut(picture, blocks, rows, cols, row, col);
  return picture;
}

function readOut(picture, blocks, rows, cols, row, col) {
  const isPermuted = picture.mode === "after";
  const rowPlace = isPermuted ? row : rows.places && rows.places[row];
  const colPlace = isPermuted ? col : cols.places && cols.places[col];
  const [rowName, colName] = isPermuted ? [rows.at(row), cols.at(col)] : [rows.name(row), cols.name(col)];
  const head = rowName === null
    ? "Place " + number(row) + ", " + number(col)
    : "Row " + rowName + ", column " + colName
      + (isPermuted ? ", at place " + number(row) + ", " + number(col) : "");
  const known = rowPlace !== null && colPlace !== null;
  const [above, right] = known ? [blocks.ofRow(rowPlace), blocks.ofCol(colPlace)] : [null, null];
  let what = [];
  picture.marked = null;
  if (above && right && above.number === right.number) {
    what = describe(above, rows, cols);
    if (isPermuted) picture.marked = placesOf(above);
  } else if (above && right) {
    const where = above.number < right.number ? "above" : "below";
    what = paragraphs("Rows of block " + number(above.number) + ", columns of block "
      + number(right.number) + ": " + where + " the diagonal blocks");
  } else {
    what = paragraphs("One of the small blocks, which this page does not list");
  }
  byId("readout").replaceChildren(...paragraphs(head), ...what);
  picture.draw();
}

function showBlock(picture, blocks, rows, cols, k) {
  const block = blocks.get(k);
  if (!block) {
    byId("readout").replaceChildren(...paragraphs("This page does not hold a block " + k + "."));
    return;
  }
  setMode(picture, "after");
  picture.marked = placesOf(block);
  picture.showPlaces(picture.marked.rows, picture.marked.cols);
  byId("readout").replaceChildren(...describe(block, rows, cols));
}

function setMode(picture, mode) {
  picture.mode = mode;
  picture.marked = null;
  for (const each of ["before", "after"]) {
    byId("show-" + each).setAttribute("aria-pressed", String(each === mode));
  }
  picture.draw();
}

function makeBlockTable(blocks, rows, cols, open) {
  const columns = [
    {
      title: "block", value: (b) => b.number,
      cell: (b) => element("button", {
        type: "button", className: "open", "aria-label": "Show block " + b.number, onclick: () => open(b.number),
      }, number(b.number)),
    },
    { title: "part", text: true, value: (b) => b.part },
    { title: "rows", value: (b) => b.height },
    { title: "columns", value: (b) => b.width },
    { title: "entries", value: (b) => b.work },
    { title: "level", value: (b) => b.level },
  ];
  const table = new SortedTable(byId("block-table"), "Fine blocks", columns, blocks.table, { count: blocks.count });
  for (const id of ["block-row", "block-col"]) {
    byId(id).parentElement.hidden = !rows.places;
  }
  const filter = () => {
    const part = byId("block-part").value;
    const least = Number(byId("block-least").value) || 0;
    const wanted = [];
    for (const [id, lines, find] of [["block-row", rows, "ofRow"], ["block-col", cols, "ofCol"]]) {
      const text = byId(id).value.trim();
      if (!text) continue;
      const place = lines.find(text);
      wanted.push(place < 0 ? -1 : blocks[find](place).number);
    }
    table.filter((b) => (!part || b.part === part) && Math.max(b.height, b.width) >= least
      && wanted.every((k) => k === b.number));
  };
  byId("block-filter").addEventListener("input", filter);
  return table;
}

function makeGroupTable() {
  const { listed, count } = data.groups;
  byId("groups").hidden = count === 0;
  const columns = [
    { title: "kind", text: true, value: (g) => g.kind },
    { title: "rows", value: (g) => g.rows },
    { title: "columns", value: (g) => g.cols },
    { title: "excess", value: (g) => g.excess },
    { title: "explanation", words: true, value: (g) => g.explanation },
  ];
  const table = new SortedTable(byId("group-table"), "Independent groups", columns, listed, { count });
  const filter = () => {
    const kind = byId("group-kind").value;
    const text = byId("group-text").value.trim().toLowerCase();
    table.filter((g) => (!kind || g.kind === kind)
      && (!text || g.explanation.toLowerCase().includes(text)));
  };
  byId("group-kind").addEventListener("input", filter);
  byId("group-text").addEventListener("input", filter);
  return table;
}

async function start() {
  const [blocks, rowPerm, colPerm] = await Promise.all([
    Blocks.read(data.blocks), unpack(data.rowPerm), unpack(data.colPerm),
  ]);
  const rows = new Lines(rowPerm, data.rowNames);
  const cols = new Lines(colPerm, data.colNames);
  const picture = makePicture(blocks, rows, cols);
  const open = (k) => {
    showBlock(picture, blocks, rows, cols, k);
    byId("picture").scrollIntoView();
  };
  byId("show-before").onclick = () => setMode(picture, "before");
  byId("show-after").onclick = () => setMode(picture, "after");
  byId("zoom-in").onclick = () => picture.zoom(0.5);
  byId("zoom-out").onclick = () => picture.zoom(2);
  byId("zoom-all").onclick = () => picture.showAll();
  byId("go-to").onsubmit = (event) => {
    event.preventDefault();
    showBlock(picture, blocks, rows, cols, Number(byId("block-number").value));
  };
  byId("block-number").max = String(blocks.count - 1);
  // For tests, and for curious readers in the console.
  globalThis.btfperm = {
    data, blocks, rows, cols, picture, blockTable: makeBlockTable(blocks, rows, cols, open),
    groupTable: makeGroupTable(),
  };
  document.documentElement.dataset.ready = "true";
}

start();
