// gitit of Debian: a wiki on git whose pages are Markdown with mathematics; edits, previews, comparisons, discussions, files, searches.
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';
import { lookups, notes } from './support/trades.mjs';

export const title = 'gitit (wiki)';

export async function prepare(stage) {
  stage.folder = stage.temp('wiki');
  const env = {
    ...stage.env,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@mail.example',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@mail.example',
  };
  stage.gitit = { cwd: stage.folder, env };
  stage.config = stage.write(
    path.join(stage.folder, 'my.conf'),
    "require-authentication: none\nauthentication-method: form\nwiki-title: Anna's kitchen\nmath: raw\nuse-feed: no\npdf-export: no\nmax-upload-size: 5M\n",
  );
}
export async function start(stage) {
  stage.run('gitit', ['-f', stage.config, '-p', `${stage.appPort}`, '-l', '127.0.0.1'], stage.gitit);
  await stage.answers('/', 240);
}

async function write(stage, page, { posts, comments, markdown, searches }) {
  for (const [at, post] of posts.entries()) {
    const where = `${stage.part} ${post.title.replace(/[/?#%:*"<>|\\[\]]/g, '').slice(0, 60)}`;
    const text = `---\ntitle: ${JSON.stringify(post.title)}\ncategories: ${(post.tags ?? ['notes']).join(' ')}\n...\n\n${post.md ?? markdown[at % markdown.length]}\n\n${at % 2 ? post.html : comments[at % comments.length]}\n\nSee [${people[at % people.length].city}]() and <http://a.example/?b=c&d=e>.^[It's a note.]\n`;
    await stage.form(
      page,
      `/_edit/${encodeURIComponent(where)}`,
      { editedText: text, logMsg: `${post.title}: "new"` },
      '[name=update], #updateButton',
    );
    await stage.send('POST', '/_preview', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' },
      body: new URLSearchParams({ raw: text }).toString(),
    });
    await stage.form(
      page,
      `/_edit/${encodeURIComponent(`@${where}`)}`,
      {
        editedText: `## ${people[at % people.length].name}\n\n${comments[at % comments.length]}`,
        logMsg: comments[at % comments.length].slice(0, 60),
      },
      '[name=update], #updateButton',
    );
  }
  for (const text of searches) {
    await stage.form(page, '/', { patterns: text }, '#search [type=submit], [name=search]');
    await stage.send('POST', '/_go', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ gotopage: text, go: 'Go' }).toString(),
    });
  }
}

export async function drive(stage) {
  const page = await stage.page();
  await write(stage, page, {
    posts: [...posts, ...notes],
    comments: [...comments, ...notes.map((one) => one.text)],
    markdown,
    searches: [...searches, ...lookups].filter((_, at) => at % 2 === 0),
  });
  const files = await makeFiles(stage.temp('files'));
  for (const kind of ['png', 'pdf', 'csv', 'svg', 'text'])
    await stage.form(page, '/_upload', { file: [files[kind]], wikiname: path.basename(files[kind]), logMsg: `the ${kind}` }, '[name=upload]');
  await explore(stage, page, ['/', '/_index', '/_activity', '/_categories', '/Help', '/_register'], { pages: 24, avoid: /_delete|expire/ });
}
export async function driveTechnical(stage) {
  await write(stage, await stage.page(), { ...technicalTexts, searches: technicalTexts.searches.slice(0, 12) });
}
