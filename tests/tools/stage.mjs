// The target of the tools: the vulnerable application on three databases, and, unless it is asked for bare, the gateway with the plugin
// and wafd in front of it. A recorder stands before all of that: it keeps each request as it came, and how it was answered.
import fs from 'node:fs';
import path from 'node:path';

import { startFront } from '../e2e/support/front.mjs';
import { databaseFolder, ended, isRoot, startMariaDb } from '../e2e/support/mariadb.mjs';
import { Program, freePort, root, run, tempFolder } from '../e2e/support/processes.mjs';
import { Recorder } from '../e2e/support/recorder.mjs';
import { request } from '../e2e/support/wafd.mjs';

// Debian's own Python: the clients of the databases are its packages.
const python = '/usr/bin/python3';
const postgresqlFolder = '/usr/lib/postgresql/15/bin';
const nobody = { uid: 65534, gid: 65534 };

async function startPostgreSql() {
  const folder = databaseFolder('pg');
  const data = path.join(folder, 'data');
  // PostgreSQL refuses to run as root. A user of its own is not on every machine; nobody is.
  if (isRoot) fs.chownSync(folder, nobody.uid, nobody.gid);
  const as = isRoot ? ['setpriv', `--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, '--clear-groups'] : [];
  const command = (name, ...args) => [...as, path.join(postgresqlFolder, name), ...args];
  const [make, ...makeArgs] = command('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  await ended('initdb', await run(make, makeArgs));
  const [start, ...startArgs] = command('postgres', '-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off',
    '-c', 'max_connections=200', '-c', 'statement_timeout=20000');
  const program = new Program(start, startArgs);
  await program.ready('its socket', () => fs.existsSync(path.join(folder, '.s.PGSQL.5432')) && program.stderr.includes('ready to accept'));
  return { program, folder };
}

export class Stage {
  // `sensitivity`: that of the site; null: the application alone.
  static async start({ sensitivity = 'balanced' } = {}) {
    const stage = new Stage();
    stage.programs = [];
    const mariadb = await startMariaDb(['--max-connections=200', '--max-statement-time=20']);
    const postgresql = await startPostgreSql();
    const port = await freePort();
    const app = new Program(python, [path.join(root, 'tests/tools/vulnerable_app.py'), '--port', `${port}`, '--mariadb', mariadb.socket,
      '--postgresql', postgresql.folder, '--sqlite', path.join(tempFolder('lite'), 'shop.db')]);
    stage.programs.push(app, mariadb.program, postgresql.program);
    await app.ready('answers', async () => (await request(`http://127.0.0.1:${port}/`)).status === 200);
    let front = port;
    if (sensitivity) {
      const guard = await startFront(port, { site: { name: 'shop', sensitivity } });
      stage.programs.unshift(guard);
      front = guard.port;
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
