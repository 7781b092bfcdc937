// While one client's expensive requests keep the machine busy, the attacks of others are caught all the same; what was not judged whole
// for lack of time is counted and shown.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { T1kClient, requestMessage } from './support/t1k.mjs';
import { Wafd, request } from './support/wafd.mjs';

const FORM = 'application/x-www-form-urlencoded';
const ATTACK = "1' union select password from users-- ";
const post = (host, type, body, address) =>
  requestMessage(`POST /a HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`, body, { 0x13: address });
const get = (target, address) => requestMessage(`GET ${target} HTTP/1.1\r\nHost: shop.example\r\n\r\n`, null, { 0x13: address });
const fill = (pattern, bytes) => pattern.repeat(Math.ceil(bytes / pattern.length)).slice(0, bytes);

async function connected(wafd, count, use) {
  const clients = await Promise.all(Array.from({ length: count }, () => T1kClient.connect(wafd.t1kPort)));
  try {
    return await use(clients);
  } finally {
    for (const client of clients) client.close();
  }
}

describe('a flood of expensive requests', () => {
  test('lets no attack of others pass', async () => {
    const wafd = await Wafd.start();
    try {
      const dear = `a=${fill('e\xf7val(/**/%25e\xdeal(\';$(<svg/onload=";select%2527+/*{{', 1 << 20)}`.slice(0, 1 << 20);
      await connected(wafd, 13, async ([other, ...flood]) => {
        let over = false;
        const flooding = flood.map(async (client) => {
          while (!over) assert.notEqual(await client.ask(post('shop.example', FORM, dear, '198.51.100.1')), null);
        });
        const { engine } = await wafd.api('GET', '/status');
        assert.equal(typeof engine.waiting, 'number');
        for (let n = 0; n < 30; n += 1) {
          const address = `203.0.113.${n}`;
          const bytes = [get(`/?id=${encodeURIComponent(ATTACK)}`, address), post('shop.example', FORM, `id=${encodeURIComponent(ATTACK)}`, address),
            post('shop.example', 'application/json', JSON.stringify({ id: ATTACK }), address)][n % 3];
          assert.equal((await other.ask(bytes)).verdict, '?', `attack ${n}`);
        }
        over = true;
        await Promise.all(flooding);
      });
    } finally {
      await wafd.stop();
    }
  });

  test('what there was no time for is the site\'s decision, and is shown', async () => {
    const wafd = await Wafd.start({ 'ingest.budget_ms': 10, 'ingest.max_body_bytes': 8 << 20 });
    try {
      await wafd.api('POST', '/sites', { name: 'open', hosts: ['open.example'], on_limit: 'pass' });
      const words = fill('a=one+two+%c3%a4+three&', 8 << 20);
      await connected(wafd, 1, async ([client]) => {
        const engine = async () => (await wafd.api('GET', '/status')).engine;
        for (let n = 0; n < 4; n += 1) {
          const before = await engine();
          const host = n % 2 === 0 ? 'shop.example' : 'open.example';
          const answer = await client.ask(post(host, FORM, words, '198.51.100.1'));
          const after = await engine();
          // Whichever of the two it came to.
          const interrupted = after.interrupted - before.interrupted;
          assert.equal(interrupted + after.judged_by_head - before.judged_by_head, 1);
          assert.equal(after.overload_passed - before.overload_passed, 1 - interrupted);
          assert.equal(answer.verdict, interrupted === 1 && host === 'shop.example' ? '?' : '.');
          if (answer.verdict !== '?') continue;
          const { record } = await wafd.event(answer.id);
          assert.equal(record.attack_type, 'http_violation');
          assert.match(record.reason, /ingest\.budget_ms/);
          const { detail } = await wafd.api('GET', `/events/${answer.id}`);
          assert.equal(detail.inspection.interrupted, true);
        }
        // Findings made before the budget ended stand, however far the judging came.
        const attack = requestMessage(`POST /?id=${encodeURIComponent(ATTACK)} HTTP/1.1\r\nHost: open.example\r\nContent-Type: ${FORM}\r\n\r\n`, words);
        const answer = await client.ask(attack);
        assert.equal(answer.verdict, '?');
        const { detail } = await wafd.api('GET', `/events/${answer.id}`);
        assert.equal(detail.inspection.interrupted || detail.inspection.by_head, true);
      });
      const { engine, notes } = await wafd.api('GET', '/status');
      const { text } = await request(`${wafd.console}/metrics`, { headers: { Authorization: `Bearer ${wafd.token}` } });
      for (const [member, metric] of [['interrupted', 'interrupted_total'], ['judged_by_head', 'judged_by_head_total'],
        ['overload_passed', 'overload_passed_total'], ['overload_blocked', 'overload_blocked_total'], ['plugin_skipped', 'skipped_by_gateways_total']]) {
        assert.equal(Number(new RegExp(`^wafd_requests_${metric} (\\S+)$`, 'm').exec(text)?.[1]), engine[member], metric);
      }
      assert.match(text, /^wafd_requests_waiting 0$/m);
      assert.ok(notes.some((note) => /budget_ms|on_overload/.test(note)), notes.join('\n'));
    } finally {
      await wafd.stop();
    }
  });
});
