// calibre's content server of Debian: books found by its query language, their metadata changed, books put in, notes while reading; its pages.
import fs from 'node:fs';
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, people, posts, searches } from './support/texts.mjs';
import { lookups, notes } from './support/trades.mjs';

export const title = "calibre's content server";

export async function prepare(stage) {
  stage.library = path.join(stage.temp('books'), 'library');
  fs.mkdirSync(stage.library);
  stage.client = { env: { ...stage.env, CALIBRE_CONFIG_DIRECTORY: stage.temp('settings'), QT_QPA_PLATFORM: 'offscreen' } };
  for (const [at, post] of posts.slice(0, 3).entries())
    await stage.done(
      'calibredb',
      ['--with-library', stage.library, 'add', '--empty', '--title', post.title, '--authors', people[at].name, '--tags', post.tags.join(',')],
      stage.client,
    );
}
export async function start(stage) {
  stage.run(
    'calibre-server',
    ['--listen-on', '127.0.0.1', '--port', `${stage.appPort}`, '--enable-local-write', '--disable-use-bonjour', stage.library],
    stage.client,
  );
  await stage.answers('/', 240);
}

const q = encodeURIComponent;
const queries = (text) => {
  const quoted = text.replace(/["\\]/g, '');
  return [text, `title:"=${quoted}" or authors:"~${quoted}"`, `not (tags:"${quoted}" and rating:>3) and date:>10daysago`];
};

async function write(stage, { posts, comments, searches }) {
  for (const [at, post] of posts.entries()) {
    const one = people[at % people.length];
    await stage.sendJson('POST', `/cdb/set-fields/${(at % 3) + 1}/library`, {
      changes: {
        title: post.title,
        authors: [one.name, 'Ed. by A. & B.'],
        comments: `<div>${post.html}<p>${comments[at % comments.length]}</p></div>`,
        tags: [...(post.tags ?? []), one.city],
        publisher: `${one.name} & Co.`,
        series: `The "${post.title}" series; vol. 1`,
        series_index: 1.5,
        identifiers: { isbn: '9783161484100', url: `https://${one.mail.split('@')[1]}/b?id=${at}&l=de` },
        rating: 8,
        pubdate: '2026-11-18T00:00:00+00:00',
        languages: ['deu'],
        title_sort: post.title,
        author_sort: one.name,
      },
      loaded_book_ids: [1, 2, 3],
    });
    await stage.sendJson('POST', '/cdb/cmd/set_metadata/0?library_id=library', [
      [
        'fields',
        (at % 3) + 1,
        [
          ['title', post.title],
          ['comments', post.html],
          ['tags', post.tags ?? [one.trade ?? 'x']],
        ],
      ],
    ]);
    await stage.sendJson('POST', '/book-set-last-read-position/library/1/epub', {
      device: one.name,
      cfi: `epubcfi(/6/4[chap01ref]!/4[body01]/10[para05]/3:${at})`,
      pos_frac: at / 30,
    });
    await stage.sendJson('POST', '/book-update-annotations/library/1/epub', {
      highlight: [
        {
          type: 'highlight',
          uuid: `7f3a${at}`,
          spine_index: 2,
          start_cfi: '/2/4/2[id1]/4/1:12',
          end_cfi: '/2/4/2[id1]/4/1:70',
          highlighted_text: post.title,
          notes: comments[at % comments.length],
          style: { kind: 'color', type: 'builtin', which: 'yellow' },
          toc_family_titles: [post.title],
          timestamp: '2026-11-18T08:15:00.000Z',
        },
      ],
    });
  }
  for (const text of searches)
    for (const query of queries(text)) {
      await stage.send('GET', `/ajax/search/library?query=${q(query)}&num=25&sort=title&sort_order=asc&vl=`);
      await stage.send('GET', `/interface-data/books-init?library_id=library&search=${q(query)}&sort=timestamp.desc&vl=`);
    }
  for (const text of searches.slice(0, 12)) await stage.send('GET', `/fts/search?query=${q(text)}&use_stemming=y&library_id=library`);
}

export async function drive(stage) {
  await write(stage, { posts: [...posts, ...notes], comments: [...comments, ...notes.map((one) => one.text)], searches: [...searches, ...lookups] });
  for (const one of people) {
    await stage.send('GET', `/ajax/books_in/${Buffer.from('authors').toString('hex')}/${Buffer.from(one.name).toString('hex')}/library?num=20`);
    await stage.send('GET', `/mobile?search=${q(`authors:"=${one.name}"`)}&order=descending&sort=date&num=25&library_id=library`);
    await stage.send('GET', `/opds/search/${q(one.name)}?library_id=library`);
    await stage.sendJson('POST', `/interface-data/set-session-data`, {
      library_id: 'library',
      sort: 'title.asc',
      vl: one.city,
      search: `authors:"${one.name}"`,
      copy_to_library_dupes: 'add;overwrite',
    });
  }
  const files = await makeFiles(stage.temp('files'));
  for (const kind of ['text', 'docx', 'html', 'pdf'])
    await stage.send('PUT', `/cdb/add-book/1/y/${q(path.basename(files[kind]))}/library`, {
      body: fs.readFileSync(files[kind]),
      headers: { 'Content-Type': 'application/octet-stream' },
    });
  const page = await stage.page();
  await stage.go(page, '/');
  for (const text of [...searches.slice(0, 6), ...lookups.slice(0, 6)]) {
    await stage.go(page, `/#library_id=library&panel=book_list&search=${q(text)}&sort=title.asc`);
    await page.waitForTimeout(600);
  }
  await explore(stage, page, ['/mobile', '/mobile?sort=title&order=ascending', '/browse'], { pages: 12 });
}
export const driveTechnical = (stage) => write(stage, technicalTexts);
