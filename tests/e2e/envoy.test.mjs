// Envoy's ext_authz by gRPC: a client generated from the protocol, in front of a real engine. Envoy itself is no Debian package.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http2 from 'node:http2';
import net from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

import { freePort, root, run, tempFolder, until } from './support/processes.mjs';
import { Wafd } from './support/wafd.mjs';

const protocol = grpc.loadPackageDefinition(loader.loadSync(path.join(root, 'ingest/envoy/authorization.proto'), { longs: Number, oneofs: true, keepCase: true })).envoy.service.auth.v3;
const ATTACK = "1' UNION SELECT username, password FROM users-- -";
const QUERY = `/?id=${encodeURIComponent(ATTACK)}`;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function asks({ method = 'GET', uri = '/', headers = {}, src = '203.0.113.7', ...more } = {}, around = {}) {
  const http = { method, path: uri, host: 'shop.test', scheme: 'https', size: -1, protocol: 'HTTP/1.1', headers: { ':authority': 'shop.test', 'user-agent': 'client', ...headers }, ...more };
  return {
    attributes: {
      source: { address: { socket_address: { address: src, port_value: 40000 } } },
      destination: { address: { socket_address: { address: '198.51.100.1', port_value: 443 } } },
      request: { time: { seconds: 1700000000, nanos: 5000000 }, http },
      context_extensions: { proxy_name: 'edge-1', other: 'x' },
      tls_session: { sni: 'shop.test' },
      ...around,
    },
  };
}

class Client {
  constructor(address, credentials = grpc.credentials.createInsecure(), options = {}) {
    this.stub = new protocol.Authorization(address, credentials, { 'grpc.max_send_message_length': -1, ...options });
  }
  call(message, options = {}) {
    let cancel;
    const answer = new Promise((resolve) => {
      const call = this.stub.Check(message, new grpc.Metadata(), options, (error, response) => resolve({ error, response }));
      cancel = () => call.cancel();
    });
    return Object.assign(answer, { cancel });
  }
  async check(message) {
    const { error, response } = await this.call(message);
    assert.equal(error, null, String(error));
    const part = response[response.http_response];
    const headers = Object.fromEntries((part.headers ?? []).map(({ header }) => [header.key, header.value]));
    return { code: response.status?.code ?? 0, kind: response.http_response, status: part.status?.code, headers, body: part.body, removed: part.headers_to_remove };
  }
  close() {
    this.stub.close();
  }
}

async function listener(wafd) {
  const { listeners } = await wafd.api('GET', '/status');
  return listeners.find((one) => one.name === 'envoy');
}
const counted = (wafd, reason) => until(reason, async () => (await listener(wafd)).refused[reason] > 0);

function denied(answer) {
  assert.equal(answer.code, 7);
  assert.equal(answer.kind, 'denied_response');
  assert.equal(answer.status, 403);
  const body = JSON.parse(answer.body);
  assert.equal(body.success, false);
  assert.match(body.event_id, /^[0-9a-f]{32}$/);
  assert.equal(answer.headers['x-waf-event-id'], body.event_id);
  assert.equal(answer.headers['x-waf-action'], 'deny');
  assert.equal(answer.headers['content-type'], 'application/json');
  return body.event_id;
}

describe('Envoy by gRPC', () => {
  let wafd;
  let address;
  let client;
  before(async () => {
    address = `127.0.0.1:${await freePort()}`;
    wafd = await Wafd.start({ 'ingest.budget_ms': 20000, 'ingest.envoy.listen': address });
    client = new Client(address);
  });
  after(async () => {
    client?.close();
    await wafd?.stop();
  });

  test('what is clean passes, and a client cannot forge what the application is told', async () => {
    const answer = await client.check(asks({ uri: '/?q=shoes' }));
    assert.equal(answer.code, 0);
    assert.equal(answer.kind, 'ok_response');
    assert.equal(answer.headers['x-waf-action'], 'allow');
    assert.match(answer.headers['x-waf-time-us'], /^\d+$/);
    assert.deepEqual(answer.removed, ['x-waf-event-id']);
  });

  test('an attack in the query is denied with its event, which knows addresses, name and scheme', async () => {
    const event = await wafd.event(denied(await client.check(asks({ uri: QUERY }))));
    const { record } = event;
    assert.equal(record.src_ip, '203.0.113.7');
    assert.equal(record.dest_ip ?? record.dst_ip, '198.51.100.1');
    assert.equal(record.host, 'shop.test');
    assert.equal(record.proxy_name, 'edge-1');
    assert.equal(record.scheme, 'https');
  });

  test('bodies as text and as bytes, headers as map and as list', async () => {
    const body = `q=${encodeURIComponent(ATTACK)}`;
    const raw = { method: 'POST', headers: { ...FORM, 'content-length': String(body.length), 'x-envoy-auth-partial-body': 'false' } };
    denied(await client.check(asks({ ...raw, body })));
    denied(await client.check(asks({ ...raw, raw_body: Buffer.from(body) })));
    denied(await client.check(asks({ headers: { referer: `http://a.test${QUERY}` } })));
    const list = asks({ method: 'POST', raw_body: Buffer.from(body) });
    delete list.attributes.request.http.headers;
    list.attributes.request.http.header_map = { headers: [{ key: ':path', raw_value: Buffer.from('/') }, { key: 'content-type', raw_value: Buffer.from(FORM['content-type']) }, { key: 'x', raw_value: Buffer.from([0xff, 0x80]) }] };
    denied(await client.check(list));
    // Not UTF-8: an attack behind such a byte is seen.
    denied(await client.check(asks({ ...raw, raw_body: Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`=1&${body}`)]) })));
  });

  test('a body of which Envoy hands over a part is judged as far as it goes, and said to be cut', async () => {
    const body = `q=${encodeURIComponent(ATTACK)}&rest=`;
    const partial = { ...FORM, 'content-length': '5000000', 'x-envoy-auth-partial-body': 'true' };
    const event = await wafd.event(denied(await client.check(asks({ method: 'POST', headers: partial, body }))));
    assert.equal(event.detail.inspection.body_truncated, true);
  });

  test('a message beyond the limits is judged by its beginning', async () => {
    const body = `q=${encodeURIComponent(ATTACK)}&rest=${'x'.repeat(3 << 20)}`;
    const event = await wafd.event(denied(await client.check(asks({ method: 'POST', headers: FORM, body }))));
    assert.equal(event.detail.inspection.body_truncated, true);
  });

  test('many calls at a time on one connection are answered, each its own', async () => {
    const filler = 'x'.repeat(40_000);
    const calls = Array.from({ length: 200 }, (_, i) => client.check(asks({ method: 'POST', uri: i % 2 ? QUERY : `/?n=${i}`, headers: FORM, body: `a=${filler}`, src: `203.0.113.${i}` })));
    const answers = await Promise.all(calls);
    answers.forEach((answer, i) => assert.equal(answer.kind, i % 2 ? 'denied_response' : 'ok_response', `call ${i}`));
  });

  test('calls that are cancelled or too late leave the others alone', async () => {
    const big = asks({ method: 'POST', headers: FORM, body: `a=${'%3Cb%3E'.repeat(100_000)}` });
    const given_up = Array.from({ length: 10 }, () => client.call(big));
    const late = client.call(big, { deadline: Date.now() + 1 });
    for (const call of given_up) call.cancel();
    for (const { error } of await Promise.all(given_up)) assert.equal(error?.code, grpc.status.CANCELLED);
    assert.equal((await late).error?.code, grpc.status.DEADLINE_EXCEEDED);
    denied(await client.check(asks({ uri: QUERY })));
  });

  test('what is no CheckRequest, and calls that are not ours, are refused and counted', async () => {
    const { error } = await client.call({ attributes: {} });
    assert.equal(error.code, grpc.status.INVALID_ARGUMENT);
    const session = http2.connect(`http://${address}`);
    const ask = (headers, body) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':method': 'POST', ...headers });
        const seen = {};
        stream.on('response', (head) => Object.assign(seen, head));
        stream.on('trailers', (trailers) => Object.assign(seen, trailers));
        const parts = [];
        stream.on('data', (part) => parts.push(part));
        stream.on('end', () => resolve({ ...seen, body: Buffer.concat(parts) }));
        stream.on('error', reject);
        stream.end(body);
      });
    const type = { 'content-type': 'application/grpc' };
    const call = { ...type, ':path': '/envoy.service.auth.v3.Authorization/Check' };
    assert.equal((await ask({ ...type, ':path': '/other.Service/Call' }, Buffer.alloc(5)))['grpc-status'], '12');
    assert.equal((await ask(call, Buffer.from([1, 0, 0, 0, 1, 0])))['grpc-status'], '12', 'compressed');
    assert.equal((await ask(call, Buffer.from([0, 0, 0, 0, 9, 0])))['grpc-status'], '3', 'a length that is not so');
    assert.equal((await ask(call, Buffer.alloc(0)))['grpc-status'], '3', 'nothing');
    assert.equal((await ask({ ...call, 'content-type': 'text/plain' }, Buffer.alloc(5)))[':status'], 415);
    const health = await ask({ ...type, ':path': '/grpc.health.v1.Health/Check' }, Buffer.alloc(5));
    assert.equal(health['grpc-status'], '0');
    assert.deepEqual([...health.body], [0, 0, 0, 0, 2, 8, 1]);
    session.close();
    for (const reason of ['unknown_call', 'compressed', 'message', 'not_grpc']) await counted(wafd, reason);
  });

  test('bytes that are no HTTP/2 end the connection', async () => {
    for (const garbage of ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\x00\x00\x00\x00\x00\x01', '\0'.repeat(100)]) {
      const socket = net.connect(Number(address.split(':')[1]), '127.0.0.1');
      socket.on('error', () => {});
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.resume();
      socket.write(Buffer.from(garbage, 'latin1'));
      await closed;
    }
    await counted(wafd, 'http2');
    denied(await client.check(asks({ uri: QUERY })));
  });
});

test('with a certificate the listener speaks TLS alone', async () => {
  const folder = tempFolder('envoy-tls');
  const [certificate, key] = ['cert.pem', 'key.pem'].map((name) => path.join(folder, name));
  const made = await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2', '-keyout', key, '-out', certificate]);
  assert.equal(made.code, 0, made.stderr);
  const port = await freePort();
  const wafd = await Wafd.start({ 'ingest.envoy.listen': `127.0.0.1:${port}`, 'ingest.envoy.certificate': certificate, 'ingest.envoy.key': key });
  const client = new Client(`127.0.0.1:${port}`, grpc.credentials.createSsl(fs.readFileSync(certificate)), { 'grpc.ssl_target_name_override': 'localhost' });
  const plain = new Client(`127.0.0.1:${port}`);
  try {
    denied(await client.check(asks({ uri: QUERY })));
    assert.equal((await plain.call(asks(), { deadline: Date.now() + 20000 })).error.code, grpc.status.UNAVAILABLE);
  } finally {
    client.close();
    plain.close();
    await wafd.stop();
  }
});
