// One attack as CEF, LEEF and ECS at a real receiver, the test button and `wafd send-test` with every preset: read by
// parsers that share nothing with the daemon, compared with the record that its API shows.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { parseCef, parseLeef } from './support/formats.mjs';
import { run, until, wafdPath } from './support/processes.mjs';
import { Receiver, fetchReceivers } from './support/receivers.mjs';
import { checkRecord, parseSyslog } from './support/syslog.mjs';
import { Wafd, request } from './support/wafd.mjs';

const SEVERITY = { low: '3', medium: '6', high: '9' };

describe('contents of events', () => {
  let wafd;
  let receiver;
  before(async () => {
    await fetchReceivers();
    receiver = await Receiver.start('syslog-ng');
    wafd = await Wafd.start();
    for (const content of ['json', 'cef', 'leef', 'ecs'])
      await wafd.addTarget({ name: content, transport: 'tcp', port: receiver.tcp, content, app_name: content });
    await wafd.addTarget({ name: 'small', transport: 'tcp', port: receiver.tcpLf, framing: 'lf', content: 'cef', app_name: 'small', max_message_bytes: 1024 });
  });
  after(async () => {
    await wafd?.stop();
    await receiver?.stop();
  });

  test('one attack says the same in each', async () => {
    const attack = '/p%3D%7C/a?id=1%27%20OR%20%271%27=%271&x=%5C%7C%3D%0A%09';
    const answer = await request(`${wafd.http}/check${attack}`, {
      headers: { 'User-Agent': 'agent =|\\ act=allow', Referer: `https://r.example/${'ä='.repeat(700)}`, Cookie: 'a=b; c=d' },
    });
    assert.equal(answer.status, 403);
    const { event_id: id } = answer.json();
    const { record } = await wafd.event(id);
    const lines = await until('five messages', () => {
      const found = receiver.lines().filter((line) => line.includes(id));
      return found.length === 5 && found;
    });
    const of = Object.fromEntries(lines.map((line) => [parseSyslog(line).appName, parseSyslog(line)]));
    for (const message of Object.values(of)) assert.equal(message.msgId, 'waf_event');
    assert.deepEqual(checkRecord(of.json.message), record);
    const url = `${record.scheme}://${record.host}${record.urlpath}?${record.query_string}`;

    const cef = parseCef(of.cef.message);
    assert.deepEqual(cef.header.slice(0, 2), ['wafd', 'wafd']);
    assert.deepEqual(cef.header.slice(3), [record.rule_id, 'SQL injection', SEVERITY[record.risk_level]]);
    assert.deepEqual(
      [cef.keys.externalId, cef.keys.act, cef.keys.cat, cef.keys.request, cef.keys.requestClientApplication, cef.keys.requestContext],
      [id, 'deny', 'sqli', url, record.user_agent, record.referer],
    );
    assert.deepEqual([cef.keys.cs1Label, cef.keys.cs1, cef.keys.dvchost, cef.keys.app], ['payload', record.payload, record.node, record.scheme]);
    assert.equal(cef.keys.wafdRequestHeader, record.req_header_raw);
    assert.equal(Math.floor(Number(cef.keys.rt) / 1000), record.timestamp);

    const leef = parseLeef(of.leef.message);
    assert.deepEqual([leef.header[0], leef.header[1], leef.header[3]], ['wafd', 'wafd', 'sqli']);
    assert.deepEqual([leef.keys.eventId, leef.keys.cat, leef.keys.sev, leef.keys.url], [id, 'deny', SEVERITY[record.risk_level], url]);
    assert.match(leef.keys.devTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}$/);

    const ecs = JSON.parse(of.ecs.message);
    assert.deepEqual([ecs.event.id, ecs.event.action, ecs.event.kind, ecs.rule.id], [id, 'deny', 'alert', record.rule_id]);
    assert.deepEqual([ecs.url.path, ecs.url.query, ecs.user_agent.original], [record.urlpath, record.query_string, record.user_agent]);
    assert.deepEqual([ecs.wafd.req_header_raw, ecs.wafd.payload, ecs.source.port ?? 0], [record.req_header_raw, record.payload, record.src_port]);
    assert.equal(Math.floor(Date.parse(ecs['@timestamp']) / 1000), record.timestamp);

    // Cut to 1024 bytes, header included: whole keys, true marks, the important ones there.
    const small = lines.find((line) => line.includes(' small '));
    assert.ok(Buffer.byteLength(small) <= 1024, `${Buffer.byteLength(small)}`);
    const cut = parseCef(of.small.message).keys;
    assert.deepEqual([cut.externalId, cut.act], [id, 'deny']);
    for (const [key, original] of [['requestContext', record.referer], ['requestClientApplication', record.user_agent], ['request', url]]) {
      if (!(key in cut) || cut[key] === original) continue;
      const mark = /^([\s\S]*)…\[cut (\d+)\]$/.exec(cut[key]);
      assert.ok(mark, cut[key]);
      const kept = mark[1];
      assert.ok(original.startsWith(kept), key);
    }
  });

  test('presets: the list, the test button and send-test agree', async () => {
    const { presets } = await wafd.api('GET', '/syslog/presets');
    assert.deepEqual(presets.map((preset) => preset.id).sort(), ['elastic_agent', 'graylog', 'qradar', 'rsyslog', 'sentinel', 'splunk_sc4s', 'syslog_ng', 'wazuh']);
    for (const { id, settings } of presets.slice(0, 4)) {
      const target = { ...settings, name: id, host: '127.0.0.1', port: settings.framing === 'lf' ? receiver.tcpLf : receiver.tcp };
      const tested = await wafd.api('POST', '/syslog/test', { ...target, send: 'sample' });
      assert.equal(tested.verdict, 'accepted', tested.text);
      const eventId = tested.stages.find((stage) => stage.name === 'write').detail.event_id;
      const [line] = await receiver.having(eventId);
      assert.equal(line.includes('CEF:0|'), settings.content === 'cef');
      assert.equal(line.includes('LEEF:2.0|'), settings.content === 'leef');
      assert.ok(Buffer.byteLength(line) <= settings.max_message_bytes);

      const sent = await run(wafdPath, ['send-test', '--to', `tcp://127.0.0.1:${target.port}`, '--preset', id, '--sample', '--node', 'node-1']);
      assert.equal(sent.code, 0, sent.stdout + sent.stderr);
      const [again] = await receiver.having(/event_id ([0-9a-f]{32})/.exec(sent.stdout)[1]);
      // The same formatter: only id and times differ.
      const plain = (text) => text.replace(/[0-9a-f]{32}|\d{13}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{3,6})?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|"timestamp":\d+/g, '#');
      assert.equal(plain(again), plain(line));
    }
    const wrong = await run(wafdPath, ['send-test', '--to', 'tcp://127.0.0.1:1', '--preset', 'arcsight']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--preset: expected one of "elastic_agent"/);
  });

  test('the connectivity test is its sentence in every content', async () => {
    const messages = [];
    const server = net.createServer((socket) => socket.on('data', (data) => messages.push(data.toString())));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    for (const content of ['json', 'cef', 'leef', 'ecs']) {
      const sent = await run(wafdPath, ['send-test', '--to', `tcp://127.0.0.1:${server.address().port}`, '--content', content, '--framing', 'lf', '--node', 'n']);
      assert.equal(sent.code, 0, sent.stdout + sent.stderr);
    }
    server.close();
    assert.equal(messages.length, 4);
    for (const text of messages) assert.match(text, /^<30>1 \S+ n wafd 1 waf_event - Connectivity test requested\.\n$/);
  });
});
