#!/usr/bin/env node
// The bill of materials of a built wafd, as SPDX 2.3 in JSON on stdout:  packaging/sbom.mjs [BINARY]
// From the libraries that BINARY (build/release/wafd) asks for, the Debian packages that are installed here, packaging/packages.txt (what is
// linked, and under which licence) and the lock file of the page. The same binary on the same machine gives the same bytes: `created` is
// when the binary was made, or SOURCE_DATE_EPOCH. Needs binutils and dpkg. Fails when a library has no row in packages.txt, or a licence is not one that may ship.
import { execFileSync, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8' });
const die = (what) => {
  process.stderr.write(`sbom: ${what}\n`);
  process.exit(1);
};

// Licences that shipped parts may have, all of which go with Apache-2.0.
const mayShip = new Set(['Apache-2.0', 'MIT', 'BSD-2-Clause', 'BSD-3-Clause', 'BSL-1.0', 'Zlib', 'bzip2-1.0.6', 'curl', 'PostgreSQL', 'CC0-1.0', 'CC0-1.0 OR Apache-2.0']);
// The compiler's and the system's own libraries, by source package: their licences allow linking by whatever program.
const system = { 'gcc-12': 'GPL-3.0-or-later WITH GCC-exception-3.1', glibc: 'LGPL-2.1-or-later' };

// Those of the packages that are installed.
const debian = (names) => {
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Package}\t${source:Package}\t${Version}\t${Architecture}\n', ...names], { encoding: 'utf8' });
  return stdout.trim().split('\n').map((line) => {
    const [name, source, version, architecture] = line.split('\t');
    return { name, source, version, architecture };
  }).filter((one) => one.version);
};

// Rows of [build] in packages.txt: PACKAGE [linked|headers LICENCE], without a licence a tool.
export function buildPackages(text = fs.readFileSync(path.join(here, 'packages.txt'), 'utf8')) {
  const lines = text.slice(text.indexOf('\n[build]') + 8).split(/\n\[/)[0].split('\n').map((line) => line.replace(/#.*/, '').trim()).filter(Boolean);
  return lines.map((line) => {
    const [name, use, ...licence] = line.split(/\s+/);
    return { name, use: use ?? 'tool', licence: licence.join(' ') };
  });
}

// Packages that sources of the page import by name, which is what esbuild puts into the bundle.
export function bundled() {
  const found = new Set();
  const walk = (folder) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) walk(file);
      else if (/\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
        for (const [, name] of fs.readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;'"]*?\bfrom '((?:@[\w-]+\/)?[\w-]+)[^']*'/gm)) found.add(name);
    }
  };
  walk(path.join(root, 'console/web/src'));
  return found;
}

const licenceOf = (name, licence) => {
  if (!mayShip.has(licence)) die(`${name}: ${licence || 'no licence'} is not one under which something may ship with wafd`);
  return licence;
};

export function document(binary) {
  const bytes = fs.readFileSync(binary);
  const sha256 = crypto.createHash('sha256').update(bytes).digest('hex');
  const version = run(binary, 'version').trim().split(/\s+/).pop();
  const listed = buildPackages();
  const installed = debian(listed.map((row) => row.name));
  // A tool may have come another way than from Debian (node).
  const rows = listed.map((row) => ({ ...row, ...installed.find((one) => one.name === row.name) })).filter((row) => row.version || row.use !== 'tool');
  for (const row of rows) if (!row.version) die(`${row.name} is not installed: packaging/install build`);
  const packages = [];
  const relationships = [];
  const add = (from, kind, { id, ...fields }, reverse = false) => {
    const ref = `SPDXRef-${id.replaceAll(/[^A-Za-z0-9.-]/g, '-')}`;
    packages.push({ SPDXID: ref, downloadLocation: 'NOASSERTION', filesAnalyzed: false, copyrightText: 'NOASSERTION', licenseConcluded: fields.licenseDeclared, ...fields });
    relationships.push(reverse ? { spdxElementId: ref, relationshipType: kind, relatedSpdxElement: from } : { spdxElementId: from, relationshipType: kind, relatedSpdxElement: ref });
  };
  const wafd = 'SPDXRef-wafd';
  add('SPDXRef-DOCUMENT', 'DESCRIBES', { id: 'wafd', name: 'wafd', versionInfo: version, supplier: 'NOASSERTION', licenseDeclared: 'Apache-2.0', primaryPackagePurpose: 'APPLICATION', checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }] });

  const deb = (one, licence, more = {}) => ({
    id: `deb-${one.name}`, name: one.name, versionInfo: one.version, supplier: 'Organization: Debian', licenseDeclared: licence, sourceInfo: `source package ${one.source}`,
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: `pkg:deb/debian/${encodeURIComponent(one.name)}@${encodeURIComponent(one.version)}?arch=${one.architecture}&distro=debian-12` }], ...more,
  });
  // Libraries that the binary itself asks the loader for, where the loader finds them, and the packages that have these files.
  const needed = [...run('readelf', '-d', binary).matchAll(/\(NEEDED\).*\[(.+)\]/g)].map((match) => match[1]);
  // The loader itself stands there with its path alone.
  const found = new Map([...run('ldd', binary).matchAll(/^\s*(?:(\S+) => )?(\/\S+)/gm)].map((match) => [match[1] ?? path.basename(match[2]), match[2]]));
  // Packages name files below /lib or below /usr/lib, which are one folder.
  const files = needed.map((soname) => (found.get(soname) ?? die(`${soname}: the loader does not find it`)).replace(/^\/usr/, ''));
  const owners = spawnSync('dpkg', ['-S', ...files.flatMap((file) => [file, `/usr${file}`])], { encoding: 'utf8' }).stdout.split('\n');
  const asked = new Set(files.map((file) => (owners.find((line) => line.endsWith(file)) ?? die(`${file}: no Debian package has it`)).split(':')[0]));
  for (const one of debian([...asked]).sort((x, y) => x.name.localeCompare(y.name))) {
    const row = rows.find((candidate) => candidate.use === 'linked' && candidate.source === one.source);
    if (!row && !system[one.source]) die(`${one.name}: its library is linked, and packages.txt has no row "linked" of its source package ${one.source}`);
    add(wafd, 'DYNAMIC_LINK', deb(one, row ? licenceOf(row.name, row.licence) : system[one.source]));
  }
  for (const row of rows.filter((one) => one.use === 'headers')) add(wafd, 'STATIC_LINK', deb(row, licenceOf(row.name, row.licence)));
  for (const row of rows.filter((one) => one.use === 'tool')) add(wafd, 'BUILD_TOOL_OF', deb(row, 'NOASSERTION'), true);

  const lock = JSON.parse(fs.readFileSync(path.join(root, 'console/web/package-lock.json'), 'utf8'));
  const inBundle = bundled();
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (place === '' || entry.optional) continue; // binaries of esbuild for other systems
    const name = place.replace(/^.*node_modules\//, '');
    const [algorithm, digest] = entry.integrity.split('-');
    const described = {
      id: `npm-${name}`, name, versionInfo: entry.version, supplier: 'NOASSERTION', licenseDeclared: inBundle.has(name) ? licenceOf(name, entry.license) : entry.license,
      checksums: [{ algorithm: algorithm.toUpperCase(), checksumValue: Buffer.from(digest, 'base64').toString('hex') }],
      externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: `pkg:npm/${name.replace('@', '%40')}@${entry.version}` }],
    };
    if (inBundle.has(name)) add(wafd, 'CONTAINS', described);
    else add(wafd, 'BUILD_TOOL_OF', described, true);
  }
  for (const name of inBundle) if (!lock.packages[`node_modules/${name}`]) die(`${name}: the page imports it, and its lock file does not have it`);

  const created = new Date(process.env.SOURCE_DATE_EPOCH ? Number(process.env.SOURCE_DATE_EPOCH) * 1000 : fs.statSync(binary).mtimeMs);
  return {
    spdxVersion: 'SPDX-2.3', dataLicense: 'CC0-1.0', SPDXID: 'SPDXRef-DOCUMENT', name: `wafd-${version}`, documentNamespace: `urn:wafd:sbom:${version}:${sha256}`,
    creationInfo: { created: created.toISOString().replace(/\.\d+Z/, 'Z'), creators: ['Tool: wafd packaging/sbom.mjs'] }, packages, relationships,
  };
}

if (fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) process.stdout.write(`${JSON.stringify(document(path.resolve(process.argv[2] ?? path.join(root, 'build/release/wafd'))), null, 1)}\n`);
