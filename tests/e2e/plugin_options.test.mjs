// Options of the plugin: several engines, conditions, the answer to attacks, headers and log values.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { EVENT_ID, judging, rawEngine } from './support/engine.mjs';
import { Gateway, startUpstream } from './support/gateway.mjs';
import { freePort, root, until } from './support/processes.mjs';
import { request } from './support/wafd.mjs';

// The little YAML that the examples use: maps, lists of maps, texts, lists in brackets. `lines`: [indent, text].
function yaml(lines) {
  const [[indent, first]] = lines;
  const parts = [];
  for (const [at, text] of lines) at === indent ? parts.push([[at, text]]) : parts.at(-1).push([at, text]);
  if (first.startsWith('- ')) return parts.map(([[at, text], ...rest]) => yaml([[at + 2, text.slice(2)], ...rest]));
  const value = (text) => (text.startsWith('[') || /^\d+$/.test(text) ? JSON.parse(text) : text);
  return Object.fromEntries(parts.map(([[, text], ...rest]) => [text.split(':')[0], rest.length ? yaml(rest) : value(text.slice(text.indexOf(':') + 2))]));
}

function configs(file) {
  const lines = fs.readFileSync(path.join(root, 'packaging/gateway-waf/examples', file), 'utf8').split('\n').map((line) => [line.search(/\S/), line.trim()]);
  const found = [];
  lines.forEach(([indent, text], at) => {
    if (text !== 'config:') return;
    const end = lines.findIndex(([deep], n) => n > at && deep <= indent);
    found.push(yaml(lines.slice(at + 1, end < 0 ? lines.length : end)));
  });
  return found;
}

describe('options of the plugin', () => {
  let upstream;
  let gateway;
  const get = (target, headers = {}) => request(gateway.proxy + target, { headers });
  before(async () => {
    upstream = await startUpstream();
    gateway = await Gateway.start(upstream.port, { args: ['--workers', '1'] });
  });
  after(async () => {
    await gateway?.stop();
    await upstream?.stop();
    assert.doesNotMatch(gateway.program.stderr, /lua (entry thread aborted|user thread aborted)|runtime error/);
  });
  const use = async (config) => {
    const answer = await gateway.enableJson({ host: '127.0.0.1', budget: 5000, ...config });
    assert.equal(answer.status, 201, answer.text);
  };

  test('several engines are asked in turn', async () => {
    const engines = [await rawEngine(judging), await rawEngine(judging), await rawEngine(judging)];
    await use({ port: engines[0].port, nodes: engines.slice(1).map(({ port }) => ({ host: '127.0.0.1', port })) });
    for (let i = 0; i < 9; i += 1) assert.equal((await get('/?attack')).status, 403);
    assert.deepEqual(engines.map(({ messages }) => messages), [3, 3, 3]);
    for (const engine of engines) await engine.stop();
  });

  test('one that is dead, closes or is silent costs no verdict while another answers', async () => {
    const good = await rawEngine(judging);
    const closing = await rawEngine((socket) => socket.destroy());
    const silent = await rawEngine(() => {});
    for (const port of [await freePort(), closing.port, silent.port]) {
      await use({ port, nodes: [{ host: '127.0.0.1', port: good.port }], read_timeout: 200, on_error: 'block' });
      for (let i = 0; i < 20; i += 1) assert.equal((await get('/?attack')).status, 403);
    }
    assert.ok(silent.messages <= 6, `a silent engine is asked last after 5 times: ${silent.messages}`);
    for (const engine of [good, closing, silent]) await engine.stop();
  });

  test('a dead one is asked again once it is back', async () => {
    const port = await freePort();
    const good = await rawEngine(judging);
    await use({ port, nodes: [{ host: '127.0.0.1', port: good.port }] });
    for (let i = 0; i < 10; i += 1) assert.equal((await get('/?attack')).status, 403);
    const back = await rawEngine(judging, port);
    await until('it is asked', async () => {
      assert.equal((await get('/?attack')).status, 403);
      return back.messages > 0;
    });
    await back.stop();
    await good.stop();
  });

  test('match: what is left out is not asked about, content types leave out the body alone', async () => {
    const engine = await rawEngine(judging);
    await use({ port: engine.port, match: { exclude: { methods: ['OPTIONS'], hosts: ['*.internal'], paths: ['/healthz'], content_types: ['image/*'] } } });
    assert.equal((await get('/healthz?attack')).status, 200);
    assert.equal((await get('/', { Host: 'a.internal', 'X-A': 'attack' })).status, 200);
    assert.equal((await request(`${gateway.proxy}/?attack`, { method: 'OPTIONS' })).status, 200);
    assert.equal(engine.messages, 0);
    for (const target of ['/healthz/%2e%2e/?attack', '/healthzz?attack', '/healthz//?attack', '/x?attack']) assert.equal((await get(target)).status, 403, target);
    const post = (type, target) => request(gateway.proxy + target, { method: 'POST', headers: { 'Content-Type': type, 'Content-Length': 6 }, body: 'attack' });
    assert.equal((await post('image/png', '/')).status, 200);
    assert.equal((await post('image/png', '/?attack')).status, 403);
    assert.equal((await post('text/plain', '/')).status, 403);
    const twice = await request(`${gateway.proxy}/`, { method: 'POST', headers: { 'Content-Type': ['image/png', 'text/plain'], 'Content-Length': 6 }, body: 'attack' });
    assert.ok([400, 403].includes(twice.status), `${twice.status}`);
    assert.equal((await post('image/png, text/plain', '/')).status, 403);
    await use({ port: engine.port, match: { include: { paths: ['/api'], methods: ['GET'] } } });
    assert.equal((await get('/api/x?attack')).status, 403);
    assert.equal((await get('/API/x?attack')).status, 403);
    assert.equal((await get('/shop?attack')).status, 200);
    assert.equal((await request(`${gateway.proxy}/api?attack`, { method: 'POST' })).status, 200);
    await engine.stop();
  });

  test('the answer to attacks: status, body, content type', async () => {
    const engine = await rawEngine(judging);
    await use({ port: engine.port, block_status: 406, block_body: '<p>{status}: {event_id}</p>', block_content_type: 'text/html; charset=utf-8' });
    const answer = await get('/?attack');
    assert.deepEqual([answer.status, answer.text, answer.headers['content-type']], [406, `<p>406: ${EVENT_ID}</p>`, 'text/html; charset=utf-8']);
    for (const [wrong, text] of [[{ block_status: 200 }, 'between 400 and 599'], [{ block_body: '{what}' }, 'expected {event_id} or {status}'], [{ block_content_type: 'x' }, 'invalid value']]) {
      const refused = await gateway.change(wrong);
      assert.equal(refused.status, 400);
      assert.ok(refused.json().message.includes(text), refused.text);
    }
    await engine.stop();
  });

  test('headers with action and event id, where they are wanted', async () => {
    const engine = await rawEngine(judging);
    const shown = async (target) => {
      const { headers } = await get(target);
      return [headers['x-waf-action'], headers['x-waf-event-id']];
    };
    await use({ port: engine.port });
    assert.deepEqual(await shown('/?attack'), [undefined, undefined]);
    await use({ port: engine.port, response_headers: true });
    assert.deepEqual(await shown('/'), ['pass', undefined]);
    assert.deepEqual(await shown('/?attack'), ['deny', EVENT_ID]);
    assert.deepEqual(await shown('/?recorded'), ['monitor', EVENT_ID]);
    await use({ port: engine.port, response_headers: true, mode: 'monitor' });
    assert.deepEqual(await shown('/?attack'), ['monitor', EVENT_ID]);
    await engine.stop();
    await use({ port: await freePort(), response_headers: true });
    assert.deepEqual(await shown('/'), ['unjudged', undefined]);
    await use({ port: await freePort(), response_headers: true, on_error: 'block' });
    assert.deepEqual(await shown('/'), ['error', undefined]);
  });

  test('log plugins get action and event id', async () => {
    const engine = await rawEngine(judging);
    await use({ port: engine.port });
    await get('/only-here?attack');
    await until('the values', () => gateway.lines('/only-here').some((line) => line.includes('serialized {"waf":') && line.includes('"action":"deny"') && line.includes(`"event_id":"${EVENT_ID}"`)));
    await engine.stop();
  });

  test('each field has a description that says something', async () => {
    const answer = await gateway.enableJson({ host: '127.0.0.1' });
    assert.equal(answer.status, 201);
    const described = await request(`${gateway.admin}/schemas/plugins/waf`);
    const { fields } = described.json();
    const config = fields.find((entry) => entry.config).config;
    const missing = [];
    const walk = (list, at) => {
      for (const entry of list) {
        const [[name, field]] = Object.entries(entry);
        if (!(field.description?.length >= 10)) missing.push(at + name);
        walk(field.fields ?? field.elements?.fields ?? [], `${at}${name}.`);
      }
    };
    walk(config.fields, '');
    assert.deepEqual(missing, []);
    assert.ok(config.fields.length >= 25);

    const readme = fs.readFileSync(path.join(root, 'packaging/gateway-waf/README.md'), 'utf8');
    const rows = readme.split('\n').filter((line) => /^\| `/.test(line)).flatMap((line) => line.split('|')[1].match(/\w+/g));
    assert.deepEqual(rows.sort(), config.fields.map((entry) => Object.keys(entry)[0]).sort());
  });

  test('the examples for decK, DB-less and Kubernetes are configurations', async () => {
    const all = [...configs('kong.yaml'), ...configs('kubernetes.yaml')];
    assert.equal(all.length, 3);
    for (const config of all) {
      const answer = await gateway.enableJson(config);
      assert.equal(answer.status, 201, `${JSON.stringify(config)}: ${answer.text}`);
    }
    assert.deepEqual(all[0].match.exclude.paths, ['/healthz']);
    assert.equal((await gateway.enableJson({ ...all[0], mod: 'block' })).status, 400);
  });
});
