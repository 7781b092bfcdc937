// gitweb and cgit: repositories as pages. Every kind of page is asked for as their own links lead there, and searched.
import fs from 'node:fs';
import path from 'node:path';

import { listenCgi } from './support/cgi.mjs';
import * as technicalTexts from './support/technical.mjs';
import { agents, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'gitweb and cgit (repositories as pages)';

// Where the packages keep them; `apps` in packaging/packages.txt has both.
const gitweb = '/usr/share/gitweb/gitweb.cgi';
const cgit = '/usr/lib/cgit/cgit.cgi';

// Names as repositories have them: hidden settings, scripts, spaces and quotes.
const files = {
  '.htaccess': 'Options -Indexes\nRewriteEngine On\n',
  '.gitignore': '*.o\n/build/\n',
  '.github/workflows/ci.yml': 'on: [push]\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make && make test\n',
  'Dockerfile': 'FROM debian:bookworm\nRUN apt-get update && apt-get install -y nginx\n',
  'install.sh': '#!/bin/sh\nset -e\ncp -r bin /usr/local/bin\n',
  'etc/passwd.example': 'root:x:0:0:root:/root:/bin/sh\n',
  'sql/select_union.sql': "SELECT name FROM people WHERE name = 'O''Brien'\nUNION SELECT 'nobody';\n",
  'web/index.php': "<?php echo htmlspecialchars($_GET['q'] ?? ''); ?>\n",
  'web/admin/config.php.dist': '<?php return [];\n',
  "docs/it's here.md": '# Hello\n',
  'docs/C++ & C#.md': '# Languages\n',
  'src/exec.c': '#include <unistd.h>\nint main(void) { return execl("/bin/ls", "ls", (char *)0); }\n',
};

export async function prepare(stage) {
  stage.projects = stage.temp('projects');
  const work = stage.temp('work');
  const git = (...args) =>
    stage.done('git', ['-C', work, '-c', `user.name=${people[0].name}`, '-c', `user.email=${people[0].mail}`, ...args]);
  await git('init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(files)) stage.write(path.join(work, name), text);
  for (const [at, post] of posts.entries()) {
    stage.write(path.join(work, 'posts', `${at} ${post.title.replaceAll('/', '-')}.html`), post.html);
    stage.write(path.join(work, 'notes', `${at}.md`), markdown[at % markdown.length]);
    await git('add', '-A', '-f');
    await git('commit', '-q', '-m', `${post.title}\n\n${markdown[at % markdown.length]}`);
  }
  for (const branch of ["feature/it's-done", 'fix-#12', 'select-from-list']) await git('branch', branch);
  await git('tag', '-a', 'v1.0-rc.1+build.5', '-m', 'It works; ship it');
  for (const name of ["anna's notes.git", 'site.git']) await stage.done('git', ['clone', '-q', '--bare', work, path.join(stage.projects, name)]);
  const feature = "$feature{$_}{'default'} = [1] for qw(blame grep pickaxe snapshot search);\n$feature{'snapshot'}{'default'} = ['tgz'];\n";
  stage.gitwebConfig = stage.write(path.join(stage.temp('config'), 'gitweb.conf'), `our $projectroot = '${stage.projects}';\n${feature}1;\n`);
  stage.cgitConfig = stage.write(
    path.join(stage.temp('config'), 'cgitrc'),
    `virtual-root=/cgit\nenable-blame=1\nenable-log-filecount=1\nsnapshots=tar.gz zip\ncache-size=0\nscan-path=${stage.projects}\n`,
  );
}

export async function start(stage) {
  await listenCgi(stage, (target) =>
    target.startsWith('/cgit')
      ? { command: cgit, script: '/cgit', env: { CGIT_CONFIG: stage.cgitConfig } }
      : { command: 'perl', args: [gitweb], script: '/git', env: { GITWEB_CONFIG: stage.gitwebConfig } },
  );
  await stage.answers('/git');
  await stage.answers('/cgit/');
}

const unescaped = (text) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
// A link without what names one object or one place in a list: of links that differ in nothing else, a few say all.
const kindOf = (link) => link.replace(/[0-9a-f]{7,40}/g, 'H').replace(/([?&;](ofs|pg|h|hp|hpb|hb)=)[^&;]*/g, '$1');

// Follows links of the application from `from` on: at most `most` of each kind, `all` together.
async function follow(stage, from, { most = 2, all = 120 } = {}) {
  const queue = [from];
  const kinds = new Map();
  const seen = new Set(queue);
  for (let asked = 0; queue.length && asked < all; ++asked) {
    const where = queue.shift();
    const answer = await stage.send('GET', where, { headers: { 'User-Agent': agents.googlebot, Accept: 'text/html' } });
    if (!answer || !/html/.test(String(answer.headers['content-type']))) continue;
    for (const [, link] of answer.text.matchAll(/(?:href|action)=["']([^"'#][^"'#]*)/g)) {
      const target = new URL(unescaped(link), `${stage.url}${where}`);
      const next = target.pathname + target.search;
      if (target.host !== stage.host || seen.has(next)) continue;
      const kind = kindOf(next);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      if (kinds.get(kind) > most) continue;
      seen.add(next);
      queue.push(next);
    }
  }
}

async function search(stage, texts) {
  for (const text of texts) {
    const query = encodeURIComponent(text).replaceAll('%20', '+');
    for (const kind of ['commit', 'author', 'grep', 'pickaxe'])
      await stage.send('GET', `/git?p=site.git&a=search&h=HEAD&st=${kind}&s=${query}`);
    for (const kind of ['grep', 'author', 'range']) await stage.send('GET', `/cgit/site.git/log/?qt=${kind}&q=${query}`);
    await stage.send('GET', `/cgit/?q=${query}`);
  }
}

export async function drive(stage) {
  await follow(stage, '/git');
  await follow(stage, '/cgit/');
  await search(stage, searches);
  for (const name of Object.keys(files)) {
    const file = name.split('/').map(encodeURIComponent).join('/');
    for (const view of ['tree', 'plain', 'log', 'blame']) await stage.send('GET', `/cgit/site.git/${view}/${file}?h=select-from-list`);
    for (const view of ['blob', 'blob_plain', 'history', 'blame'])
      await stage.send('GET', `/git?p=site.git;a=${view};f=${encodeURIComponent(name).replaceAll('%2F', '/')};hb=HEAD`);
  }
}

export const driveTechnical = (stage) => search(stage, technicalTexts.searches);
