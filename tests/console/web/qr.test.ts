// QR codes, read back by a reader that is not ours (zbar).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { qr_code } from '../../../console/web/src/lib/qr';

const scale = 4;
const quiet = 4;

// A portable bitmap (PBM): 1 is dark.
function bitmap(grid: boolean[][]): string {
  const size = grid.length + 2 * quiet;
  const rows: string[] = [];
  for (let y = 0; y < size * scale; ++y) {
    const row = grid[Math.floor(y / scale) - quiet];
    rows.push(Array.from({ length: size * scale }, (_, x) => (row?.[Math.floor(x / scale) - quiet] ? '1' : '0')).join(' '));
  }
  return `P1\n${size * scale} ${size * scale}\n${rows.join('\n')}\n`;
}

// One text for each version, so that every shape of blocks and both widths of the length are read.
const lengths = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271];
const text_of = (length: number): string => `otpauth://totp/${'wafd%40edge-1.?secret=ABCDEFGHIJKLMNOPQRSTUVWXYZ234567&'.repeat(6)}`.slice(0, length);

test('what a reader reads is the text, at every version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wafd-qr-'));
  try {
    lengths.forEach((length, i) => {
      const grid = qr_code(text_of(length));
      assert.ok(grid, `${length} bytes`);
      assert.equal(grid.length, 21 + 4 * i, `version of ${length} bytes`);
      const file = join(folder, `${length}.pbm`);
      writeFileSync(file, bitmap(grid));
      const read = spawnSync('zbarimg', ['--quiet', '--raw', file], { encoding: 'utf8' });
      assert.equal(read.error, undefined, 'zbarimg (package zbar-tools)');
      assert.equal(read.stdout.trim(), text_of(length));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a text that is too long has no code', () => {
  assert.equal(qr_code('x'.repeat(272)), undefined);
  assert.equal(qr_code('é'.repeat(136)), undefined, 'bytes count');
});
