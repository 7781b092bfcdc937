// What the tools attack: the vulnerable application on three databases, and, unless it is asked for bare, the gateway with the plugin
// and wafd in front of it. A recorder stands before all of that: it keeps each request as it came, and how it was answered.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

import { Gateway } from '../e2e/support/gateway.mjs';
import { Program, freePort, root, run, tempFolder } from '../e2e/support/processes.mjs';
import { Wafd, request } from '../e2e/support/wafd.mjs';

// Debian's own Python: the clients of the databases are its packages.
const python = '/usr/bin/python3';
const postgresqlFolder = '/usr/lib/postgresql/15/bin';
const isRoot = process.getuid() === 0;

// Sockets of databases have short paths, and PostgreSQL does not run as root.
function databaseFolder(name) {
  const folder = tempFolder(name);
  if (isRoot) fs.chmodSync(folder, 0o777);
  return folder;
}

async function ended(what, result) {
  if (result.code !== 0) throw new Error(`${what}: ${result.stderr.slice(-2000)}`);
}

async function startMariaDb() {
  const folder = databaseFolder('my');
  const data = path.join(folder, 'data');
  const user = isRoot ? ['--user=root'] : [];
  await ended('mariadb-install-db', await run('mariadb-install-db', [`--datadir=${data}`, '--auth-root-authentication-method=normal', ...user]));
  const socket = path.join(folder, 's');
  const program = new Program('/usr/sbin/mariadbd', ['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, '--skip-networking',
    `--pid-file=${folder}/pid`, '--max-connections=200', '--max-statement-time=20', ...user]);
  await program.ready('its socket', () => fs.existsSync(socket));
  return { program, socket };
}

async function startPostgreSql() {
  const folder = databaseFolder('pg');
  const data = path.join(folder, 'data');
  const as = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
  const command = (name, ...args) => [...as, path.join(postgresqlFolder, name), ...args];
  const [make, ...makeArgs] = command('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  await ended('initdb', await run(make, makeArgs));
  const [start, ...startArgs] = command('postgres', '-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off',
    '-c', 'max_connections=200', '-c', 'statement_timeout=20000');
  const program = new Program(start, startArgs);
  await program.ready('its socket', () => fs.existsSync(path.join(folder, '.s.PGSQL.5432')) && program.stderr.includes('ready to accept'));
  return { program, folder };
}

// Hands connections on to `port` and keeps what it hands on. `requests` counts, `denied` those answered with 403.
export class Recorder {
  constructor(port) {
    this.target = port;
    this.requests = 0;
    this.denied = 0;
    this.keep = null; // a folder: what is new goes there as a file of its own
    this.kept = new Set();
    this.server = net.createServer((client) => this.serve(client));
  }
  async listen() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.port = this.server.address().port;
  }
  serve(client) {
    const upstream = net.connect(this.target, '127.0.0.1');
    let sent = [];
    let status = '';
    const note = () => {
      this.note(Buffer.concat(sent), status);
      sent = [];
      status = '';
    };
    // The tools wait for an answer before they ask again: what comes behind an answer is the next request.
    client.on('data', (data) => {
      if (status) note();
      sent.push(data);
    });
    upstream.on('data', (data) => (status = status || data.subarray(9, 12).toString('latin1')));
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    upstream.on('close', note);
    client.pipe(upstream);
    upstream.pipe(client);
  }
  note(octets, status) {
    if (!octets.length || !status) return;
    ++this.requests;
    if (status === '403') ++this.denied;
    const text = octets.toString('latin1');
    if (!this.keep || this.kept.has(text)) return;
    this.kept.add(text);
    fs.writeFileSync(path.join(this.keep, `${this.kept.size}.${status === '403' ? 'denied' : 'passed'}`), octets);
  }
  // Begins to count anew.
  take() {
    const counts = { requests: this.requests, denied: this.denied };
    this.requests = this.denied = 0;
    return counts;
  }
  stop() {
    return new Promise((resolve) => this.server.close(resolve));
  }
}

export class Stage {
  // `sensitivity`: that of the site; null: the application alone.
  static async start({ sensitivity = 'balanced' } = {}) {
    const stage = new Stage();
    stage.programs = [];
    const mariadb = await startMariaDb();
    const postgresql = await startPostgreSql();
    const port = await freePort();
    const app = new Program(python, [path.join(root, 'tests/tools/vulnerable_app.py'), '--port', `${port}`, '--mariadb', mariadb.socket,
      '--postgresql', postgresql.folder, '--sqlite', path.join(tempFolder('lite'), 'shop.db')]);
    stage.programs.push(app, mariadb.program, postgresql.program);
    await app.ready('answers', async () => (await request(`http://127.0.0.1:${port}/`)).status === 200);
    let front = port;
    if (sensitivity) {
      stage.wafd = await Wafd.start();
      await stage.wafd.api('PUT', '/sites/0', { name: 'shop', sensitivity });
      stage.gateway = await Gateway.start(port, { args: ['--service', `shop=http://127.0.0.1:${port}`] });
      const enabled = await stage.gateway.enable({ host: '127.0.0.1', port: stage.wafd.t1kPort });
      if (enabled.status >= 300) throw new Error(`plugin: ${enabled.text}`);
      stage.programs.unshift(stage.gateway, stage.wafd);
      front = stage.gateway.proxyPort;
    }
    stage.recorder = new Recorder(front);
    await stage.recorder.listen();
    return stage;
  }
  get url() {
    return `http://127.0.0.1:${this.recorder.port}`;
  }
  async stop() {
    await this.recorder?.stop();
    for (const program of this.programs) await program.stop();
  }
}
