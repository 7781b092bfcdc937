// The bill of materials: parts and licences are complete, and as the packages themselves declare them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { before, describe, test } from 'node:test';

import { buildPackages, bundled } from '../../packaging/sbom.mjs';
import { root, wafdPath } from './support/processes.mjs';

const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');
// Names of licences in Debian's copyright files, as SPDX has them.
const spdx = { Expat: 'MIT', 'Expat with embedded exception': 'MIT', 'BSD-2-clause': 'BSD-2-Clause', 'BSD-3-clause': 'BSD-3-Clause', 'BSD-3-Clause-Intel': 'BSD-3-Clause', 'BSD-variant': 'bzip2-1.0.6', 'CC0 or Apache-2.0': 'CC0-1.0 OR Apache-2.0' };

describe('licences and the bill of materials', () => {
  let made;
  let sbom;
  before(() => {
    made = spawnSync(path.join(root, 'packaging/sbom.mjs'), [wafdPath], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
    sbom = JSON.parse(made.stdout);
  });
  const kinds = (kind) => sbom.relationships.filter((one) => one.relationshipType === kind).map((one) => sbom.packages.find((each) => each.SPDXID === one.relatedSpdxElement)?.name);

  test('is SPDX 2.3, each part once, each relationship between parts', () => {
    assert.equal(sbom.spdxVersion, 'SPDX-2.3');
    assert.equal(sbom.dataLicense, 'CC0-1.0');
    assert.match(sbom.creationInfo.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const ids = new Set(sbom.packages.map((one) => one.SPDXID));
    assert.equal(ids.size, sbom.packages.length);
    for (const one of sbom.packages) {
      assert.match(one.SPDXID, /^SPDXRef-[A-Za-z0-9.-]+$/);
      for (const member of ['name', 'versionInfo', 'licenseDeclared', 'licenseConcluded', 'downloadLocation']) assert.ok(one[member], `${one.SPDXID} ${member}`);
    }
    for (const one of sbom.relationships) for (const id of [one.spdxElementId, one.relatedSpdxElement]) assert.ok(ids.has(id) || id === 'SPDXRef-DOCUMENT', id);
    assert.equal(sbom.relationships.length, sbom.packages.length);
    assert.equal(spawnSync(path.join(root, 'packaging/sbom.mjs'), [wafdPath], { encoding: 'utf8' }).stdout, made.stdout, 'the same binary, the same bytes');
  });

  test('has what the program is linked with, what its page holds, and nothing linked that packages.txt forgot', () => {
    const linked = kinds('DYNAMIC_LINK');
    for (const name of ['libssl3', 'libuv1', 'libvectorscan5', 'libpq5', 'libc6', 'libstdc++6']) assert.ok(linked.includes(name), name);
    assert.ok(linked.length >= 20, `${linked.length}`);
    assert.deepEqual(kinds('STATIC_LINK').sort(), buildPackages().filter((row) => row.use === 'headers').map((row) => row.name).sort());
    assert.deepEqual(kinds('CONTAINS'), [...bundled()]);
    assert.deepEqual([...bundled()], ['preact']);
  });

  test('each library is under the licence that Debian says it is under, and licenses.md says the same', () => {
    const rows = buildPackages().filter((row) => row.use !== 'tool');
    assert.ok(rows.length >= 20);
    const table = read('packaging/licenses.md').split('\n');
    for (const { name, licence } of rows) {
      const text = fs.readFileSync(`/usr/share/doc/${name}/copyright`, 'utf8');
      const stanza = text.split(/\n\s*\n/).find((part) => /^Files: *\*/m.test(part));
      const said = stanza ? /^License: *(.+)$/m.exec(stanza)[1].trim() : /under the (MIT) License/.exec(text)?.[1];
      assert.equal(spdx[said] ?? said, licence, name);
      assert.ok(table.some((line) => line.includes(`\`${name}\``) && line.split('|')[2].includes(licence)), `${name} in licenses.md`);
    }
  });

  test('what npm brings has a licence, and licenses.md names what is asked for', () => {
    const free = /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|MPL-2\.0|BlueOak-1\.0\.0|Python-2\.0|CC0-1\.0)\b/;
    const table = read('packaging/licenses.md');
    for (const folder of ['console/web', 'tests/e2e']) {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(read(`${folder}/package.json`));
      for (const name of Object.keys({ ...dependencies, ...devDependencies })) assert.ok(table.includes(name), `${name} of ${folder}`);
      const entries = Object.entries(JSON.parse(read(`${folder}/package-lock.json`)).packages).filter(([place]) => place !== '');
      assert.ok(entries.length > 20);
      for (const [place, entry] of entries) assert.match(entry.license ?? '', free, `${folder}: ${place}`);
    }
  });

  test('a library without a row is refused', () => {
    const other = spawnSync(path.join(root, 'packaging/sbom.mjs'), ['/usr/bin/git'], { encoding: 'utf8' });
    assert.equal(other.status, 1);
    assert.match(other.stderr, /packages\.txt has no row "linked" of its source package pcre2/);
  });
});
