// Postfix Admin of Debian on SQLite: domains, mailboxes, aliases, fetched mail, messages to all, out-of-office texts, searches.
import fs from 'node:fs';
import path from 'node:path';

import { prelude, servePhp } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'Postfix Admin';
const admin = { user: 'anna@kueche.example', password: 'quiet kitchen 77' };

export async function prepare(stage) {
  stage.folder = path.join(stage.temp('postfixadmin'), 'postfixadmin');
  await stage.done('cp', ['-r', '/usr/share/postfixadmin', stage.folder]);
  for (const name of ['config.local.php', 'config.inc.php', 'templates_c']) fs.rmSync(path.join(stage.folder, name), { force: true });
  fs.mkdirSync(path.join(stage.folder, 'templates_c'));
  fs.copyFileSync('/etc/postfixadmin/config.inc.php', path.join(stage.folder, 'config.inc.php'));
  const database = stage.write(path.join(stage.folder, 'mail.db'), '');
  stage.write(path.join(stage.folder, 'dbconfig.inc.php'), `<?php $dbtype = 'sqlite'; $dbserver = $dbuser = $dbpass = ''; $dbname = '${database}';`);
  const set = {
    database_type: 'sqlite',
    database_name: database,
    emailcheck_resolve_domain: 'NO',
    fetchmail: 'YES',
    vacation: 'YES',
    vacation_control: 'YES',
    backup: 'NO',
  };
  stage.write(
    path.join(stage.folder, 'config.local.php'),
    `<?php ${Object.entries(set)
      .map(([name, value]) => `$CONF['${name}'] = '${value}';`)
      .join(' ')}`,
  );
  await stage.done('php', ['public/upgrade.php'], { cwd: stage.folder });
  const rights = ['--superadmin', '1', '--active', '1', '--password', admin.password, '--password2', admin.password];
  await stage.done('php', ['scripts/postfixadmin-cli.php', 'admin', 'add', admin.user, ...rights], { cwd: stage.folder });
}
export async function start(stage) {
  await servePhp(stage, path.join(stage.folder, 'public'), { settings: { auto_prepend_file: prelude(stage) } });
  await stage.answers('/login.php');
}

const logIn = async (stage) => {
  const page = await stage.page();
  await stage.form(page, '/login.php', { fUsername: admin.user, fPassword: admin.password }, '[type=submit]');
  return page;
};
const domainOf = (one) => one.mail.split('@')[1];

async function write(stage, page, { posts, comments, searches }) {
  for (const text of searches) await stage.go(page, `/list-virtual.php?domain=${domainOf(people[0])}&search[_]=${encodeURIComponent(text)}`);
  for (const [at, post] of posts.entries())
    await stage.form(
      page,
      '/broadcast-message.php',
      { name: people[at % people.length].name, subject: post.title, message: at % 2 ? post.html : comments[at % comments.length] },
      '[type=submit]',
    );
}

export async function drive(stage) {
  const page = await logIn(stage);
  for (const [at, one] of people.entries()) {
    await stage.form(
      page,
      '/edit.php?table=domain',
      { 'value[domain]': domainOf(one), 'value[description]': posts[at].title, 'value[aliases]': '20', 'value[mailboxes]': '20' },
      '[type=submit]',
    );
    await stage.form(
      page,
      `/edit.php?table=mailbox&domain=${domainOf(one)}`,
      { 'value[local_part]': one.mail.split('@')[0], 'value[password]': passwords[at], 'value[password2]': passwords[at], 'value[name]': one.name },
      '[type=submit]',
    );
    await stage.form(
      page,
      `/edit.php?table=alias&domain=${domainOf(one)}`,
      {
        'value[localpart]': `team-${at}`,
        'value[goto]': people
          .slice(at % 5, (at % 5) + 4)
          .map((other) => other.mail)
          .join('\n'),
      },
      '[type=submit]',
    );
    await stage.form(
      page,
      `/vacation.php?username=${encodeURIComponent(one.mail)}`,
      { fSubject: `Away: ${posts[at].title}`, fBody: `${comments[at % comments.length]}\n\n${markdown[at % 4]}\n-- \n${one.name}` },
      '.btn-primary[name=action]',
    );
    await stage.form(page, '/sendmail.php', { fTo: one.mail, fSubject: posts[at].title, fBody: comments[at % comments.length] }, '[type=submit]');
  }
  await stage.form(
    page,
    '/edit.php?table=admin',
    { 'value[username]': people[0].mail, 'value[password]': passwords[1], 'value[password2]': passwords[1] },
    '[type=submit]',
  );
  await write(stage, page, { posts, comments, searches });
  await explore(
    stage,
    page,
    [
      '/main.php',
      '/edit.php?table=fetchmail',
      '/edit.php?table=aliasdomain',
      '/viewlog.php',
      '/password-change.php',
      '/list.php?table=domain',
      '/list.php?table=admin',
      '/password-recover.php',
    ],
    { pages: 70 },
  );
}

export async function driveTechnical(stage) {
  await write(stage, await logIn(stage), technicalTexts);
}
