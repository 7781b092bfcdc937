// Deluge's page server: torrents, labels, filters and settings by its JSON-RPC as its page sends it; the page in Chromium.
import path from 'node:path';
import fs from 'node:fs';

import { freePort } from '../e2e/support/processes.mjs';
import { people, posts } from './support/texts.mjs';

export const title = 'Deluge';

export async function prepare(stage) {
  stage.folder = stage.temp('deluge');
  stage.daemonPort = await freePort();
  stage.write(
    path.join(stage.folder, 'core.conf'),
    `{"file":1,"format":1}{"allow_remote":false,"daemon_port":${stage.daemonPort},"dht":false,"upnp":false,"natpmp":false,"lsd":false,"utpex":false,"listen_interface":"127.0.0.1","outgoing_interface":"127.0.0.1","new_release_check":false,"enabled_plugins":["Label","Execute","AutoAdd","Scheduler","Notifications","Extractor"]}`,
  );
}
export async function start(stage) {
  stage.run('/usr/bin/deluged', ['-d', '-c', stage.folder, '-p', `${stage.daemonPort}`, '-u', '127.0.0.1', '-L', 'error'], {
    env: stage.env,
    detached: true,
  });
  await stage.until('its daemon has accounts', () => fs.existsSync(path.join(stage.folder, 'auth')), 240);
  stage.run('/usr/bin/deluge-web', ['-d', '-c', stage.folder, '-i', '127.0.0.1', '-p', `${stage.appPort}`, '-L', 'error'], {
    env: stage.env,
    detached: true,
  });
  await stage.answers('/', 240);
}

const fields = [
  'queue',
  'name',
  'total_wanted',
  'state',
  'progress',
  'num_seeds',
  'total_seeds',
  'num_peers',
  'download_payload_rate',
  'eta',
  'ratio',
  'tracker_host',
  'save_path',
  'label',
];
const hash = (at) => `${at}c9e15763f722f23e98a29decdfae341b98d53056`.slice(0, 40);

export async function drive(stage) {
  const page = await stage.page();
  await stage.go(page, '/');
  await stage.step('log in', async () => {
    await page.locator('input[type=password]').first().fill('deluge');
    await stage.sent(page, () => page.keyboard.press('Enter'));
    await page.waitForTimeout(2000);
  });
  let cookie = '';
  let id = 0;
  const rpc = async (method, ...params) => {
    const answer = await stage.sendJson(
      'POST',
      '/json',
      { method, params, id: ++id },
      { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest', Accept: '*/*' },
    );
    cookie ||= `${answer?.headers['set-cookie'] ?? ''}`.split(';')[0];
    return answer ? JSON.parse(answer.text ?? 'null')?.result : null;
  };
  await rpc('auth.login', 'deluge');
  const hosts = await rpc('web.get_hosts');
  if (hosts?.[0]) await rpc('web.connect', hosts[0][0]);
  for (const [at, one] of people.entries()) {
    const magnet = `magnet:?xt=urn:btih:${hash(at)}&dn=${encodeURIComponent(posts[at].title)}&tr=udp%3A%2F%2Ftracker.example%3A6969&tr=https%3A%2F%2Ft.example%2Fannounce%3Fkey%3D${at}`;
    await rpc('web.get_magnet_info', magnet);
    await rpc('web.add_torrents', [
      {
        path: magnet,
        options: {
          file_priorities: [],
          add_paused: true,
          sequential_download: false,
          download_location: `/srv/${one.city}/${one.name}`,
          move_completed: false,
          move_completed_path: `/srv/done/${one.city}`,
          max_connections: -1,
          prioritize_first_last_pieces: false,
        },
      },
    ]);
    await rpc('web.update_ui', fields, { state: 'Downloading', label: posts[at].tags[0], tracker_host: 'tracker.example' });
    await rpc('core.set_torrent_options', [hash(at)], {
      owner: one.name,
      move_completed_path: `/srv/${one.city}`,
      stop_ratio: 2.0,
      name: posts[at].title,
    });
    await rpc('core.set_torrent_trackers', hash(at), [{ tier: 0, url: `https://t.example/announce?passkey=${at}'a` }]);
    await rpc('core.rename_files', hash(at), [[0, `${one.city}/${posts[at].title} (1).mkv`]]);
    await rpc('core.rename_folder', hash(at), `${one.name}/`, `${one.city} -- new/`);
    await rpc('label.add', posts[at].tags[0].toLowerCase());
    await rpc('label.set_options', posts[at].tags[0], {
      apply_max: false,
      auto_add: true,
      auto_add_trackers: [`t${at}.example`],
      move_completed_path: `/srv/${one.city}`,
    });
    await rpc('autoadd.add', {
      abspath: `/srv/in/${one.city}`,
      path: `/srv/in/${one.city}`,
      enabled: true,
      label: '',
      append_extension: '.added',
      owner: 'localclient',
    });
    await rpc('core.set_config', {
      download_location: `/srv/${one.city}`,
      torrentfiles_location: '/srv/torrents',
      listen_ports: [6881 + at, 6891],
      random_port: false,
      peer_tos: '0x00',
      proxy: { type: 0, hostname: 'proxy.example', username: one.mail, password: `quiet kitchen ${at}`, port: 8080 },
      geoip_db_location: '/usr/share/GeoIP/GeoIP.dat',
      cache_expiry: 60,
    });
    await rpc('web.set_config', {
      theme: 'gray',
      session_timeout: 3600,
      cert: 'ssl/daemon.cert',
      base: '/',
      language: 'de',
      sidebar_show_zero: true,
    });
    await rpc('notifications.set_config', {
      smtp_enabled: true,
      smtp_from: one.mail,
      smtp_host: 'smtp.example',
      smtp_pass: `quiet kitchen ${at}`,
      smtp_recipients: [`"${one.name}" <${one.mail}>`],
    });
    await rpc('auth.change_password', 'deluge', 'deluge');
    if (at === 4) await rpc('execute.add_command', 'complete', '/home/anna/bin/done.sh');
    await rpc('web.add_host', `seedbox${at}.example`, 58846, one.mail, `quiet kitchen ${at}`);
    await rpc('core.create_account', one.mail, `quiet kitchen ${at}`, 'NORMAL');
    await rpc('web.get_torrent_files', hash(at));
    await rpc('web.get_plugin_info', ['Label', 'Execute', 'AutoAdd'][at % 3]);
  }
  for (const method of ['web.get_events', 'web.get_plugins', 'core.get_config', 'core.get_free_space', 'daemon.get_method_list', 'label.get_config'])
    await rpc(method);
  await stage.go(page, '/');
}
