// The rule that never breaks: a simple SQL injection in the query string, sent to the proxy of a protected service, is
// answered 403 with `success` false, and the same event id is in the ring, in the API, on the page and at the SIEM.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { after, before, describe, test } from 'node:test';

import { openConsole } from './support/browser.mjs';
import { Gateway, startUpstream } from './support/gateway.mjs';
import { Program, run, until, wafdPath } from './support/processes.mjs';
import { Receiver, fetchReceivers } from './support/receivers.mjs';
import { checkAttackMessage, parseSyslog } from './support/syslog.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = '/?id=1%27%20OR%20%271%27=%271';

describe('the whole line', () => {
  let upstream;
  let wafd;
  let gateway;
  let receivers = {};
  let chromium;
  before(async () => {
    await fetchReceivers();
    upstream = await startUpstream();
    wafd = await Wafd.start();
    gateway = await Gateway.start(upstream.port);
    assert.equal((await gateway.enable({ host: '127.0.0.1', port: wafd.t1kPort, budget: 5000 })).status, 201);
    receivers = { rsyslog: await Receiver.start('rsyslog'), 'syslog-ng': await Receiver.start('syslog-ng') };
    for (const [kind, receiver] of Object.entries(receivers)) {
      await wafd.addTarget({ name: `${kind}-udp`, transport: 'udp', port: receiver.udp });
      await wafd.addTarget({ name: `${kind}-tcp`, transport: 'tcp', port: receiver.tcp });
      await wafd.addTarget({ name: `${kind}-lf`, transport: 'tcp', port: receiver.tcpLf, framing: 'lf' });
    }
    chromium = await openConsole(wafd, 30_000);
  });
  after(async () => {
    await chromium?.close();
    await gateway?.stop();
    await wafd?.stop();
    for (const receiver of Object.values(receivers)) await receiver.stop();
    await upstream?.stop();
  });

  test('the attack is blocked and its event id arrives everywhere', async () => {
    const answer = await request(gateway.proxy + ATTACK, { headers: { 'User-Agent': 'probe/1.0' } });
    assert.equal(answer.status, 403);
    const body = answer.json();
    assert.deepEqual(Object.keys(body), ['code', 'success', 'message', 'event_id']);
    assert.deepEqual([body.code, body.success], [403, false]);
    const id = body.event_id;
    assert.match(id, /^[0-9a-f]{32}$/);

    // At both receivers, three ways each, strictly RFC 5424, all 58 members.
    for (const receiver of Object.values(receivers)) {
      const lines = await until(`three copies at ${receiver.kind}`, () => {
        const found = receiver.lines().filter((line) => line.includes(id));
        return found.length === 3 && found;
      });
      assert.equal(new Set(lines).size, 1, 'the same bytes on every transport');
      const message = checkAttackMessage(lines[0]);
      assert.deepEqual([message.facility, message.appName, message.hostname], [3, 'wafd', 'node-1']);
      assert.equal(message.severity, { high: 2, medium: 4, low: 5 }[message.record.risk_level]);
      const { record } = message;
      assert.deepEqual(
        [record.event_id, record.attack_type, record.action, record.location, record.method, record.host, record.urlpath],
        [id, 'sqli', 'deny', 'query', 'GET', '127.0.0.1', '/'],
      );
      assert.deepEqual([record.query_string, record.user_agent, record.req_block_reason], ['id=1%27%20OR%20%271%27=%271', 'probe/1.0', 'web']);
      assert.match(record.req_header_raw, /^GET \/\?id=1%27%20OR%20%271%27=%271 HTTP\/1\.1\r\n[\s\S]*\r\n\r\n$/);
    }

    // In the ring, read while the daemon runs.
    const events = await run(wafdPath, ['events', `id:${id}`, '--json', '--state-dir', wafd.state]);
    assert.equal(events.code, 0, events.stderr);
    assert.equal(JSON.parse(events.stdout.trim()).event_id, id);

    // In the API, and as the newest row of the page.
    assert.equal((await wafd.event(id)).record.event_id, id);
    const { page } = chromium;
    await page.goto(`${wafd.console}/?q=id:${id}`);
    await page.getByTestId('event-row').first().click();
    const detail = page.getByTestId('event-detail');
    await detail.waitFor();
    await until('the id on the page', async () => (await detail.innerText()).includes(id));
    assert.deepEqual(chromium.complaints, []);
  });

  test('the live tail shows a new event by itself', async () => {
    const { page } = chromium;
    await page.goto(wafd.console);
    await page.getByTestId('event-row').first().waitFor();
    const marker = `tail${Date.now()}`;
    await request(`${gateway.proxy}/${marker}${ATTACK}`);
    await until('the row appears', async () => (await page.getByTestId('event-list').innerText()).includes(marker));
    assert.deepEqual(chromium.complaints, []);
  });

  test('a clean request passes to the application and leaves no event', async () => {
    const before = (await wafd.api('GET', '/events?limit=1')).events[0].seq;
    const answer = await request(`${gateway.proxy}/catalogue?id=42&name=O%27Brien`);
    assert.equal(answer.status, 200);
    assert.equal(answer.json().url, '/catalogue?id=42&name=O%27Brien');
    assert.equal((await wafd.api('GET', '/events?limit=1')).events[0].seq, before);
  });

  test('the sample case: a web shell is a backdoor of high risk in the path', async () => {
    const answer = await request(`${gateway.proxy}/webshell.php`);
    assert.equal(answer.status, 403);
    const { record } = await wafd.event(answer.json().event_id);
    assert.deepEqual([record.attack_type, record.risk_level, record.req_location], ['backdoor', 'high', 'urlpath']);
  });

  test('settings survive a restart and deliver again; nothing is repeated', async () => {
    await wafd.stop();
    await wafd.launch();
    assert.equal((await wafd.api('GET', '/syslog/targets')).targets.length, 6);
    const answer = await request(gateway.proxy + ATTACK);
    assert.equal(answer.status, 403);
    const id = answer.json().event_id;
    for (const receiver of Object.values(receivers)) {
      await until(`${receiver.kind} after the restart`, () => receiver.lines().filter((line) => line.includes(id)).length === 3);
      const ids = receiver.lines().filter((line) => line.includes('"event_id"')).map((line) => checkAttackMessage(line).record.event_id);
      for (const one of new Set(ids)) assert.equal(ids.filter((other) => other === one).length, 3, `${one} at ${receiver.kind}`);
    }
  });
});

describe('the test button in Chromium', () => {
  let wafd;
  let chromium;
  before(async () => {
    wafd = await Wafd.start();
    chromium = await openConsole(wafd, 30_000);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  async function press(port, transport) {
    const { page } = chromium;
    await page.goto(`${wafd.console}/?view=settings&section=syslog`);
    await page.getByTestId('target-add').click();
    await page.getByTestId('target-form').waitFor();
    if (transport !== 'udp') await page.getByTestId('target-transport').selectOption(transport);
    await page.getByTestId('target-host').fill('127.0.0.1');
    await page.getByTestId('target-port').fill(`${port}`);
    await page.getByTestId('test-connection').click();
    await page.getByTestId('test-verdict').waitFor();
    return page.getByTestId('test-verdict').innerText();
  }

  const EXACT = /^<30>1 (\S+) node-1 wafd 1 waf_event - Connectivity test requested\.$/;

  test('over UDP the exact datagram arrives, a second empty one follows, and no success is claimed', async () => {
    const datagrams = [];
    const socket = dgram.createSocket('udp4', (data) => datagrams.push(data.toString('latin1')));
    await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
    try {
      const verdict = await press(socket.address().port, 'udp');
      assert.match(verdict, /UDP/);
      await until('two datagrams', () => datagrams.length >= 2);
      assert.match(datagrams[0], EXACT);
      assert.equal(parseSyslog(datagrams[0]).msgId, 'waf_event');
      assert.equal(datagrams[1], '');
      assert.equal(datagrams.length, 2);
    } finally {
      socket.close();
    }
  });

  test('over TCP it is received by wafd receive, byte-counted', async () => {
    const receive = new Program(wafdPath, ['receive', '--tcp', '127.0.0.1:0']);
    try {
      const port = await receive.ready('listens', () => /listening on tcp 127\.0\.0\.1:(\d+)/.exec(receive.stderr)?.[1]);
      await press(port, 'tcp');
      const line = await until('the message', () => receive.stdout.includes('\n') && receive.stdout.split('\n')[0]);
      assert.match(line, EXACT);
    } finally {
      await receive.stop();
    }
  });

  test('a closed UDP port is said to be closed', async () => {
    const socket = dgram.createSocket('udp4');
    await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const { port } = socket.address();
    await new Promise((resolve) => socket.close(resolve));
    assert.match(await press(port, 'udp'), /closed/i);
    assert.deepEqual(chromium.complaints, []);
  });
});
