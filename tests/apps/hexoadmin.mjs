// hexo-admin of npm: posts and pages of a blog written in its editor, their front matter, pictures and settings.
import fs from 'node:fs';
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts } from './support/texts.mjs';

export const title = 'hexo-admin';
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const plugins = [
  'hexo-admin',
  'hexo-generator-archive',
  'hexo-generator-index',
  'hexo-renderer-ejs',
  'hexo-renderer-marked',
  'hexo-server',
  'hexo-theme-landscape',
];

export async function prepare(stage) {
  stage.folder = stage.temp('blog');
  fs.mkdirSync(path.join(stage.folder, 'source/_posts'), { recursive: true });
  fs.mkdirSync(path.join(stage.folder, 'scaffolds'));
  fs.symlinkSync(path.join(here, 'node_modules'), path.join(stage.folder, 'node_modules'));
  stage.write(
    path.join(stage.folder, 'package.json'),
    JSON.stringify({ name: 'blog', private: true, hexo: { version: '' }, dependencies: Object.fromEntries(plugins.map((name) => [name, '*'])) }),
  );
  stage.write(path.join(stage.folder, '_config.yml'), `title: "Anna's kitchen"\nurl: ${stage.url}\ntheme: landscape\n`);
  for (const name of ['post', 'draft', 'page'])
    stage.write(path.join(stage.folder, `scaffolds/${name}.md`), '---\ntitle: {{ title }}\ndate: {{ date }}\ntags:\n---\n');
}
export async function start(stage) {
  stage.run(process.execPath, [path.join(here, 'node_modules/hexo/bin/hexo'), 'server', '-d', '-i', '127.0.0.1', '-p', `${stage.appPort}`], {
    env: stage.env,
    cwd: stage.folder,
    detached: true,
  });
  await stage.answers('/admin/', 300);
}

// What goes beyond Markdown in such posts: tags of the generator, front matter with lists, HTML for players.
const more = [
  "{% post_link plum-cake 'Plum cake' %} and {% asset_img plum.jpg \"A plum; it's ripe\" %}\n\n<!-- more -->\n\n{% codeblock lang:js %}\nhexo.extend.helper.register('year', () => new Date().getFullYear());\n{% endcodeblock %}\n",
  '---\ntitle: "O\'Neil: a day"\ndate: 2026-11-18 08:15:00\ntags: [cake, "it\'s"]\ncategories:\n  - [Food, Cakes]\n---\n\n<iframe width="560" height="315" src="https://video.example/embed/abc?start=3" frameborder="0" allowfullscreen></iframe>\n',
  'Template of the theme:\n\n```ejs\n<% page.posts.each(function(post){ %>\n  <a href="<%- url_for(post.path) %>"><%= post.title || __("untitled") %></a>\n<% }) %>\n```\n',
  'In Vue one writes `{{ user.name | capitalize }}` and `<button @click="add(1)">`.\n\n{% raw %}\n<div id="app">{{ message }}</div>\n{% endraw %}\n',
];

async function write(stage, { posts, comments, markdown }) {
  const put = (where, body) => stage.sendJson('POST', `/admin/api/${where}`, body, { 'X-Requested-With': 'XMLHttpRequest' });
  for (const [at, post] of posts.entries()) {
    const made = await put('posts/new', { title: `${post.title} ${stage.part}` });
    const id = made?.text && /"_id":"(\w+)"/.exec(made.text)?.[1];
    const text = at % 2 ? post.html : markdown[at % markdown.length];
    for (const part of [0.3, 0.7, 1])
      await put(`posts/${id}`, { _content: `${text}\n\n${comments[at % comments.length]}`.slice(0, Math.ceil(part * (text.length + 300))) });
    await put(`posts/${id}`, {
      tags: post.tags ?? [],
      categories: [people[at % people.length].city],
      author: people[at % people.length].name,
      title: post.title,
      date: '2026-11-18T08:15:00.000Z',
    });
    await put(`posts/${id}/publish`, {});
    await put(`posts/${id}/rename`, { filename: `_posts/${stage.part}-${at}-${post.title.replaceAll('/', ' ')}.md` });
  }
  return put;
}

export async function drive(stage) {
  const put = await write(stage, { posts, comments, markdown });
  for (const [at, text] of more.entries()) {
    const made = await put('pages/new', { title: people[at].city });
    await put(`pages/${made?.text && /"_id":"(\w+)"/.exec(made.text)?.[1]}`, { _content: text });
  }
  const files = await makeFiles(stage.temp('files'));
  for (const kind of ['png', 'jpeg'])
    await put('images/upload', {
      data: `data:image/${kind};base64,${fs.readFileSync(files[kind]).toString('base64')}`,
      filename: path.basename(files[kind]),
    });
  for (const one of people)
    await put('settings/set', { name: 'editor', value: { lineNumbers: true, spellcheck: one.city }, addedOptions: { exists: true } });
  await put('deploy', { message: "New posts; it's <b>done</b> & dusted" });
  const page = await stage.page();
  for (const where of ['/admin/', '/admin/#/pages', '/admin/#/settings', '/', '/archives/']) await stage.go(page, where);
}
export const driveTechnical = (stage) => write(stage, technicalTexts);
