// A QR code (ISO/IEC 18004) of a text: byte mode, error correction L, versions 1 to 10. Pure.

// By version from 1 on: error correction bytes of a block; then blocks and their data bytes, of one or two sizes.
const shapes: readonly (readonly number[])[] = [
  [7, 1, 19], [10, 1, 34], [15, 1, 55], [20, 1, 80], [26, 1, 108], [18, 2, 68], [20, 2, 78], [24, 2, 97], [30, 2, 116], [18, 2, 68, 2, 69],
];
// Centres of alignment patterns, rows and columns alike.
const alignments: readonly (readonly number[])[] = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

// GF(256) by x^8 + x^4 + x^3 + x^2 + 1.
const exp = new Uint8Array(512);
const log = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; ++i) {
  exp[i] = exp[i + 255] = x;
  log[x] = i;
  x = (x << 1) ^ (x & 128 ? 0x11d : 0);
}
const at = (list: ArrayLike<number>, i: number): number => list[i] as number;
const times = (a: number, b: number): number => (a && b ? at(exp, at(log, a) + at(log, b)) : 0);

// The remainder of data·x^n by the generator polynomial of degree n.
function correction(data: readonly number[], n: number): number[] {
  let generator = [1];
  for (let i = 0; i < n; ++i) {
    const next = new Array<number>(generator.length + 1).fill(0);
    generator.forEach((c, k) => { next[k] = at(next, k) ^ c; next[k + 1] = at(next, k + 1) ^ times(c, at(exp, i)); });
    generator = next;
  }
  const rest = [...data, ...new Array<number>(n).fill(0)];
  for (let i = 0; i < data.length; ++i) {
    const factor = at(rest, i);
    generator.forEach((c, k) => { rest[i + k] = at(rest, i + k) ^ times(c, factor); });
  }
  return rest.slice(data.length);
}

// value·2^bits with its remainder by a BCH generator.
function bch(value: number, generator: number, bits: number): number {
  let rest = value << bits;
  for (let i = 31 - Math.clz32(rest); i >= bits; --i) if ((rest >> i) & 1) rest ^= generator << (i - bits);
  return (value << bits) | rest;
}

// Data and correction bytes, interleaved block by block.
function codewords(bytes: Uint8Array, version: number): number[] {
  const [ec, ...groups] = shapes[version - 1] as number[];
  const sizes: number[] = [];
  for (let i = 0; i < groups.length; i += 2) for (let k = 0; k < at(groups, i); ++k) sizes.push(at(groups, i + 1));
  const room = sizes.reduce((sum, n) => sum + n, 0);
  const bits: number[] = [];
  const put = (value: number, n: number): void => { for (let i = n - 1; i >= 0; --i) bits.push((value >> i) & 1); };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const b of bytes) put(b, 8);
  put(0, Math.min(4, room * 8 - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  const data: number[] = [];
  for (let i = 0; i < bits.length; i += 8) data.push(parseInt(bits.slice(i, i + 8).join(''), 2));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
  let begin = 0;
  const blocks = sizes.map((n) => data.slice(begin, (begin += n)));
  const checks = blocks.map((block) => correction(block, ec as number));
  const out: number[] = [];
  for (const list of [blocks, checks]) for (let i = 0; i < Math.max(...list.map((one) => one.length)); ++i) for (const one of list) if (i < one.length) out.push(at(one, i));
  return out;
}

const masks: readonly ((y: number, x: number) => boolean)[] = [
  (y, x) => (y + x) % 2 === 0, (y) => y % 2 === 0, (_, x) => x % 3 === 0, (y, x) => (y + x) % 3 === 0,
  (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0, (y, x) => ((y * x) % 2) + ((y * x) % 3) === 0,
  (y, x) => (((y * x) % 2) + ((y * x) % 3)) % 2 === 0, (y, x) => (((y + x) % 2) + ((y * x) % 3)) % 2 === 0,
];

type Grid = boolean[][];

// The function patterns of the symbol; undefined where data goes.
function patterns(version: number): (boolean | undefined)[][] {
  const size = 17 + 4 * version;
  const grid = Array.from({ length: size }, () => new Array<boolean | undefined>(size).fill(undefined));
  const set = (y: number, x: number, dark: boolean): void => { const row = grid[y]; if (row && x >= 0 && x < size) row[x] = dark; };
  for (let i = 8; i < size - 8; ++i) { set(6, i, i % 2 === 0); set(i, 6, i % 2 === 0); }
  const centres = alignments[version - 1] as readonly number[];
  const last = size - 7;
  for (const cy of centres) for (const cx of centres) {
    if ((cy === 6 && cx === 6) || (cy === 6 && cx === last) || (cy === last && cx === 6)) continue;
    for (let y = -2; y <= 2; ++y) for (let x = -2; x <= 2; ++x) set(cy + y, cx + x, Math.max(Math.abs(y), Math.abs(x)) !== 1);
  }
  for (const [cy, cx] of [[3, 3], [3, size - 4], [size - 4, 3]] as const) {
    for (let y = -4; y <= 4; ++y) for (let x = -4; x <= 4; ++x) { const d = Math.max(Math.abs(y), Math.abs(x)); set(cy + y, cx + x, d !== 2 && d !== 4); }
  }
  for (let i = 0; i < 9; ++i) { if (i !== 6) { set(8, i, false); set(i, 8, false); } }
  for (let i = 0; i < 8; ++i) { set(8, size - 1 - i, false); set(size - 1 - i, 8, i === 7); }
  if (version >= 7) {
    const info = bch(version, 0x1f25, 12);
    for (let i = 0; i < 18; ++i) { const dark = ((info >> i) & 1) === 1; set(Math.floor(i / 3), size - 11 + (i % 3), dark); set(size - 11 + (i % 3), Math.floor(i / 3), dark); }
  }
  return grid;
}

function drawn(words: readonly number[], version: number, mask: number): Grid {
  const grid = patterns(version);
  const size = grid.length;
  let bit = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    const upwards = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; ++step) for (const x of [right, right - 1]) {
      const y = upwards ? size - 1 - step : step;
      const row = grid[y] as (boolean | undefined)[];
      if (row[x] !== undefined) continue;
      const dark = bit < words.length * 8 && ((at(words, bit >> 3) >> (7 - (bit & 7))) & 1) === 1;
      ++bit;
      row[x] = dark !== (masks[mask] as (typeof masks)[number])(y, x);
    }
  }
  const info = bch((1 << 3) | mask, 0x537, 10) ^ 0x5412;
  const put = (y: number, x: number, i: number): void => { (grid[y] as boolean[])[x] = ((info >> i) & 1) === 1; };
  const first: readonly (readonly [number, number])[] = [[0, 8], [1, 8], [2, 8], [3, 8], [4, 8], [5, 8], [7, 8], [8, 8], [8, 7], [8, 5], [8, 4], [8, 3], [8, 2], [8, 1], [8, 0]];
  first.forEach(([y, x], i) => put(y, x, i));
  for (let i = 0; i < 8; ++i) put(8, size - 1 - i, i);
  for (let i = 8; i < 15; ++i) put(size - 15 + i, 8, i);
  return grid as Grid;
}

// How hard it is to read (section 7.8.3): runs, blocks, what looks like a finder, balance.
function penalty(grid: Grid): number {
  const size = grid.length;
  const lines = [...grid, ...grid.map((_, x) => grid.map((row) => row[x] as boolean))].map((line) => line.map((dark) => (dark ? '1' : '0')).join(''));
  let sum = 0;
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    for (const shape of ['10111010000', '00001011101']) for (let i = line.indexOf(shape); i >= 0; i = line.indexOf(shape, i + 1)) sum += 40;
  }
  let dark = 0;
  grid.forEach((row, y) => row.forEach((cell, x) => {
    if (cell) ++dark;
    const below = grid[y + 1];
    if (below && x + 1 < size && row[x + 1] === cell && below[x] === cell && below[x + 1] === cell) sum += 3;
  }));
  return sum + 10 * Math.floor(Math.abs((dark * 100) / (size * size) - 50) / 5);
}

// Rows of modules, dark is true, without the quiet zone of four; nothing for a text that is too long (271 bytes).
export function qr_code(text: string): Grid | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = shapes.findIndex(([, ...groups], i) => {
    let room = 0;
    for (let k = 0; k < groups.length; k += 2) room += at(groups, k) * at(groups, k + 1);
    return bytes.length + (i < 9 ? 2 : 3) <= room;
  }) + 1;
  if (version === 0) return undefined;
  const words = codewords(bytes, version);
  return masks.map((_, mask) => drawn(words, version, mask)).reduce((best, grid) => (penalty(grid) < penalty(best) ? grid : best));
}
