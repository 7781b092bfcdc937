// WordPress of Debian: a small shop's blog, its writers, its visitors, its administrator, and clients of its interfaces.
import fs from 'node:fs';
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import { copyOf, makeDatabase, servePhp } from './support/php.mjs';
import * as technicalTexts from './support/technical.mjs';
import { agents, comments, markdown, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'WordPress';
const admin = { user: 'anna', password: 'a quiet kitchen at dusk 7' };

export async function prepare(stage) {
  const socket = await makeDatabase(stage, 'wordpress');
  stage.folder = await copyOf(stage, '/usr/share/wordpress', 'wordpress');
  await stage.done('cp', ['-rL', '/var/lib/wordpress/wp-content/.', path.join(stage.folder, 'wp-content')]);
  stage.write(
    path.join(stage.folder, 'wp-config.php'),
    `<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'app'); define('DB_PASSWORD', 'app'); define('DB_HOST', 'localhost:${socket}'); define('DB_CHARSET', 'utf8mb4');
define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true); define('AUTOMATIC_UPDATER_DISABLED', true); define('FS_METHOD', 'direct');
$table_prefix = 'wp_'; if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/'); require_once ABSPATH . 'wp-settings.php';\n`,
  );
  stage.files = await makeFiles(stage.temp('files'));
}

export const start = (stage) => servePhp(stage, stage.folder);

// Writes with the block editor, as its buttons do.
async function write(stage, page, post, status = 'publish') {
  await stage.go(page, '/wp-admin/post-new.php');
  await stage.step(`post ${post.title}`, async () => {
    await page.waitForFunction(() => window.wp?.data?.select('core/editor')?.getCurrentPostId(), null, { timeout: 20000 });
    await page.evaluate(
      async ({ title, html, tags, status }) => {
        const ids = [];
        for (const name of tags) {
          const found = await wp.apiFetch({ path: `/wp/v2/tags?search=${encodeURIComponent(name)}&_fields=id,name&per_page=20` });
          ids.push((found[0] ?? (await wp.apiFetch({ path: '/wp/v2/tags', method: 'POST', data: { name } }).catch(() => ({ id: 0 })))).id);
        }
        const editor = wp.data.dispatch('core/editor');
        editor.editPost({ title, tags: ids.filter(Boolean), excerpt: html.replace(/<[^>]*>/g, '').slice(0, 140) });
        editor.resetBlocks(wp.blocks.rawHandler({ HTML: html }));
        await editor.autosave();
        editor.editPost({ status });
        await editor.savePost();
      },
      { ...post, status },
    );
  });
}

const comment = (stage, page, text, one) =>
  stage.form(page, null, { comment: text, author: one.name, email: one.mail, url: `https://${one.mail.split('@')[1]}/` }, '#submit');

async function xmlRpc(stage, method, ...values) {
  const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const value = (one) =>
    typeof one === 'number'
      ? `<int>${one}</int>`
      : typeof one === 'string'
        ? `<string>${escape(one)}</string>`
        : Array.isArray(one)
          ? `<array><data>${one.map((item) => `<value>${value(item)}</value>`).join('')}</data></array>`
          : Buffer.isBuffer(one)
            ? `<base64>${one.toString('base64')}</base64>`
            : `<struct>${Object.entries(one)
                .map(([name, item]) => `<member><name>${name}</name><value>${value(item)}</value></member>`)
                .join('')}</struct>`;
  const body = `<?xml version="1.0"?>\n<methodCall><methodName>${method}</methodName><params>${values.map((one) => `<param><value>${value(one)}</value></param>`).join('')}</params></methodCall>`;
  await stage.send('POST', '/xmlrpc.php', {
    headers: { 'Content-Type': 'text/xml', 'User-Agent': 'wp-android/24.9 (Android 14; en_US; Google Pixel 8/UP1A)' },
    body,
  });
}

async function writeAll(stage, page, visitor, { posts, comments, searches }) {
  for (const post of posts) await write(stage, page, post);
  for (const [at, text] of comments.entries()) {
    await stage.go(visitor, '/');
    await stage.step('open a post', () =>
      visitor
        .locator('.wp-block-post-title a, .entry-title a')
        .nth(at % 4)
        .click(),
    );
    await stage.step('loaded', () => visitor.waitForLoadState('load'));
    await comment(stage, visitor, text, people[at % people.length]);
  }
  for (const text of searches) await stage.go(visitor, `/?s=${encodeURIComponent(text).replaceAll('%20', '+')}`);
  for (const text of searches.slice(0, 12)) {
    await stage.go(page, `/wp-admin/edit.php?s=${encodeURIComponent(text)}&post_status=all&post_type=post&action=-1&m=0&cat=0&paged=1&action2=-1`);
  }
}

export async function drive(stage) {
  const page = await stage.page({ locale: 'de-DE' });
  await stage.go(page, '/wp-admin/install.php');
  await stage.form(
    page,
    '/wp-admin/install.php?step=1',
    { weblog_title: "Anna's Küche & Café", user_name: admin.user, admin_password: admin.password, admin_email: 'anna@kueche.example' },
    '#submit',
  );
  for (const password of ["kT7'#x--9;Qz", 'anna', '" or so I thought'])
    await stage.form(page, '/wp-login.php', { log: "anna o'neil", pwd: password }, '#wp-submit');
  await stage.form(
    page,
    '/wp-login.php?redirect_to=' + encodeURIComponent(`${stage.url}/wp-admin/edit.php?post_type=page&orderby=title&order=asc`),
    { log: admin.user, pwd: admin.password, rememberme: true },
    '#wp-submit',
  );
  await stage.form(
    page,
    '/wp-admin/options-general.php',
    {
      blogname: 'Anna\'s Küche & Café — "since \'74"',
      blogdescription: 'Cake, coffee; and <3 since 1974 (open Mo–Fr)',
      date_format_custom: 'j. F Y',
      time_format_custom: 'H:i \\U\\h\\r',
    },
    '#submit',
  );
  await stage.form(
    page,
    '/wp-admin/options-discussion.php',
    {
      moderation_keys: 'casino\nviagra\n50% off\ncheap & fast\n192.0.2.7\n.ru/',
      disallowed_keys: 'http://spam.example/?id=\n<a href=',
      comment_max_links: '3',
    },
    '#submit',
  );
  await stage.form(page, '/wp-admin/options-reading.php', { posts_per_page: '8' }, '#submit');
  await stage.form(
    page,
    '/wp-admin/options-writing.php',
    { ping_sites: 'http://rpc.pingomatic.example/\nhttps://blogsearch.example/ping/RPC2?type=xml&v=2' },
    '#submit',
  );
  await stage.form(
    page,
    '/wp-admin/options-permalink.php',
    { selection: 'custom', permalink_structure: '/%year%/%monthnum%/%postname%/' },
    '#submit',
  );
  for (const [name, slug] of [
    ["Grandma's kitchen", 'grandmas-kitchen'],
    ['Kuchen & Torten', 'kuchen'],
    ['Q&A', 'q-a'],
    ['<3', 'love'],
  ]) {
    await stage.form(
      page,
      '/wp-admin/edit-tags.php?taxonomy=category',
      { 'tag-name': name, slug, description: `Everything about ${name}; see <a href="/about/">here</a>.` },
      '#submit',
    );
  }
  for (const [at, one] of people.slice(0, 8).entries()) {
    await stage.form(
      page,
      '/wp-admin/user-new.php',
      {
        user_login: `user${at}`,
        email: one.mail,
        first_name: one.name.split(' ')[0],
        last_name: one.name.split(' ').slice(1).join(' '),
        url: `https://${one.mail.split('@')[1]}/~${at}/?lang=en&ref=blog`,
        pass1: passwords[at],
        role: 'author',
      },
      '#createusersub',
    );
  }
  await stage.form(
    page,
    '/wp-admin/profile.php',
    {
      nickname: "Anna (that's me)",
      description: `Hi, I'm Anna!\n\n${comments[0]}\n-- \nAnna O'Neil | baker & blogger | Köln`,
      url: 'https://anna.example/#about',
    },
    '#submit',
  );
  for (const file of ['png', 'jpeg', 'pdf', 'docx', 'xlsx', 'zip', 'svg', 'csv', 'text', 'python'])
    await stage.form(page, '/wp-admin/media-new.php?browser-uploader', { 'async-upload': [stage.files[file]] }, '#html-upload');
  await stage.go(page, '/wp-admin/upload.php?mode=grid');
  await stage.step('upload in the grid', async () => {
    await page.locator('input[type=file]').first().setInputFiles([stage.files.png, stage.files.jpeg]);
    await page.waitForTimeout(2500);
  });
  await stage.go(page, '/wp-admin/upload.php?mode=list&s=grandma%27s');
  await stage.go(page, '/wp-admin/post.php?post=5&action=edit');
  const visitor = await stage.page();
  await writeAll(stage, page, visitor, { posts, comments, searches });
  for (const text of markdown.slice(0, 3))
    await write(
      stage,
      page,
      {
        title: text.split('\n')[0].replace(/^#+ /, ''),
        html: `<pre class="wp-block-preformatted">${text.replaceAll('<', '&lt;')}</pre>`,
        tags: ['notes'],
      },
      'draft',
    );
  await stage.step('reusable, table, html and code blocks', async () => {
    await page.goto(`${stage.url}/wp-admin/post-new.php?post_type=page`);
    await page.waitForFunction(() => window.wp?.data?.select('core/editor')?.getCurrentPostId());
    await page.evaluate(async () => {
      const block = wp.blocks.createBlock;
      wp.data.dispatch('core/editor').resetBlocks([
        block('core/html', {
          content:
            '<div class="map"><iframe src="https://maps.example/embed?pb=!1m18!1m12!1m3!1d2514.3!2d6.95!3d50.94" width="600" height="450" style="border:0;" allowfullscreen="" loading="lazy"></iframe></div>',
        }),
        block('core/table', {
          body: [{ cells: [{ content: "O'Brien" }, { content: '1 < 2' }] }, { cells: [{ content: '50 %' }, { content: '<strong>ja</strong>' }] }],
        }),
        block('core/code', { content: 'body { background: url("/img/bg.png") no-repeat; }\n.menu > li:not(:last-child)::after { content: "|"; }' }),
        block('core/embed', { url: 'https://video.example/watch?v=dQw4w9WgXcQ&t=42s', type: 'video', providerNameSlug: 'video' }),
        block('core/buttons', {}, [
          block('core/button', { text: "Let's go!", url: 'mailto:anna@kueche.example?subject=Order%20%231&body=Hi%20Anna%2C%0D%0A' }),
        ]),
        block('core/shortcode', { text: '[gallery ids="5,6,7" columns="3" link="file" orderby="rand"]' }),
      ]);
      wp.data.dispatch('core/editor').editPost({ title: 'Contact & directions', status: 'publish' });
      await wp.data.dispatch('core/editor').savePost();
    });
  });
  await stage.step('style by the customizer', async () => {
    await page.goto(`${stage.url}/wp-admin/customize.php?autofocus[section]=custom_css&url=${encodeURIComponent(stage.url + '/')}`);
    await page.waitForFunction(() => window.wp?.customize?.('blogname'));
    await page.evaluate(async () => {
      const css = Object.keys(wp.customize.settings.settings).find((name) => name.startsWith('custom_css'));
      wp.customize(css).set(
        '@import url("https://fonts.example/css?family=Lato:400,700");\na[href^="http"]::after { content: " \\2197"; }\n.hero { background-image: url(data:image/svg+xml;base64,PHN2Zy8+); width: calc(100% - (2 * 1em)); }\n@media (max-width: 600px) { .menu, #nav > ul { display: none !important; } }',
      );
      wp.customize('blogname').set("Anna's Küche");
      await wp.customize.previewer.save();
    });
  });
  await stage.step('quick edit', async () => {
    await page.goto(`${stage.url}/wp-admin/edit.php`);
    await page.locator('tr.type-post').first().hover();
    await page.locator('button.editinline').first().click();
    await page.locator('.inline-edit-row input[name=post_title]').first().fill('It\'s new: "quick" & easy');
    await page.locator('.inline-edit-save .save').first().click();
    await page.waitForTimeout(1500);
  });
  await stage.form(page, '/wp-admin/edit-comments.php', { '#comment-search-input': "don't" }, '#search-submit');
  await stage.form(page, '/wp-admin/edit.php', { '#bulk-action-selector-top': 'trash', '#cb-select-all-1': true }, '#doaction');
  for (const where of [
    '/wp-admin/export.php',
    '/wp-admin/site-health.php',
    '/wp-admin/plugins.php?plugin_status=all&paged=1&s',
    '/wp-admin/themes.php?search=two',
    '/wp-admin/tools.php',
    '/wp-admin/site-editor.php',
    '/wp-admin/edit.php?orderby=title&order=desc',
    '/wp-admin/users.php?s=o%27connor',
    '/feed/',
    '/?feed=rss2',
    '/comments/feed/',
    '/wp-sitemap.xml',
    '/robots.txt',
    '/wp-json/',
    '/wp-json/wp/v2/posts?search=cake&orderby=relevance&per_page=5&_embed=1',
    '/wp-json/oembed/1.0/embed?url=' + encodeURIComponent(`${stage.url}/?p=1`) + '&format=xml',
    '/tag/grandmas-kitchen/?utm_source=newsletter&utm_medium=email&utm_content=it%27s+new',
    '/2026/11/',
    '/author/anna/',
    '/?attachment_id=5',
    '/wp-login.php?action=lostpassword',
    '/wp-login.php?action=logout',
  ])
    await stage.go(page, where);
  await stage.form(page, '/wp-login.php?action=lostpassword', { user_login: "o'connor@mail.example" }, '#wp-submit');
  await xmlRpc(stage, 'wp.getUsersBlogs', admin.user, admin.password);
  for (const post of posts.slice(0, 5))
    await xmlRpc(
      stage,
      'metaWeblog.newPost',
      1,
      admin.user,
      admin.password,
      { title: post.title, description: post.html, mt_keywords: post.tags.join(',') },
      1,
    );
  await xmlRpc(stage, 'wp.uploadFile', 1, admin.user, admin.password, {
    name: 'IMG_0815.jpg',
    type: 'image/jpeg',
    bits: fs.readFileSync(stage.files.jpeg),
  });
  await xmlRpc(stage, 'pingback.ping', 'https://other.example/2026/plum?x=1&y=2', `${stage.url}/?p=1`);
  const basic = { Authorization: `Basic ${Buffer.from(`${admin.user}:abcd EFGH 1234 ijkl MNOP 6789`).toString('base64')}` };
  for (const post of posts)
    await stage.sendJson(
      'POST',
      '/wp-json/wp/v2/posts',
      { title: post.title, content: post.html, status: 'draft', meta: { _yoast_wpseo_metadesc: post.title } },
      basic,
    );
  await stage.send('POST', '/wp-json/wp/v2/media', {
    headers: { ...basic, 'Content-Type': 'image/png', 'Content-Disposition': 'attachment; filename="Grandma\'s cake (1).png"' },
    body: fs.readFileSync(stage.files.png),
  });
  await stage.send('POST', '/wp-cron.php?doing_wp_cron=1795557937.1234560012817382812500', {
    headers: { 'User-Agent': `WordPress/6.1.9; ${stage.url}` },
  });
  for (const agent of Object.values(agents))
    for (const where of ['/', '/feed/', '/?p=5']) await stage.send('GET', where, { headers: { 'User-Agent': agent, Accept: '*/*' } });
}

export async function driveTechnical(stage) {
  const page = await stage.page();
  await stage.form(page, '/wp-login.php', { log: admin.user, pwd: admin.password }, '#wp-submit');
  await writeAll(stage, page, await stage.page(), technicalTexts);
  for (const text of technicalTexts.markdown)
    await write(stage, page, { title: 'Notes', html: `<pre><code>${text.replaceAll('<', '&lt;')}</code></pre>`, tags: ['notes'] });
  for (const file of ['style.css', 'theme.json']) {
    await stage.step(`edit ${file} of a theme`, async () => {
      await page.goto(`${stage.url}/wp-admin/theme-editor.php?file=${file}&theme=twentytwentythree`);
      await page.evaluate(() => document.querySelector('#template #submit')?.click() ?? document.querySelector('#template').requestSubmit());
      await page.waitForTimeout(2000);
    });
  }
}
