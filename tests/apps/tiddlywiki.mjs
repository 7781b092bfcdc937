// TiddlyWiki of npm, on its own server: tiddlers with wikitext, filters and macros, saved by its page and by programs.
import path from 'node:path';

import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'TiddlyWiki';
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const program = path.join(here, 'node_modules/tiddlywiki/tiddlywiki.js');

export async function prepare(stage) {
  await stage.done('npm', ['ci', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], { cwd: here });
  stage.folder = path.join(stage.temp('wiki'), 'wiki');
  await stage.done(process.execPath, [program, stage.folder, '--init', 'server']);
}

export async function start(stage) {
  stage.run(process.execPath, [program, stage.folder, '--listen', `port=${stage.appPort}`, 'host=127.0.0.1', 'username=anna']);
  await stage.answers('/status');
}

// As its page saves them.
const put = (stage, title, text, more = {}) =>
  stage.sendJson(
    'PUT',
    `/recipes/default/tiddlers/${encodeURIComponent(title)}`,
    {
      title,
      text,
      tags: '',
      created: '20261118081500000',
      creator: 'anna',
      modified: '20261118082000000',
      type: 'text/vnd.tiddlywiki',
      revision: '0',
      bag: 'default',
      ...more,
    },
    { 'X-Requested-With': 'TiddlyWiki' },
  );

// What its manual shows of wikitext: filters, transclusions, macros, widgets.
const wikitext = [
  '! Open tasks\n\n<<list-links "[tag[task]!tag[done]sort[due]]">>\n\n<$list filter="[tag[task]] -[[Old task]]" variable="item">\n<$checkbox tiddler=<<item>> tag="done"> <$link to=<<item>>/></$checkbox>\n</$list>\n',
  '\\define card(title:"Untitled" colour)\n<div class="card" style="border-left: 4px solid $colour$;">\n\'\'$title$\'\' -- <$text text={{{ [<__title__>get[caption]else[none]] }}}/>\n</div>\n\\end\n\n<<card "Plum cake" #a52a2a>>\n<<card title:"Rock \'n\' Roll">>\n',
  '{{Recipe of the day}} and {{Recipe of the day!!author}}, see {{Recipe||Card template}}.\n\n|!Name |!Amount |\n|Flour |500 g |\n|{{!!title}} |<<version>> |\n',
  '<$button class="tc-btn-invisible" actions="""<$action-setfield $tiddler="Counter" $field="text" $value={{{ [{Counter}add[1]] }}}/>""">Add one</$button>\n\n<$reveal type="match" state="$:/state/tab" text="open">\n\nIt\'s open; {{{ [all[tiddlers]!is[system]count[]] }}} notes.\n\n</$reveal>\n',
  '```js\nexports.name = "shout";\nexports.params = [{name: "text", default: ""}];\nexports.run = function(text) {\n\treturn text.toUpperCase() + "!";\n};\n```\n\nSee [[the manual|https://tiddlywiki.example/#Macros]] and `<<name>>` -- //not// `{{name}}`.\n',
];

async function useWiki(stage, { posts, comments, searches, markdown }) {
  const page = await stage.page();
  await stage.go(page, '/');
  for (const post of posts) {
    await put(stage, post.title, post.html, { tags: post.tags.map((tag) => `[[${tag}]]`).join(' ') });
    await put(stage, `Copy of ${post.title}`, post.html, { type: 'text/html', caption: post.title });
  }
  for (const [at, text] of markdown.entries()) await put(stage, `Notes ${at}`, text, { type: 'text/x-markdown' });
  for (const [at, text] of comments.entries()) await put(stage, `Comment ${at}`, text, { author: people[at % people.length].name });
  for (const text of searches) {
    await put(stage, '$:/temp/search', text);
    await stage.send(
      'GET',
      `/recipes/default/tiddlers.json?filter=${encodeURIComponent(`[all[tiddlers]!is[system]search[${text.replace(/[[\]]/g, '')}]sort[title]]`)}`,
    );
  }
  for (const [at, post] of posts.entries()) {
    await stage.step(`write ${at}`, async () => {
      await page
        .getByRole('button', { name: /new tiddler/i })
        .first()
        .click();
      const frame = page.locator('.tc-tiddler-edit-frame').last();
      await frame.locator('input.tc-titlebar, .tc-titlebar input').first().fill(`Mine: ${post.title}`);
      const editor = frame.locator('iframe').first();
      const text = (await editor.count()) ? editor.contentFrame().locator('textarea') : frame.locator('textarea').first();
      await text.fill(post.html);
      await stage.sent(page, () =>
        frame
          .getByRole('button', { name: /^ok|confirm|done/i })
          .first()
          .click(),
      );
    });
  }
}

export async function drive(stage) {
  for (const [at, text] of wikitext.entries()) await put(stage, `Macros ${at}`, text, { tags: '$:/tags/Macro' });
  await useWiki(stage, { posts, comments, searches, markdown });
  await put(stage, '$:/SiteTitle', "Anna's wiki; since '74");
  await put(stage, '$:/config/shortcuts/save', '((save)) ctrl-S');
  await put(
    stage,
    '$:/tags/Stylesheet/mine',
    '/* mine */\n.tc-tiddler-frame { background: url(<<datauri "Motovun.jpg">>); }\n@media (max-width: 960px) { a::after { content: " ("attr(href)")"; } }\n',
    { type: 'text/css', tags: '$:/tags/Stylesheet' },
  );
}

export const driveTechnical = (stage) => useWiki(stage, technicalTexts);
