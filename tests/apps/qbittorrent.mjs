// qBittorrent: torrents, categories, tags, filters of feeds and settings by the interface that its page uses; the page in Chromium.
import path from 'node:path';

import { useForms } from './support/robot.mjs';
import { comments, people, posts, searches } from './support/texts.mjs';

export const title = 'qBittorrent';
const form = (values) => new URLSearchParams(values).toString();

export async function prepare(stage) {
  stage.folder = stage.temp('qbittorrent');
  stage.write(
    path.join(stage.folder, 'qBittorrent/config/qBittorrent.conf'),
    `[LegalNotice]\nAccepted=true\n[BitTorrent]\nSession\\Interface=lo\nSession\\InterfaceName=lo\nSession\\DHTEnabled=false\nSession\\LSDEnabled=false\n[Preferences]\nWebUI\\Address=127.0.0.1\nWebUI\\Port=${stage.appPort}\nWebUI\\LocalHostAuth=false\nWebUI\\HostHeaderValidation=false\nWebUI\\CSRFProtection=false\n`,
  );
}
export async function start(stage) {
  stage.run('qbittorrent-nox', [`--profile=${stage.folder}`, `--webui-port=${stage.appPort}`], { env: stage.env, detached: true });
  await stage.answers('/', 240);
}

const magnet = (at) =>
  `magnet:?xt=urn:btih:${`${at}c9e15763f722f23e98a29decdfae341b98d53056`.slice(0, 40)}&dn=${encodeURIComponent(posts[at % posts.length].title)}&tr=udp%3A%2F%2Ftracker.example%3A6969%2Fannounce&tr=https%3A%2F%2Ft${at}.example%2Fannounce%3Fkey%3Da'b`;

export async function drive(stage) {
  const api = (where, values) =>
    values === undefined
      ? stage.send('GET', `/api/v2/${where}`)
      : stage.send('POST', `/api/v2/${where}`, {
          headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' },
          body: form(values),
        });
  await api('auth/login', { username: 'admin', password: "it's 5 o'clock; & more" });
  for (const [at, one] of people.entries()) {
    const hash = `${at}c9e15763f722f23e98a29decdfae341b98d53056`.slice(0, 40);
    await api('torrents/createCategory', { category: one.city, savePath: `${stage.folder}/data/${one.city}` });
    await api('torrents/createTags', { tags: posts[at].tags.join(',') });
    await api('torrents/add', {
      urls: [0, 1, 2].map((more) => magnet(at + 12 * more)).join('\n'),
      savepath: `${stage.folder}/data/${one.name}`,
      category: one.city,
      paused: 'true',
      rename: posts[at].title,
      tags: posts[at].tags.join(','),
      autoTMM: 'false',
    });
    await api('torrents/setCategory', { hashes: hash, category: one.city });
    await api('torrents/rename', { hash, name: `${one.name} -- ${posts[at].title}` });
    await api('torrents/addTrackers', { hash, urls: `udp://tracker.example:6969/announce\n\nhttps://t.example/announce?passkey=${at}%27` });
    await api('torrents/setLocation', { hashes: `${hash}|${hash}`, location: `${stage.folder}/new/${one.city}` });
    await api(`torrents/info?filter=all&category=${encodeURIComponent(one.city)}&sort=name&reverse=false&hashes=${hash}%7C${hash}`);
    await api('rss/addFolder', { path: posts[at].title });
    await api('rss/addFeed', {
      url: `https://${one.mail.split('@')[1]}/feed.xml?c=${encodeURIComponent(one.city)}`,
      path: `${posts[at].title}\\${one.name}`,
    });
    await api('rss/setRule', {
      ruleName: one.name,
      ruleDef: JSON.stringify({
        enabled: true,
        mustContain: ['(cake|pie).*(1080p|x26[45])', '*cooking*', "o'neil|söhne", '^Show\\.S\\d{2}E\\d{2}.*$'][at % 4],
        mustNotContain: '*CAM*|*TS*',
        useRegex: at % 2 === 0,
        episodeFilter: '1x01-;',
        smartFilter: false,
        affectedFeeds: [`https://${one.mail.split('@')[1]}/feed.xml`],
        ignoreDays: 0,
        lastMatch: '',
        addPaused: null,
        assignedCategory: one.city,
        savePath: `/srv/${one.city}`,
      }),
    });
    await api('app/setPreferences', {
      json: JSON.stringify({
        save_path: `${stage.folder}/data/${one.city}`,
        temp_path_enabled: true,
        ...(at === 7 ? { autorun_enabled: true, autorun_program: '/usr/local/bin/done.sh "%N" "%L" "%F" "%I"' } : {}),
        mail_notification_enabled: true,
        mail_notification_sender: one.mail,
        mail_notification_email: `"${one.name}" <${one.mail}>`,
        mail_notification_smtp: 'smtp.example',
        mail_notification_password: 'it\'s; 5 & "6"',
        scan_dirs: { [`/srv/in/${one.city}`]: 1 },
        excluded_file_names: '*.lnk\n*.exe\nreadme*.txt\n.DS_Store',
        banned_IPs: '10.0.0.1\nfe80::1',
        web_ui_custom_http_headers: "X-Frame-Options: SAMEORIGIN\nContent-Security-Policy: default-src 'self'",
        add_trackers: 'udp://tracker.example:6969/announce',
        proxy_type: 0,
        bypass_auth_subnet_whitelist: '192.168.0.0/16\n::1/128',
        locale: 'en',
        listen_port: 20000 + at,
        dyndns_domain: `${one.mail.split('@')[1]}`,
      }),
    });
    await api(`sync/maindata?rid=${at}`);
    await api(`torrents/properties?hash=${hash}`);
    await api(`torrents/files?hash=${hash}`);
    await api(`log/main?normal=true&info=true&warning=true&critical=true&last_known_id=${at}`);
  }
  for (const text of searches) await api('search/start', { pattern: text, category: 'all', plugins: 'enabled' });
  for (const text of comments.slice(0, 6)) await api('torrents/createTags', { tags: text });
  const page = await stage.page();
  await stage.go(page, '/');
  const state = { sent: new Map(), turn: 0 };
  for (const where of [
    '/upload.html',
    '/download.html',
    '/addtrackers.html?hash=a',
    '/newcategory.html?action=create',
    '/newfeed.html',
    '/rename.html?hash=a&name=b',
    '/setlocation.html?hash=a&path=%2Fsrv%2Fa%20b',
    '/newtag.html?action=set&hashes=a',
  ])
    await stage.step(`page ${where}`, async () => {
      await page.goto(stage.url + where, { waitUntil: 'load' });
      for (const [at, field] of (await page.locator('textarea:visible,input[type=text]:visible').all()).entries())
        await field.fill(at ? people[at].city : magnet(at));
      await stage.sent(page, () => page.locator('[type=submit],[type=button],button').first().click());
    });
  await useForms(stage, page, state);
}
