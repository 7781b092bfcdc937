// verdaccio of npm: an npm registry. Packages published, searched, tagged, deprecated and installed by npm, and looked at in its page.
import fs from 'node:fs';
import path from 'node:path';

import { run } from '../e2e/support/processes.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'verdaccio (npm registry)';
const password = "it's; me -- 7";
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

export async function prepare(stage) {
  await stage.done('npm', ['ci', '--no-audit', '--no-fund', '--silent', '--ignore-scripts'], { cwd: here });
  const folder = stage.temp('registry');
  stage.config = stage.write(
    path.join(folder, 'config.yaml'),
    `storage: ${folder}/storage
auth: { htpasswd: { file: ${folder}/htpasswd } }
web: { title: "Anna's packages" }
uplinks: {}
packages: { '@*/*': { access: $all, publish: $authenticated, unpublish: $authenticated }, '**': { access: $all, publish: $authenticated, unpublish: $authenticated } }
max_body_size: 100mb
log: { type: stdout, format: json, level: error }
`,
  );
}

export async function start(stage) {
  stage.run(
    process.execPath,
    [path.join(here, 'node_modules/verdaccio/bin/verdaccio'), '--config', stage.config, '--listen', `127.0.0.1:${stage.appPort}`],
    { cwd: path.dirname(stage.config) },
  );
  await stage.answers('/-/ping');
}

// npm is told of the name that it asks for: packages carry it in their addresses.
function named(stage) {
  const name = `${stage.host}:${stage.recorder.port}`;
  const script = `const dns = require('node:dns');
const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(name === '${stage.host}' ? '127.0.0.1' : name, ...rest);
`;
  stage.resolver ??= stage.write(path.join(stage.temp('resolver'), 'resolver.cjs'), script);
  return { name, env: { NODE_OPTIONS: `--require ${stage.resolver}` } };
}

const npm = (stage, args, options = {}) =>
  stage.command('npm', [...args, '--no-audit', '--no-fund', '--no-update-notifier'], { seconds: 90, env: named(stage).env, ...options });

// A package in a folder of its own: `files` by name beside package.json and README.md.
function makePackage(stage, { name, version = '1.0.0', description, readme, files = {}, more = {} }) {
  const folder = path.join(stage.temp('package'), 'it');
  const all = {
    'package.json': JSON.stringify(
      {
        name,
        version,
        description,
        license: 'MIT',
        author: `${people[0].name} <${people[0].mail}> (https://kueche.example/~anna)`,
        main: 'index.js',
        ...more,
      },
      null,
      2,
    ),
    'README.md': readme,
    'index.js': `module.exports = (name) => \`Hello, \${name}!\`;\n`,
    ...files,
  };
  for (const [file, text] of Object.entries(all)) stage.write(path.join(folder, file), text);
  return folder;
}

const scripts = {
  prepare: 'tsc -p . && cp -r src/*.css dist/ || true',
  test: 'node --test "test/**/*.test.js" | tee test.log; exit ${PIPESTATUS[0]}',
  lint: "eslint . --ext '.js,.ts' --fix",
  build: 'rm -rf dist && rollup -c',
  postinstall: 'node -e "try{require(\'./postinstall\')}catch(e){}"',
  start: 'NODE_ENV=production node --max-old-space-size=4096 server.js >> log.txt 2>&1 &',
  release: 'npm version patch && git push --follow-tags && npm publish',
};

const scriptsOf = (at) => Object.fromEntries(Object.entries(scripts).filter((entry, index) => index % 4 === at % 4));

// What login gives is kept in the file that npm reads.
async function login(stage) {
  const answer = await stage.sendJson(
    'PUT',
    '/-/user/org.couchdb.user:anna',
    { _id: 'org.couchdb.user:anna', name: 'anna', password, email: 'anna@kueche.example', type: 'user', roles: [], date: '2026-11-18T08:15:00.000Z' },
    { 'User-Agent': 'npm/10.8.2 node/v20.20.2 linux x64 workspaces/false', 'npm-command': 'adduser' },
  );
  stage.write(
    path.join(stage.env.HOME, '.npmrc'),
    `registry=http://${named(stage).name}/\n//${named(stage).name}/:_authToken=${answer.json().token}\nfund=false\naudit=false\n`,
  );
}

// Packages that this machine has: real code, of many files.
function installedPackages() {
  const top = path.join(here, 'node_modules');
  return fs
    .readdirSync(top)
    .filter((name) => /^[a-z]/.test(name) && fs.existsSync(path.join(top, name, 'package.json')))
    .sort()
    .slice(0, 60)
    .map((name) => path.join(top, name));
}

async function publishInstalled(stage, folder) {
  const copy = path.join(stage.temp('copy'), 'it');
  await run('cp', ['-rL', folder, copy]);
  const description = JSON.parse(fs.readFileSync(path.join(copy, 'package.json'), 'utf8'));
  delete description.scripts?.prepublishOnly;
  delete description.scripts?.prepare;
  delete description.publishConfig;
  stage.write(path.join(copy, 'package.json'), JSON.stringify(description, null, 2));
  await npm(stage, ['publish', '--ignore-scripts', '--tag', 'latest'], { cwd: copy });
}

export async function drive(stage) {
  await login(stage);
  await npm(stage, ['ping']);
  await npm(stage, ['whoami']);
  for (const [at, readme] of markdown.entries()) {
    const folder = makePackage(stage, {
      name: `@anna/notes-${at}`,
      description: comments[at],
      readme,
      more: {
        scripts: scriptsOf(at),
        keywords: ["it's", 'c++', 'a & b'],
        repository: { type: 'git', url: 'git+https://git.example/anna/notes.git' },
        bin: { notes: './index.js' },
        engines: { node: '>=18 <23 || ^24.0.0' },
      },
    });
    await npm(stage, ['publish', '--access', 'public', '--ignore-scripts'], { cwd: folder });
    await npm(stage, ['version', 'prerelease', '--preid', 'rc', '--no-git-tag-version'], { cwd: folder });
    await npm(stage, ['publish', '--tag', 'next', '--ignore-scripts'], { cwd: folder });
    await npm(stage, ['dist-tag', 'add', `@anna/notes-${at}@1.0.1-rc.0`, 'beta-2']);
    await npm(stage, ['deprecate', `@anna/notes-${at}@1.0.0`, `Don't use this; use "notes" >= 2 (it's faster & smaller)`]);
  }
  for (const [at, post] of posts.entries()) {
    const folder = makePackage(stage, {
      name: `post-${at}`,
      description: post.title,
      readme: `# ${post.title}\n\n${post.html}\n`,
      more: { keywords: post.tags },
    });
    await npm(stage, ['publish'], { cwd: folder });
  }
  for (const folder of installedPackages()) await publishInstalled(stage, folder);
  for (const text of searches) await npm(stage, ['search', '--json', text]);
  for (const name of ['post-0', '@anna/notes-1', 'post-3@latest', 'accepts']) {
    await npm(stage, ['view', name, '--json']);
    await npm(stage, ['dist-tag', 'ls', name]);
  }
  await npm(stage, ['view', 'not-there'], { ends: [1] });
  const project = makePackage(stage, {
    name: 'shop',
    readme: '# Shop',
    description: 'All of it',
    more: { dependencies: { '@anna/notes-0': '*', 'post-1': '^1.0.0', '@anna/notes-2': 'next' } },
  });
  await npm(stage, ['install', '--ignore-scripts'], { cwd: project });
  await npm(stage, ['outdated', '--json'], { cwd: project, ends: [1] });
  await npm(stage, ['audit'], { cwd: project, ends: [1] });
  await npm(stage, ['owner', 'ls', 'post-0']);
  await npm(stage, ['unpublish', 'post-2', '--force']);
  await page(stage, searches);
}

async function page(stage, texts) {
  const page = await stage.page();
  await stage.go(page, '/');
  await stage.step('log in', async () => {
    await page.locator('[data-testid="header--button-login"]').click();
    await page.locator('#login--dialog-username').fill('anna');
    await page.locator('#login--dialog-password').fill(password);
    await stage.sent(page, () => page.locator('#login--dialog-button-submit').click());
  });
  for (const text of texts) {
    await stage.step(`search ${text}`, async () => {
      const field = page.locator('input[type=text], input[role=combobox]').first();
      await field.fill('');
      await field.fill(text);
      await page.waitForResponse((answer) => answer.url().includes('/search'), { timeout: 3000 }).catch(() => {});
    });
  }
  for (const name of ['@anna/notes-0', '@anna/notes-3', 'post-4'])
    for (const tab of ['', '?tab=dependencies', '/v/1.0.0']) await stage.go(page, `/-/web/detail/${name}${tab}`);
}

export async function driveTechnical(stage) {
  for (const [at, readme] of technicalTexts.markdown.entries())
    await npm(stage, ['publish'], {
      cwd: makePackage(stage, { name: `hardening-${at}`, description: technicalTexts.comments[at], readme, more: { scripts: scriptsOf(at) } }),
    });
  for (const [at, post] of technicalTexts.posts.entries())
    await npm(stage, ['publish'], {
      cwd: makePackage(stage, { name: `howto-${at}`, description: post.title, readme: post.html, more: { keywords: post.tags } }),
    });
  for (const text of technicalTexts.searches) await npm(stage, ['search', '--json', text]);
  await page(stage, technicalTexts.searches);
}
