// Fossil: version control with wiki, tickets, forum and technical notes in one program, used by its own client and in Chromium.
import fs from 'node:fs';
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'Fossil';
const password = 'a-quiet-kitchen-7';

export async function prepare(stage) {
  stage.home = stage.temp('home');
  const folder = stage.temp('repository');
  stage.repository = path.join(folder, 'notes.fossil');
  const fossil = (...args) => stage.done('fossil', args, { env: { ...stage.env, USER: 'anna' } });
  await fossil('init', '--admin-user', 'anna', stage.repository);
  await fossil('user', 'password', 'anna', password, '-R', stage.repository);
  await fossil(
    'sqlite',
    '-R',
    stage.repository,
    "insert or replace into config(name,value,mtime) values('search-wiki','1',1),('search-tkt','1',1),('search-forum','1',1),('search-technote','1',1),('search-doc','1',1),('search-ci','1',1),('forum-close-policy','1',1)",
  );
  await fossil('user', 'capabilities', 'anna', 's6', '-R', stage.repository);
  stage.files = await makeFiles(stage.temp('files'));
}

export async function start(stage) {
  stage.run('fossil', ['server', '--localhost', '--port', `${stage.appPort}`, '--nossl', '--baseurl', stage.url, stage.repository], {
    env: { ...stage.env, USER: 'anna' },
  });
  await stage.answers('/timeline');
}

async function logIn(stage) {
  const page = await stage.page();
  await stage.form(page, '/login', { u: 'anna', p: password }, '[name=in]');
  return page;
}

async function usePages(stage, page, { posts, comments, searches, markdown }) {
  for (const [at, text] of markdown.entries()) {
    await stage.form(page, '/wikinew', { name: `Notes ${at}`, mimetype: 'text/x-markdown' }, '[type=submit]');
    // The page's editor saves by a script, as this request.
    await stage.step(`wiki ${at}`, () =>
      ajax(page, '/wikiajax/save', { page: `Notes ${at}`, content: text, mimetype: 'text/x-markdown', isnew: '1' }),
    );
    await stage.step(`preview ${at}`, () => ajax(page, '/wikiajax/preview', { page: `Notes ${at}`, content: text, mimetype: 'text/x-markdown' }));
  }
  for (const [at, post] of posts.entries()) {
    await stage.form(
      page,
      '/forume1',
      { title: post.title, content: post.html, mimetype: at % 2 ? 'text/x-fossil-wiki' : 'text/x-markdown' },
      '[name=preview]',
    );
    await stage.form(page, null, {}, '[name=submit]');
    await stage.form(
      page,
      '/tktnew',
      { title: post.title, icomment: comments[at % comments.length], type: 'Code_Defect', private_contact: people[at % people.length].mail },
      '[name=preview]',
    );
    await stage.form(page, null, {}, '[name=submit]');
    await stage.form(
      page,
      '/technoteedit',
      { w: post.html, c: post.title, g: post.tags.map((tag) => tag.replace(/\W/g, '')).join(',') },
      '[name=submit]',
    );
  }
  for (const text of searches) {
    await stage.go(page, `/search?s=${encodeURIComponent(text)}&y=all`);
    await stage.go(page, `/timeline?n=50&y=ci&c=2026-11-18&chng=${encodeURIComponent(text)}`);
  }
}

// What the page's own scripts send.
const ajax = (page, where, fields) =>
  page.evaluate(
    async ([where, fields]) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      const csrf = document.querySelector('[name=csrf]')?.value;
      if (csrf) form.append('csrf', csrf);
      await fetch(where, { method: 'POST', body: form });
    },
    [where, fields],
  );

async function useClient(stage, { markdown, comments }, name) {
  const folder = stage.temp(name);
  const address = `http://anna:${password}@${stage.address}/`;
  const fossil = (...args) => stage.command('fossil', args, { cwd: folder, env: { USER: 'anna' } });
  await fossil('clone', address, 'copy.fossil', '--once');
  await fossil('open', 'copy.fossil', '--force');
  for (const [at, text] of [...markdown, ...comments].entries()) {
    fs.writeFileSync(path.join(folder, `note-${name}-${at}.md`), text);
    await fossil('add', `note-${name}-${at}.md`);
    await fossil('commit', '-m', `${comments[at % comments.length]}`, '--no-warnings', '--user-override', 'anna');
  }
  await fossil('push', address, '--once');
  await fossil('pull', address, '--once');
  await fossil('sync', address, '--once');
}

async function administer(stage, page) {
  for (const where of [
    'setup',
    'setup_config',
    'setup_ulist',
    'stat',
    'timeline',
    'reportlist',
    'brlist',
    'taglist',
    'dir?ci=trunk',
    'file/note-first-0.md',
    'artifact/trunk',
    'tree?ci=trunk&type=tree',
    'leaves',
    'sitemap',
    'help',
  ])
    await stage.go(page, `/${where}`);
  await stage.form(page, '/setup_config', { pn: "Anna's notes & recipes", pd: 'Cake, coffee; and <3 (open Mo–Fr)' }, '[name=submit]');
  await stage.form(page, '/uvlist', {}, '[type=submit]');
  for (const [at, one] of people.slice(0, 5).entries())
    await stage.form(page, '/setup_uedit?id=', { login: `user${at}`, info: `${one.name} <${one.mail}>`, pw: `Pw;${at}'x--` }, '[name=apply]');
  for (const file of Object.values(stage.files)
    .flat()
    .filter((one) => typeof one === 'string')
    .slice(0, 4))
    await stage.form(page, '/attachadd?page=Notes+0&from=/wiki', { f: [file], comment: "Anna's file; v2" }, '[name=ok]');
}

export async function drive(stage) {
  await useClient(stage, { markdown, comments }, 'first');
  const page = await logIn(stage);
  await usePages(stage, page, { posts, comments, searches, markdown });
  await administer(stage, page);
}

export async function driveTechnical(stage) {
  await useClient(stage, technicalTexts, 'second');
  await usePages(stage, await logIn(stage), technicalTexts);
}
