// The Debian package: made, looked into, its dependencies there, its program and configuration sound.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { root, run, tempFolder } from './support/processes.mjs';

const build = path.join(root, 'packaging/debian/build');
const done = async (...command) => {
  const result = await run(command[0], command.slice(1));
  assert.equal(result.code, 0, `${command.join(' ')}: ${result.stderr}`);
  return result.stdout;
};

describe('the Debian package', () => {
  let deb;
  let tree;
  before(async () => {
    deb = (await done(build, path.join(root, 'build/release/wafd'), tempFolder('deb'))).trim();
    tree = tempFolder('deb-tree');
    await done('dpkg-deb', '-x', deb, tree);
    await done('dpkg-deb', '-e', deb, path.join(tree, 'DEBIAN'));
  });

  test('control: what it is, and what the program is linked with', async () => {
    const field = (name) => done('dpkg-deb', '-f', deb, name).then((text) => text.trim());
    const version = (await done(path.join(root, 'build/release/wafd'), 'version')).trim().split(' ').pop();
    assert.equal(await field('Package'), 'wafd');
    assert.equal(await field('Version'), version);
    const depends = await field('Depends');
    for (const name of ['libc6', 'libssl3', 'libuv1', 'libvectorscan5', 'librdkafka1', 'libmaxminddb0', 'adduser', 'tzdata']) assert.match(depends, new RegExp(`(^|, )${name}\\b`), name);
    assert.doesNotMatch(depends, /@|-dev\b/);
  });

  test('contents: owned by root, each where Debian looks for it', async () => {
    const list = (await done('dpkg-deb', '-c', deb)).trim().split('\n').map((line) => line.split(/\s+/));
    assert.ok(list.every(([, owner]) => owner === 'root/root'));
    assert.ok(list.every(([mode]) => mode[5] !== 'w' && mode[8] !== 'w'), 'nothing is writable for others');
    const names = list.map((line) => line[5]);
    assert.match(await done('sh', '-c', `zcat ${tree}/usr/share/doc/wafd/changelog.gz | dpkg-parsechangelog -l - -S Version`), /^\d+\.\d+\.\d+$/m);
    for (const name of ['./usr/bin/wafd', './lib/systemd/system/wafd.service', './etc/wafd/wafd.json', './usr/share/doc/wafd/copyright', './usr/share/doc/wafd/licenses.md',
      './usr/share/doc/wafd/changelog.gz', './usr/share/man/man1/wafd.1.gz', './usr/share/man/man1/wafd-run.1.gz', './usr/share/bash-completion/completions/wafd', './usr/share/zsh/vendor-completions/_wafd', './usr/share/wafd/receivers/rsyslog.conf', './usr/share/wafd/gateways/nginx-mirror/nginx.conf', './usr/share/wafd/prometheus/wafd.rules.yml']) assert.ok(names.includes(name), name);
    assert.deepEqual(fs.readFileSync(path.join(tree, 'DEBIAN/conffiles'), 'utf8').trim().split('\n'), ['/etc/wafd/wafd.json']);
    assert.match(fs.readFileSync(path.join(tree, 'usr/share/doc/wafd/copyright'), 'utf8'), /License: Apache-2\.0/);
    const sums = fs.readFileSync(path.join(tree, 'DEBIAN/md5sums'), 'utf8').trim().split('\n').map((line) => line.split(/\s+/));
    assert.ok(sums.length > 20);
    for (const [sum, name] of sums) assert.equal(crypto.createHash('md5').update(fs.readFileSync(path.join(tree, name))).digest('hex'), sum, name);
  });

  test('its bill of materials is of the program in it', () => {
    const { packages } = JSON.parse(fs.readFileSync(path.join(tree, 'usr/share/doc/wafd/wafd.spdx.json'), 'utf8'));
    const sum = crypto.createHash('sha256').update(fs.readFileSync(path.join(tree, 'usr/bin/wafd'))).digest('hex');
    assert.equal(packages.find((one) => one.name === 'wafd').checksums[0].checksumValue, sum);
    assert.ok(packages.some((one) => one.name === 'libssl3') && packages.some((one) => one.name === 'preact'));
  });

  test('the program in it runs with the configuration in it', async () => {
    assert.match(await done(path.join(tree, 'usr/bin/wafd'), 'version'), /^wafd \d/);
    await done(path.join(tree, 'usr/bin/wafd'), 'config', 'check', '--config', path.join(tree, 'etc/wafd/wafd.json'), ...['ingest.t1k', 'ingest.http', 'console'].flatMap((one) => ['--set', `${one}.listen=127.0.0.1:0`]));
    const unit = fs.readFileSync(path.join(tree, 'lib/systemd/system/wafd.service'), 'utf8');
    assert.match(unit, /^ExecStart=\/usr\/bin\/wafd run$/m);
    assert.match(unit, /^User=wafd$/m);
  });

  test('maintainer scripts are sound shell, make the user and leave the state to purge', async () => {
    for (const name of ['postinst', 'prerm', 'postrm']) {
      const file = path.join(tree, 'DEBIAN', name);
      assert.equal(fs.statSync(file).mode & 0o777, 0o755, name);
      await done('sh', '-n', file);
    }
    assert.match(fs.readFileSync(path.join(tree, 'DEBIAN/postinst'), 'utf8'), /adduser .*--system .*wafd/);
    const postrm = fs.readFileSync(path.join(tree, 'DEBIAN/postrm'), 'utf8');
    assert.ok(postrm.indexOf('= purge') < postrm.indexOf('rm -rf /var/lib/wafd'));
  });

  test('lintian has no errors or warnings but those that are overridden', async () => {
    // As root it warns that it should not be.
    assert.equal((await done('lintian', '--allow-root', '--fail-on', 'error,warning', '--tag-display-limit', '0', deb)).trim(), '');
  });

  test('apt can install it here: every dependency is to be had', async () => {
    const simulated = await done('apt-get', '-s', '-o', 'Debug::NoLocking=1', 'install', deb);
    assert.match(simulated, /^Inst wafd /m);
  });

  test('the same program and time give the same package', async () => {
    const options = { env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' } };
    const digests = [];
    for (let n = 0; n < 2; n += 1) {
      const made = await run(build, [path.join(root, 'build/release/wafd'), tempFolder('deb')], options);
      assert.equal(made.code, 0, made.stderr);
      digests.push(crypto.createHash('sha256').update(fs.readFileSync(made.stdout.trim())).digest('hex'));
    }
    assert.equal(digests[0], digests[1]);
  });

  describe('a repository of it', () => {
    const repository = path.join(root, 'packaging/debian/repository');
    const home = tempFolder('gpg');
    const signed = { env: { ...process.env, GNUPGHOME: home, WAFD_SIGNING_KEY: 'releases@wafd.example' } };
    let out;
    let apt;
    before(async () => {
      fs.chmodSync(home, 0o700);
      // Its agent goes on, and would hold on to the pipes of who started it.
      const made = await run('sh', ['-c', "exec gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key releases@wafd.example ed25519 sign never >/dev/null 2>&1"], signed);
      assert.equal(made.code, 0, made.stderr);
      out = tempFolder('repository');
      const published = await run(repository, [out, deb], signed);
      assert.equal(published.code, 0, published.stderr);
      // An apt of its own: nothing of this machine's lists and sources changes.
      const own = tempFolder('apt');
      for (const folder of ['lists/partial', 'cache/archives/partial', 'parts', 'preferences']) fs.mkdirSync(path.join(own, folder), { recursive: true });
      fs.chmodSync(own, 0o755);
      fs.chmodSync(out, 0o755);
      apt = (options, ...words) => {
        fs.writeFileSync(path.join(own, 'list'), `deb [${options}] file:${out} stable main\n`);
        const places = { 'Dir::Etc::SourceList': `${own}/list`, 'Dir::Etc::SourceParts': `${own}/parts`, 'Dir::State::Lists': `${own}/lists`, 'Dir::Cache': `${own}/cache`, 'APT::Sandbox::User': 'root', 'Debug::NoLocking': '1' };
        return run('apt-get', ['-q', ...Object.entries(places).flatMap(([key, value]) => ['-o', `${key}=${value}`]), ...words], { cwd: own });
      };
      apt.folder = own;
    });
    after(() => run('gpgconf', ['--homedir', home, '--kill', 'all']));
    const signer = () => `signed-by=${out}/wafd.gpg`;

    test('apt believes its signature, and gets the package whole', async () => {
      const updated = await apt(signer(), 'update');
      assert.equal(updated.code, 0, updated.stderr);
      assert.doesNotMatch(updated.stdout + updated.stderr, /^[WE]:/m);
      const got = await apt(signer(), 'download', 'wafd');
      assert.equal(got.code, 0, got.stderr);
      const [name] = fs.readdirSync(apt.folder).filter((one) => one.endsWith('.deb'));
      assert.deepEqual(fs.readFileSync(path.join(apt.folder, name)), fs.readFileSync(deb));
    });

    test('an index that was changed is refused, and so is a repository that nobody signed', async () => {
      const index = path.join(out, 'dists/stable/main/binary-amd64/Packages');
      const inRelease = path.join(out, 'dists/stable/InRelease');
      const kept = [index, `${index}.gz`, inRelease].map((file) => [file, fs.readFileSync(file)]);
      fs.rmSync(`${index}.gz`);
      fs.appendFileSync(index, '\n');
      fs.rmSync(path.join(apt.folder, 'lists'), { recursive: true });
      fs.mkdirSync(path.join(apt.folder, 'lists/partial'), { recursive: true });
      assert.notEqual((await apt(signer(), 'update')).code, 0);
      for (const [file, bytes] of kept) fs.writeFileSync(file, bytes);
      fs.writeFileSync(inRelease, kept[2][1].toString().replace('Origin: wafd', 'Origin: else'));
      const forged = await apt(signer(), 'update');
      assert.match(forged.stdout + forged.stderr, /signature|InRelease/i);
      assert.notEqual(forged.code, 0);
      const plain = tempFolder('repository');
      assert.equal((await run(repository, [plain, deb])).code, 0);
      assert.ok(!fs.existsSync(path.join(plain, 'dists/stable/InRelease')));
      fs.rmSync(out, { recursive: true });
      fs.cpSync(plain, out, { recursive: true });
      assert.notEqual((await apt(`signed-by=${home}/none.gpg`, 'update')).code, 0);
      assert.equal((await apt('trusted=yes', 'update')).code, 0);
    });
  });
});
