// MediaWiki of Debian: pages written, previewed and compared, files, searches, preferences, imports, and its two interfaces for programs.
import fs from 'node:fs';
import path from 'node:path';

import { makeFiles } from './support/files.mjs';
import { servePhp } from './support/php.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'MediaWiki';
const password = 'a quiet kitchen at dusk 7';
const extensions =
  'CategoryTree,Cite,CodeEditor,ImageMap,InputBox,ParserFunctions,ReplaceText,SyntaxHighlight_GeSHi,TemplateData,VisualEditor,WikiEditor';

export async function prepare(stage) {
  stage.folder = path.join(stage.temp('wiki'), 'mediawiki');
  await stage.done('cp', ['-r', '/usr/share/mediawiki', stage.folder]);
  for (const link of ['LocalSettings.php', 'images', 'config']) fs.rmSync(path.join(stage.folder, link), { force: true });
  fs.mkdirSync(path.join(stage.folder, 'images'));
  const data = stage.temp('data');
  await stage.done('php', [
    path.join(stage.folder, 'maintenance/install.php'),
    ...['--dbtype', 'sqlite', '--dbpath', data, '--server', stage.url, '--scriptpath', '', '--pass', password],
    ...['--with-extensions', `--extensions=${extensions}`, '--skins=Vector', "Anna's wiki", 'Anna'],
  ]);
  fs.appendFileSync(
    path.join(stage.folder, 'LocalSettings.php'),
    "\n$wgEnableUploads = true;\n$wgFileExtensions = array_merge( $wgFileExtensions, [ 'pdf', 'txt', 'svg' ] );\n$wgPasswordAttemptThrottle = [];\n",
  );
  stage.files = await makeFiles(stage.temp('files'));
}

export async function start(stage) {
  await servePhp(stage, stage.folder);
  await stage.answers('/index.php');
}

// HTML as somebody writes it in this wiki.
const wikiOf = (html) =>
  html
    .replace(/<h\d>(.*?)<\/h\d>/g, '\n== $1 ==\n')
    .replace(/<\/?(strong|b)>/g, "'''")
    .replace(/<\/?em>/g, "''")
    .replace(/<li>(.*?)<\/li>/g, '\n* $1')
    .replace(/<a href="(https?:[^"]*)"[^>]*>(.*?)<\/a>/g, '[$1 $2]<ref>{{cite web|url=$1|title=$2|access-date=2026-11-18}}</ref>')
    .replace(/<pre[^>]*>(?:<code>)?([^]*?)(?:<\/code>)?<\/pre>/g, '\n<syntaxhighlight lang="text" line>\n$1\n</syntaxhighlight>\n')
    .replace(/<table>/g, '\n{| class="wikitable sortable"\n')
    .replace(/<\/table>/g, '|}\n')
    .replace(/<tr>/g, '|-\n')
    .replace(/<th>(.*?)<\/th>/g, '! $1\n')
    .replace(/<td([^>]*)>(.*?)<\/td>/g, '|$1| $2\n')
    .replace(/<\/?(p|thead|tbody|tr|ul|ol)>/g, '\n');

const infobox = (one) =>
  `{{Infobox person\n| name = ${one.name}\n| birth_place = {{nowrap|${one.city}}}\n| phone = ${one.phone}\n| style = {{#if:{{{style|}}}|style="{{{style}}}"|}}\n}}\n`;

const formOf = (where) => `/index.php?title=${encodeURIComponent(where.replaceAll(' ', '_'))}`;

// Writes a page: an edit with a preview, saved with a summary.
async function write(stage, page, name, text, summary) {
  await stage.form(page, `${formOf(name)}&action=edit`, { '#wpTextbox1': text }, '#wpPreview');
  await stage.form(page, null, { '#wpTextbox1': `${text}\n\n[[Category:Notes & queries]] ~~~~`, '#wpSummary': summary }, '#wpSave');
}

const titleOf = (text) => text.replace(/[#<>[\]{}|]/g, '').slice(0, 60);

async function useWiki(stage, page, { posts, comments, searches, markdown }) {
  for (const [at, post] of posts.entries())
    await write(
      stage,
      page,
      titleOf(post.title),
      `${infobox(people[at % people.length])}${wikiOf(post.html)}\n<references />`,
      `/* ${post.tags[0]} */ ${comments[at % comments.length].slice(0, 80).replaceAll('\n', ' ')}`,
    );
  for (const [at, text] of markdown.entries()) {
    const wiki = text
      .replace(/^#+ (.*)$/gm, '== $1 ==')
      .replace(/```(\w+)\n([^]*?)```/g, '<syntaxhighlight lang="$1">\n$2</syntaxhighlight>')
      .replace(/`([^`\n]+)`/g, '<code>$1</code>');
    await write(stage, page, `Notes/${at}`, wiki, 'imported');
  }
  for (const [at, text] of comments.entries())
    await stage.form(
      page,
      `${formOf(`Talk:Notes/${at % 4}`)}&action=edit&section=new`,
      { '#wpSummary': text.slice(0, 60).replaceAll('\n', ' '), '#wpTextbox1': `:${text} --~~~~` },
      '#wpSave',
    );
  for (const text of searches) {
    await stage.go(page, `/index.php?title=Special:Search&profile=all&fulltext=1&search=${encodeURIComponent(text)}`);
    await stage.send('GET', `/api.php?action=opensearch&format=json&formatversion=2&search=${encodeURIComponent(text)}&namespace=0%7C4&limit=10`);
  }
}

// A program that keeps a session, as bots do.
class Bot {
  constructor(stage) {
    this.stage = stage;
    this.cookies = new Map();
  }
  async ask(fields) {
    const body = new URLSearchParams({ format: 'json', formatversion: '2', ...fields }).toString();
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'User-Agent': 'mwclient/0.10.1 (https://github.com/mwclient/mwclient)',
      Cookie: [...this.cookies].map((pair) => pair.join('=')).join('; '),
    };
    const answer = await this.stage.send('POST', '/api.php', { headers, body });
    for (const line of [answer?.headers['set-cookie'] ?? []].flat()) {
      const [name, value] = line.split(';')[0].split(/=(.*)/s);
      this.cookies.set(name, value);
    }
    return JSON.parse(answer?.text ?? answer?.body ?? '{}');
  }
  async logIn() {
    const token = (await this.ask({ action: 'query', meta: 'tokens', type: 'login' })).query?.tokens.logintoken;
    await this.ask({ action: 'login', lgname: 'Anna', lgpassword: password, lgtoken: token });
    this.token = (await this.ask({ action: 'query', meta: 'tokens' })).query?.tokens.csrftoken;
  }
}

async function usePrograms(stage, { posts, markdown }) {
  const bot = new Bot(stage);
  await stage.step(
    'bot',
    async () => {
      await bot.logIn();
      for (const [at, post] of posts.entries()) {
        const text = wikiOf(post.html);
        await bot.ask({ action: 'edit', title: `Import/${at}`, text, summary: post.title, bot: '1', token: bot.token });
        await bot.ask({ action: 'parse', text, title: post.title, prop: 'text|wikitext', pst: '1', contentmodel: 'wikitext' });
        await bot.ask({ action: 'visualeditor', paction: 'parsefragment', page: 'Main Page', wikitext: text });
        await bot.ask({
          action: 'visualeditoredit',
          paction: 'save',
          page: `Visual/${at}`,
          html: `<!DOCTYPE html><html><body>${post.html}</body></html>`,
          token: bot.token,
        });
      }
      for (const [at, text] of markdown.entries()) await bot.ask({ action: 'edit', title: `User:Anna/${at}`, appendtext: text, token: bot.token });
      await bot.ask({ action: 'query', list: 'search|allpages', srsearch: 'intitle:"plum" -insource:/<ref[^>]*>/', aplimit: '50' });
      await bot.ask({
        action: 'query',
        generator: 'categorymembers',
        gcmtitle: 'Category:Notes & queries',
        prop: 'revisions|info',
        rvprop: 'content|timestamp|user',
      });
    },
    120,
  );
}

async function administer(stage, page) {
  for (const where of [
    'RecentChanges&days=7&hidebots=1',
    'AllPages&from=P',
    'Statistics',
    'Version',
    'ListUsers',
    'ExpandTemplates',
    'Log&type=upload',
    'ReplaceText',
  ])
    await stage.go(page, `/index.php?title=Special:${where}`);
  await stage.form(page, formOf('Special:ExpandTemplates'), {
    '[name=wpInput]': `{{#switch: {{CURRENTDAYNAME}} | Monday = "it's" | #default = {{lc: ABC}} }} {{#expr: 7 * 6 }}\n{{#ifexist: Main Page | [[Main Page|home]] }}`,
  });
  await stage.form(
    page,
    formOf('MediaWiki:Common.css') + '&action=edit',
    {
      '#wpTextbox1':
        '/* Anna\'s */\n.wikitable td::after { content: "\\201C"; background: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=); }\n@media print { a[href]:after { content: " (" attr(href) ")"; } }\n',
    },
    '#wpSave',
  );
  await stage.form(
    page,
    formOf('MediaWiki:Sidebar') + '&action=edit',
    { '#wpTextbox1': '* navigation\n** mainpage|mainpage-description\n** recentchanges-url|recentchanges\n* SEARCH\n* LANGUAGES\n' },
    '#wpSave',
  );
  for (const [at, one] of people.slice(0, 6).entries())
    await stage.form(
      page,
      formOf('Special:CreateAccount'),
      {
        wpName: `User ${at}`,
        wpPassword: `${passwords[at]}Ab1!`,
        retype: `${passwords[at]}Ab1!`,
        email: one.mail,
        realname: one.name,
        reason: `hired; ${one.city}`,
      },
      '#wpCreateaccount',
    );
  await stage.form(page, formOf('Special:Preferences'), { wprealname: "Anna O'Neil" }, '#prefcontrol');
  for (const file of Object.values(stage.files)
    .flat()
    .filter((one) => typeof one === 'string')
    .slice(0, 6))
    await stage.form(
      page,
      formOf('Special:Upload'),
      { '#wpUploadFile': [file], wpUploadDescription: "== Summary ==\nAnna's file; {{own}}", wpIgnoreWarning: true },
      '[name=wpUpload]',
    );
  const xml = stage.write(
    path.join(stage.temp('import'), 'pages.xml'),
    `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">${posts.map((post, at) => `<page><title>Old/${at}</title><ns>0</ns><revision><timestamp>2020-01-01T00:00:00Z</timestamp><contributor><username>Bob</username></contributor><model>wikitext</model><format>text/x-wiki</format><text>${wikiOf(post.html).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text></revision></page>`).join('\n')}</mediawiki>\n`,
  );
  await stage.form(page, formOf('Special:Import'), { xmlimport: [xml], usernamePrefix: 'old' }, '[type=submit]');
  await stage.form(page, formOf('Special:Export'), { '[name=pages]': 'Main Page\nNotes/0\nNotes/1' }, '[type=submit][value=Export]');
}

export async function drive(stage) {
  const page = await stage.page();
  await stage.form(page, formOf('Special:UserLogin'), { '#wpName1': 'Anna', '#wpPassword1': password }, '#wpLoginAttempt');
  await useWiki(stage, page, { posts, comments, searches, markdown });
  await usePrograms(stage, { posts, markdown });
  await administer(stage, page);
  for (const where of [
    'Notes/0&action=history',
    'Notes/0&diff=prev&oldid=prev',
    'Notes/0&action=raw',
    'Notes/1&action=info',
    'Notes/1&printable=yes',
  ])
    await stage.go(page, `/index.php?title=${where}`);
}

export async function driveTechnical(stage) {
  const page = await stage.page();
  await stage.form(page, formOf('Special:UserLogin'), { '#wpName1': 'Anna', '#wpPassword1': password }, '#wpLoginAttempt');
  await useWiki(stage, page, technicalTexts);
  await usePrograms(stage, technicalTexts);
}
