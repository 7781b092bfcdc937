// The log: text or JSON, events with the gateway's id of the request, never bytes of the client, no more lines than it may.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { until } from './support/processes.mjs';
import { T1kClient, requestMessage } from './support/t1k.mjs';
import { Wafd, request } from './support/wafd.mjs';

const attack = (wafd, id, path = '/item') => request(`${wafd.http}/check`, { headers: {
  'X-Forwarded-Method': 'GET', 'X-Forwarded-Host': 'evil-host.example', 'X-Forwarded-Uri': `${path}?id=1%27%20OR%20%271%27=%271`, 'X-Forwarded-For': '203.0.113.7', ...(id === null ? {} : { 'X-Request-Id': id }) } });
const lines = (wafd) => wafd.program.stderr.split('\n').filter(Boolean);
const objects = (wafd) => lines(wafd).map((line) => JSON.parse(line));
const events = (wafd) => objects(wafd).filter((line) => line.message === 'event');

describe('the log', () => {
  test('as JSON: every line is an object, events have the id of the request as the gateway said it', async () => {
    const wafd = await Wafd.start({ 'log.format': 'json', 'log.events': 'denied' });
    try {
      const first = (await attack(wafd, 'req-0001')).json().event_id;
      await attack(wafd, 'no id <script>');
      await attack(wafd, null, '/secret-path');
      const client = await T1kClient.connect(wafd.t1kPort);
      await client.ask(requestMessage('GET /?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: evil-host.example\r\n\r\n', null, { 0x18: '0123456789abcdef0123456789abcdef' }));
      client.socket.destroy();
      await until('four events', () => events(wafd).length === 4);
      assert.deepEqual(events(wafd).map((line) => line.request_id), ['req-0001', undefined, undefined, '0123456789abcdef0123456789abcdef']);
      const [one] = events(wafd);
      assert.match(one.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
      assert.deepEqual({ ...one, time: '', rule_id: '' }, { time: '', level: 'info', message: 'event', action: 'deny', event_id: first, request_id: 'req-0001', attack_type: 'sqli', risk: 'high', rule_id: '', site: '0', src_ip: '203.0.113.7' });
      assert.doesNotMatch(wafd.program.stderr, /script|secret-path|evil-host|OR/);
      assert.ok(objects(wafd).some((line) => /is ready as node/.test(line.message)));
    } finally {
      await wafd.stop();
    }
    for (const line of lines(wafd)) JSON.parse(line);
  });

  test('as text, no more than it may, and what was left out is counted', async () => {
    const wafd = await Wafd.start({ 'log.events': 'all', 'log.max_lines_per_s': 20 });
    try {
      const record = JSON.stringify({ method: 'GET', uri: '/?id=1%27%20OR%20%271%27=%271', src_ip: '203.0.113.9', host: 'a.example', headers: [['Host', 'a.example']] });
      const count = 400;
      assert.equal((await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${Array(count).fill(record).join('\n')}\n` })).status, 200);
      const written = () => lines(wafd).filter((line) => / info event action=monitor event_id=[0-9a-f]{32} /.test(line)).length;
      const left_out = () => lines(wafd).reduce((sum, line) => sum + Number(/ warning (\d+) lines were left out/.exec(line)?.[1] ?? 0), 0);
      await until('all of them judged', async () => (await wafd.api('GET', '/status')).ring.end_seq >= count);
      await wafd.stop();
      // No line came later to say it: the end does.
      assert.equal(written() + left_out(), count);
      assert.ok(written() < count / 2, `${written()} lines`);
    } finally {
      await wafd.stop();
    }
  });

  test('without log.events no event is a line', async () => {
    const wafd = await Wafd.start();
    await attack(wafd, 'req-1');
    await wafd.stop();
    assert.doesNotMatch(wafd.program.stderr, /event|req-1/);
    assert.match(wafd.program.stderr, /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d info wafd \S+ is ready as node node-1/m);
  });
});
