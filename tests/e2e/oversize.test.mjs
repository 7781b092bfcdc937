// Padding beyond the limit: counted always, and what the site says of it otherwise; never silence.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { T1kClient, requestMessage } from './support/t1k.mjs';
import { Wafd, request } from './support/wafd.mjs';

const LIMIT = 4096;
const ATTACK = "q=' union select password from users-- ";
const many_codings = `q=%${'25'.repeat(12)}27`;  // one in the other
const head = (host, bytes) => `POST /a HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${bytes}\r\n\r\n`;

describe('padded requests', () => {
  let wafd;
  let client;
  before(async () => {
    wafd = await Wafd.start({ 'ingest.max_body_bytes': LIMIT });
    client = await T1kClient.connect(wafd.t1kPort);
    for (const on_oversize of ['pass', 'monitor', 'block']) {
      await wafd.api('POST', '/sites', { name: on_oversize, hosts: [`${on_oversize}.example`], on_oversize, on_limit: on_oversize });
    }
    await wafd.api('POST', '/sites', { name: 'uploads', hosts: ['uploads.example'], on_oversize: 'block_unless_file' });
    await wafd.api('POST', '/sites', { name: 'low', hosts: ['low.example'], sensitivity: 'low' });
    await wafd.api('POST', '/sites', { name: 'documents', hosts: ['documents.example'], document_fields: ['text', 'items[*].text'] });
  });
  after(async () => {
    client?.close();
    await wafd?.stop();
  });

  const ask = (host, body) => client.ask(requestMessage(head(host, body.length), body));
  const padded = `p=${'a'.repeat(2 * LIMIT)}&${ATTACK}`;
  const metric = async (name) => {
    const answer = await request(`${wafd.console}/metrics`, { headers: { Authorization: `Bearer ${wafd.token}` } });
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(answer.text)?.[1]);
  };

  test('the same attack without padding is denied', async () => {
    assert.equal((await ask('pass.example', ATTACK)).verdict, '?');
  });

  test('pass: no event, but counted', async () => {
    const before_it = await metric('wafd_requests_body_truncated_total');
    assert.equal((await ask('pass.example', padded)).verdict, '.');
    assert.equal(await metric('wafd_requests_body_truncated_total'), before_it + 1);
    const { engine, sites } = await wafd.api('GET', '/status');
    assert.equal(engine.bodies_truncated, before_it + 1);
    assert.ok(sites.some((site) => site.name === 'pass' && site.today.uninspected >= 1), JSON.stringify(sites));
  });

  test('monitor: an event that says so, with members 25 and 28', async () => {
    assert.equal((await ask('monitor.example', padded)).verdict, '.');
    const { events } = await wafd.api('GET', '/events?q=host:monitor.example');
    assert.equal(events.length, 1);
    const { record } = events[0];
    assert.equal(record.action, 'monitor');
    assert.equal(record.attack_type, 'http_violation');
    assert.equal(record.module, 'm_http_violation');
    assert.equal(record.req_http_body_is_truncate, 1);
    assert.equal(record.http_body_is_abandoned, 0);
    assert.match(record.reason, /beyond the limits/);
    const { detail } = await wafd.api('GET', `/events/${record.event_id}`);
    assert.equal(detail.inspection.body_truncated, true);
    assert.equal(detail.site.on_oversize, 'monitor');
  });

  test('block: denied, with an event', async () => {
    const answer = await ask('block.example', padded);
    assert.equal(answer.verdict, '?');
    const { record } = await wafd.event(answer.id);
    assert.equal(record.action, 'deny');
    assert.equal(record.attack_type, 'http_violation');
    assert.equal(record.req_http_body_is_truncate, 1);
    // A small body on that site is nobody's business.
    assert.equal((await ask('block.example', 'q=1')).verdict, '.');
  });

  test('what a site does that says nothing of it goes by its sensitivity', async () => {
    assert.equal((await ask('other.example', padded)).verdict, '?');
    assert.equal((await ask('low.example', padded)).verdict, '.');
    assert.equal((await ask('low.example', `${ATTACK}&${padded}`)).verdict, '?');
    assert.equal((await ask('other.example', many_codings)).verdict, '?');
    assert.equal((await ask('low.example', many_codings)).verdict, '.');
    const { sites } = await wafd.api('GET', '/sites');
    const of = (name) => sites.find((site) => site.name === name);
    assert.equal(of('low').on_limit, 'pass');
    assert.equal(sites.find((site) => site.uuid === '0').on_limit, 'block');
    assert.equal(of('low').on_oversize, 'pass');
    assert.equal(sites.find((site) => site.uuid === '0').on_oversize, 'block');
  });

  // Ordinary use: pictures and archives put as they are pass, forms with large files where the site says so.
  test('uploads', async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.from(Array.from({ length: 2 * LIMIT }, (_, i) => (i * 7919) % 256))]);
    const put = (host, type, body) => client.ask(requestMessage(`PUT /f HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`, body));
    const form = Buffer.concat([Buffer.from('--B\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'), png, Buffer.from(`\r\n--B\r\nContent-Disposition: form-data; name="q"\r\n\r\n${ATTACK}\r\n--B--\r\n`)]);
    const multipart = 'multipart/form-data; boundary=B';
    for (const host of ['other.example', 'block.example', 'uploads.example']) {
      assert.equal((await put(host, 'image/png', png)).verdict, '.', host);
      assert.equal((await put(host, 'application/x-www-form-urlencoded', Buffer.from(padded))).verdict, '?', host);
      assert.equal((await put(host, 'image/png', Buffer.from(`{"a":"${'x'.repeat(2 * LIMIT)}"}`))).verdict, '?', `${host}: it only says so`);
    }
    const denied = await put('other.example', multipart, form);
    assert.equal(denied.verdict, '?');
    assert.match((await wafd.event(denied.id)).record.reason, /A file in a form lies beyond the limits/);
    assert.equal((await put('uploads.example', multipart, form)).verdict, '.');
  });

  // A gateway that never hands over bodies says so of every request.
  test('a body that is not handed over is counted, not denied', async () => {
    const before_it = await metric('wafd_requests_body_abandoned_total');
    for (const host of ['other.example', 'block.example', 'monitor.example'])
      assert.equal((await client.ask(requestMessage(head(host, 5000)))).verdict, '.', host);
    for (const headers of [{ 'X-Forwarded-Method': 'POST', 'X-Forwarded-Uri': '/a', 'X-Forwarded-Host': 'block.example' }])
      assert.equal((await request(`${wafd.http}/check`, { headers })).status, 200);
    assert.equal(await metric('wafd_requests_body_abandoned_total'), before_it + 4);
    assert.equal((await wafd.api('GET', '/events?q=host:monitor.example')).events.length, 1, 'that of the padding alone');
  });

  test('a limit below the top is told apart', async () => {
    const answer = await ask('block.example', many_codings);
    assert.equal(answer.verdict, '?');
    const { record } = await wafd.event(answer.id);
    assert.equal(record.attack_type, 'http_violation');
    assert.match(record.reason, /A limit was reached/);
    const { detail } = await wafd.api('GET', `/events/${record.event_id}`);
    assert.equal(detail.inspection.limit_reached, true);
    assert.equal(detail.site.on_limit, 'block');
    const whole = await ask('block.example', padded);
    assert.notEqual((await wafd.event(whole.id)).record.req_rule_id, record.req_rule_id);
    assert.equal((await ask('pass.example', many_codings)).verdict, '.');
  });

  test('a field that holds documents is recorded', async () => {
    const post = (name) => ask('documents.example', `${name}=${encodeURIComponent("' union select password from users-- ")}`);
    assert.equal((await post('other')).verdict, '?');
    const before_it = (await wafd.api('GET', '/events?q=host:documents.example')).events.length;
    assert.equal((await post('text')).verdict, '.');
    const { events } = await wafd.api('GET', '/events?q=host:documents.example');
    assert.equal(events.length, before_it + 1);
    assert.match(events[0].record.reason, /the field holds documents/);
    const { detail } = await wafd.api('GET', `/events/${events[0].record.event_id}`);
    assert.deepEqual(detail.documents.length, detail.findings.length);
  });

  test('hosts that no site has are listed, hits are kept over a restart', async () => {
    const unknown = await wafd.api('GET', '/sites/unknown');
    assert.deepEqual(unknown.hosts.map((one) => one.host), ['other.example']);
    const count = async () => (await wafd.api('GET', '/rules')).rules.reduce((sum, rule) => sum + rule.hits.count, 0);
    const counted = await count();
    assert.ok(counted > 0);
    client.close();
    await wafd.stop();
    await wafd.launch();
    assert.equal(await count(), counted);
    assert.deepEqual((await wafd.api('GET', '/sites/unknown')).hosts.map((one) => one.host), ['other.example']);
    client = await T1kClient.connect(wafd.t1kPort);
  });
});
