// Debian's MariaDB as a cluster of a test's own: a temporary folder, a socket, no network.
import fs from 'node:fs';
import path from 'node:path';

import { Program, run, tempFolder } from './processes.mjs';

export const isRoot = process.getuid() === 0;

export async function ended(what, result) {
  if (result.code !== 0) throw new Error(`${what}: ${result.stderr.slice(-2000)}`);
}

// Sockets of databases have short paths, and some databases do not run as root.
export function databaseFolder(name) {
  const folder = tempFolder(name);
  if (isRoot) fs.chmodSync(folder, 0o777);
  return folder;
}

export async function startMariaDb(args = []) {
  const folder = databaseFolder('my');
  const data = path.join(folder, 'data');
  const user = isRoot ? ['--user=root'] : [];
  await ended('mariadb-install-db', await run('mariadb-install-db', [`--datadir=${data}`, '--auth-root-authentication-method=normal', ...user]));
  const socket = path.join(folder, 's');
  const program = new Program('/usr/sbin/mariadbd', [
    '--no-defaults',
    `--datadir=${data}`,
    `--socket=${socket}`,
    '--skip-networking',
    `--pid-file=${folder}/pid`,
    ...user,
    ...args,
  ]);
  await program.ready('its socket', () => fs.existsSync(socket));
  return { program, socket };
}
