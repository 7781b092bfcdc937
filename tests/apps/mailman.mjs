// Mailman 3 of Debian: lists, their settings and templates in Postorius; archives with new threads, answers and searches in HyperKitty.
import path from 'node:path';

import { freePort } from '../e2e/support/processes.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';
import { lookups, notes } from './support/trades.mjs';

export const title = 'Mailman 3 (Postorius, HyperKitty)';
const password = 'a quiet kitchen at dusk 7';
const list = 'kitchen@lists.example';

const settings = (stage) => `exec(open('/usr/share/mailman3-web/settings.py').read())
ALLOWED_HOSTS = ['*']
SECRET_KEY = '${'k'.repeat(50)}'
MAILMAN_REST_API_URL = 'http://127.0.0.1:${stage.restPort}'
MAILMAN_REST_API_PASS = 'restpass'
DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': '${stage.folder}/web.sqlite3', 'OPTIONS': {'timeout': 20}}}
STATIC_ROOT = '${stage.folder}/static'
HAYSTACK_CONNECTIONS = {'default': {'ENGINE': 'haystack.backends.whoosh_backend.WhooshEngine', 'PATH': '${stage.folder}/index'}}
EMAIL_BACKEND = 'django.core.mail.backends.locmem.EmailBackend'
ACCOUNT_EMAIL_VERIFICATION = 'none'
ACCOUNT_DEFAULT_HTTP_PROTOCOL = 'http'
CSRF_TRUSTED_ORIGINS = ['http://${stage.host}']
LOGGING = {'version': 1, 'disable_existing_loggers': True}
Q_CLUSTER = {'sync': True, 'orm': 'default', 'timeout': 300, 'retry': 400}
COMPRESS_OFFLINE = False
COMPRESS_ENABLED = False
COMPRESS_PRECOMPILERS = (('text/x-scss', 'true'), ('text/x-sass', 'true'), ('text/less', 'true'))
DEBUG = True
PASSWORD_HASHERS = ['django.contrib.auth.hashers.MD5PasswordHasher']
`;
const mail = (at, from, subject, text, reply) =>
  `From ${from.mail} Wed Nov 18 08:${String(at % 60).padStart(2, '0')}:00 2026\nFrom: =?utf-8?b?${Buffer.from(from.name).toString('base64')}?= <${from.mail}>\nTo: ${list}\nSubject: =?utf-8?b?${Buffer.from(subject).toString('base64')}?=\nDate: Wed, 18 Nov 2026 08:${String(at % 60).padStart(2, '0')}:00 +0100\nMessage-ID: <m${at}@mail.example>\n${reply === undefined ? '' : `In-Reply-To: <m${reply}@mail.example>\n`}MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n')}\n\n`;

export async function prepare(stage) {
  stage.folder = stage.temp('mailman');
  stage.restPort = await freePort();
  stage.core = stage.write(
    path.join(stage.folder, 'mailman.cfg'),
    `[mailman]\nlayout: here\nsite_owner: anna@mail.example\n[paths.here]\nvar_dir: ${stage.folder}/core\n[webservice]\nhostname: 127.0.0.1\nport: ${stage.restPort}\nadmin_user: restadmin\nadmin_pass: restpass\n[mta]\nincoming: mailman.mta.null.NullMTA\n`,
  );
  stage.write(path.join(stage.folder, 'site_settings.py'), settings(stage));
  stage.python = {
    cwd: stage.folder,
    env: {
      ...stage.env,
      PYTHONPATH: `${stage.folder}:/usr/share/mailman3-web`,
      DJANGO_SETTINGS_MODULE: 'site_settings',
      DJANGO_SUPERUSER_PASSWORD: password,
      MAILMAN_CONFIG_FILE: stage.core,
    },
  };
  const manage = (...args) => stage.done('/usr/bin/django-admin', args, stage.python);
  await manage('migrate');
  await manage('createsuperuser', '--noinput', '--username', 'anna', '--email', 'anna@mail.example');
  const texts = [...notes.map((one) => [one.title, one.text]), ...posts.map((one, at) => [one.title, markdown[at % markdown.length]])];
  const box = stage.write(
    path.join(stage.folder, 'old.mbox'),
    texts
      .map(([subject, text], at) =>
        mail(at, people[at % people.length], at % 3 ? `Re: ${texts[at - (at % 3)][0]}` : subject, text, at % 3 ? at - (at % 3) : undefined),
      )
      .join(''),
  );
  await manage('hyperkitty_import', '-l', list, '--no-sync-mailman', box);
  await manage('update_index');
}
export async function start(stage) {
  stage.run('/usr/lib/mailman3/bin/runner', ['-C', stage.core, '-r', 'rest:0:1'], stage.python);
  stage.run('/usr/bin/django-admin', ['runserver', '--noreload', `127.0.0.1:${stage.appPort}`], stage.python);
  await stage.answers('/accounts/login/', 240);
}

const archive = `/hyperkitty/list/${list}`;
const logIn = async (stage) => {
  const page = await stage.page();
  await stage.step('log in', async () => {
    await page.goto(`${stage.url}/accounts/login/`, { waitUntil: 'load' });
    await page.locator('[name=login]').fill('anna');
    await page.locator('[name=password]').fill(password);
    await stage.sent(page, () => page.locator('[name=password]').press('Enter', { noWaitAfter: true }));
  });
  return page;
};

async function write(stage, page, { posts, comments, searches }) {
  for (const [at, one] of posts.entries())
    await stage.form(
      page,
      `${archive}/message/new`,
      { subject: one.title, message: at % 2 ? (one.text ?? one.html) : `${comments[at % comments.length]}\n\n> ${one.title}\n-- \nAnna` },
      'form [type=submit].btn-primary, form button[type=submit]',
    );
  for (const text of searches) {
    const q = encodeURIComponent(text).replaceAll('%20', '+');
    await stage.go(page, `/hyperkitty/search?mlist=${encodeURIComponent(list)}&q=${q}&sort=date-desc`);
    await stage.go(page, `/postorius/lists/kitchen.lists.example/members/member/?q=${q}`);
  }
}

export async function drive(stage) {
  const page = await logIn(stage);
  await stage.form(
    page,
    '/postorius/domains/new/',
    { mail_host: 'lists.example', description: "Lists of Anna's kitchen; all of them" },
    'form.form-horizontal [type=submit], [type=submit].btn-primary',
  );
  await stage.form(
    page,
    '/postorius/lists/new/',
    { listname: 'kitchen', mail_host: 'lists.example', list_owner: 'anna@mail.example', description: "Recipes & talk (don't shout)" },
    'form.form-horizontal [type=submit], [type=submit].btn-primary',
  );
  const settings = '/postorius/lists/kitchen.lists.example';
  for (const [at, one] of people.entries()) {
    await stage.form(
      page,
      `${settings}/settings/list_identity`,
      { display_name: `${one.city} ${at}`, description: notes[at].title, info: notes[at].text },
      '[type=submit].btn-primary',
    );
    await stage.form(
      page,
      `${settings}/templates/new`,
      {
        name: 'list:user:notice:welcome',
        data: `Welcome to the "$display_name" list, ${one.name}!\n\nTo post, write to: $fqdn_listname\n$$5 a year; see \${list_id} or http://lists.example/?a=1&b=$user_email\n-- \n${one.city}`,
      },
      '[type=submit].btn-primary',
    );
    await stage.form(
      page,
      `${settings}/settings/message_acceptance`,
      { acceptable_aliases: `^.*@${one.mail.split('@')[1].replaceAll('.', '\\.')}$\n${one.mail}` },
      '[type=submit].btn-primary',
    );
  }
  await write(stage, page, {
    posts: [...posts.slice(0, 6), ...notes],
    comments: [...comments, ...notes.map((one) => one.text)],
    searches: [...searches, ...lookups],
  });
  await explore(
    stage,
    page,
    [
      `${archive}/`,
      `${archive}/latest`,
      '/hyperkitty/',
      '/postorius/lists/',
      `${settings}/`,
      `${settings}/settings/dmarc_mitigations`,
      '/accounts/profile/',
      '/postorius/system/',
    ],
    { pages: 40 },
  );
}
export async function driveTechnical(stage) {
  await write(stage, await logIn(stage), technicalTexts);
}
