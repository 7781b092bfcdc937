// One life of a wafd whose file operations fail (tests/support/faults), and what must be true in the next, which has none of that.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { root, run, until, wafdPath } from './processes.mjs';
import { T1kClient, requestMessage } from './t1k.mjs';
import { request } from './wafd.mjs';

const library = path.join(root, 'build/release/tests/libwafd_file_faults.so');
const ATTACK = requestMessage('GET /?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: a\r\n\r\n');

// A life that may end, whatever happens: true if it is ready, false if it is gone.
export async function launch(wafd, fault) {
  const faults = fault && { LD_PRELOAD: library, WAFD_FAULTS_UNDER: wafd.state, WAFD_FAULTS_KIND: fault.kind, WAFD_FAULTS_AT: String(fault.at), ...(fault.log ? { WAFD_FAULTS_LOG: fault.log } : {}) };
  await wafd.launch(false, faults);
  return wafd.started(60);
}

async function attacks(wafd, count) {
  const ids = [];
  const client = await T1kClient.connect(wafd.t1kPort).catch(() => null);
  for (let n = 0; client && n < count; n += 1) {
    const answer = await client.ask(ATTACK);
    if (answer === null) break;
    if (answer.id) ids.push(answer.id);
    else wafd.passed = answer.verdict;
  }
  client?.close();
  return ids;
}

// The answer to a change: 201 is a promise.
async function call(wafd, method, where, body, { token = wafd.token } = {}) {
  try {
    return await request(`${wafd.console}/api/v1${where}`, { method, headers: { Authorization: `Bearer ${token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) }, body: body ? JSON.stringify(body) : undefined });
  } catch (error) {
    return { status: 0, text: error.message };  // it was killed
  }
}

const promised = (answer) => answer.status >= 200 && answer.status < 300;

// Changes of each kind, while the fault strikes somewhere; what was promised by answers.
export async function use(wafd, port) {
  const told = { events: await attacks(wafd, 4), made: [], refused: [] };
  const make = async (where, body, member) => {
    const answer = await call(wafd, 'POST', where, body);
    if (promised(answer)) told.made.push([where, answer.json()[member], answer.json()]);
    else told.refused.push([where, answer.status, answer.text]);
    return promised(answer) ? answer.json() : null;
  };
  const site = await make('/sites', { name: 'One', hosts: [`${crypto.randomUUID()}.example`] }, 'uuid');
  await make('/tokens', { name: `t-${crypto.randomUUID()}`, scope: 'read' }, 'id');
  await make('/syslog/targets', { name: `more ${crypto.randomUUID()}`, transport: 'tcp', host: '127.0.0.1', port, filter: '' }, 'id');
  told.events.push(...(await attacks(wafd, 4)));
  if (site) {
    const removed = await call(wafd, 'DELETE', `/sites/${site.uuid}`);
    told.made = told.made.filter(([where]) => where !== '/sites');
    if (promised(removed)) told.removed = site.uuid;
  }
  await make('/lists', { kind: 'deny', cidr: `198.18.${crypto.randomInt(256)}.${crypto.randomInt(256)}` }, 'id');
  if (told.events.length > 0) {
    const pin = await call(wafd, 'PUT', `/pins/${told.events[0]}`);
    if (promised(pin)) told.pin = told.events[0];
  }
  const status = await call(wafd, 'GET', '/status');
  told.notes = promised(status) ? status.json().notes : [];
  return told;
}

const ids_of = async (wafd, where, member) => new Set((await wafd.list(where)).map((one) => one[member]));

// The next life: nothing of what was promised is missing.
// `follows`: a target has been there from the beginning.
export async function check(wafd, told, receiver, why, follows) {
  const ring = new Set((await run(wafdPath, ['events', '--json', '--limit', '100000', '--state-dir', wafd.state])).stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line).event_id));
  for (const id of told.events) assert.ok(ring.has(id) || receiver.seen.has(id), `${why}: event ${id} was told and is gone`);
  for (const [where, id] of told.made) assert.ok((await ids_of(wafd, where, where === '/sites' ? 'uuid' : 'id')).has(id), `${why}: ${where} ${id} was made and is gone`);
  for (const [where, , answer] of told.made.filter(([one]) => one === '/tokens')) {
    const asked = await call(wafd, 'GET', '/status', undefined, { token: answer.token });
    assert.equal(asked.status, 200, `${why}: ${where}: the token that was given does not work`);
  }
  if (told.removed) assert.ok(!(await ids_of(wafd, '/sites', 'uuid')).has(told.removed), `${why}: site ${told.removed} was removed and is there`);
  if (told.pin) assert.ok((await ids_of(wafd, '/pins', 'event_id')).has(told.pin), `${why}: pin of ${told.pin}`);
  // Who did it stands in the audit log, or the status said that it could not be written; and nobody is accused.
  const audit = await call(wafd, 'GET', '/audit?limit=1000');
  const unwritten = told.notes.some((note) => note.startsWith('The audit log could not be written'));
  for (const [where, id] of told.made) assert.ok(unwritten || audit.text.includes(id), `${why}: ${where} ${id} is not in the audit log`);
  assert.doesNotMatch(wafd.program.stderr, /audit\.log: (entry|entries|what stands)/, why);
  if (follows) await until(`${why}: everything at the receiver`, () => [...ring].every((id) => receiver.seen.has(id)), 30);
  assert.equal((await attacks(wafd, 1)).length, 1, `${why}: an attack is not denied: ${wafd.passed ?? 'no answer'}; ${wafd.program.stderr.slice(-1500)}`);
}

// An audit log that the next line moves away: lines of a sound chain, beyond the size at which it is moved.
export function full_audit_log(state) {
  const before = fs.readFileSync(path.join(state, 'audit.log'), 'utf8').trim().split('\n');
  const last = JSON.parse(before.at(-1));
  let { chain, seq } = last;
  const lines = [];
  for (let size = 0; size < 64 * 2 ** 20;) {
    seq += 1;
    const text = JSON.stringify({ seq, time_ms: last.time_ms, user: '', via: 'command', address: '', action: 'x', object: '', detail: { fill: 'x'.repeat(2 ** 20) } });
    chain = crypto.createHash('sha256').update(`${chain}\n${text}`).digest('hex');
    lines.push(`${text.slice(0, -1)},"chain":"${chain}"}`);
    size += lines.at(-1).length + 1;
  }
  fs.appendFileSync(path.join(state, 'audit.log'), `${lines.join('\n')}\n`);
  fs.writeFileSync(path.join(state, 'audit.head'), `${String(seq).padStart(20, '0')} ${chain}\n`);
}
