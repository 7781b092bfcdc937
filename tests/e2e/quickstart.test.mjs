// The quickstart as a newcomer runs it, on free ports: what it prints to try works, and Ctrl-C leaves nothing behind.
import assert from 'node:assert/strict';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';

import { Program, freePort, root, until } from './support/processes.mjs';
import { request } from './support/wafd.mjs';

async function environment() {
  const env = { ...process.env };
  for (const name of ['PROXY', 'UPSTREAM', 'ADMIN', 'T1K', 'HTTP', 'CONSOLE']) env[`WAFD_QUICKSTART_${name}`] = `${await freePort()}`;
  env.WAFD_QUICKSTART_SYSLOG = `${await freePort()}`;
  return env;
}

const script = path.join(root, 'packaging/quickstart/run');

test('quickstart', { timeout: 10 * 60 * 1000 }, async () => {
  const env = await environment();
  const program = new Program(script, [], { env });
  try {
    await program.ready('says what to try', () => program.stdout.includes('Ctrl-C stops all'), 500);
    const proxy = `http://127.0.0.1:${env.WAFD_QUICKSTART_PROXY}`;
    assert.ok(program.stdout.includes(`curl -i '${proxy}/?id=1%27%20OR%20%271%27=%271'`));
    const attack = await request(`${proxy}/?id=1%27%20OR%20%271%27=%271`);
    assert.equal(attack.status, 403);
    const id = attack.json().event_id;
    await until('the syslog in the same terminal', () => program.stdout.includes(id));
    assert.equal((await request(`${proxy}/?id=1`)).status, 200);
    assert.equal((await request(`https://127.0.0.1:${env.WAFD_QUICKSTART_CONSOLE}/`)).status, 200);
  } finally {
    program.child.kill('SIGINT');
    await program.ended;
  }
  for (const [name, port] of Object.entries(env)) {
    if (!/^WAFD_QUICKSTART_(?!SYSLOG)/.test(name)) continue;
    const open = await new Promise((resolve) => {
      const socket = net.connect(Number(port), '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
    });
    assert.equal(open, false, `${name} ${port} still listens`);
  }
});

test('a taken port is named in one line', async () => {
  const env = await environment();
  const server = net.createServer();
  await new Promise((resolve) => server.listen(Number(env.WAFD_QUICKSTART_T1K), '127.0.0.1', resolve));
  const program = new Program(script, [], { env });
  const { code } = await program.ended;
  server.close();
  assert.equal(code, 1);
  assert.equal(program.stderr.trim(), `quickstart: port ${env.WAFD_QUICKSTART_T1K} (t1k) is taken; free it or set WAFD_QUICKSTART_T1K`);
});

test('quickstart of a fleet', { timeout: 10 * 60 * 1000 }, async () => {
  const env = { ...process.env };
  for (const name of ['PROXY', 'UPSTREAM', 'CONSOLE', 'DATABASE', 'NODE1', 'NODE2', 'NODE3']) env[`WAFD_QUICKSTART_${name}`] = `${await freePort()}`;
  const program = new Program(path.join(root, 'packaging/quickstart/fleet'), [], { env });
  try {
    await program.ready('says what to try', () => program.stdout.includes('Ctrl-C stops all.'), 500);
    const attack = async () => request(`http://127.0.0.1:${env.WAFD_QUICKSTART_PROXY}/?id=1%27%20OR%20%271%27=%271`);
    const console_url = `https://127.0.0.1:${env.WAFD_QUICKSTART_CONSOLE}`;
    const token = / with this token: (\S+)/.exec(program.stdout)[1];
    const made = await request(`${console_url}/api/v1/setup`, { method: 'POST', headers: { 'Content-Type': 'application/json', Origin: console_url }, body: JSON.stringify({ token, username: 'admin', password: 'violet-otter-41' }) });
    assert.ok([200, 201].includes(made.status), made.text);
    const headers = { Cookie: [made.headers['set-cookie']].flat().map((one) => one.split(';')[0]).join('; ') };
    const api = async (what) => (await request(`${console_url}/api/v1${what}`, { headers })).json();
    await until('all nodes to use the settings', async () => (await api('/fleet')).nodes.filter((one) => one.settings_version === 2).length === 3, 60);
    for (let i = 0; i < 6; ++i) assert.equal((await attack()).status, 403);
    await until('events of all three', async () => new Set((await api('/events')).events.map((one) => one.record.node)).size === 3, 60);
  } finally {
    program.child.kill('SIGINT');
    await program.ended;
  }
  assert.doesNotMatch(program.stderr, /quickstart:/);
});
