// Applications in PHP, on PHP's own server.
import net from 'node:net';
import path from 'node:path';

import { startMariaDb } from '../../e2e/support/mariadb.mjs';

const answers = (port) =>
  new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => resolve(socket.destroy() && true));
    socket.on('error', () => resolve(false));
  });

// Listens on the stage's application port.
export async function servePhp(stage, folder, { settings = {}, env = {} } = {}) {
  const all = {
    upload_max_filesize: '64M',
    post_max_size: '64M',
    max_input_vars: 5000,
    memory_limit: '512M',
    display_errors: 0,
    'session.save_path': stage.temp('sessions'),
    ...settings,
  };
  const args = Object.entries(all).flatMap(([key, value]) => ['-d', `${key}=${value}`]);
  stage.run('php', [...args, '-S', `127.0.0.1:${stage.appPort}`, '-t', folder], {
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: '3', ...env },
    detached: true,
  });
  await stage.until('PHP listens', () => answers(stage.appPort));
}

// A database of MariaDB that `app` owns; gives its socket.
export async function makeDatabase(stage, name) {
  const { program, socket } = await startMariaDb();
  stage.programs.push(program);
  await stage.done('mariadb', [
    '--no-defaults',
    `--socket=${socket}`,
    '-uroot',
    '-e',
    `create database ${name} character set utf8mb4; create user app@localhost identified by 'app'; grant all on *.* to app@localhost`,
  ]);
  return socket;
}

// A package's folder with what its links lead to: a copy to write into.
export async function copyOf(stage, folder, name) {
  const to = path.join(stage.temp(name), name);
  await stage.done('cp', ['-rL', folder, to]);
  return to;
}

// A package's copy names its own folders by absolute paths; `places` says where each of them is now.
export async function movedTo(stage, folder, places) {
  for (const [from, to] of Object.entries(places))
    await stage.done('sh', ['-c', 'grep -rlIF -- "$1" "$3" | xargs -r sed -i "s|$1|$2|g"', 'sh', from, to, folder]);
}

// What a web server in front would set: PHP's own gives its address as the server's name. `script` is PHP that runs before every page.
export const prelude = (stage, script = '') =>
  stage.write(
    path.join(stage.temp('prelude'), 'prelude.php'),
    `<?php $_SERVER['SERVER_NAME'] = '${stage.host}'; $_SERVER['SERVER_PORT'] = '80';\n${script}\n`,
  );
