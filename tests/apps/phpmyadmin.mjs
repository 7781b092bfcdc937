// phpMyAdmin of Debian on MariaDB: tables made, rows put in, changed, searched, sorted, brought in and out, settings. Its box for SQL counts as technical.
import path from 'node:path';

import { copyOf, makeDatabase, movedTo, prelude, servePhp } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, people, posts, searches } from './support/texts.mjs';
import { lookups, notes } from './support/trades.mjs';

export const title = 'phpMyAdmin';

export async function prepare(stage) {
  stage.socket = await makeDatabase(stage, 'shop');
  await stage.done('mariadb', [
    '--no-defaults',
    `--socket=${stage.socket}`,
    '-uapp',
    '-papp',
    'shop',
    '-e',
    "create table notes (id int auto_increment primary key, title varchar(250), body text, price decimal(9,2) default 0, made date, kind enum('a','b') default 'a', key(title)); create table customers (id int auto_increment primary key, name varchar(120), mail varchar(120), city varchar(80))",
  ]);
  stage.folder = await copyOf(stage, '/usr/share/phpmyadmin', 'phpmyadmin');
  const config = stage.write(
    path.join(stage.temp('config'), 'config.inc.php'),
    `<?php $cfg['blowfish_secret'] = '${'k'.repeat(32)}'; $i = 1; $cfg['Servers'][1] = ['auth_type' => 'config', 'host' => 'localhost', 'socket' => '${stage.socket}', 'user' => 'app', 'password' => 'app', 'compress' => false, 'AllowNoPassword' => true]; $cfg['TempDir'] = '${stage.temp('tmp')}'; $cfg['CheckConfigurationPermissions'] = false; $cfg['VersionCheck'] = false; $cfg['SendErrorReports'] = 'never';\n`,
  );
  await movedTo(stage, path.join(stage.folder, 'libraries/vendor_config.php'), {
    '/etc/phpmyadmin/config.inc.php': config,
    '/var/lib/phpmyadmin/tmp/': `${stage.temp('tmp')}/`,
  });
}
export async function start(stage) {
  await servePhp(stage, stage.folder, { settings: { auto_prepend_file: prelude(stage), 'mysqli.default_socket': stage.socket } });
  await stage.answers('/index.php');
}

const q = encodeURIComponent;
async function rows(stage, page, { posts, comments, searches }) {
  for (const [at, post] of posts.entries())
    await stage.step(`row ${at}`, async () => {
      await page.goto(`${stage.url}/index.php?route=/table/change&db=shop&table=notes`, { waitUntil: 'load' });
      await page.waitForTimeout(300);
      const put = (nth, text) => page.locator(`#field_${nth}_3`).first().fill(text, { force: true });
      await put(2, post.title);
      await put(3, `${post.text ?? post.html}\n${comments[at % comments.length]}`);
      await put(4, `${at}.90`);
      await stage.sent(page, () => page.locator('#buttonYes, form#insertForm [type=submit]').last().click({ force: true }));
    });
  for (const [at, text] of searches.entries()) {
    await stage.step(`search ${at}`, async () => {
      await page.goto(`${stage.url}/index.php?route=/table/search&db=shop&table=notes`, { waitUntil: 'load' });
      await page.locator('[name="criteriaColumnOperators[1]"]').selectOption(['LIKE %...%', '=', 'LIKE', 'NOT LIKE'][at % 4]);
      await page.locator('[name="criteriaValues[1]"]').fill(text, { force: true });
      await stage.sent(page, () => page.locator('#tbl_search_form [name=submit]').last().click({ force: true }));
    });
    if (at % 3 === 0)
      await stage.step(`search of all ${at}`, async () => {
        await page.goto(`${stage.url}/index.php?route=/database/search&db=shop`, { waitUntil: 'load' });
        await page.locator('[name=criteriaSearchString]').fill(text, { force: true });
        await page.locator('[name="criteriaTables[]"]').selectOption(['notes', 'customers'], { force: true });
        await stage.sent(page, () => page.locator('#buttonGo').click({ force: true }));
      });
  }
}

export async function drive(stage) {
  const page = await stage.page();
  await stage.go(page, '/index.php');
  await rows(stage, page, {
    posts: [...posts.slice(0, 6), ...notes],
    comments: [...comments, ...notes.map((one) => one.text)],
    searches: [...searches.slice(0, 14), ...lookups.slice(0, 14)],
  });
  for (const where of ['sort=title', 'sort=made']) await stage.go(page, `/index.php?route=/sql&db=shop&table=notes&pos=0&${where}`);
  await stage.step('browse, sort, edit inline', async () => {
    await page.goto(`${stage.url}/index.php?route=/sql&db=shop&table=notes&pos=0`, { waitUntil: 'load' });
    for (let at = 0; at < 3; ++at) {
      await page.locator('th.column_heading a').nth(at).click({ force: true });
      await page.waitForTimeout(1500);
      await page
        .locator('td.data.grid_edit')
        .nth(at * 5 + 1)
        .dblclick({ force: true });
      await page.waitForTimeout(500);
      await page.keyboard.type(`it's "new" & <b>bold</b> ${people[at].name}`);
      await page.keyboard.press('Enter');
      await page.waitForTimeout(1500);
    }
  });
  for (const one of people.slice(0, 6))
    await stage.step('edit a row', async () => {
      await page.goto(`${stage.url}/index.php?route=/sql&db=shop&table=notes&pos=0`, { waitUntil: 'load' });
      await page.locator('.edit_row_anchor a').nth(2).click({ force: true });
      await page.waitForTimeout(1500);
      await page.locator('#field_2_3').first().fill(`${one.name} (${one.city})`, { force: true });
      await stage.sent(page, () => page.locator('#buttonYes').first().click({ force: true }));
    });
  await explore(
    stage,
    page,
    [
      '/index.php?route=/database/structure&db=shop',
      '/index.php?route=/table/structure&db=shop&table=notes',
      '/index.php?route=/table/export&db=shop&table=notes',
      '/index.php?route=/table/import&db=shop&table=notes',
      '/index.php?route=/table/operations&db=shop&table=notes',
      '/index.php?route=/database/designer&db=shop',
      '/index.php?route=/preferences/forms',
      '/index.php?route=/server/status',
      '/index.php?route=/server/variables',
      '/index.php?route=/database/routines&db=shop',
      '/index.php?route=/table/tracking&db=shop&table=notes',
    ],
    { pages: 30, avoid: /import|drop|empty/i },
  );
}
export async function driveTechnical(stage) {
  const page = await stage.page();
  await rows(stage, page, { ...technicalTexts, searches: technicalTexts.searches.slice(0, 10) });
}
