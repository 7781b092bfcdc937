// DokuWiki of Debian: pages written, previewed and compared, media, searches, settings, users, and its XML-RPC.
import fs from 'node:fs';
import path from 'node:path';
import { createHash } from 'node:crypto';

import { makeFiles } from './support/files.mjs';
import { copyOf, servePhp } from './support/php.mjs';
import * as technicalTexts from './support/technical.mjs';
import { agents, comments, markdown, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'DokuWiki';
const password = 'a quiet kitchen at dusk 7';
// Saved with md5 without salt, one of the forms that DokuWiki reads.
const hashed = createHash('md5').update(password).digest('hex');

export async function prepare(stage) {
  stage.folder = await copyOf(stage, '/usr/share/dokuwiki', 'dokuwiki');
  const config = path.join(stage.temp('config'), 'conf');
  await stage.done('cp', ['-r', '--no-preserve=ownership', '/etc/dokuwiki', config]);
  for (const name of ['acl.auth.php', 'users.auth.php', 'local.php']) fs.rmSync(path.join(config, name), { force: true });
  const data = stage.temp('data');
  for (const name of ['attic', 'cache', 'index', 'locks', 'log', 'media', 'media_attic', 'media_meta', 'meta', 'pages', 'tmp'])
    fs.mkdirSync(path.join(data, name));
  stage.write(path.join(config, 'acl.auth.php'), '# <?php exit()?>\n* @ALL 1\n* @user 16\n');
  stage.write(path.join(config, 'users.auth.php'), `# <?php exit()?>\nanna:${hashed}:Anna O'Neil:anna@kueche.example:admin,user\n`);
  stage.write(
    path.join(config, 'local.php'),
    "<?php\n$conf['title'] = \"Anna's wiki\";\n$conf['useacl'] = 1;\n$conf['superuser'] = '@admin';\n$conf['remote'] = 1;\n$conf['remoteuser'] = '@user';\n",
  );
  stage.write(path.join(config, 'local.protected.php'), `<?php\n$conf['savedir'] = '${data}';\n`);
  // Debian's preload file takes the folder of the settings from here, if it is told.
  stage.preload = stage.write(path.join(data, 'main_conf.php'), `<?php\ndefine('DOKU_MAIN_CONF', '${config}/');\n`);
  stage.files = await makeFiles(stage.temp('files'));
}

export async function start(stage) {
  await servePhp(stage, stage.folder, { settings: { auto_prepend_file: stage.preload } });
  await stage.answers('/doku.php');
}

// HTML as somebody writes it in a wiki.
const wikiOf = (html) =>
  html
    .replace(/<h\d>(.*?)<\/h\d>/g, '\n===== $1 =====\n')
    .replace(/<\/?(strong|b)>/g, '**')
    .replace(/<\/?em>/g, '//')
    .replace(/<li>(.*?)<\/li>/g, '\n  * $1')
    .replace(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/g, '[[$1|$2]]')
    .replace(/<pre[^>]*>(?:<code>)?([^]*?)(?:<\/code>)?<\/pre>/g, '\n<code>\n$1\n</code>\n')
    .replace(/<code>(?!\n)(.*?)<\/code>/g, "''$1''")
    .replace(/<th>(.*?)<\/th>/g, '^ $1 ')
    .replace(/<td[^>]*>(.*?)<\/td>/g, '| $1 ')
    .replace(/<\/tr>/g, '|\n')
    .replace(/<br>/g, '\\\\ ')
    .replace(/<(?!\/?code)[^>]*>/g, '\n')
    .replace(/&nbsp;/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&[a-z]+;/g, '--')
    .replace(/\n{3,}/g, '\n\n');

const idOf = (text, at) =>
  `${['', 'kitchen:', 'it:howto:'][at % 3]}${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .slice(0, 40)}`;
const login = (stage, page, name, word) =>
  stage.form(page, '/doku.php?id=start&do=login', { u: name, p: word, r: true }, '#dw__login button[type=submit]');

// Writes a page: an edit with a preview, saved with a summary.
async function write(stage, page, id, text, summary) {
  const where = `/doku.php?id=${encodeURIComponent(id)}`;
  await stage.form(page, `${where}&do=edit`, { '#wiki__text': text }, '#edbtn__preview');
  await stage.form(page, null, { '#wiki__text': `${text}\n\n  --- //Anna 2026/11/18//\n`, '#edit__summary': summary }, '#edbtn__save');
}

async function search(stage, page, text) {
  await stage.step(`search ${text}`, async () => {
    const field = page.locator('#qsearch__in').first();
    await field.fill('');
    await field.pressSequentially(text.slice(0, 30), { delay: 5 });
    await field.press('Enter');
    await page.waitForLoadState('load');
  });
}

async function useWiki(stage, page, { posts, comments, searches, markdown }) {
  for (const [at, post] of posts.entries())
    await write(
      stage,
      page,
      idOf(post.title, at),
      `====== ${post.title} ======\n\n${wikiOf(post.html)}\n\n{{tag>${post.tags.join(' ')}}}`,
      comments[at % comments.length].slice(0, 80).replaceAll('\n', ' '),
    );
  for (const [at, text] of markdown.entries()) {
    await write(
      stage,
      page,
      `notes:${at}`,
      text
        .replace(/^#+ (.*)$/gm, '===== $1 =====')
        .replace(/```(\w+)\n([^]*?)```/g, '<code $1 file_name.txt>\n$2</code>')
        .replace(/\*\*?([^*\n]+)\*\*?/g, '**$1**')
        .replace(/`([^`\n]+)`/g, "''$1''")
        .replace(/^\d\. /gm, '  - '),
      'imported',
    );
  }
  await stage.go(page, '/doku.php?id=start');
  for (const text of searches) await search(stage, page, text);
}

async function administer(stage, page) {
  for (const where of [
    'admin',
    'admin&page=acl',
    'admin&page=extension',
    'admin&page=logviewer',
    'admin&page=revert&filter=' + encodeURIComponent('50% off <a href='),
    'admin&page=styling',
    'admin&page=popularity',
  ])
    await stage.go(page, `/doku.php?id=start&do=${where}`);
  await stage.form(
    page,
    '/doku.php?id=start&do=admin&page=config',
    {
      '#config___title': 'Anna\'s Küche & Café — "since \'74"',
      '#config___tagline': 'Cake, coffee; and <3 (open Mo–Fr)',
      '#config___dformat': '%d.%m.%Y %H:%M',
      '#config___hidepages': '^(private|it:secret):.*$',
      '#config___mailprefix': "[Anna's wiki]",
    },
    '#config__manager button[type=submit]',
  );
  for (const [at, one] of people.slice(0, 8).entries()) {
    await stage.form(
      page,
      '/doku.php?id=start&do=admin&page=usermanager',
      {
        '#add_userid': `user${at}`,
        '#add_userpass': passwords[at],
        '#add_userpass2': passwords[at],
        '#add_username': one.name,
        '#add_usermail': one.mail,
        '#add_usergroups': 'user, sales',
      },
      '#user__manager button[name="fn[add]"]',
    );
  }
  await stage.form(page, '/doku.php?id=start&do=admin&page=usermanager', { username: "O'", usermail: '@' }, '[name="fn[search][new]"]');
  const csv = stage.write(
    path.join(stage.temp('users'), 'users.csv'),
    `"User","Real Name","Email","Groups"\n${people.map((one, at) => `"new${at}","${one.name.replaceAll('"', '""')}","${one.mail}","user"`).join('\n')}\n`,
  );
  await stage.form(page, '/doku.php?id=start&do=admin&page=usermanager', { '[name=import]': [csv] }, '[name="fn[import]"]');
}

// A call of the interface for programs.
function call(stage, method, ...values) {
  const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const value = (one) =>
    Buffer.isBuffer(one)
      ? `<base64>${one.toString('base64')}</base64>`
      : typeof one === 'string'
        ? `<string>${escape(one)}</string>`
        : `<struct>${Object.entries(one)
            .map(([name, item]) => `<member><name>${name}</name><value>${value(item)}</value></member>`)
            .join('')}</struct>`;
  const body = `<?xml version="1.0"?>\n<methodCall><methodName>${method}</methodName><params>${values.map((one) => `<param><value>${value(one)}</value></param>`).join('')}</params></methodCall>\n`;
  return stage.send('POST', '/lib/exe/xmlrpc.php', {
    headers: {
      'Content-Type': 'text/xml',
      'User-Agent': 'Python-xmlrpc/3.11',
      Authorization: `Basic ${Buffer.from(`anna:${password}`).toString('base64')}`,
    },
    body,
  });
}

export async function drive(stage) {
  const page = await stage.page({ locale: 'de-DE' });
  await stage.go(page, '/');
  for (const wrong of ["kT7'#x--9;Qz", '" or so I thought']) await login(stage, page, "anna o'neil", wrong);
  await login(stage, page, 'anna', password);
  await useWiki(stage, page, { posts, comments, searches, markdown });
  for (const kind of ['png', 'jpeg', 'pdf', 'docx', 'xlsx', 'zip', 'csv', 'text', 'python']) {
    await stage.step(`upload ${kind}`, async () => {
      await page.goto(`${stage.url}/doku.php?id=start&do=media&ns=kitchen&tab_files=upload`);
      await page.locator('input[type=file]').first().setInputFiles([stage.files[kind]]);
      await stage.sent(page, () => page.locator('#mediamanager__upload_button').click());
    });
  }
  for (const where of [
    'do=recent',
    'do=index&idx=kitchen',
    'do=revisions',
    'do=diff',
    'do=backlink',
    'do=profile',
    'do=register',
    'do=resendpwd',
    'do=subscribe',
    'do=export_xhtml',
    'do=media&ns=kitchen&tab_files=search&q=grandma%27s&do=media&tab_details=view',
    'rev=1795557937&do=edit',
  ])
    await stage.go(page, `/doku.php?id=${encodeURIComponent(idOf(posts[0].title, 0))}&${where}`, { waitUntil: 'commit' });
  await stage.send('GET', `/doku.php?id=${encodeURIComponent(idOf(posts[0].title, 0))}&do=export_raw`);
  await stage.form(page, '/doku.php?id=start&do=resendpwd', { login: "o'connor" }, '#dw__resendpwd button[type=submit]');
  await administer(stage, page);
  for (const [at, post] of posts.slice(0, 6).entries())
    await call(stage, 'wiki.putPage', `import:${at}`, wikiOf(post.html), { sum: "Anna's import; see mail", minor: '1' });
  await call(stage, 'wiki.putAttachment', 'kitchen:cake.png', fs.readFileSync(stage.files.png), { ow: '1' });
  for (const text of searches.slice(0, 12)) await call(stage, 'dokuwiki.search', text);
  for (const agent of Object.values(agents))
    for (const where of ['/doku.php', '/feed.php?type=rss2&num=5&mode=list&ns=kitchen', '/doku.php?id=kitchen:start&do=sitemap'])
      await stage.send('GET', where, { headers: { 'User-Agent': agent, Accept: '*/*' } });
}

export async function driveTechnical(stage) {
  const page = await stage.page();
  await login(stage, page, 'anna', password);
  await useWiki(stage, page, technicalTexts);
}
