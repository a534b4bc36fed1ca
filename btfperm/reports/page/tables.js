// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// An element with properties and children; strings become text, never markup.
function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// A table of many rows, of which some are shown. `columns`: {title, value(row), cell(row)},
// and `text` for short words or `words` for long ones, which sort from A to Z.
class SortedTable {
  constructor(place, caption, columns, rows, { step = 25, count = rows.length } = {}) {
    Object.assign(this, { caption, columns, rows, step, count });
    this.shown = step;
    this.sortBy = null;
    this.keep = () => true;
    this.heads = columns.map((column, k) => {
      const button = element("button", { type: "button", onclick: () => this.sort(k) }, column.title);
      return element("th", { scope: "col", className: column.words || column.text ? "words" : "" }, button);
    });
    this.body = element("tbody");
    this.state = element("span", { role: "status" });
    this.button = element("button", { type: "button", onclick: () => this.showMore() }, "show more");
    const table = element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...this.heads)), this.body);
    const region = { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption };
    place.replaceChildren(element("div", region, table),
      element("p", { className: "more" }, this.state, this.button));
    this.fill();
  }

  sort(k) {
    this.descending = this.sortBy === k ? !this.descending : !(this.columns[k].words || this.columns[k].text);
    this.sortBy = k;
    this.heads.forEach((head, j) => {
      if (j === k) head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.fill();
  }

  filter(keep) {
    this.keep = keep;
    this.shown = this.step;
    this.fill();
  }

  showMore() {
    this.shown += 4 * this.step;
    this.fill();
  }

  fill() {
    const found = this.rows.filter(this.keep);
    if (this.sortBy !== null) {
      const { value } = this.columns[this.sortBy];
      const sign = this.descending ? -1 : 1;
      found.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
      });
    }
    this.found = found;
    const shown = found.slice(0, this.shown);
    this.body.replaceChildren(...shown.map((row) => element("tr", {},
      ...this.columns.map((column, k) => {
        const content = column.cell ? column.cell(row) : column.value(row);
        const text = typeof content === "number" ? number(content) : content;
        if (k === 0) return element("th", { scope: "row" }, text);
        return element("td", { className: column.words ? "words" : column.text ? "text" : "" }, text);
      }))));
    const listed = this.rows.length < this.count
      ? ", from the " + number(this.rows.length) + " largest of " + number(this.count) : "";
    this.state.textContent = number(shown.length) + " of " + number(found.length) + listed;
    this.button.hidden = shown.length === found.length;
  }
}
