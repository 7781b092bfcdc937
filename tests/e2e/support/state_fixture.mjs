// Small state folders as one version of the program left them: tests/e2e/fixtures/state-VERSION. Large files that are mostly zeros are kept as NAME.gz.
//   node tests/e2e/support/state_fixture.mjs     makes the one of the built program; run it at each release, behind a removal where the version has one
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

import { OctetReceiver } from './octet_receiver.mjs';
import { freePort, root, run, until, wafdPath } from './processes.mjs';
import { T1kClient, requestMessage } from './t1k.mjs';
import { Wafd } from './wafd.mjs';

export const fixtures = path.join(root, 'tests/e2e/fixtures');
const PACKED = ['ring', 'cursors', 'cursors.copy', 'trends'];
// Made anew where they are missing, or of no use to others.
const LEFT_OUT = ['lock', 'admin.sock', 'compiled-rules', 'console.crt', 'console.key', 'setup-token', 'etag-key'];
const PASSWORD = 'violet-otter-41';

const folder_of = (version) => path.join(fixtures, `state-${version}`);

export function unpack(version, state) {
  fs.cpSync(folder_of(version), state, { recursive: true });
  for (const name of PACKED) {
    const packed = path.join(state, `${name}.gz`);
    fs.writeFileSync(path.join(state, name), zlib.gunzipSync(fs.readFileSync(packed)), { mode: 0o600 });
    fs.rmSync(packed);
  }
  const expected = JSON.parse(fs.readFileSync(path.join(state, 'expected.json'), 'utf8'));
  fs.rmSync(path.join(state, 'expected.json'));
  return expected;
}

function pack(state, version, expected) {
  const to = folder_of(version);
  fs.cpSync(state, to, { recursive: true, filter: (from) => !LEFT_OUT.includes(path.basename(from)) });
  for (const name of PACKED) {
    fs.writeFileSync(path.join(to, `${name}.gz`), zlib.gzipSync(fs.readFileSync(path.join(state, name)), { level: 9 }));
    fs.rmSync(path.join(to, name));
  }
  fs.writeFileSync(path.join(to, 'expected.json'), `${JSON.stringify(expected, null, 1)}\n`);
  return to;
}

async function attacks(wafd, count) {
  const client = await T1kClient.connect(wafd.t1kPort);
  const ids = [];
  for (let n = 0; n < count; n += 1) ids.push((await client.ask(requestMessage(`GET /item/${n}?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: shop.example\r\n\r\n`))).id);
  client.close();
  return ids;
}

async function make() {
  const version = (await run(wafdPath, ['version'])).stdout.trim().split(' ').pop();
  if (fs.existsSync(folder_of(version))) throw new Error(`${folder_of(version)} is there: remove it if it is to be made anew`);
  const receiver = new OctetReceiver();
  receiver.port = await freePort();
  await receiver.open();
  const wafd = await Wafd.start();
  const user = await run('sh', ['-c', `echo ${PASSWORD} | ${wafdPath} user add anna --role admin --state-dir ${wafd.state}`]);
  if (user.code !== 0) throw new Error(user.stderr);
  const site = (await wafd.api('POST', '/sites', { name: 'Shop', hosts: ['shop.example'] })).uuid;
  const exception = (await wafd.api('POST', '/exceptions', { path: '/editor/**', comment: 'documents', attack_type: 'xss' })).id;
  const list = (await wafd.api('POST', '/lists', { kind: 'deny', cidr: '192.0.2.0/24', comment: 'scanner' })).id;
  const channel = (await wafd.api('POST', '/notify/channels', { name: 'Chat', kind: 'webhook', url: 'http://192.0.2.1/', group_s: 0 })).id;
  const alert = (await wafd.api('POST', '/notify/alerts', { name: 'Many', when: 'matches', count: 1000, minutes: 60, channels: [channel] })).id;
  const target = (await wafd.addTarget({ transport: 'tcp', port: receiver.port, filter: '' })).id;
  const delivered = await attacks(wafd, 3);
  await wafd.settled(target);
  // A disabled target keeps its cursor, so events that come now wait.
  await wafd.api('PUT', `/syslog/targets/${target}`, { ...(await wafd.api('GET', `/syslog/targets/${target}`)), enabled: false, status: undefined, warnings: undefined, etag: undefined });
  await receiver.shut();
  const pending = await attacks(wafd, 5);
  await wafd.event(pending.at(-1));
  await wafd.api('PUT', `/pins/${delivered[0]}`);
  await wafd.api('POST', '/triage', { events: [pending[0]], note: 'looked at' });
  await until('the counts by hour', async () => (await wafd.api('GET', '/report')).totals.deny === delivered.length + pending.length);
  const { token } = wafd;
  await wafd.stop();
  const to = pack(wafd.state, version, { version, token, user: 'anna', password: PASSWORD, site, exception, list, channel, alert, target, delivered, pending, pinned: delivered[0], noted: pending[0] });
  console.log(to);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await make();
