// The Debian package in a clean Debian root made here: installed, used, upgraded with a configuration that was changed, removed, purged, installed
// anew. No systemd runs there: the daemon is started as the unit's user. As root, from Debian's archive: part of tests/long, not of tests/run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';

import { Program, freePort, root, run, tempFolder, until } from './support/processes.mjs';
import { request } from './support/wafd.mjs';

const folder = tempFolder('debian-root');
const base = path.join(folder, 'root');
const inside = (name) => path.join(base, name);
const done = async (program, ...words) => {
  const result = await run(program, words, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' } });
  assert.equal(result.code, 0, `${program} ${words.join(' ')}: ${result.stdout.slice(-3000)}${result.stderr.slice(-3000)}`);
  return result.stdout;
};
// With /proc, in a namespace of mounts of its own: nothing is mounted where this test's folder is removed.
const in_root = (...words) => ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', 'mount --rbind /proc "$0/proc" && exec "$@"', base, 'chroot', ...words];
const there = (...words) => done(...in_root(base, ...words));
const apt = (...words) => there('apt-get', '-y', '-q', '-o', 'Dpkg::Options::=--force-confold', '--no-install-recommends', ...words);

// The version before: the same program under an earlier number, with another default configuration.
async function earlier(deb) {
  const tree = path.join(folder, 'earlier');
  await done('dpkg-deb', '-R', deb, tree);
  const control = path.join(tree, 'DEBIAN/control');
  fs.writeFileSync(control, fs.readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 0.0.9'));
  fs.appendFileSync(path.join(tree, 'etc/wafd/wafd.json'), '// of 0.0.9\n');
  fs.writeFileSync(path.join(tree, 'usr/share/wafd/only-in-0.0.9'), '');
  const out = path.join(folder, 'wafd_0.0.9_amd64.deb');
  await done('dpkg-deb', '--root-owner-group', '--build', tree, out);
  return out;
}

// As the unit starts it, for an attack and its event.
async function life() {
  const [t1k, http, console_port] = [await freePort(), await freePort(), await freePort()];
  const set = Object.entries({ 'ingest.t1k': t1k, 'ingest.http': http, console: console_port }).flatMap(([key, port]) => ['--set', `${key}.listen=127.0.0.1:${port}`]);
  const [program, ...words] = in_root('--userspec=wafd:wafd', base, '/usr/bin/wafd', 'run', '--set', 'ring.size_mib=16', ...set);
  const daemon = new Program(program, words);
  try {
    await daemon.ready('ready', async () => (await request(`http://127.0.0.1:${http}/readyz`)).status === 200);
    const answer = await request(`http://127.0.0.1:${http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': '/item?id=1%27%20OR%20%271%27=%271' } });
    assert.equal(answer.status, 403);
    return answer.json().event_id;
  } finally {
    assert.deepEqual(await daemon.stop(60), { code: 0, signal: null }, daemon.stderr.slice(-2000));
  }
}
const events = async () => (await there('wafd', 'events', '--json', '--limit', '100', '--state-dir', '/var/lib/wafd')).split('\n').filter(Boolean).map((line) => JSON.parse(line).event_id);
const owner = (name) => there('stat', '-c', '%U:%G %a', name).then((text) => text.trim());

describe('the package in a clean root', { timeout: 1_800_000 }, () => {
  let version;
  const seen = [];
  before(async () => {
    const deb = (await done(path.join(root, 'packaging/debian/build'), path.join(root, 'build/release/wafd'), folder)).trim();
    version = (await done('dpkg-deb', '-f', deb, 'Version')).trim();
    const before_it = await earlier(deb);
    await done('mmdebstrap', '--quiet', '--variant=apt', 'bookworm', base);
    fs.copyFileSync('/etc/resolv.conf', inside('etc/resolv.conf'));
    fs.copyFileSync(before_it, inside('root/before.deb'));
    fs.copyFileSync(deb, inside('root/now.deb'));
    await apt('update');
  });

  test('installs with nothing of wafd there before: user, folders, files for the service alone', async () => {
    await apt('install', '/root/before.deb');
    assert.match(await there('getent', 'passwd', 'wafd'), /^wafd:x:\d+:\d+:wafd,*:\/var\/lib\/wafd:\/usr\/sbin\/nologin$/m);
    assert.equal(await owner('/var/lib/wafd'), 'wafd:wafd 700');
    assert.equal(await owner('/etc/wafd'), 'root:wafd 750');
    assert.equal(await owner('/etc/wafd/wafd.json'), 'root:wafd 640');
    assert.ok(fs.existsSync(inside('usr/share/man/man1/wafd.1.gz')));
    assert.equal((await there('dpkg', '--verify', 'wafd')).trim(), '');
    seen.push(await life());
    assert.deepEqual(await events(), seen);
  });

  test('an upgrade keeps a configuration that was changed, the state and its events', async () => {
    const file = inside('etc/wafd/wafd.json');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('"node": ""', '"node": "kept-node"'));
    const changed = fs.readFileSync(file, 'utf8');
    assert.match(changed, /kept-node/);
    await apt('install', '/root/now.deb');
    assert.equal((await there('dpkg-query', '-W', '-f', '${Version} ${Status}', 'wafd')).trim(), `${version} install ok installed`);
    assert.equal(fs.readFileSync(file, 'utf8'), changed);
    assert.ok(fs.existsSync(`${file}.dpkg-dist`), 'the new default is beside it');
    assert.equal(await owner('/etc/wafd/wafd.json'), 'root:wafd 640');
    assert.ok(!fs.existsSync(inside('usr/share/wafd/only-in-0.0.9')));
    seen.push(await life());
    assert.deepEqual((await events()).sort(), seen.toSorted());
    assert.match(await there('wafd', 'events', '--json', '--limit', '1', '--state-dir', '/var/lib/wafd'), /kept-node/);
  });

  test('removing leaves configuration and state, and installing takes them up again', async () => {
    const files = (await there('dpkg', '-L', 'wafd')).trim().split('\n').filter((name) => fs.statSync(inside(name)).isFile());
    await apt('remove', 'wafd');
    for (const name of files) assert.equal(fs.existsSync(inside(name)), name === '/etc/wafd/wafd.json', name);
    assert.ok(fs.existsSync(inside('var/lib/wafd/ring')));
    await apt('install', '/root/now.deb');
    seen.push(await life());
    assert.deepEqual((await events()).sort(), seen.toSorted());
  });

  test('purging leaves nothing but the user; then it installs as new', async () => {
    const files = (await there('dpkg', '-L', 'wafd')).trim().split('\n').filter((name) => fs.statSync(inside(name)).isFile());
    assert.ok(files.length > 50);
    await apt('purge', 'wafd');
    for (const name of files) assert.ok(!fs.existsSync(inside(name)), name);
    for (const name of ['var/lib/wafd', 'etc/wafd/wafd.json', 'usr/share/wafd', 'usr/share/doc/wafd', 'etc/systemd/system/multi-user.target.wants/wafd.service']) assert.ok(!fs.existsSync(inside(name)), name);
    assert.match(await there('getent', 'passwd', 'wafd'), /^wafd:/);
    assert.match(await there('sh', '-c', 'dpkg-query -W -f \'${Status}\' wafd 2>/dev/null || echo none'), /none|not-installed/);
    await apt('install', '/root/now.deb');
    const first = await life();
    assert.deepEqual(await events(), [first]);
  });
});
