// Debian's PostgreSQL as a cluster of a test's own: a temporary folder, a free port of loopback. It refuses to run as root.
import fs from 'node:fs';
import path from 'node:path';

import { ended, isRoot } from './mariadb.mjs';
import { Program, freePort, run, tempFolder } from './processes.mjs';

const nobody = 65534;

function programs() {
  const root = '/usr/lib/postgresql';
  const versions = fs.readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return path.join(root, versions.find((version) => fs.existsSync(path.join(root, version, 'bin/initdb'))), 'bin');
}

// Its owner is "owner", with the password "secret".
export class Postgres {
  static async start() {
    const postgres = new Postgres();
    postgres.folder = tempFolder('pg');
    fs.chmodSync(postgres.folder, 0o777);
    postgres.port = await freePort();
    postgres.password = path.join(postgres.folder, 'password');
    fs.writeFileSync(postgres.password, 'secret\n', { mode: 0o644 });
    postgres.as = isRoot ? { uid: nobody, gid: nobody } : {};
    const data = path.join(postgres.folder, 'data');
    await ended('initdb', await run(path.join(programs(), 'initdb'), ['-D', data, '-U', 'owner', '--no-sync', '-A', 'scram-sha-256', `--pwfile=${postgres.password}`, '-E', 'UTF8', '--no-locale'], postgres.as));
    await postgres.launch();
    return postgres;
  }

  async launch() {
    this.program = new Program(path.join(programs(), 'postgres'), ['-D', path.join(this.folder, 'data'), '-p', String(this.port), '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${this.folder}`, '-c', 'fsync=off'], this.as);
    await this.program.ready('answers', async () => (await this.psql('SELECT 1')).code === 0);
  }

  psql(text) {
    return run('psql', ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'owner', '-d', 'postgres', '-At', '-v', 'ON_ERROR_STOP=1', '-c', text], { env: { ...process.env, PGPASSWORD: 'secret' } });
  }
  async sql(text) {
    const answer = await this.psql(text);
    await ended(text, answer);
    return answer.stdout.trim();
  }
  get url() {
    return `postgresql://owner@127.0.0.1:${this.port}/postgres?sslmode=disable`;
  }
}
