// A wafd of this test's own: free ports, a temporary state folder, an API token.
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';

import { Program, freePort, run, tempFolder, until, wafdPath } from './processes.mjs';

// The built-in rules as the first start of these tests compiled them (two seconds of computing), in the folders of all
// later ones, as a node has them that ran before.
const compiledRules = `${wafdPath}-compiled-rules`;
const compiledBefore = () => fs.existsSync(compiledRules) && fs.statSync(compiledRules).mtimeMs > fs.statSync(wafdPath).mtimeMs;

function keepCompiledRules(state) {
  const copy = `${compiledRules}.${process.pid}`;  // files of tests run side by side
  fs.copyFileSync(path.join(state, 'compiled-rules'), copy);
  fs.renameSync(copy, compiledRules);
}

// One HTTP exchange without any client cleverness; the answer's body as a string of bytes.
export function request(url, { method = 'GET', headers = {}, body, agent } = {}) {
  const { protocol } = new URL(url);
  const client = protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const out = client.request(url, { method, headers, agent, rejectUnauthorized: false }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        resolve({ status: answer.statusCode, headers: answer.headers, text, json: () => JSON.parse(text) });
      });
    });
    out.setTimeout(20000, () => out.destroy(new Error('no answer in 20 s')));
    out.on('error', reject);
    out.end(body);
  });
}

export class Wafd {
  static async start(settings = {}, { state = null, token = true, ready = true } = {}) {
    const wafd = new Wafd();
    wafd.state = state ?? tempFolder('state');
    const fresh = state === null && !compiledBefore();
    if (state === null && !fresh) fs.copyFileSync(compiledRules, path.join(wafd.state, 'compiled-rules'));
    wafd.settings = {
      'ingest.t1k.listen': `127.0.0.1:${await freePort()}`,
      'ingest.http.listen': `127.0.0.1:${await freePort()}`,
      'console.listen': `127.0.0.1:${await freePort()}`,
      'ring.size_mib': 16,
      node: 'node-1',
      ...settings,
    };
    if (token) await wafd.makeToken();
    await wafd.launch(ready);
    if (fresh && ready && !settings['rules.files']) keepCompiledRules(wafd.state);
    return wafd;
  }

  async makeToken(scope = 'admin') {
    const made = await run(wafdPath, ['token', 'create', '--state-dir', this.state, '--name', `test-${Date.now()}-${Math.random()}`, '--scope', scope]);
    if (made.code !== 0) throw new Error(`wafd token create: ${made.stderr}`);
    this.token = made.stdout.trim();
    return this.token;
  }

  // Also after a kill: the same state and ports.
  async launch(ready = true, env = {}) {
    const sets = Object.entries(this.settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    this.program = new Program(wafdPath, ['run', '--state-dir', this.state, ...sets], { env: { ...process.env, ...env } });
    if (ready) await this.program.ready('ready', () => this.#is_ready());
  }

  // Of a launch that may fail: true once it is ready, false once it has ended.
  async started(seconds = 30) {
    return (await until('ready or gone', async () => this.program.exit ?? this.#is_ready(), seconds)) === true;
  }

  async #is_ready() {
    return (await request(`${this.http}/readyz`)).status === 200;
  }

  get t1kPort() {
    return Number(this.settings['ingest.t1k.listen'].split(':').pop());
  }
  get http() {
    return `http://${this.settings['ingest.http.listen']}`;
  }
  get console() {
    return `https://${this.settings['console.listen']}`;
  }

  // A call of the API with the token; throws unless the status is one of `expect`.
  async api(method, path, body, expect = [200, 201, 204]) {
    const answer = await request(`${this.console}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    });
    if (!expect.includes(answer.status)) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.text ? answer.json() : null;
  }

  // All of a collection: its answer has one list, under the last word of the path.
  async list(where) {
    return (await this.api('GET', where))[where.split('/').pop()];
  }

  async addTarget(target) {
    return this.api('POST', '/syslog/targets', { name: 'siem', host: '127.0.0.1', ...target });
  }

  // Waits until the delivery loop says that the target has settled everything.
  async settled(id) {
    return until(`target ${id} settled`, async () => {
      const target = await this.api('GET', `/syslog/targets/${id}`);
      return target.status && target.status.lag_events === 0 && target;
    });
  }

  async event(id) {
    return until(`event ${id}`, async () => {
      const answer = await request(`${this.console}/api/v1/events/${id}`, { headers: { Authorization: `Bearer ${this.token}` } });
      return answer.status === 200 && answer.json();
    });
  }

  // The id that the log gives the event (log.events); '' where it has none.
  async requestId(id) {
    const line = await until(`line of event ${id}`, () => this.program.stderr.split('\n').slice(0, -1).find((one) => one.includes(`event_id=${id}`)));
    return / request_id=(\S+)/.exec(line)?.[1] ?? '';
  }

  stop() {
    return this.program.stop();
  }
}
