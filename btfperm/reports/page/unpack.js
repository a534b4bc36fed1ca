// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The bytes of base64 text.
function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; ++k) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

// A typed array from `packed.py`: compressed, little endian. null stays null. The bytes go to the
// stream directly, because Chromium keeps a Blob in another process.
async function unpack(packed) {
  if (!packed) return null;
  const inflate = new DecompressionStream("deflate");
  const writer = inflate.writable.getWriter();
  const [buffer] = await Promise.all([
    new Response(inflate.readable).arrayBuffer(),
    writer.write(bytesOf(packed.data)),
    writer.close(),
  ]);
  return new globalThis[packed.type](buffer);
}

// The prefix sums [0, a, a + b, ...] of [a, b, ...].
function runningTotals(sizes) {
  const totals = new Float64Array(sizes.length + 1);
  for (let k = 0; k < sizes.length; ++k) totals[k + 1] = totals[k] + sizes[k];
  return totals;
}

// The k with starts[k] <= place < starts[k + 1]; with empty blocks, the last such k.
function blockAt(starts, place) {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= place) low = middle;
    else high = middle;
  }
  return low;
}

const grouped = new Intl.NumberFormat("en-US");

function number(value) {
  return grouped.format(value);
}
