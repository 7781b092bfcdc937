// Redmine of Debian: projects, issues, wiki pages, forums, searches and settings.
import fs from 'node:fs';
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import { copyOf, movedTo } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'Redmine';
const password = 'a quiet kitchen at dusk 7';

export async function prepare(stage) {
  stage.folder = await copyOf(stage, '/usr/share/redmine', 'redmine');
  const instance = path.join(stage.folder, 'instances/default');
  fs.rmSync(path.join(stage.folder, 'instances'), { recursive: true, force: true });
  for (const name of ['config', 'files', 'log', 'tmp/cache', 'db']) fs.mkdirSync(path.join(instance, name), { recursive: true });
  const database = `production:\n  adapter: sqlite3\n  database: ${instance}/db/redmine.sqlite3\n  timeout: 20000\n`;
  for (const to of [instance, stage.folder]) stage.write(path.join(to, 'config/database.yml'), database);
  await movedTo(stage, stage.folder, { '/usr/share/redmine': stage.folder });
  stage.rails = {
    cwd: stage.folder,
    env: {
      PATH: process.env.PATH,
      HOME: stage.folder,
      LANG: 'C.UTF-8',
      RAILS_ENV: 'production',
      REDMINE_LANG: 'en',
      SECRET_KEY_BASE: 'k'.repeat(64),
      RAILS_SERVE_STATIC_FILES: '1',
    },
  };
  stage.write(path.join(stage.folder, 'Gemfile.local'), "gem 'webrick'\n");
  await stage.done('rake', ['db:migrate'], stage.rails);
  await stage.done('rake', ['redmine:load_default_data'], stage.rails);
}
export async function start(stage) {
  stage.run('rails', ['server', '-u', 'webrick', '-b', '127.0.0.1', '-p', `${stage.appPort}`, '-e', 'production'], {
    ...stage.rails,
    detached: true,
  });
  await stage.answers('/login', 120);
}

const logIn = async (stage, secret) => {
  const page = await stage.page();
  await stage.form(page, '/login', { username: 'admin', password: secret }, '[name=login]');
  return page;
};

async function write(stage, page, { posts, comments, markdown, searches }) {
  for (const [at, post] of posts.entries()) {
    const text = at % 2 ? post.html : markdown[at % markdown.length];
    await stage.form(page, '/projects/kitchen/issues/new', { 'issue[subject]': post.title, 'issue[description]': text }, '#issue-form [name=commit]');
    await stage.form(
      page,
      `${page.url()}/edit`,
      { 'issue[notes]': comments[at % comments.length], 'time_entry[hours]': '1.5', 'time_entry[comments]': post.title },
      '#issue-form [name=commit]',
    );
  }
  for (const [at, text] of markdown.entries())
    await stage.form(
      page,
      `/projects/kitchen/wiki/${stage.part}_${encodeURIComponent(people[at].city.replace(/[,./?;:|]/g, ''))}/edit`,
      { 'content[text]': text, 'content[comments]': comments[at].slice(0, 200) },
      '[name=commit]',
    );
  for (const text of searches) await stage.go(page, `/search?q=${encodeURIComponent(text)}&all_words=1&issues=1&wiki_pages=1`);
}

export async function drive(stage) {
  const page = await logIn(stage, 'admin');
  await stage.form(page, '/my/password', { password: 'admin', new_password: password, new_password_confirmation: password }, '[name=commit]');
  await stage.form(
    page,
    '/projects/new',
    { 'project[name]': "O'Neil & Söhne: Küche", 'project[identifier]': 'kitchen', 'project[description]': markdown[0] },
    '[name=commit]',
  );
  await write(stage, page, { posts, comments, markdown, searches });
  const files = await makeFiles(stage.temp('files'));
  for (const kind of ['png', 'pdf', 'docx', 'zip', 'csv', 'python'])
    await stage.step(`attach ${kind}`, async () => {
      await page.goto(`${stage.url}/projects/kitchen/issues/new`);
      await stage.sent(page, () => page.locator('input[type=file]').first().setInputFiles([files[kind]]));
    });
  await stage.form(page, '/settings?tab=api', { '#settings_rest_api_enabled': true }, '#tab-content-api [name=commit]');
  const basic = { Authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` };
  for (const [at, one] of people.entries()) {
    await stage.sendJson(
      'POST',
      '/users.json',
      { user: { login: `user${at}`, firstname: one.name.split(' ')[0], lastname: one.name, mail: one.mail, password: `quiet kitchen ${at}` } },
      basic,
    );
    await stage.sendJson(
      'PUT',
      `/issues/${at + 1}.json`,
      { issue: { subject: one.city, notes: comments[at % comments.length], custom_fields: [{ id: 1, value: one.phone }] } },
      basic,
    );
    await stage.send(
      'GET',
      `/issues.json?set_filter=1&f[]=subject&op[subject]=~&v[subject][]=${encodeURIComponent(one.name)}&sort=updated_on:desc&c[]=tracker&group_by=`,
      { headers: basic },
    );
  }
  const places = [
    '/projects/kitchen',
    '/admin',
    '/settings',
    '/my/account',
    '/projects/kitchen/settings',
    '/issues?set_filter=1',
    '/workflows',
    '/roles',
    '/trackers',
    '/users',
    '/custom_fields/new?type=IssueCustomField',
    '/auth_sources/new',
    '/projects/kitchen/boards/new',
    '/projects/kitchen/news',
    '/projects/kitchen/documents/new',
    '/projects/kitchen/repositories/new',
  ];
  await explore(stage, page, places, { pages: 60, avoid: /\.(pdf|csv|atom)\b/ });
}

export async function driveTechnical(stage) {
  await write(stage, await logIn(stage, password), technicalTexts);
}
