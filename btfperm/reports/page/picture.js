// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The matrix on a canvas. Places of the matrix are the coordinates: x counts columns, y rows.
// Each layer is an image of a rectangle of the matrix; a finer one replaces a coarser one where its
// cells are at least as large as the pixels.
class Picture {
  constructor(canvas, shape, layers, outlines) {
    this.canvas = canvas;
    [this.rows, this.cols] = shape.map((size) => Math.max(size, 1));
    this.layers = layers; // {before: [...], after: [...]}
    this.outlines = outlines; // (view) => [{rows, cols, part, width}]
    this.mode = "after";
    this.onMove = () => {};
    this.onLeave = () => {};
    this.marked = null;
    this.showAll();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    addEventListener("beforeprint", () => this.draw());
    addEventListener("afterprint", () => this.draw());
  }

  showAll() {
    this.view = { x: 0, y: 0, width: this.cols, height: this.rows };
    this.draw();
  }

  get isWhole() {
    return this.view.width >= this.cols && this.view.height >= this.rows;
  }

  // Shows a rectangle with a margin, so that its neighbours are visible.
  showPlaces(rows, cols) {
    const height = Math.max((rows[1] - rows[0]) * 1.15, 2);
    const width = Math.max((cols[1] - cols[0]) * 1.15, 2);
    const factor = Math.max(height / this.rows, width / this.cols);
    this.view = {
      width: factor * this.cols,
      height: factor * this.rows,
      x: (cols[0] + cols[1] - factor * this.cols) / 2,
      y: (rows[0] + rows[1] - factor * this.rows) / 2,
    };
    this.limit();
    this.draw();
  }

  // Zooms by a factor below 1 (in) or above (out) around a point of the matrix.
  zoom(factor, x = this.view.x + this.view.width / 2, y = this.view.y + this.view.height / 2) {
    const v = this.view;
    const least = Math.max(4 / this.cols, 4 / this.rows) * 0.5;
    const now = v.width / this.cols;
    factor = Math.min(Math.max(now * factor, Math.min(least, 1)), 1) / now;
    v.x = x - (x - v.x) * factor;
    v.y = y - (y - v.y) * factor;
    v.width *= factor;
    v.height *= factor;
    this.limit();
    this.draw();
  }

  move(x, y) {
    this.view.x += x;
    this.view.y += y;
    this.limit();
    this.draw();
  }

  limit() {
    const v = this.view;
    v.width = Math.min(v.width, this.cols);
    v.height = Math.min(v.height, this.rows);
    v.x = Math.min(Math.max(v.x, 0), this.cols - v.width);
    v.y = Math.min(Math.max(v.y, 0), this.rows - v.height);
    this.canvas.style.touchAction = this.isWhole ? "pan-x pan-y" : "none";
  }

  // Sets the resolution of the canvas. Its height is 0.4 to 1.3 times its width, so that very tall
  // or wide matrices are distorted.
  fit() {
    const ratio = Math.min(Math.max(this.rows / this.cols, 0.4), 1.3);
    const scale = globalThis.devicePixelRatio || 1;
    const width = Math.round(this.canvas.clientWidth * scale);
    const height = Math.round(width * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    return scale;
  }

  draw() {
    const scale = this.fit();
    const context = this.canvas.getContext("2d");
    const style = getComputedStyle(this.canvas);
    const { width, height } = this.canvas;
    context.clearRect(0, 0, width, height);
    this.drawLayers(context, style.getPropertyValue("--cell"));
    // The theme's colour for entries replaces black in the images.
    context.globalCompositeOperation = "source-in";
    context.fillStyle = style.getPropertyValue("--cell");
    context.fillRect(0, 0, width, height);
    context.globalCompositeOperation = "source-over";
    if (this.mode === "after") {
      for (const box of this.outlines(this.view, this.canvas)) this.outline(context, box, style, scale);
    }
    if (this.marked) this.outline(context, { ...this.marked, width: 2.5 }, style, scale);
  }

  drawLayers(context) {
    const { width, height } = this.canvas;
    const toX = width / this.view.width;
    const toY = height / this.view.height;
    this.layers[this.mode].forEach((layer, k) => {
      const [top, bottom] = layer.rows;
      const [left, right] = layer.cols;
      const cell = ((right - left) * toX) / layer.cells[1];
      if (!layer.bitmap || (k > 0 && cell < 0.95)) return;
      const box = [
        (left - this.view.x) * toX, (top - this.view.y) * toY,
        (right - left) * toX, (bottom - top) * toY,
      ];
      if (box[0] > width || box[1] > height || box[0] + box[2] < 0 || box[1] + box[3] < 0) return;
      context.clearRect(...box);
      context.imageSmoothingEnabled = cell < 1;
      context.imageSmoothingQuality = "high";
      context.drawImage(layer.bitmap, ...box);
    });
  }

  outline(context, box, style, scale) {
    const toX = this.canvas.width / this.view.width;
    const toY = this.canvas.height / this.view.height;
    context.strokeStyle = style.getPropertyValue("--" + box.part);
    context.lineWidth = box.width * scale;
    context.strokeRect(
      (box.cols[0] - this.view.x) * toX, (box.rows[0] - this.view.y) * toY,
      (box.cols[1] - box.cols[0]) * toX, (box.rows[1] - box.rows[0]) * toY,
    );
  }

  // The point of the matrix below the pointer.
  pointOf(event) {
    const box = this.canvas.getBoundingClientRect();
    return {
      x: this.view.x + ((event.clientX - box.left) / box.width) * this.view.width,
      y: this.view.y + ((event.clientY - box.top) / box.height) * this.view.height,
    };
  }

  listen() {
    const pointers = new Map();
    const distance = () => {
      const [a, b] = [...pointers.values()];
      return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event);
      this.canvas.setPointerCapture(event.pointerId);
      this.report(event);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      this.canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
    }
    this.canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return this.report(event);
      if (pointers.size === 2) {
        const last = distance();
        pointers.set(event.pointerId, event);
        const { x, y } = this.pointOf(event);
        return this.zoom(last / Math.max(distance(), 1), x, y);
      }
      const from = this.pointOf(before);
      const to = this.pointOf(event);
      pointers.set(event.pointerId, event);
      this.move(from.x - to.x, from.y - to.y);
    });
    this.canvas.addEventListener("pointerleave", () => this.onLeave());
    this.canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && this.isWhole) return; // the page scrolls
      event.preventDefault();
      const { x, y } = this.pointOf(event);
      this.zoom(Math.exp(Math.min(Math.max(event.deltaY, -100), 100) / 300), x, y);
    }, { passive: false });
    this.canvas.addEventListener("dblclick", (event) => {
      const { x, y } = this.pointOf(event);
      this.zoom(0.5, x, y);
    });
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    const [stepX, stepY] = [this.view.width / 8, this.view.height / 8];
    const actions = {
      ArrowLeft: () => this.move(-stepX, 0),
      ArrowRight: () => this.move(stepX, 0),
      ArrowUp: () => this.move(0, -stepY),
      ArrowDown: () => this.move(0, stepY),
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      0: () => this.showAll(),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
    const v = this.view;
    this.onMove(Math.floor(v.y + v.height / 2), Math.floor(v.x + v.width / 2));
  }

  report(event) {
    const { x, y } = this.pointOf(event);
    const [row, col] = [Math.floor(y), Math.floor(x)];
    if (row >= 0 && col >= 0 && row < this.rows && col < this.cols) this.onMove(row, col);
  }
}
