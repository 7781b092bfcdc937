// Syncthing: folders, devices, patterns of what is left out and settings by its REST interface; its page in Chromium.
import path from 'node:path';
import fs from 'node:fs';

import { freePort } from '../e2e/support/processes.mjs';
import { useForms } from './support/robot.mjs';
import { comments, people, posts } from './support/texts.mjs';

export const title = 'Syncthing';
const key = { 'X-API-Key': 'quiet-kitchen-77' };

export async function prepare(stage) {
  stage.folder = stage.temp('syncthing');
  await stage.done('syncthing', ['generate', `--home=${stage.folder}`, '--no-default-folder', '--skip-port-probing'], { env: stage.env });
  const file = path.join(stage.folder, 'config.xml');
  const set = {
    globalAnnounceEnabled: false,
    localAnnounceEnabled: false,
    relaysEnabled: false,
    natEnabled: false,
    urAccepted: -1,
    urSeen: 3,
    crashReportingEnabled: false,
    autoUpgradeIntervalH: 0,
    startBrowser: false,
    listenAddress: `tcp://127.0.0.1:${await freePort()}`,
  };
  let text = fs.readFileSync(file, 'utf8');
  for (const [name, value] of Object.entries(set))
    text = text.replace(new RegExp(`(<${name}>)[^<]*(</${name}>)`), (_, before, after) => `${before}${value}${after}`);
  stage.write(file, text.replace('</gui>', '<insecureSkipHostcheck>true</insecureSkipHostcheck></gui>'));
}
export async function start(stage) {
  stage.run(
    'syncthing',
    [
      'serve',
      '--no-browser',
      '--no-upgrade',
      `--home=${stage.folder}`,
      `--gui-address=http://127.0.0.1:${stage.appPort}`,
      `--gui-apikey=${key['X-API-Key']}`,
    ],
    { env: stage.env, detached: true },
  );
  await stage.answers('/');
}

// Patterns as people write them into .stignore.
const patterns = [
  '.DS_Store',
  '(?i)thumbs.db',
  '(?d).~lock.*#',
  '*.tmp',
  '/build/**',
  '!/build/keep',
  'node_modules',
  '~*',
  '[a-z]?.bak',
  '#include shared.txt',
  "// comment: O'Neil",
  '/**/{cache,log}',
  '$RECYCLE.BIN',
  'System Volume Information',
  '*.{part,crdownload}',
];

export async function drive(stage) {
  const rest = (method, where, body) =>
    body === undefined ? stage.send(method, `/rest/${where}`, { headers: key }) : stage.sendJson(method, `/rest/${where}`, body, key);
  for (const [at, one] of people.entries()) {
    const id = `f${at}-${one.mail.split('@')[0]}`;
    const to = path.join(stage.folder, 'data', one.city.replaceAll('/', ' '));
    await rest('PUT', `config/folders/${encodeURIComponent(id)}`, {
      id,
      label: posts[at].title,
      path: to,
      type: ['sendreceive', 'sendonly', 'receiveonly'][at % 3],
      rescanIntervalS: 3600,
      versioning:
        at === 7
          ? { type: 'external', params: { command: `/usr/local/bin/keep.sh "%FOLDER_PATH%" "%FILE_PATH%"` } }
          : { type: 'simple', params: { keep: '5' } },
      order: 'alphabetic',
      markerName: '.stfolder',
    });
    await rest('PATCH', `config/folders/${encodeURIComponent(id)}`, {
      label: `${one.name} & ${people[(at + 1) % people.length].name}`,
      paused: at % 2 === 0,
    });
    await rest('POST', `db/ignores?folder=${encodeURIComponent(id)}`, { ignore: [...patterns.slice(at % 5), `/${one.city}/*`, ...posts[at].tags] });
    await rest('GET', `db/browse?folder=${encodeURIComponent(id)}&levels=1&prefix=${encodeURIComponent(one.city)}`);
    await rest('GET', `db/status?folder=${encodeURIComponent(id)}`);
    await rest('POST', `db/scan?folder=${encodeURIComponent(id)}&sub=${encodeURIComponent(`${one.city}/${posts[at].title}.txt`)}`);
    await rest('GET', `system/browse?current=${encodeURIComponent(to)}`);
    await rest('PATCH', 'config/gui', { user: one.mail, theme: 'dark', password: '' });
    await rest('PATCH', 'config/defaults/folder', { path: `~/${one.city}`, label: one.name });
    await rest('PATCH', 'config/ldap', {
      address: `ldap.${one.mail.split('@')[1]}:389`,
      bindDN: `cn=%s,ou=people,dc=${one.mail.split('@')[1].split('.')[0]},dc=example`,
      searchFilter: at % 2 ? '(&(objectClass=person)(uid=%s))' : '',
      searchBaseDN: 'ou=people,dc=example',
    });
    await rest('PATCH', 'config/options', {
      unackedNotificationIDs: [],
      reconnectionIntervalS: 60 + at,
      alwaysLocalNets: ['10.0.0.0/8', 'fe80::/10'],
    });
    await rest('POST', 'system/error', undefined);
    await stage.send('POST', '/rest/system/error', { headers: key, body: `${comments[at % comments.length]}` });
  }
  const config = await rest('GET', 'config');
  if (config?.status === 200) await rest('PUT', 'config', config.json());
  for (const where of [
    'system/status',
    'system/version',
    'system/connections',
    'events?since=1&limit=5&timeout=1',
    'system/log?since=2026-01-01T00:00:00Z',
    'stats/device',
    'svc/report',
    'system/debug',
    'cluster/pending/devices',
  ])
    await rest('GET', where);
  const page = await stage.page({ extraHTTPHeaders: key });
  await stage.go(page, '/');
  const state = { sent: new Map(), turn: 0 };
  for (const [at, one] of people.slice(0, 6).entries())
    await stage.step(`add a folder by the page ${at}`, async () => {
      await page.goto(stage.url);
      await page.locator('button[ng-click="addFolder()"]').first().click();
      await page.locator('#folderLabel').fill(posts[at].title);
      await page.locator('#folderPath').fill(path.join(stage.folder, 'page', `${at} ${one.name}`));
      await stage.sent(page, () => page.locator('#editFolder button[ng-click="saveFolder()"]').click());
    });
  await useForms(stage, page, state);
}
