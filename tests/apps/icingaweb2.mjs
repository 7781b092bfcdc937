// Icinga Web 2 of Debian on MariaDB: users, groups, roles with filters, dashboards, navigation, announcements, settings, searches.
import path from 'node:path';

import { makeDatabase, prelude, servePhp } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'Icinga Web 2';
const password = 'quiet kitchen 77';

export async function prepare(stage) {
  stage.socket = await makeDatabase(stage, 'icinga');
  stage.folder = stage.temp('settings');
  const sql = (input) => stage.done('sh', ['-c', `mariadb --no-defaults --socket="$1" -uapp -papp icinga ${input}`, 'sh', stage.socket]);
  await sql('< /usr/share/icingaweb2/schema/mysql.schema.sql');
  const hash = await stage.done('php', ['-r', `echo password_hash('${password}', PASSWORD_DEFAULT);`]);
  await stage.done('mariadb', [
    '--no-defaults',
    `--socket=${stage.socket}`,
    '-uapp',
    '-papp',
    'icinga',
    '-e',
    `insert into icingaweb_user (name, active, password_hash) values ('anna', 1, '${hash}')`,
  ]);
  const files = {
    'config.ini': '[global]\nconfig_backend = "db"\nconfig_resource = "web"\nshow_stacktraces = "0"\n[logging]\nlog = "none"\n',
    'resources.ini':
      '[web]\ntype = "db"\ndb = "mysql"\nhost = "localhost"\ndbname = "icinga"\nusername = "app"\npassword = "app"\ncharset = "utf8mb4"\n',
    'authentication.ini': '[web]\nbackend = "db"\nresource = "web"\n',
    'groups.ini': '[web]\nbackend = "db"\nresource = "web"\n',
    'roles.ini': '[admins]\nusers = "anna"\npermissions = "*"\n',
  };
  for (const [name, text] of Object.entries(files)) stage.write(path.join(stage.folder, name), text);
}
export async function start(stage) {
  await servePhp(stage, '/usr/share/icingaweb2/public', {
    settings: { auto_prepend_file: prelude(stage), 'pdo_mysql.default_socket': stage.socket, 'date.timezone': 'UTC' },
    env: { ICINGAWEB_CONFIGDIR: stage.folder, ICINGAWEB_STORAGEDIR: stage.temp('storage') },
  });
  await stage.answers('/authentication/login');
}

const logIn = async (stage) => {
  const page = await stage.page();
  await stage.form(page, '/authentication/login', { username: 'anna', password }, '[type=submit]');
  return page;
};
const q = encodeURIComponent;

async function write(stage, page, { posts, comments, markdown, searches }) {
  for (const [at, text] of searches.entries()) await stage.go(page, `/${['search', 'user/list', 'role/list', 'group/list'][at % 4]}?q=${q(text)}`);
  const day = ['2026-11-18T10:00', '2026-12-18T10:00'];
  for (const [at, text] of [...comments, ...markdown, ...posts.map((post) => post.html)].entries())
    await stage.form(
      page,
      '/announcements/new',
      { author: people[at % people.length].name, message: text, start: day[0], end: day[1] },
      '.content [name=btn_submit]',
    );
}

export async function drive(stage) {
  const page = await logIn(stage);
  for (const [at, one] of people.entries()) {
    await stage.form(page, '/user/add?backend=web', { user_name: one.name, password: passwords[at] }, '.content [name=btn_submit]');
    await stage.form(page, '/group/add?backend=web', { group_name: one.city }, '.content [name=btn_submit]');
    await stage.form(
      page,
      '/role/add',
      {
        name: `${one.name} (${posts[at].tags[0]})`,
        users: people
          .slice(0, 3)
          .map((other) => other.name)
          .join(', '),
        groups: one.city,
      },
      '.content [name=btn_submit]',
    );
    await stage.form(
      page,
      '/navigation/add',
      { name: one.name, url: `https://${one.mail.split('@')[1]}/search?q=$host.name$&from=${q(one.city)}#top` },
      '.content [name=btn_submit]',
    );
    await stage.form(
      page,
      `/dashboard/new-dashlet?url=${q(`user/list?(user_name=*${one.city}*|user_name!=a*)&sort=user_name&limit=${at}`)}`,
      { dashlet: one.name, pane: 'Overview' },
      '.content [name=btn_submit]',
    );
    await stage.go(page, `/user/list?user_name=*${q(q(one.name))}*&(created_at%3E1700000000|is_active=1)&sort=created_at&dir=desc`);
  }
  await write(stage, page, { posts, comments, markdown, searches });
  await explore(
    stage,
    page,
    [
      '/config/general',
      '/config/resource',
      '/config/createresource',
      '/config/userbackend',
      '/config/modules',
      '/navigation',
      '/dashboard/settings',
      '/role/list',
      '/group/list',
      '/about',
      '/list/applicationlog',
      '/health',
      '/my-devices',
    ],
    { pages: 30, rounds: 3, avoid: /account|(user|role)\/edit/ },
  );
}

export async function driveTechnical(stage) {
  await write(stage, await logIn(stage), technicalTexts);
}
