// Documentation of the program by itself: a manual page for each command, completion in both shells, and what doctor and health find.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { freePort, run, tempFolder, until, wafdPath } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const said = async (...words) => {
  const result = await run(wafdPath, words);
  assert.equal(result.code, 0, `wafd ${words.join(' ')}: ${result.stderr}`);
  return result.stdout;
};
const help = (words) => said(...words, '--help');
const subcommands = (text) => [...(text.split(/^Subcommands:$/m)[1] ?? '').matchAll(/^ {2}([a-z][\w-]*)/gm)].map((m) => m[1]);

// Every command of `--help`, from the top down.
async function commands(words = []) {
  const text = await help(words);
  const below = await Promise.all(subcommands(text).map((name) => commands([...words, name])));
  return [{ words, text }, ...below.flat()];
}

describe('the command line', () => {
  let all;
  let pages;
  before(async () => {
    all = await commands();
    pages = tempFolder('man');
    await said('man', '--write', pages);
  });

  test('has a manual page for every command, with every option', async () => {
    assert.ok(all.length > 25, `${all.length} commands`);
    assert.deepEqual(fs.readdirSync(pages).sort(), all.map(({ words }) => `${['wafd', ...words].join('-')}.1`).sort());
    for (const { words, text } of all) {
      const page = fs.readFileSync(path.join(pages, `${['wafd', ...words].join('-')}.1`), 'utf8').replace(/\\-/g, '-');
      for (const [, option] of text.matchAll(/^ {2}(?:-\w,)?(--[\w-]+)/gm)) assert.ok(page.includes(option), `${words.join(' ')} ${option}`);
      for (const name of subcommands(text)) assert.ok(page.includes(`wafd-${[...words, name].join('-')}`), `${words.join(' ')} ${name}`);
      assert.match(page, /^\.SH EXIT STATUS$/m);
    }
  });

  test('groff formats each page without a warning, and whatis finds its name', async () => {
    const files = fs.readdirSync(pages).map((name) => path.join(pages, name));
    const names = await run('lexgrog', files);
    assert.equal(names.code, 0, names.stderr + names.stdout);
    assert.equal(names.stdout.trim().split('\n').length, files.length);
    const shown = await run('groff', ['-k', '-ww', '-man', '-Tutf8', '-z', ...files]);
    assert.deepEqual([shown.code, shown.stderr], [0, '']);
  });

  test('bash and zsh complete sub-commands, options and files', async () => {
    const bash = path.join(tempFolder('completion'), 'wafd');
    const zsh = `${bash}.zsh`;
    fs.writeFileSync(bash, await said('completion', 'bash'));
    fs.writeFileSync(zsh, await said('completion', 'zsh'));
    const folder = tempFolder('completed');
    fs.writeFileSync(path.join(folder, 'one.json'), '');
    const inBash = async (words) => (await run('bash', ['-c', 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wafd; printf "%s\\n" "${COMPREPLY[@]}"', 'bash', bash, ...words], { cwd: folder })).stdout.trim().split('\n');
    // The real shell without its line editor: what would be offered is printed instead.
    const inZsh = async (words) => {
      const result = await run('zsh', ['-f', '-c', 'compadd() { shift; print -l -- ${(M)@:#${words[CURRENT]}*} }; _files() { print -l -- *(N) }; _message() { }; compdef() { }; file=$1; shift; source $file; words=("$@"); CURRENT=$#; _wafd', 'zsh', zsh, ...words], { cwd: folder });
      assert.equal(result.stderr, '');
      return result.stdout.trim().split('\n');
    };
    for (const complete of [inBash, inZsh]) {
      for (const { words, text } of all) {
        const names = subcommands(text);
        if (names.length > 0) assert.deepEqual((await complete(['wafd', ...words, ''])).sort(), names.sort(), words.join(' '));
      }
      assert.deepEqual(await complete(['wafd', 'us']), ['user']);
      assert.deepEqual(await complete(['wafd', 'config', 'check', '--state-dir', '/x', '--se']), ['--set']);
      assert.deepEqual(await complete(['wafd', 'config', 'check', '--config', '']), ['one.json']);
      assert.deepEqual(await complete(['wafd', 'run', '--set', '']), [''], 'a value of its own');
    }
  });
});

describe('doctor and health', () => {
  let wafd;
  before(async () => {
    wafd = await Wafd.start();
  });
  after(() => wafd?.stop());
  const options = () => ['--state-dir', wafd.state, ...Object.entries(wafd.settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])];
  const doctor = async (...more) => {
    const result = await run(wafdPath, ['doctor', '--json', ...options(), ...more]);
    const answer = JSON.parse(result.stdout);
    assert.equal(result.code, { ok: 0, warning: 1, error: 2 }[answer.worst], result.stdout);
    return answer.findings;
  };
  const wrong = (findings, check) => findings.filter((one) => one.check === check && one.level !== 'ok').map((one) => `${one.level} ${one.text}`);

  test('a node that is well has no errors, also in words', async () => {
    await request(`${wafd.http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': '/' } });
    const findings = await doctor();
    // The clock and the disk are this machine's, and nobody asks the second listener.
    for (const check of ['configuration', 'files', 'certificates', 'daemon']) assert.deepEqual(wrong(findings, check), [], JSON.stringify(findings));
    const text = await run(wafdPath, ['doctor', ...options()]);
    assert.match(text.stdout, /^ok +daemon +wafd \S+ runs and is ready\.$/m);
    assert.match(text.stdout, /^ok +gateways +Listener http \S+ has requests\.$/m);
    assert.match(text.stdout, /^warning +gateways +No request came to listener t1k .*\n +-> /m);
    const healthy = await run(wafdPath, ['health', ...options()]);
    assert.deepEqual([healthy.code, healthy.stdout, healthy.stderr], [0, '', '']);
  });

  test('what is broken is found, each with what to do', async () => {
    const folder = tempFolder('certificate');
    const certificate = path.join(folder, 'ca.pem');
    const made = await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-keyout', path.join(folder, 'key.pem'), '-out', certificate, '-subj', '/CN=siem']);
    assert.equal(made.code, 0, made.stderr);
    await wafd.addTarget({ name: 'away', host: 'no-such-host.invalid', transport: 'tls', port: 6514, tls: { ca: `file:${certificate}` } });
    await wafd.addTarget({ name: 'closed', port: await freePort(), transport: 'tcp' });
    fs.chmodSync(path.join(wafd.state, 'credentials.json'), 0o644);
    const findings = await until('both targets to have failed', async () => {
      const now = await doctor();
      return wrong(now, 'targets').length === 2 && now;
    });
    assert.match(wrong(findings, 'names').join(), /^error target away: no-such-host\.invalid: /);
    assert.match(wrong(findings, 'certificates').join(), /^warning target away, ca: .*ca\.pem ends on \d{4}-\d\d-\d\d\.$/);
    assert.match(wrong(findings, 'files').join(), /credentials\.json holds secrets, and others may read it \(mode 0644\)/);
    for (const one of findings) assert.equal(one.remedy === '', one.level === 'ok', one.text);
    fs.chmodSync(path.join(wafd.state, 'credentials.json'), 0o600);
    assert.deepEqual(wrong(await doctor('--set', 'ingest.http.allow=nonsense'), 'configuration').length, 1);
  });

  test('a node that is down is said to be, and nothing is made or changed', async () => {
    await wafd.stop();
    const beforeLooking = fs.readdirSync(wafd.state).sort();
    assert.deepEqual(wrong(await doctor(), 'daemon'), [`warning No wafd runs with ${wafd.state}.`]);
    const down = await run(wafdPath, ['health', ...options()]);
    assert.equal(down.code, 1);
    assert.match(down.stderr, /no wafd runs with/);
    assert.deepEqual(fs.readdirSync(wafd.state).sort(), beforeLooking);
    const nowhere = path.join(wafd.state, 'none');
    assert.equal((await run(wafdPath, ['doctor', '--state-dir', nowhere])).code, 2);
    assert.ok(!fs.existsSync(nowhere));
  });
});
