// Roundcube of Debian: mails with HTML and attachments written, answered, searched; contacts, identities, folders and settings.
import fs from 'node:fs';
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import { password, startMail } from './support/mail.mjs';
import { servePhp } from './support/php.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'Roundcube (dovecot)';

export async function prepare(stage) {
  const folder = stage.temp('roundcube');
  stage.config = path.join(folder, 'config');
  stage.mail = await startMail(stage);
  for (const name of ['defaults.inc.php', 'mimetypes.php'])
    stage.write(path.join(stage.config, name), fs.readFileSync(path.join('/etc/roundcube', name)));
  stage.write(
    path.join(stage.config, 'config.inc.php'),
    `<?php
$config = ['db_dsnw' => 'sqlite:///${folder}/mail.db?mode=0600', 'imap_host' => '127.0.0.1:${stage.mail.imapPort}', 'smtp_host' => '127.0.0.1:${stage.mail.smtpPort}',
  'smtp_user' => '', 'smtp_pass' => '', 'des_key' => 'abcdefghijklmnopqrstuvwx', 'plugins' => [], 'skin' => 'elastic', 'enable_spellcheck' => false,
  'temp_dir' => '${folder}', 'log_dir' => '${folder}', 'mail_domain' => 'kueche.example', 'draft_autosave' => 60, 'session_lifetime' => 60];\n`,
  );
  const schema = '/usr/share/roundcube/SQL/sqlite.initial.sql';
  await stage.done('php', ['-r', '$db = new PDO("sqlite:$argv[1]"); $db->exec(file_get_contents($argv[2]));', path.join(folder, 'mail.db'), schema]);
  stage.files = await makeFiles(stage.temp('files'));
}

export const start = (stage) => servePhp(stage, '/var/lib/roundcube/public_html', { env: { ROUNDCUBE_CONFIG_DIR: stage.config } });

// A mail of somebody else, as their program writes it.
const mailOf = (one, subject, html, at) =>
  [
    `From: "${one.name.replaceAll('"', "'")}" <${one.mail}>`,
    'To: anna@kueche.example',
    `Subject: =?UTF-8?B?${Buffer.from(subject).toString('base64')}?=`,
    `Date: Wed, 18 Nov 2026 0${at % 10}:15:00 +0100`,
    `Message-ID: <${at}.7f3a@${one.mail.split('@')[1]}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(`<html><head><style>p { margin: 0 }</style></head><body>${html}</body></html>`).toString('base64').replace(/.{76}/g, '$&\r\n'),
    '',
  ].join('\r\n');

const ready = (page, seconds = 15) => page.waitForFunction(() => window.rcmail && rcmail.env.task && !rcmail.busy, null, { timeout: seconds * 1000 });
// Nothing is loaded, sent or uploaded any more.
async function quiet(page) {
  await page.waitForTimeout(150);
  await page.waitForFunction(
    () =>
      window.rcmail &&
      !rcmail.busy &&
      !document.querySelector('#messagestack .loading') &&
      Object.values(rcmail.env.attachments ?? {}).every((one) => one.complete),
    null,
    { timeout: 15000 },
  );
}

// PHP's own server breaks an answer off now and then: what is not ready is loaded once more.
async function open(stage, page, query, part = () => true) {
  for (const seconds of [6, 15]) {
    await page.goto(`${stage.url}/?${query}`, { waitUntil: 'load', timeout: 20000 });
    const isReady = await ready(page, seconds)
      .then(() => page.waitForFunction(part, null, { timeout: seconds * 1000 }))
      .catch(() => null);
    if (isReady) return;
  }
  throw new Error(`not ready: ${query}`);
}

// Writes a mail with the page's own editor and buttons; `where`: what opens it.
function compose(stage, page, { where = '_task=mail&_action=compose', to, subject, html, text, files = [], draft = false }) {
  return stage.step(`mail: ${subject ?? where}`, async () => {
    await open(stage, page, where, html ? () => window.tinymce?.get('composebody')?.initialized : undefined);
    await page.evaluate(
      ({ to, subject, html, text }) => {
        if (to) $('#_to').val(to).trigger('change');
        if (subject) $('#compose-subject').val(subject);
        const rich = window.tinymce?.get('composebody');
        if (html) rich.setContent(html + rich.getContent());
        else $('#composebody').val(text + '\n' + $('#composebody').val());
      },
      { to, subject, html, text },
    );
    for (const file of files) {
      await page.locator('input[type=file][name="_attachments[]"]').first().setInputFiles([file]);
      await quiet(page);
    }
    await page.evaluate(() => rcmail.command('savedraft', ''));
    await quiet(page);
    if (draft) return;
    await page.evaluate(() => rcmail.command('send', ''));
    await page.waitForURL((url) => !url.search.includes('_action=compose'), { timeout: 15000 });
  });
}

// The editor of HTML or that of plain text, for the mails to come.
const editor = (stage, page, mode) => settings(stage, page, 'compose', { _htmleditor: mode });

function settings(stage, page, section, values) {
  return stage.form(page, `/?_task=settings&_action=edit-prefs&_section=${section}&_framed=1`, values, 'button.submit, input.submit, .btn-primary');
}

function search(stage, page, text, scope = 'base') {
  return stage.step(`search ${text}`, async () => {
    await page.evaluate(
      ({ text, scope }) => {
        $('#mailsearchform').val(text);
        $(`[name="s_scope"]`).val(scope);
        rcmail.command('search', '');
      },
      { text, scope },
    );
    await quiet(page);
  });
}

async function useMails(stage, page, { posts, comments, searches }, files) {
  await editor(stage, page, '1');
  for (const [at, post] of posts.entries()) {
    const to = `"${people[at % people.length].name.replaceAll('"', '')}" <${people[at % people.length].mail}>, ${people[(at + 1) % people.length].mail}`;
    await compose(stage, page, {
      to,
      subject: post.title,
      html: `<p>Hi,</p>${post.html}<p>--<br>Anna O'Neil</p>`,
      files: at < files.length ? [files[at]] : [],
      draft: at % 4 === 3,
    });
  }
  await editor(stage, page, '0');
  for (const [at, text] of comments.entries())
    await compose(stage, page, { to: people[at % people.length].mail, subject: `Re: ${text.split('\n')[0].slice(0, 60)}`, text });
  await stage.step('inbox', () => open(stage, page, '_task=mail&_mbox=INBOX'));
  for (const text of searches) await search(stage, page, text);
}

export async function drive(stage) {
  for (const [at, post] of posts.entries()) stage.mail.deliver(mailOf(people[at % people.length], post.title, post.html, at));
  const page = await stage.page({ locale: 'de-DE' });
  for (const wrong of ["kT7'#x--9;Qz", '" or so I thought']) await stage.form(page, '/', { _user: "anna o'neil", _pass: wrong }, '#rcmloginsubmit');
  await stage.form(page, '/', { _user: 'anna', _pass: password }, '#rcmloginsubmit');
  await stage.step('logged in', () => ready(page));
  const files = ['png', 'jpeg', 'pdf', 'docx', 'xlsx', 'zip', 'svg', 'csv', 'text', 'python', 'html'].map((kind) => stage.files[kind]);
  await useMails(stage, page, { posts, comments, searches }, files);
  for (const text of markdown) await compose(stage, page, { to: people[3].mail, subject: text.split('\n')[0], text });
  await editor(stage, page, '1');
  for (const uid of [1, 2, 3, 5, 9]) {
    await stage.step(`read ${uid}`, () =>
      open(stage, page, `_task=mail&_uid=${uid}&_mbox=INBOX&_action=show&_caps=pdf%3D1%2Cflash%3D0%2Ctiff%3D0%2Cwebp%3D1`),
    );
    await compose(stage, page, {
      where: `_task=mail&_action=compose&_reply_uid=${uid}&_mbox=INBOX`,
      html: `<p>${comments[uid].replaceAll('<', '&lt;').replaceAll('\n', '<br>')}</p>`,
    });
    await compose(stage, page, {
      where: `_task=mail&_action=compose&_forward_uid=${uid}&_mbox=INBOX`,
      to: people[uid].mail,
      html: '<p>FYI; what do you think?</p>',
    });
  }
  await settings(stage, page, 'general', { _timezone: 'Europe/Berlin', _date_format: 'd.m.Y' });
  await settings(stage, page, 'mailview', { _show_images: '0' });
  for (const [name, html] of [
    [
      "Anna O'Neil (Küche & Café)",
      '<p><b>Anna O\'Neil</b> | baker &amp; blogger<br><a href="https://kueche.example/?utm_source=mail&amp;utm_medium=signature">kueche.example</a></p>',
    ],
    ['Anna -- private; no "work"', '<p>A.</p>'],
  ]) {
    await stage.step(`identity ${name}`, async () => {
      await open(stage, page, '_task=settings&_action=add-identity&_framed=1');
      await page.evaluate(
        ({ name, html }) => {
          $('[name=_name]').val(name);
          $('[name=_email]').val('anna@kueche.example');
          $('[name=_organization]').val("O'Reilly & Sons; Ltd.");
          $('[name=_html_signature]').prop('checked', true);
          $('[name=_signature]').val(html);
          rcmail.command('save', '');
        },
        { name, html },
      );
      await quiet(page);
    });
  }
  for (const text of comments.slice(0, 4)) {
    await stage.step('response', async () => {
      await open(stage, page, '_task=settings&_action=add-response&_framed=1');
      await page.evaluate((text) => {
        $('[name=_name]').val(text.slice(0, 20));
        $('[name=_text]').val(text);
        rcmail.command('save', '');
      }, text);
      await quiet(page);
    });
  }
  for (const name of ["Anna's <private>", 'Müller & Söhne', 'Rechnungen; 2026', 'union', 'a.b']) {
    await stage.form(page, '/?_task=settings&_action=edit-folder&_mbox=&_framed=1', { _name: name }, 'button.submit, input.submit, .btn-primary');
  }
  await contacts(stage, page);
  await stage.step('flags, moves and a thread list', async () => {
    await open(stage, page, '_task=mail&_mbox=INBOX&_sort=subject_DESC&_layout=list');
    await page.evaluate(() => {
      rcmail.message_list.select_first();
      rcmail.command('mark', 'flagged');
      rcmail.command('mark', 'unread');
      rcmail.move_messages('Junk');
    });
    await quiet(page);
  });
  await stage.step('logout', () => page.goto(`${stage.url}/?_task=mail`).then(() => page.evaluate(() => rcmail.command('switch-task', 'logout'))));
}

async function contacts(stage, page) {
  for (const [at, one] of people.entries()) {
    await stage.step(`contact ${one.name}`, async () => {
      await open(stage, page, '_task=addressbook&_action=show&_source=0&_action=add&_framed=1');
      const save = () =>
        page.evaluate(
          ({ one, note }) => {
            const [first, ...rest] = one.name.split(' ');
            $('select.addfieldmenu').has('option[value=notes]').val('notes').trigger('change');
            for (const [name, value] of [
              ['firstname', first],
              ['surname', rest.join(' ')],
              ['email_home[]', one.mail],
              ['phone_home[]', one.phone],
              ['notes', note],
            ]) {
              $(`[name="_${name}"]`).val(value);
            }
            rcmail.command('save', '');
          },
          { one, note: markdown[at] ?? comments[at % comments.length] },
        );
      await stage.sent(page, save);
    });
  }
  const cards = people
    .map(
      (one, at) =>
        `BEGIN:VCARD\r\nVERSION:3.0\r\nN:${one.name.split(' ').slice(1).join(' ')};${one.name.split(' ')[0]};;;\r\nFN:${one.name}\r\nEMAIL;TYPE=INTERNET:${at}.${one.mail}\r\nNOTE:${comments[at % comments.length].replaceAll('\n', '\\n').replace(/.{70}/gu, '$&\r\n ')}\r\nEND:VCARD\r\n`,
    )
    .join('');
  const vcf = stage.write(path.join(stage.temp('cards'), "Anna's contacts.vcf"), cards);
  for (const file of [vcf, stage.files.csv]) {
    await stage.step(`import ${path.basename(file)}`, async () => {
      await open(stage, page, '_task=addressbook&_action=import&_framed=1');
      await page.locator('[name="_file[]"]').setInputFiles([file]);
      await stage.sent(page, () => page.evaluate(() => rcmail.gui_objects.importform.submit()));
    });
  }
  await stage.step('search contacts', () => open(stage, page, '_task=addressbook'));
  for (const text of searches.slice(0, 15)) {
    await stage.step(`search contact ${text}`, async () => {
      await page.evaluate((text) => {
        $('#searchform, #contactsearchform').val(text);
        rcmail.command('search', '');
      }, text);
      await quiet(page);
    });
  }
  await stage.step('export', () => page.evaluate(() => fetch('./?_task=addressbook&_action=export&_source=0').then((answer) => answer.text())));
}

export async function driveTechnical(stage) {
  const page = await stage.page();
  await stage.form(page, '/', { _user: 'anna', _pass: password }, '#rcmloginsubmit');
  await stage.step('logged in', () => ready(page));
  await useMails(stage, page, technicalTexts, [stage.files.python, stage.files.html]);
  for (const text of technicalTexts.markdown) await compose(stage, page, { to: people[3].mail, subject: text.split('\n')[0], text });
}
