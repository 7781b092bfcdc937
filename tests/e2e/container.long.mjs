// The image of packaging/container, built by podman on a Debian root made here, and run as Kubernetes would: on a read-only root, as a user
// without rights, its health asked for. Some minutes and Debian's archive: part of tests/long, not of tests/run. As root.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { freePort, root, run, tempFolder, until } from './support/processes.mjs';
import { request } from './support/wafd.mjs';

const folder = tempFolder('container');
// Storage of its own. Limits are as they are here: whoever runs this may not raise them. runc knows every kind of cgroup.
const podman = (...words) => run('podman', ['--root', `${folder}/store`, '--runroot', `${folder}/run`, '--tmpdir', `${folder}/tmp`, '--cgroup-manager', 'cgroupfs', '--events-backend', 'file', '--runtime', 'runc', ...words]);
const done = async (program, ...words) => {
  const result = await (program === 'podman' ? podman(...words) : run(program, words));
  assert.equal(result.code, 0, `${program} ${words.join(' ')}: ${result.stderr.slice(-2000)}`);
  return result.stdout.trim();
};
const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=1024:1024'];

describe('the image of wafd', { timeout: 1_200_000 }, () => {
  const started = [];
  before(async () => {
    await done('mmdebstrap', '--quiet', '--variant=minbase', '--include=ca-certificates', 'bookworm', `${folder}/base.tar`);
    await done('podman', 'import', `${folder}/base.tar`, 'debian:bookworm-slim');
    const context = path.join(folder, 'context');
    await done(path.join(root, 'packaging/debian/build'), path.join(root, 'build/release/wafd'), path.join(context, 'build/debian'));
    for (const file of ['.dockerignore', 'CMakeLists.txt']) fs.copyFileSync(path.join(root, file), path.join(context, file));
    fs.writeFileSync(path.join(context, 'build/debian/wafd_0.0.1_all.deb'), 'of an older version, never taken');
    fs.cpSync(path.join(root, 'packaging/container'), path.join(context, 'packaging/container'), { recursive: true });
    await done('podman', 'build', '--quiet', '--format', 'docker', '--isolation', 'chroot', '--pull=never', ...limits.slice(0, 2), '-t', 'wafd', '-f', path.join(context, 'packaging/container/Containerfile'), context);
  });
  after(async () => {
    for (const name of started) await podman('rm', '--force', '--time', '0', name);
    await podman('rmi', '--all', '--force');
    fs.rmSync(folder, { recursive: true, force: true });
  });

  // On ports of this machine's loopback: no network of its own is asked of the kernel.
  async function start(name, volume) {
    const ports = { t1k: await freePort(), http: await freePort(), console: await freePort() };
    const set = Object.entries({ 'ingest.t1k': ports.t1k, 'ingest.http': ports.http, console: ports.console }).flatMap(([key, port]) => ['--set', `${key}.listen=127.0.0.1:${port}`]);
    started.push(name);
    await done('podman', 'run', '--detach', '--name', name, '--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--network', 'host', ...limits, '--volume', volume, 'wafd', 'run', '--set', 'ring.size_mib=64', ...set);
    await until(`${name} is ready`, async () => (await podman('exec', name, '/usr/bin/wafd', 'health')).code === 0, 60_000);
    return ports;
  }
  const attack = (port) => request(`http://127.0.0.1:${port}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': '/item?id=1%27%20OR%20%271%27=%271' } });

  test('runs without rights on a read-only root, blocks, tells its health and ends by itself', async () => {
    const { http } = await start('first', 'wafd-state:/var/lib/wafd');
    assert.equal(await done('podman', 'exec', 'first', 'id', '-u'), '10001');
    const write = await podman('exec', 'first', 'touch', '/usr/bin/other');
    assert.match(write.stderr, /Read-only file system/);
    const status = await done('podman', 'exec', 'first', 'grep', '-E', 'CapEff|NoNewPrivs', '/proc/1/status');
    assert.match(status, /CapEff:\s+0+$/m);
    assert.match(status, /NoNewPrivs:\s+1/);
    const answer = await attack(http);
    assert.equal(answer.status, 403);
    const events = await done('podman', 'exec', 'first', 'wafd', 'events', '--limit', '1', 'type:sqli');
    assert.ok(events.includes(answer.json().event_id));
    assert.match(await done('podman', 'exec', 'first', 'cat', '/var/lib/wafd/setup-token'), /^[0-9a-f]{32}$/);
    await done('podman', 'healthcheck', 'run', 'first');
    await done('podman', 'stop', '--time', '20', 'first');
    assert.equal(await done('podman', 'inspect', '--format', '{{.State.ExitCode}}', 'first'), '0');
    // Its state outlives it.
    await start('second', 'wafd-state:/var/lib/wafd');
    assert.ok((await done('podman', 'exec', 'second', 'wafd', 'events', '--limit', '1')).includes(answer.json().event_id));
  });

  test('a volume that only its group may write to is enough, as a claim of Kubernetes with fsGroup is', async () => {
    const state = path.join(folder, 'state');
    fs.mkdirSync(state);
    fs.chownSync(state, 0, 10001);
    fs.chmodSync(state, 0o2770);
    const { http } = await start('claimed', `${state}:/var/lib/wafd`);
    assert.equal((await attack(http)).status, 403);
  });

  test('a configuration that is mounted over the one inside is taken, and a wrong one is said', async () => {
    const file = path.join(folder, 'wafd.json');
    fs.writeFileSync(file, '{"nod": "x"}');
    const told = await podman('run', '--rm', '--read-only', '--network', 'host', ...limits, '--volume', `${file}:/etc/wafd/wafd.json:ro`, 'wafd', 'config', 'check');
    assert.notEqual(told.code, 0);
    assert.match(told.stdout + told.stderr, /nod/);
  });
});
