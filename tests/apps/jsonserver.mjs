// json-server of npm: a REST interface made of a JSON file; lists that are filtered, sorted and cut in the query, documents written and changed.
import path from 'node:path';

import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';
import { lookups, notes } from './support/trades.mjs';

export const title = 'json-server';
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const program = path.join(here, 'node_modules/json-server/lib/cli/bin.js');

export async function prepare(stage) {
  stage.data = stage.write(
    path.join(stage.temp('data'), 'db.json'),
    JSON.stringify({
      posts: [{ id: 1, title: 'First', views: 3, author: { name: 'Anna' } }],
      comments: [{ id: 1, postId: 1, body: 'Nice' }],
      people: [],
      profile: { name: 'Anna' },
    }),
  );
}
export async function start(stage) {
  stage.run(process.execPath, [program, '--host', '127.0.0.1', '--port', `${stage.appPort}`, '--quiet', stage.data], {
    env: stage.env,
    cwd: path.dirname(stage.data),
  });
  await stage.answers('/posts');
}

const q = encodeURIComponent;
async function write(stage, { posts, comments, markdown, searches }) {
  for (const [at, post] of posts.entries()) {
    const one = people[at % people.length];
    await stage.sendJson('POST', '/posts', {
      title: post.title,
      body: at % 2 ? post.html : (post.md ?? markdown[at % markdown.length]),
      views: at * 7,
      tags: post.tags ?? [post.trade ?? 'x'],
      author: { name: one.name, 'home page': `https://${one.mail.split('@')[1]}/?a=1&b=2` },
      $meta: null,
    });
    await stage.sendJson('PATCH', `/posts/${at + 1}`, {
      body: comments[at % comments.length],
      'read by': [one.mail, null, true],
      of: { 'a/b': 1, 'c > d': [] },
    });
    await stage.sendJson('POST', '/comments', { postId: at + 1, body: comments[at % comments.length], by: one.name });
    await stage.sendJson('PUT', '/profile', { name: one.name, city: one.city, phone: one.phone, bio: post.text ?? post.title });
  }
  for (const [at, text] of searches.entries()) {
    await stage.send('GET', `/posts?q=${q(text)}&_page=${at}&_limit=10`);
    await stage.send(
      'GET',
      `/posts?title_like=${q(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))}&views_gte=10&views_lte=${at * 9}&_sort=views,author.name&_order=desc,asc`,
    );
    await stage.send('GET', `/posts?author.name=${q(people[at % people.length].name)}&title_ne=${q(text)}&_embed=comments&_start=0&_end=20`);
  }
}

export async function drive(stage) {
  await write(stage, {
    posts: [...posts, ...notes],
    comments: [...comments, ...notes.map((one) => one.text)],
    markdown,
    searches: [...searches, ...lookups],
  });
  for (const [at, one] of people.entries()) {
    await stage.sendJson('POST', '/people', { id: one.mail, ...one });
    await stage.send('GET', `/people/${q(one.mail)}?_expand=post`);
    await stage.send('GET', `/people?${[0, 1, 2].map((more) => `id=${q(people[(at + more) % people.length].mail)}`).join('&')}`);
    await stage.send('GET', `/people?name_like=${q(`^${one.name.split(' ')[0]}|${one.city.split(' ')[0]}$`)}`);
  }
  await stage.send('GET', '/db');
  const page = await stage.page();
  await stage.go(page, '/');
}
export const driveTechnical = (stage) => write(stage, technicalTexts);
