// The soak (bench/soak) itself, for half a minute with one SIGKILL: everything adds up, and its table and picture are there.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { requests_add_up, target_adds_up } from '../../bench/soak/books.mjs';
import { root, run, tempFolder } from './support/processes.mjs';

test('half a minute', { timeout: 300_000 }, async () => {
  const out = tempFolder('soak');
  const ran = await run('node', [path.join(root, 'bench/soak/soak.mjs'), '--minutes', '0.6', '--kill-minutes', '0.5', '--rate', '100', '--every', '2', '--out', out]);
  assert.equal(ran.code, 0, `${ran.stdout.slice(-3000)}\n${ran.stderr.slice(-3000)}`);
  const report = JSON.parse(fs.readFileSync(path.join(out, 'soak.json'), 'utf8'));
  assert.deepEqual(report.wrong, []);
  assert.equal(report.kills, 1);
  assert.equal(report.lives.length, 2);
  for (const life of [1, 2]) assert.ok(fs.statSync(path.join(out, `wafd-${life}.log`)).size > 0, `log of life ${life}`);
  assert.ok(report.ids.told > 500 && report.ids.told === report.clients.denied, JSON.stringify(report.ids));
  assert.ok(fs.readFileSync(path.join(out, 'soak.csv'), 'utf8').split('\n').length > 5);
  assert.match(fs.readFileSync(path.join(out, 'soak.svg'), 'utf8'), /^<svg [^]*<polyline points="\d[^]*<\/svg>\n$/);
});

test('what does not add up is said', () => {
  const life = { answered: 10, passed: 5, denied: 3, monitored: 2, unjudged: 0 };
  const engine = { requests: 10, denied: 3, monitored: 2, allowed_recorded: 1, ring_refused: 0, overload_passed: 0, interrupted: 0, judged_by_head: 0 };
  assert.deepEqual(requests_add_up({ life, engine, ring: { begin: 4, end: 10 } }), []);
  assert.equal(requests_add_up({ life, engine, ring: { begin: 4, end: 11 } }).length, 1);
  assert.equal(requests_add_up({ life: { ...life, passed: 4, unjudged: 1 }, engine, ring: { begin: 4, end: 10 } }).length, 1);
  const none = { sent: 0, resent: 0, lag_events: 0, filtered: 0, lost: 0 };
  assert.deepEqual(target_adds_up('a', none, { ...none, sent: 9, resent: 2, filtered: 3 }, 10).wrong, []);
  assert.equal(target_adds_up('a', none, { ...none, sent: 9, resent: 2, filtered: 2 }, 10).wrong.length, 1);
});
