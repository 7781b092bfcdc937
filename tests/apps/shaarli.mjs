// Shaarli of Debian: links saved with notes, tags, searches, feeds, imports, settings, and its interface for programs.
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { copyOf, movedTo, prelude, servePhp } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { agents, comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'Shaarli';
const admin = { login: 'anna', password: 'a quiet kitchen at dusk 7' };
const linkOf = (at) => `https://${people[at % people.length].mail.split('@')[1]}/p/${at}?a=1&b=${posts[at % posts.length].language}#c`;

export async function prepare(stage) {
  stage.folder = await copyOf(stage, '/usr/share/shaarli', 'shaarli');
  for (const name of ['data', 'cache', 'pagecache', 'tmp']) fs.mkdirSync(path.join(stage.folder, name), { recursive: true });
  await movedTo(stage, stage.folder, {
    '/usr/share/shaarli': stage.folder,
    '/var/lib/shaarli': stage.folder,
    '/var/cache/shaarli': stage.folder,
  });
}
export async function start(stage) {
  await servePhp(stage, stage.folder, { settings: { auto_prepend_file: prelude(stage) } });
}

// Links as a browser exports them.
const bookmarks = (links) =>
  `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n${links
    .map(([href, name, tags, note]) => `<DT><A HREF="${href}" ADD_DATE="1795557937" TAGS="${tags}">${name}</A>\n<DD>${note}\n`)
    .join('')}</DL><p>\n`;

// Each page has a small form to log in as well, which comes first.
const logIn = (stage, page) =>
  stage.form(page, '/login', { '.page-form [name=login]': admin.login, '.page-form [name=password]': admin.password }, '.page-form [type=submit]');

async function write(stage, page, texts) {
  for (const [at, post] of texts.posts.entries())
    await stage.form(
      page,
      `/admin/shaare?post=${encodeURIComponent(linkOf(at))}&title=${encodeURIComponent(post.title)}&description=${encodeURIComponent(texts.comments[at % texts.comments.length])}&source=bookmarklet`,
      { lf_title: post.title, lf_description: at % 2 ? post.html : texts.markdown[at % texts.markdown.length], lf_tags: post.tags.join(' ') },
      '[name=save_edit]',
    );
  for (const text of texts.comments.slice(0, 5))
    await stage.form(page, '/admin/shaare?post=', { lf_title: text.slice(0, 40), lf_description: text }, '[name=save_edit]');
  for (const text of texts.searches) await stage.go(page, `/?searchterm=${encodeURIComponent(text)}&searchtags=`);
}

export async function drive(stage) {
  const page = await stage.page();
  await stage.form(page, '/install', { setlogin: admin.login, setpassword: admin.password, title: "Anna's links", enableApi: true });
  await logIn(stage, page);
  await write(stage, page, { posts, comments, markdown, searches });
  for (const post of posts) for (const tag of post.tags) await stage.go(page, `/?searchtags=${encodeURIComponent(tag)}`);
  await stage.go(page, `/admin/metadata?url=${encodeURIComponent(linkOf(2))}`);
  const file = stage.write(
    path.join(stage.temp('files'), 'bookmarks.html'),
    bookmarks(posts.map((post, at) => [`${linkOf(at)}&amp;x`, post.title, post.tags.join(','), comments[at % 10]])),
  );
  await stage.form(page, '/admin/import', { filetoupload: [file] }, '#uploadform [type=submit], form [type=submit][name=import_file]');
  await explore(stage, page, ['/', '/admin/tools', '/admin/configure', '/admin/plugins', '/picture-wall', '/tags/cloud', '/daily'], { pages: 60 });
  const part = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const secret = await stage.step('secret', async () => {
    await page.goto(`${stage.url}/admin/configure`);
    return page.locator('#apiSecret').inputValue();
  });
  const token = () => {
    const signed = `${part({ typ: 'JWT', alg: 'HS512' })}.${part({ iat: Math.floor(Date.now() / 1000) - 5 })}`;
    return {
      Authorization: `Bearer ${signed}.${createHmac('sha512', secret ?? '')
        .update(signed)
        .digest('base64url')}`,
    };
  };
  for (const [at, post] of posts.entries())
    await stage.sendJson(
      'POST',
      '/api/v1/links',
      { url: `${linkOf(at)}-${at}`, title: post.title, description: markdown[at % 4], tags: post.tags, private: at % 2 === 0 },
      token(),
    );
  for (const text of searches.slice(0, 12))
    await stage.send('GET', `/api/v1/links?limit=5&searchterm=${encodeURIComponent(text)}`, { headers: token() });
  for (const agent of Object.values(agents))
    for (const where of ['/feed/atom?', '/?page=2']) await stage.send('GET', where, { headers: { 'User-Agent': agent, Accept: '*/*' } });
}

export async function driveTechnical(stage) {
  const page = await stage.page();
  await logIn(stage, page);
  await write(stage, page, technicalTexts);
}
