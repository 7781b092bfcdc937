// Real nodes on one real PostgreSQL whose settings are the fleet's: what is changed on one console is in force on all, two who
// change at once, a version that one node cannot use, starting while the database is away, keys, roles, joining.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { ended } from './support/mariadb.mjs';
import { database } from './support/mmdb.mjs';
import { Postgres } from './support/postgres.mjs';
import { run, tempFolder, until, wafdPath } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const attack = async (wafd, host) => (await request(`${wafd.http}/check/?id=1%27%20OR%20%271%27=%271`, { headers: { Host: host } })).status;
const site = (name) => ({ name, hosts: [`${name}.example`], mode: 'monitor' });
const status_of = async (wafd) => (await wafd.api('GET', '/status')).settings;
const version_of = async (wafd) => (await status_of(wafd)).version;
const in_use = (wafd, version) => until(`version ${version} on ${wafd.settings.node}`, async () => await version_of(wafd) === version);
const wafd = async (...words) => run(wafdPath, words);

async function key_in(file) {
  const made = await wafd('fleet', 'key');
  await ended('wafd fleet key', made);
  fs.writeFileSync(file, made.stdout, { mode: 0o600 });
  return file;
}

describe('a fleet whose settings are shared', () => {
  const folder = tempFolder('fleet-settings');
  const password = path.join(folder, 'password');
  let key;
  let postgres;
  let nodes = [];
  const settings = (node, more = {}) => ({ node, 'settings.source': 'fleet', 'fleet.database': postgres.url, 'fleet.password_file': password, 'fleet.key_file': key, ...more });
  const start = (node, more, how) => Wafd.start(settings(node, more), how);
  const all = (version) => Promise.all(nodes.map((node) => in_use(node, version)));

  before(async () => {
    fs.writeFileSync(password, 'secret\n', { mode: 0o600 });
    key = await key_in(path.join(folder, 'key'));
    postgres = await Postgres.start();
    await ended('wafd fleet init', await wafd('fleet', 'init', '--password', `file:${password}`, postgres.url));
    nodes = [await start('edge-1'), await start('edge-2'), await start('edge-3')];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.program.kill()));
    await postgres?.program.kill('SIGQUIT');
  });

  test('the first change makes them the fleet\'s, and each is in force on all nodes within seconds', async () => {
    assert.match((await status_of(nodes[0])).notice, /the fleet has no settings yet/);
    await nodes[0].api('POST', '/sites', site('one'));
    assert.equal(await version_of(nodes[0]), 1);
    await all(1);
    await nodes[1].api('POST', '/sites', site('two'));
    await all(2);
    for (const node of nodes) {
      await until('the site to be in force', async () => await attack(node, 'two.example') === 200);
      assert.equal(await attack(node, 'other.example'), 403);
      const now = await status_of(node);
      assert.deepEqual([now.notice, now.fleet], ['', true]);
    }
    const { versions } = await nodes[2].api('GET', '/settings/versions');
    assert.deepEqual(versions.map((one) => [one.version, one.node, one.comment.split(' ')[0], one.current]), [[2, 'edge-2', 'site.create', true], [1, 'edge-1', 'site.create', false]]);
    assert.deepEqual(versions[0].changes.map((one) => [one.collection, one.change, one.name]), [['sites', 'added', 'two']]);
  });

  test('of two who change at once one is refused and told who was first; who waits a moment wins', async () => {
    const given = await Promise.all(nodes.map((node, i) => node.api('POST', '/lists', { kind: 'deny', cidr: `192.0.2.${i}` }, [201, 409])));
    const refused = given.filter((one) => one.status === 409);
    assert.ok(refused.length >= 1 && refused.length <= 2, JSON.stringify(given));
    const newest = Number(await postgres.sql('SELECT max(version) FROM wafd_settings'));
    assert.equal(newest, 2 + given.length - refused.length);
    for (const one of refused) assert.match(one.detail, /^Version \d of the settings was made meanwhile, by token:test-\S+ on node edge-\d at /);
    await all(newest);
    for (const node of nodes) assert.equal((await node.api('GET', '/lists')).lists.length, given.length - refused.length);
    // On one console they come one after the other.
    const many = await Promise.all([...Array(6).keys()].map((i) => nodes[0].api('POST', '/lists', { kind: 'deny', cidr: `198.51.100.${i}` })));
    assert.equal(new Set(many.map((one) => one.id)).size, 6);
    await all(newest + 6);
    // An object that somebody changed meanwhile is 412, as on one node.
    const list = (await nodes[1].api('GET', '/lists')).lists[0];
    const answer = await request(`${nodes[2].console}/api/v1/lists/${list.id}`, { method: 'DELETE', headers: { Authorization: `Bearer ${nodes[2].token}`, 'If-Match': '"0123456789abcdef"' } });
    assert.equal(answer.status, 412);
  });

  test('going back is a new version, from any console', async () => {
    const before = await version_of(nodes[0]);
    assert.equal((await nodes[2].api('POST', '/settings/restore', { version: 1, present: before })).version, before + 1);
    await all(before + 1);
    for (const node of nodes) assert.deepEqual((await node.api('GET', '/lists')).lists, []);
    assert.deepEqual((await nodes[0].api('GET', '/sites')).sites.map((one) => one.name), ['Default site', 'one']);
    await nodes[1].api('POST', '/settings/restore', { version: 1, present: before }, [412]);
    // The same over the command line: --base is the version that the file was made of.
    const file = path.join(folder, 'based.json');
    await ended('export', await wafd('settings', 'export', '--state-dir', nodes[0].state, file));
    const { version } = JSON.parse(fs.readFileSync(file, 'utf8'));
    assert.equal(version, before + 1);
    const refused = await wafd('settings', 'apply', '--state-dir', nodes[1].state, '--base', String(before), file);
    assert.deepEqual([refused.code, new RegExp(`The settings are at version ${version}, not at ${before}`).test(refused.stderr)], [1, true], refused.stderr);
    await ended('apply', await wafd('settings', 'apply', '--state-dir', nodes[1].state, '--base', String(version), file));
    await all(version + 1);
  });

  test('settings export, diff and apply are of the fleet', async () => {
    const at = (node) => ['--state-dir', node.state, path.join(folder, 'exported.json')];
    await ended('export', await wafd('settings', 'export', ...at(nodes[0])));
    const exported = JSON.parse(fs.readFileSync(path.join(folder, 'exported.json'), 'utf8'));
    exported.sites.push({ uuid: '7', ...site('seven') });
    fs.writeFileSync(path.join(folder, 'exported.json'), JSON.stringify(exported));
    const difference = await wafd('settings', 'diff', ...at(nodes[1]));
    assert.deepEqual([difference.code, /seven/.test(difference.stdout)], [1, true]);
    const before = await version_of(nodes[0]);
    await ended('apply', await wafd('settings', 'apply', ...at(nodes[1])));
    await all(before + 1);
    assert.equal((await wafd('settings', 'diff', ...at(nodes[2]))).code, 0);
    const { versions } = await nodes[0].api('GET', '/settings/versions');
    assert.deepEqual([versions[0].author, versions[0].comment.split(' ')[0]], ['command', 'settings.apply']);
  });

  test('secrets are encrypted in the database; a node with another key keeps what it has and says so', async () => {
    const target = { name: 'all', transport: 'postgresql', host: '127.0.0.1', port: postgres.port, tls: { enabled: false }, postgresql: { database: 'postgres', user: 'owner', password: 'secret' } };
    await nodes[0].api('POST', '/syslog/targets', target);
    const version = await version_of(nodes[0]);
    await all(version);
    const row = await postgres.sql(`SELECT document || sealed FROM wafd_settings WHERE version = ${version}`);
    assert.doesNotMatch(row, /"password":"secret"|:"secret"/);
    assert.match(row, /targets\/\w+\/postgresql\/password":"v1:[0-9a-f]{8}:/);
    // It works on all nodes: each tells the database that it is there.
    await until('all nodes to tell', async () => (await nodes[0].api('GET', '/fleet')).nodes.filter((one) => one.settings_version === version).length === 3);
    const other = await start('edge-4', { 'fleet.key_file': await key_in(path.join(folder, 'other-key')) });
    nodes.push(other);
    await until('the reason', async () => /cannot be used on this node: targets\/\w+\/postgresql\/password: the secret is encrypted with the key \w{8}; this node has the key \w{8}/.test((await status_of(other)).notice));
    assert.equal(await version_of(other), 0);
    assert.match((await other.api('POST', '/sites', site('four'), [409])).detail, /this node uses version 0/);
    assert.match(other.program.stderr, /cannot be used on this node: targets/);
    fs.copyFileSync(key, path.join(folder, 'other-key'));  // the right one comes
    await in_use(other, version);
    assert.equal((await status_of(other)).notice, '');
  });

  test('a version that one node cannot use: it keeps the one before and says why, everywhere', async () => {
    const file = path.join(folder, 'country.mmdb');
    fs.writeFileSync(file, database('GeoLite2-Country', { '203.0.113': { country: { iso_code: 'PT' } } }));
    const [near, far] = nodes;
    const before = await version_of(near);
    await far.program.pause();  // until its machine lacks the file
    await near.api('PUT', '/system', { geoip_database: file });
    await Promise.all([in_use(nodes[2], before + 1), in_use(nodes[3], before + 1)]);
    fs.renameSync(file, `${file}.gone`);
    far.program.resume();
    const reason = new RegExp(`version ${before + 1} of the fleet's settings, by token:test-\\S+ on node edge-1, cannot be used on this node: geoip_database: .*country\\.mmdb.*; version ${before} stays in use`);
    const { notice } = await until('the reason', async () => {
      const now = await status_of(far);
      return now.notice !== '' && now;
    });
    assert.match(notice, reason);
    assert.equal(await version_of(far), before);
    assert.match(far.program.stderr, reason);
    assert.ok((await far.api('GET', '/status')).notes.includes(notice));
    // The others see it on the page of the fleet; it judges by what it has, and changes nothing.
    await until('the fleet to know', async () => (await near.api('GET', '/fleet')).nodes.some((one) => one.node === 'edge-2' && reason.test(one.settings_error) && one.settings_version === before));
    assert.equal(await attack(far, 'one.example'), 200);
    await far.api('POST', '/sites', site('five'), [409]);
    // Going back is measured against the newest of the fleet, which is not the one in use here.
    await far.api('POST', '/settings/restore', { version: 1, present: before }, [412]);
    const { undo } = await far.api('GET', `/settings/versions/${before}`);
    assert.deepEqual(undo.map((one) => [one.collection, one.change, one.members.map((each) => each.member)]), [['system', 'changed', ['geoip_database']]]);
    fs.renameSync(`${file}.gone`, file);  // it tries again by itself
    await in_use(far, before + 1);
    assert.equal((await status_of(far)).notice, '');
  });

  test('own rules that one node cannot compile are not said to be in force there', async () => {
    const text = JSON.stringify({ rules: [{ id: 'both', name: 'both', attack_type: 'custom', risk: 'high', location: 'query', expression: 'forbidden-word' }] });
    const file = path.join(folder, 'node.rules');
    fs.writeFileSync(file, text);
    const other = await start('edge-6', { 'rules.files': file });
    nodes.push(other);
    const before = await version_of(nodes[0]);
    await in_use(other, before);
    await nodes[0].api('POST', '/rules', { text });
    await all(before + 1);
    const reason = new RegExp(`version ${before + 1} of the settings is in use here without its rules: .*both`);
    await until('the reason', async () => reason.test((await status_of(other)).notice));
    assert.equal((await status_of(nodes[0])).notice, '');
    await until('the fleet to know', async () => (await nodes[0].api('GET', '/fleet')).nodes.some((one) => one.node === 'edge-6' && reason.test(one.settings_error)));
    await nodes[0].api('DELETE', '/rules/both');
    await until('all to be well', async () => (await status_of(other)).notice === '');
  });

  test('a version that is stored and not in use where it was made is said to be so', async () => {
    const [node] = nodes;
    const before = await version_of(node);
    fs.mkdirSync(path.join(node.state, 'fleet-settings.json.new'));  // the copy cannot be written
    const answer = await node.api('POST', '/sites', site('stored'), [409]);
    assert.match(answer.detail, new RegExp(`^Stored as version ${before + 1}, not in use here: .*fleet-settings\\.json\\.new`));
    assert.equal(await version_of(node), before);
    assert.equal(await postgres.sql('SELECT max(version) FROM wafd_settings'), String(before + 1));
    await in_use(nodes[1], before + 1);
    fs.rmdirSync(path.join(node.state, 'fleet-settings.json.new'));
    await in_use(node, before + 1);
  });

  test('another version of the same number is taken, and an older one only if nothing newer comes', async () => {
    const version = await version_of(nodes[0]);
    const row = `SELECT version, parent, change_id, author, node, comment, document, sealed FROM wafd_settings`;
    const columns = '(version, parent, change_id, author, node, comment, document, sealed)';
    await postgres.sql(`CREATE TABLE kept AS ${row} WHERE version = ${version}`);
    await nodes[1].api('POST', '/sites', site('lost'));
    await all(version + 1);
    // The database of a moment ago: all stay with what they have and say so, once.
    await postgres.sql(`CREATE TABLE lost AS ${row} WHERE version = ${version + 1}; DELETE FROM wafd_settings WHERE version = ${version + 1}`);
    const reason = new RegExp(`are version ${version}, older than version ${version + 1}, which is in use`);
    for (const node of nodes) await until('the reason', async () => reason.test((await status_of(node)).notice));
    await nodes[0].api('POST', '/sites', site('never'), [409]);
    assert.equal(nodes[0].program.stderr.match(new RegExp(reason, 'g')).length, 1);
    // It comes back: as a standby that was behind.
    await postgres.sql(`INSERT INTO wafd_settings ${columns} SELECT * FROM lost`);
    for (const node of nodes) await until('no reason', async () => (await status_of(node)).notice === '');
    await all(version + 1);
    // It does not come back.
    await postgres.sql(`DELETE FROM wafd_settings WHERE version = ${version + 1}`);
    await until('the older one', async () => (await Promise.all(nodes.map(version_of))).every((one) => one === version), 90);
    assert.ok(!(await nodes[2].api('GET', '/sites')).sites.some((one) => one.name === 'lost'));
    // Another branch: the same number with other contents, while one node is down with its copy of the first.
    await nodes[0].api('POST', '/sites', site('first-branch'));
    await all(version + 1);
    await nodes[2].stop();
    await nodes[0].api('POST', '/sites', site('other'));
    await postgres.sql(`DELETE FROM wafd_settings WHERE version > ${version}`);
    await until('the older one', async () => (await Promise.all([nodes[0], nodes[1]].map(version_of))).every((one) => one === version), 90);
    await nodes[1].api('POST', '/sites', site('second-branch'));
    await nodes[2].launch();
    await until('the second branch', async () => (await nodes[2].api('GET', '/sites')).sites.some((one) => one.name === 'second-branch'));
    assert.ok(!(await nodes[2].api('GET', '/sites')).sites.some((one) => one.name === 'first-branch'));
    assert.equal(await version_of(nodes[2]), version + 1);
    await all(version + 1);
  });

  test('a database that is killed under changes: what was answered is there once, and all nodes agree', async () => {
    const answered = [];
    for (let round = 0; round < 4; ++round) {
      let going = true;
      const writers = nodes.map(async (node, n) => {
        for (let i = 0; going; ++i) {
          const cidr = `10.${round}.${n}.${i % 250}`;
          const given = await node.api('POST', '/lists', { kind: 'deny', cidr, comment: `${round} ${i}` }, [201, 409, 503]);
          if (given.id) answered.push(cidr);
        }
      });
      const before = answered.length;
      await until('changes', () => answered.length > before + 3);
      await postgres.program.kill(round % 2 === 0 ? 'SIGQUIT' : 'SIGINT');
      await postgres.launch();
      await until('changes again', async () => answered.length > before + 6);
      going = false;
      await Promise.all(writers);
    }
    const newest = Number(await postgres.sql('SELECT max(version) FROM wafd_settings'));
    await all(newest);
    for (const node of nodes) {
      const there = (await node.api('GET', '/lists')).lists.map((one) => one.cidr.replace('/32', ''));
      assert.deepEqual(answered.filter((one) => there.filter((each) => each === one).length !== 1), []);
    }
    assert.equal(await postgres.sql('SELECT count(*) FROM wafd_settings WHERE parent <> version - 1'), '0');
  });

  test('with the database away a node starts with its last copy, and changes nothing', async () => {
    const version = await version_of(nodes[0]);
    await postgres.program.kill('SIGQUIT');
    const [node] = nodes;
    await until('the notice', async () => /stays in use, and cannot be changed meanwhile/.test((await status_of(node)).notice));
    assert.match((await node.api('POST', '/sites', site('five'), [503])).detail, /^The settings of the fleet cannot be changed now: the database of the fleet: /);
    await node.program.kill('SIGKILL');
    await node.launch();
    assert.equal(await version_of(node), version);
    assert.equal(await attack(node, 'one.example'), 200);
    assert.equal(fs.statSync(path.join(node.state, 'fleet-settings.json')).mode & 0o777, 0o600);
    // A first start without the database and without a copy: its own settings, and nothing that was asked for is lost.
    const fresh = await start('edge-5');
    nodes.push(fresh);
    assert.match((await status_of(fresh)).notice, /^the database of the fleet: .*: version 0 of the settings stays in use, and cannot be changed meanwhile$/);
    assert.equal(await attack(fresh, 'one.example'), 403);
    await node.stop();
    const offline = await wafd('settings', 'apply', '--state-dir', node.state, path.join(folder, 'exported.json'));
    assert.deepEqual([offline.code, /wafd does not run on this node/.test(offline.stderr)], [1, true]);
    await node.launch();
    await postgres.launch();
    await until('a change', async () => (await node.api('POST', '/sites', site('five'), [201, 409, 503])).uuid !== undefined);
    await all(version + 1);
    // A copy that is damaged is put aside, and what the fleet has is in use.
    await node.stop();
    fs.writeFileSync(path.join(node.state, 'fleet-settings.json'), '{"format": 1, "sites": [');
    await node.launch();
    await in_use(node, version + 1);
    assert.match(node.program.stderr, /fleet-settings\.json: .*the copy is put aside/);
    assert.ok(fs.existsSync(path.join(node.state, 'fleet-settings.json.damaged')));
    // Back to settings of its own, which were never touched.
    await node.stop();
    node.settings['settings.source'] = 'console';
    await node.launch();
    assert.deepEqual((await node.api('GET', '/sites')).sites.map((one) => one.name), ['Default site']);
    assert.equal(fs.existsSync(path.join(node.state, 'fleet-settings.json')), false);
    await node.api('POST', '/sites', site('own'));
    assert.equal(await version_of(nodes[1]), version + 1);
  });
});

describe('joining a fleet', () => {
  const folder = tempFolder('fleet-join');
  const password = path.join(folder, 'password');
  const configuration = path.join(folder, 'wafd.json');
  let postgres;
  let running;
  let key;
  const state = (name) => {
    const made = path.join(folder, name);
    fs.mkdirSync(made, { recursive: true });
    return made;
  };
  const settings_file = (name, text) => {
    fs.writeFileSync(path.join(state(name), 'settings.json'), JSON.stringify({ format: 1, version: 3, ...text }));
    return state(name);
  };
  const join = (name, ...more) => wafd('fleet', 'join', postgres.url, '--password', `file:${password}`, '--state-dir', state(name), '--config', configuration, ...more);

  before(async () => {
    fs.writeFileSync(password, 'secret\n', { mode: 0o600 });
    key = await key_in(path.join(folder, 'key'));
    postgres = await Postgres.start();
  });
  after(async () => Promise.all([running?.program.kill(), postgres?.program.kill('SIGQUIT')]));

  test('what is missing is said, and nothing is written', async () => {
    fs.writeFileSync(configuration, '{\n  // ours\n  "node": "edge-9"\n}\n', { mode: 0o640 });
    const without = await join('first');
    assert.deepEqual([without.code, /the tables of wafd are missing.*wafd fleet init/.test(without.stderr)], [1, true], without.stderr);
    await ended('wafd fleet init', await wafd('fleet', 'init', '--password', `file:${password}`, postgres.url));
    const clear = await wafd('fleet', 'join', postgres.url, '--password', 'secret', '--state-dir', state('first'), '--config', configuration);
    assert.deepEqual([clear.code, /--password file:/.test(clear.stderr)], [2, true]);
    // The role of nodes may read them, and makes no first version.
    const roles = await wafd('fleet', 'roles');
    await postgres.sql(`${roles.stdout}; ALTER ROLE wafd_node PASSWORD 'secret'; ALTER ROLE wafd_console PASSWORD 'secret'`);
    const node = await wafd('fleet', 'join', postgres.url.replace('owner@', 'wafd_node@'), '--password', `file:${password}`, '--state-dir', state('first'), '--config', configuration);
    assert.deepEqual([node.code, /may not make the first version/.test(node.stderr)], [1, true], node.stderr);
    assert.equal(fs.readFileSync(configuration, 'utf8'), '{\n  // ours\n  "node": "edge-9"\n}\n');
  });

  test('the first brings its settings, which need a key where there are secrets, and its configuration keeps its comments', async () => {
    const target = { id: 'target-01', name: 'db', transport: 'postgresql', host: '127.0.0.1', port: 5432, tls: { enabled: false }, postgresql: { database: 'd', user: 'u', password: 'p4ssw0rd' } };
    settings_file('first', { sites: [{ uuid: '1', name: 'first', hosts: ['first.example'] }], targets: [target] });
    const keyless = await join('first');
    assert.deepEqual([keyless.code, /no key to encrypt them with/.test(keyless.stderr)], [1, true], keyless.stderr);
    // As the package makes it: root's, readable by the group of the service.
    const group = process.getuid() === 0 ? 54321 : process.getgid();
    fs.chownSync(configuration, process.getuid(), group);
    await ended('join', await join('first', '--key-file', key));
    assert.equal(fs.statSync(configuration).gid, group);
    assert.equal(await postgres.sql("SELECT version || ' ' || author || ' ' || node || ' ' || comment FROM wafd_settings"), '1 command edge-9 fleet.join');
    assert.doesNotMatch(await postgres.sql('SELECT document || sealed FROM wafd_settings'), /p4ssw0rd/);
    const written = fs.readFileSync(configuration, 'utf8');
    assert.match(written, /^{\n {2}"settings": {\n {4}"source": "fleet"\n {2}},\n {2}"fleet": {\n {4}"database": /);
    assert.match(written, /\/\/ ours\n {2}"node": "edge-9"\n}\n$/);
    assert.equal(fs.statSync(configuration).mode & 0o777, 0o640);
    assert.equal((await wafd('config', 'check', '--config', configuration, '--state-dir', state('first'), '--set', 'ingest.t1k.listen=', '--set', 'ingest.http.listen=')).code, 0);
  });

  test('the next is told what it would lose, and a key that is not the fleet\'s is refused', async () => {
    settings_file('second', { sites: [{ uuid: '4', name: 'of its own', hosts: ['own.example'] }] });
    const wrong = await join('second', '--key-file', await key_in(path.join(folder, 'wrong')), '--take');
    assert.deepEqual([wrong.code, /the secret is encrypted with the key/.test(wrong.stderr)], [1, true], wrong.stderr);
    const asked = await join('second', '--key-file', key);
    assert.deepEqual([asked.code, /sites 4 of its own: the fleet does not have it/.test(asked.stdout), /With --take/.test(asked.stderr)], [1, true, true], asked.stdout + asked.stderr);
    // This file says "fleet" already: it is left as it is, and what to write is printed.
    const taken = await join('second', '--key-file', key, '--take');
    assert.deepEqual([taken.code, /stays as it is/.test(taken.stdout), /"key_file": /.test(taken.stdout)], [0, true, true], taken.stdout + taken.stderr);
    assert.equal(await postgres.sql('SELECT count(*) FROM wafd_settings'), '1');
    // Who has nothing loses nothing; a node of little rights reads what consoles write.
    fs.rmSync(configuration);
    const node = await wafd('fleet', 'join', postgres.url.replace('owner@', 'wafd_node@'), '--password', `file:${password}`, '--state-dir', state('third'), '--config', configuration, '--key-file', key);
    assert.equal(node.code, 0, node.stderr);
    assert.match(node.stdout, /may read, not change/);
    running = await Wafd.start({ 'settings.source': 'fleet', 'fleet.database': postgres.url.replace('owner@', 'wafd_node@'), 'fleet.password_file': password, 'fleet.key_file': key });
    await in_use(running, 1);
    const refused = await running.api('POST', '/sites', site('six'), [503]);
    assert.match(refused.detail, /permission denied/);
    const list = await running.api('GET', '/events');
    assert.deepEqual([list.fleet.answered, list.events], [false, []], 'it may not read those of the others, and shows its own');
  });
});
