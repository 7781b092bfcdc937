// Transmission: torrents added by magnet links and files, settings and filters by its RPC as programs send it; its page in Chromium.
import fs from 'node:fs';
import path from 'node:path';
import { createHash } from 'node:crypto';

import { freePort } from '../e2e/support/processes.mjs';
import { people, posts, searches } from './support/texts.mjs';

export const title = 'Transmission';

// A file of a torrent that says it has one text.
function torrent(name, comment, text) {
  const string = (value) => Buffer.concat([Buffer.from(`${Buffer.byteLength(value)}:`), Buffer.from(value)]);
  const pieces = createHash('sha1').update(text).digest();
  const info = Buffer.concat([
    Buffer.from(`d6:lengthi${Buffer.byteLength(text)}e4:name`),
    string(name),
    Buffer.from('12:piece lengthi16384e6:pieces20:'),
    pieces,
    Buffer.from('e'),
  ]);
  return Buffer.concat([
    Buffer.from('d8:announce'),
    string('http://127.0.0.1:9/announce?passkey=a1b2&x=1'),
    Buffer.from('7:comment'),
    string(comment),
    Buffer.from('4:info'),
    info,
    Buffer.from('e'),
  ]);
}

export async function prepare(stage) {
  stage.folder = stage.temp('transmission');
  stage.peers = `${await freePort()}`;
}
export async function start(stage) {
  const quiet = ['--no-dht', '--no-lpd', '--no-portmap', '--no-utp', '--no-blocklist', '--no-auth', '-a', '127.0.0.1', '-P', stage.peers];
  stage.write(
    path.join(stage.folder, 'settings.json'),
    JSON.stringify({ 'rpc-bind-address': '127.0.0.1', 'bind-address-ipv4': '127.0.0.1', 'rpc-host-whitelist-enabled': false, 'utp-enabled': false }),
  );
  stage.run('transmission-daemon', ['-f', '-g', stage.folder, '-p', `${stage.appPort}`, '-w', stage.temp('downloads'), ...quiet], { env: stage.env });
  await stage.answers('/transmission/web/');
}

export async function drive(stage) {
  const first = await stage.sendJson('POST', '/transmission/rpc', { method: 'session-get' });
  const id = { 'X-Transmission-Session-Id': first?.headers['x-transmission-session-id'] ?? '' };
  const rpc = (method, values = {}, tag = 0) => stage.sendJson('POST', '/transmission/rpc', { method, arguments: values, tag }, id);
  const fields = [
    'id',
    'error',
    'errorString',
    'eta',
    'isFinished',
    'isStalled',
    'leftUntilDone',
    'metadataPercentComplete',
    'peersConnected',
    'percentDone',
    'queuePosition',
    'rateDownload',
    'sizeWhenDone',
    'status',
    'trackers',
    'downloadDir',
    'webseedsSendingToUs',
  ];
  const folder = stage.temp('files');
  const files = [];
  for (const [at, post] of posts.entries()) {
    const magnet = `magnet:?xt=urn:btih:${createHash('sha1').update(post.title).digest('hex')}&dn=${encodeURIComponent(post.title)}&tr=http%3A%2F%2F127.0.0.1%3A9%2Fannounce%3Fa%3Db%26c%3Dd&tr=udp://127.0.0.1:9&ws=http%3A%2F%2F127.0.0.1%3A9%2F${at}`;
    await rpc(
      'torrent-add',
      { filename: magnet, paused: true, 'download-dir': path.join(folder, people[at].city.replaceAll('/', ' ')), labels: post.tags },
      at,
    );
    const bytes = torrent(post.title, people[at].name, post.html);
    files.push(path.join(folder, `${at} O'Neil.torrent`));
    fs.writeFileSync(files[at], bytes);
    await rpc('torrent-add', { metainfo: bytes.toString('base64'), paused: true }, at);
    await rpc(
      'torrent-set',
      {
        ids: [at + 1],
        labels: [post.title, ...post.tags],
        trackerAdd: [`http://127.0.0.1:9/${encodeURIComponent(people[at].name)}/announce`],
        'peer-limit': 20 + at,
        'files-unwanted': [],
      },
      at,
    );
    await rpc('torrent-rename-path', { ids: [at + 1], path: post.title, name: `${people[at].name} - ${post.title}` }, at);
    await rpc('torrent-set-location', { ids: [at + 1], location: path.join(folder, people[at].name), move: false }, at);
    await rpc('torrent-get', { ids: at % 2 ? 'recently-active' : [at], fields }, at);
    await rpc(['torrent-verify', 'torrent-reannounce', 'queue-move-up', 'torrent-stop'][at % 4], { ids: [at + 1] }, at);
  }
  for (const text of searches)
    await rpc('torrent-get', { fields: ['name', 'comment', 'files', 'pieces'], ids: [createHash('sha1').update(text).digest('hex')] });
  for (const [at, one] of people.entries())
    await rpc('session-set', {
      'download-dir': path.join(folder, one.city),
      'script-torrent-done-filename': `/home/${one.mail.split('@')[0]}/bin/notify.sh`,
      'script-torrent-done-enabled': false,
      'blocklist-url': `https://lists.example/?list=bt_level1&fileformat=p2p&archiveformat=gz&n=${at}`,
      'speed-limit-down': 100 * at,
      'alt-speed-time-begin': 540,
    });
  for (const method of ['session-stats', 'free-space', 'port-test', 'blocklist-update'])
    await rpc(method, method === 'free-space' ? { path: folder } : {});
  const page = await stage.page();
  await stage.go(page, '/transmission/web/');
  await stage.step('open a link', async () => {
    await page.waitForTimeout(3000);
    for (const [at, file] of files.entries()) {
      await page.locator('#toolbar-open').click();
      if (at % 2) await page.locator('#torrent_upload_file').setInputFiles([file]);
      else await page.locator('#torrent_upload_url').fill(`http://127.0.0.1:9/get.php?id=${at}&name=${people[at].city}&file=a.torrent`);
      await page.locator('#upload_confirm_button').click();
      await page.waitForTimeout(400);
    }
  });
  for (const text of searches.slice(0, 8)) await stage.step('filter', () => page.locator('#torrent_search').fill(text));
  await stage.step('inspector', async () => {
    await page.locator('#torrent_list li').first().click();
    await page.locator('#toolbar-inspector').click();
    for (const tab of await page.locator('.inspector-tab').all()) await tab.click();
    await page.waitForTimeout(6000);
  });
}
