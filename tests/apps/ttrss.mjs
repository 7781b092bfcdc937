// Tiny Tiny RSS of Debian on MariaDB: its reader and settings in Chromium, its interface for programs on telephones.
import { copyOf, makeDatabase, movedTo, prelude, servePhp } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, passwords, people, posts, searches } from './support/texts.mjs';

export const title = 'Tiny Tiny RSS';

export async function prepare(stage) {
  stage.socket = await makeDatabase(stage, 'ttrss');
  stage.folder = await copyOf(stage, '/usr/share/tt-rss/www', 'tt-rss');
  const data = stage.temp('data');
  await stage.done('sh', [
    '-c',
    'mariadb --no-defaults --socket="$1" -uapp -papp ttrss < /usr/share/tt-rss/schema/ttrss_schema_mysql.sql',
    'sh',
    stage.socket,
  ]);
  await stage.done('sh', ['-c', 'cd "$1" && mkdir -p feeds images upload export', 'sh', data]);
  await movedTo(stage, stage.folder, {
    '%SELF_URL_PATH': `${stage.url}/`,
    'posix_getuid() == 0': 'false',
    // Feeds are asked for at a proxy that is not there, and no name is looked up: nothing beyond loopback.
    'gethostbyname($url_host)': "'192.0.2.1'",
    "define('SINGLE_USER_MODE', false);": "define('SINGLE_USER_MODE', false); define('_HTTP_PROXY', 'http://127.0.0.1:9');",
    '/var/cache/tt-rss': data,
    '/var/lib/tt-rss': data,
    "include_once('/etc/tt-rss/database.php');":
      "list($dbtype, $dbserver, $dbport, $dbuser, $dbname, $dbpass) = ['mysql', 'localhost', '', 'app', 'ttrss', 'app'];",
  });
}
export async function start(stage) {
  const settings = { 'mysqli.default_socket': stage.socket, 'pdo_mysql.default_socket': stage.socket, auto_prepend_file: prelude(stage) };
  await servePhp(stage, stage.folder, { settings });
  await stage.answers('/');
}

const call = async (stage, op, values = {}) => {
  const answer = await stage.sendJson('POST', '/api/', { op, ...(stage.session ? { sid: stage.session } : {}), ...values });
  return answer?.status === 200 ? answer.json().content : null;
};

async function write(stage, { posts, comments, markdown, searches }) {
  for (const text of searches)
    await call(stage, 'getHeadlines', { feed_id: -4, limit: 30, search: text, search_mode: 'all_feeds', show_excerpt: true, order_by: 'feed_dates' });
  for (const [at, post] of posts.entries())
    await call(stage, 'shareToPublished', {
      title: post.title,
      url: `https://${people[at % people.length].mail.split('@')[1]}/p?id=${at}&x=1`,
      content: at % 2 ? post.html : markdown[at % markdown.length],
    });
  for (const [at, text] of comments.entries()) await call(stage, 'updateArticle', { article_ids: `${at + 1}`, mode: 1, field: 3, data: text });
}

// What the reader's own script sends, from its page.
const backend = (stage, page, values) =>
  stage.step(`backend.php ${values.op} ${values.method ?? ''}`, () =>
    page.evaluate(
      async (values) =>
        void (await (
          await fetch('/backend.php', {
            method: 'POST',
            headers: { 'X-Requested-With': 'XMLHttpRequest' },
            body: new URLSearchParams({ csrf_token: __csrf_token, ...values }),
          })
        ).text()),
      values,
    ),
  );

export async function drive(stage) {
  const page = await stage.page();
  await stage.form(page, '/', { login: 'admin', password: 'password' }, '.alt-primary .dijitButtonNode');
  await stage.step('reader', () => page.waitForTimeout(4000));
  stage.session = (await call(stage, 'login', { user: 'admin', password: 'password' }))?.session_id;
  await write(stage, { posts, comments, markdown, searches });
  for (const [op, values] of [
    ['getCategories', { enable_nested: true }],
    ['getFeeds', { cat_id: -3 }],
    ['getCounters', { output_mode: 'flc' }],
    ['getConfig'],
    ['getLabels'],
    ['getArticle', { article_id: '1,2' }],
    ['getPref', { pref_name: 'ENABLE_API_ACCESS' }],
  ])
    await call(stage, op, values);
  for (const [at, text] of searches.entries())
    await backend(stage, page, {
      op: 'feeds',
      method: 'view',
      feed: '-4',
      cat: 'false',
      view_mode: 'adaptive',
      order_by: 'default',
      m: '',
      query: text,
      search_language: at % 2 ? 'english' : 'simple',
    });
  for (const [at, one] of people.entries()) {
    await backend(stage, page, {
      op: 'pref-filters',
      method: 'savefilterpreview',
      title: one.name,
      enabled: 'on',
      match_any_rule: at % 2 ? 'on' : '',
      'rule[]': JSON.stringify({ reg_exp: searches[at], filter_type: '1', feed_id: ['0'], inverse: '' }),
      'action[]': JSON.stringify({ action_id: '4', action_param: posts[at].tags.join(', ') }),
    });
    await backend(stage, page, {
      op: 'pref-filters',
      method: 'add',
      title: one.name,
      enabled: 'on',
      'rule[]': JSON.stringify({ reg_exp: `(${posts[at].tags.join('|')})\\b.*`, filter_type: '3', feed_id: ['0'], name: one.city }),
      'action[]': JSON.stringify({ action_id: '7', action_param: one.name }),
    });
    await backend(stage, page, { op: 'pref-labels', method: 'add', caption: one.city });
    await backend(stage, page, { op: 'pref-feeds', method: 'addCat', cat: one.name });
    await backend(stage, page, {
      op: 'feeds',
      method: 'addfeed',
      feed: `https://${one.mail.split('@')[1]}/${encodeURIComponent(one.city)}/feed.xml?type=rss&id=${at}`,
      cat: '0',
      need_auth: '',
      login: one.mail,
      pass: passwords[at],
    });
    await backend(stage, page, { op: 'pref-users', method: 'add', login: one.name });
    await backend(stage, page, { op: 'article', method: 'setArticleTags', id: `${at + 1}`, tags_str: posts[at].tags.join(', ') });
    await backend(stage, page, { op: 'pluginhandler', plugin: 'note', method: 'setNote', id: `${at + 1}`, note: comments[at % comments.length] });
  }
  await backend(stage, page, {
    op: 'pref-prefs',
    method: 'customizeCSS',
    key: 'USER_STYLESHEET',
    value:
      '@import url("https://fonts.example/css?family=Lato:400,700");\n.cdm .content a[href^="http"]::after { content: " \\2197"; }\n#main > div:not(.x) { width: calc(100% - (2 * 1em)); }',
  });
  await backend(stage, page, {
    op: 'pref-prefs',
    method: 'saveconfig',
    boolean_prefs: 'COMBINED_DISPLAY_MODE,CDM_EXPANDED',
    BLACKLISTED_TAGS: "main, generic, misc, where's, l'été",
    LONG_DATE_FORMAT: 'D, M j Y - G:i',
    SHORT_DATE_FORMAT: "M d, H:i 'y",
    USER_TIMEZONE: 'Europe/Berlin',
    DIGEST_PREFERRED_TIME: '00:00',
  });
  await backend(stage, page, { op: 'pref-prefs', method: 'changeemail', email: people[0].mail, full_name: people[0].name });
  await explore(
    stage,
    page,
    ['/prefs.php', '/public.php?op=sharepopup&title=It%27s&url=https%3A%2F%2Fa.example%2F%3Fa%3D1', '/register.php', '/public.php?op=forgotpass'],
    { pages: 20 },
  );
}

export async function driveTechnical(stage) {
  await write(stage, technicalTexts);
}
