// git over HTTP: clones, pushes of real source trees (the other applications' and this machine's libraries), fetches, big packs, odd names.
import fs from 'node:fs';
import path from 'node:path';

import { listenCgi } from './support/cgi.mjs';
import { makeFiles } from './support/files.mjs';
import { markdown, people, posts } from './support/texts.mjs';

export const title = 'git (git-http-backend)';

export async function prepare(stage) {
  stage.projects = stage.temp('projects');
  for (const name of ["anna's notes", 'site', 'mirror', 'dump', 'big']) {
    const folder = path.join(stage.projects, `${name}.git`);
    await stage.done('git', ['init', '-q', '--bare', folder]);
    await stage.done('git', ['-C', folder, 'config', 'http.receivepack', 'true']);
  }
  stage.files = await makeFiles(stage.temp('files'));
}

export async function start(stage) {
  await listenCgi(stage, () => ({
    command: '/usr/lib/git-core/git-http-backend',
    env: { GIT_PROJECT_ROOT: stage.projects, GIT_HTTP_EXPORT_ALL: '1', REMOTE_USER: 'anna' },
  }));
  // What git is told of the name that it asks for.
  stage.remote = `http://${stage.host}:${stage.recorder.port}`;
  stage.settings = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.curloptResolve',
    GIT_CONFIG_VALUE_0: `${stage.host}:${stage.recorder.port}:127.0.0.1`,
  };
}

const git = (stage, args, { env = {}, ...options } = {}) => stage.command('git', args, { env: { ...stage.settings, ...env }, ...options });

const identity = (one) => ({
  GIT_AUTHOR_NAME: one.name.replaceAll('"', ''),
  GIT_AUTHOR_EMAIL: one.mail,
  GIT_COMMITTER_NAME: one.name.replaceAll('"', ''),
  GIT_COMMITTER_EMAIL: one.mail,
});

async function pushTree(stage, repository, tree, message, one, settings = []) {
  const folder = path.join(stage.temp('work'), 'tree');
  await git(stage, ['clone', '-q', `${stage.remote}/${encodeURIComponent(repository)}.git`, folder]);
  await stage.command('cp', ['-rL', '--no-preserve=ownership', ...tree, folder]);
  await git(stage, ['add', '-A', '-f'], { cwd: folder });
  await git(stage, ['commit', '-q', '-m', message], { cwd: folder, env: identity(one) });
  await git(stage, [...settings, 'push', '-q', 'origin', 'HEAD'], { cwd: folder });
  return folder;
}

export async function drive(stage) {
  const notes = await pushTree(stage, "anna's notes", Object.values(stage.files), "Anna's files; don't lose them", people[0]);
  for (const [at, post] of posts.entries()) {
    stage.write(path.join(notes, 'posts', `${at} ${post.title.replaceAll('/', '-')}.html`), post.html);
    await git(stage, ['add', '-A'], { cwd: notes });
    await git(
      stage,
      ['commit', '-q', '-m', `${post.title}\n\n${markdown[at % markdown.length]}\nSigned-off-by: ${people[at].name} <${people[at].mail}>`],
      { cwd: notes, env: identity(people[at]) },
    );
    if (at % 3 === 0) await git(stage, ['push', '-q', 'origin', 'HEAD'], { cwd: notes });
  }
  for (const branch of ["feature/it's-done", 'fix-#12', 'release/4.2', 'user/o_brien@work', 'select-from-list'])
    await git(stage, ['push', '-q', 'origin', `HEAD:refs/heads/${branch}`], { cwd: notes });
  await git(stage, ['tag', '-a', 'v1.0-rc.1+build.5', '-m', 'It works; ship it'], { cwd: notes, env: identity(people[1]) });
  await git(stage, ['push', '-q', 'origin', '--tags', '--force'], { cwd: notes });
  await git(stage, ['push', '-q', 'origin', '--delete', 'fix-#12'], { cwd: notes });
  for (const protocol of [0, 1, 2]) {
    await git(stage, [
      '-c',
      `protocol.version=${protocol}`,
      'clone',
      '-q',
      `${stage.remote}/anna's%20notes.git`,
      path.join(stage.temp('clone'), 'c'),
    ]);
    await git(stage, ['-c', `protocol.version=${protocol}`, 'ls-remote', `${stage.remote}/anna's%20notes.git`, 'refs/heads/*']);
  }
  await git(stage, [
    'clone',
    '-q',
    '--depth',
    '2',
    '--branch',
    'release/4.2',
    `${stage.remote}/anna's%20notes.git`,
    path.join(stage.temp('clone'), 'c'),
  ]);
  await git(stage, ['clone', '-q', '--filter=blob:none', '--no-checkout', `${stage.remote}/anna's%20notes.git`, path.join(stage.temp('clone'), 'c')]);
  await git(stage, ['fetch', '-q', '--all', '--prune'], { cwd: notes });
  // Source trees, as many small pushes and as large ones; chunked from 1 MiB on.
  const trees = [
    ['/usr/lib/python3/dist-packages', /^[a-z][a-z_]+$/, 10],
    ['/usr/share/perl5', /^[A-Z][a-z]+$/, 8],
    ['/usr/share/dokuwiki/inc', /^[A-Z]/, 8],
    ['/usr/share/php', /^[A-Z]/, 6],
    ['/usr/include', /^[a-z]+$/, 6],
    ['/usr/share/doc', /^[a-m]/, 6],
  ];
  for (const [top, wanted, count] of trees) {
    if (!fs.existsSync(top)) continue;
    const names = fs
      .readdirSync(top)
      .filter((name) => wanted.test(name) && fs.statSync(path.join(top, name)).isDirectory())
      .slice(0, count);
    for (const [at, name] of names.entries()) await pushTree(stage, 'site', [path.join(top, name)], `Add ${name}`, people[at % people.length]);
  }
  await pushTree(stage, 'big', ['/usr/share/wordpress/wp-includes', '/usr/share/roundcube/program'], 'All of it', people[2]);
  await pushTree(stage, 'dump', ['/usr/share/roundcube/plugins', '/usr/share/dokuwiki/lib'], 'Uncompressed', people[3], [
    '-c',
    'core.compression=0',
    '-c',
    'http.postBuffer=64m',
  ]);
  const mirror = path.join(stage.temp('mirror'), 'm');
  await git(stage, ['clone', '-q', '--mirror', `${stage.remote}/site.git`, mirror]);
  await git(stage, ['push', '-q', '--mirror', `${stage.remote}/mirror.git`], { cwd: mirror, seconds: 120 });
}
