// The stand-in gateway with the plugin, in front of a small application of this test's own.
import http from 'node:http';
import path from 'node:path';

import { Program, freePort, root, tempFolder } from './processes.mjs';
import { request } from './wafd.mjs';

// Answers every request with what it got, as JSON; `seen` keeps the last of them.
export async function startUpstream() {
  const upstream = { seen: [] };
  upstream.server = http.createServer((incoming, answer) => {
    const parts = [];
    incoming.on('data', (part) => parts.push(part));
    incoming.on('end', () => {
      Object.assign(upstream, { body: Buffer.concat(parts), headers: incoming.headers }); // of the newest request
      const entry = { method: incoming.method, url: incoming.url, bytes: upstream.body.length };
      upstream.seen.push(entry);
      answer.setHeader('Content-Type', 'application/json');
      answer.end(JSON.stringify(entry));
    });
  });
  await new Promise((resolve) => upstream.server.listen(0, '127.0.0.1', resolve));
  upstream.port = upstream.server.address().port;
  upstream.stop = () => {
    upstream.server.closeAllConnections?.();
    return new Promise((resolve) => upstream.server.close(resolve));
  };
  return upstream;
}

export class Gateway {
  static async start(upstreamPort, { plugin = path.join(root, 'packaging/gateway-waf'), args = [] } = {}) {
    const gateway = new Gateway();
    gateway.adminPort = await freePort();
    gateway.proxyPort = await freePort();
    gateway.http2Port = await freePort();
    gateway.program = new Program(path.join(root, 'tests/support/gateway/start'), [
      '--prefix', tempFolder('gateway'), '--plugin', plugin, '--admin', `${gateway.adminPort}`,
      '--proxy', `${gateway.proxyPort}`, '--http2', `${gateway.http2Port}`,
      '--service', `shop=http://127.0.0.1:${upstreamPort}`, ...args,
    ]);
    await gateway.program.ready('answers', async () => (await request(`${gateway.admin}/services/shop/plugins`)).status === 200);
    return gateway;
  }

  get admin() {
    return `http://127.0.0.1:${this.adminPort}`;
  }
  get proxy() {
    return `http://127.0.0.1:${this.proxyPort}`;
  }

  // The admin call; fields without their `config.`. Replaces what was there.
  async enable(config) {
    await request(`${this.admin}/services/shop/plugins`, { method: 'DELETE' });
    return this.create(config);
  }

  create(config, name = 'waf') {
    const form = new URLSearchParams({ name });
    for (const [key, value] of Object.entries(config)) form.set(`config.${key}`, `${value}`);
    return request(`${this.admin}/services/shop/plugins`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
  }

  // Changes what was created; `config` as JSON, so null is null.
  change(config) {
    return request(`${this.admin}/services/shop/plugins/shop-waf`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ config }),
    });
  }

  // As an older version of the plugin may have left it in the database: judged by nobody.
  async store(config) {
    const answer = await request(`${this.admin}/services/shop/plugins?unjudged=1`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ config }),
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  }

  // `config` as JSON, for lists and records. Replaces what was there.
  async enableJson(config) {
    await request(`${this.admin}/services/shop/plugins`, { method: 'DELETE' });
    return request(`${this.admin}/services/shop/plugins`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'waf', config }),
    });
  }

  // Lines of the error log that hold `text`.
  lines(text) {
    return this.program.stderr.split('\n').filter((line) => line.includes(text));
  }

  stop() {
    return this.program.stop();
  }
}
