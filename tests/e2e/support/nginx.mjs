// nginx with a configuration of packaging/gateways as it is shipped, its example addresses replaced.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { Program, freePort, root, tempFolder } from './processes.mjs';
import { shipped } from './shipped.mjs';
import { request } from './wafd.mjs';

const program = () => {
  const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((one) => fs.existsSync(one));
  assert.ok(nginx, 'nginx is installed (packaging/packages.txt)');
  return nginx;
};

// Writes the configuration into `folder`; what to start. `modules`: Debian's, to load.
export function shippedNginx(folder, name, addresses, { change = (text) => text, modules = [] } = {}) {
  const text = change(shipped(name, addresses));
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder}/${one};`).join(' ');
  const load = modules.map((one) => `load_module /usr/lib/nginx/modules/${one}.so;`).join(' ');
  const file = path.join(folder, 'nginx.conf');
  fs.writeFileSync(
    file,
    `${process.getuid() === 0 ? 'user root;' : ''} ${load} daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr warn;
     events { worker_connections 256; } http { access_log off; ${temp}\n${text}\n}\n`,
  );
  return [program(), ['-p', folder, '-c', file, '-e', 'stderr']];
}

// `url` of what it returns is where it listens, in place of 127.0.0.1:8080.
export async function startShippedNginx(name, addresses, options) {
  const port = await freePort();
  const nginx = new Program(...shippedNginx(tempFolder('nginx'), name, { '127.0.0.1:8080': `127.0.0.1:${port}`, ...addresses }, options));
  nginx.url = `http://127.0.0.1:${port}`;
  await nginx.ready('answers', async () => (await request(`${nginx.url}/-start`)).status > 0);
  return nginx;
}

// nginx-lua/: the folder of its Lua file is replaced too.
const lua = [{ '/usr/share/wafd': path.join(root, 'packaging') }, { modules: ['ndk_http_module', 'ngx_http_lua_module'] }];
export const luaNginx = (folder, addresses) => shippedNginx(folder, 'nginx-lua/nginx.conf', { ...lua[0], ...addresses }, lua[1]);
export const startLuaNginx = (addresses) => startShippedNginx('nginx-lua/nginx.conf', { ...lua[0], ...addresses }, lua[1]);
