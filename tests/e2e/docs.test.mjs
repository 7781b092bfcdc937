// The pages of docs/: their commands do what they say, their links lead somewhere, and the pages that the program makes are as it makes them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { pages_of } from './support/documents.mjs';
import { root, tempFolder, wafdPath } from './support/processes.mjs';
import { Wafd } from './support/wafd.mjs';

const docs = path.join(root, 'docs');
const pages = fs.readdirSync(docs).filter((name) => name.endsWith('.md'));
const text_of = (page) => fs.readFileSync(path.join(docs, page), 'utf8');
const blocks_of = (page) => [...text_of(page).matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, kind, commands]) => ({ kind, commands }));

describe('docs', () => {
  let wafd;
  let folder;
  before(async () => {
    wafd = await Wafd.start();
    folder = tempFolder('docs');
    fs.mkdirSync(path.join(folder, 'etc'));
    fs.writeFileSync(path.join(folder, 'etc/wafd.json'), JSON.stringify({
      state_dir: wafd.state, ingest: { t1k: { listen: wafd.settings['ingest.t1k.listen'] }, http: { listen: wafd.settings['ingest.http.listen'] } }, console: { listen: wafd.settings['console.listen'] },
    }));
  });
  after(() => wafd?.stop());

  // Where a node stands by default is where the test's node is.
  const here = (commands) => commands.replaceAll('/var/lib/wafd', wafd.state).replaceAll('/etc/wafd/', `${folder}/etc/`)
    .replaceAll('http://127.0.0.1:8701', wafd.http).replaceAll('https://127.0.0.1:8743', wafd.console);

  test('every command of every page does what it is there for', () => {
    const ran = [];
    for (const page of pages) {
      const blocks = blocks_of(page);
      assert.deepEqual(blocks.filter(({ kind }) => !/^sh( root \S+\.test\.mjs)?$/.test(kind)), [], `${page}: blocks are commands`);
      for (const { kind, commands } of blocks) {
        const elsewhere = /^sh root (\S+)$/.exec(kind)?.[1];
        if (elsewhere) {
          const test_text = fs.readFileSync(path.join(root, 'tests/e2e', elsewhere), 'utf8');
          for (const line of commands.trim().split('\n')) {
            const [program] = line.replace(/^(env )?(\w+=\S* )*/, '').split(' ');
            assert.ok(test_text.includes(program), `${page}: ${line}: run by ${elsewhere}`);
          }
          continue;
        }
        const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', here(commands)], {
          cwd: folder, encoding: 'utf8', timeout: 20_000, env: { ...process.env, PATH: `${path.dirname(wafdPath)}:${process.env.PATH}` },
        });
        assert.equal(status, 0, `${page}:\n${commands}\n${stdout}${stderr}`);
        ran.push(page);
      }
    }
    assert.deepEqual([...new Set(ran)], pages.filter((page) => !['README.md', 'configuration.md', 'metrics.md'].includes(page)));
  });

  test('every link leads to a file', () => {
    let links = 0;
    for (const page of pages) {
      for (const [, target] of text_of(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
        assert.ok(fs.existsSync(path.join(docs, target)), `${page}: ${target}`);
        ++links;
      }
    }
    assert.ok(links > 20, `${links} links`);
  });

  test('the pages of keys and metrics are those of this program', async () => {
    for (const [page, text] of Object.entries(await pages_of(wafd))) {
      assert.equal(text_of(page), text, `${page}: write it anew by node docs/make.mjs`);
      assert.ok(text.split('\n').length > 40, page);
    }
  });
});
