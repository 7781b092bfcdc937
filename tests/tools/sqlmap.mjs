// Debian's sqlmap against every place of the vulnerable application: what it extracts, and how many of its requests are denied.
//   node sqlmap.mjs [--bare] [--sensitivity S] [--level N] [--risk N] [--tamper NAME[,NAME...] | --tampers] [--place DB/PLACE]... [--keep FOLDER]
// The tool hides its name (--random-agent): that it is sqlmap is no reason to deny. --bare: without wafd, to see that the tool works;
// --tampers: one run of the string place of each database for every tamper script of the package; --keep: requests are kept there, each once,
// to be judged again by `wafd inspect`. Ends with status 1 if anything was extracted.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { run, tempFolder } from '../e2e/support/processes.mjs';
import { Stage } from './stage.mjs';

const { values: options } = parseArgs({ options: {
  bare: { type: 'boolean', default: false }, sensitivity: { type: 'string', default: 'balanced' }, level: { type: 'string', default: '5' },
  risk: { type: 'string', default: '3' }, tamper: { type: 'string' }, tampers: { type: 'boolean', default: false },
  place: { type: 'string', multiple: true }, keep: { type: 'string' }, minutes: { type: 'string', default: '20' } } });

const dbms = { my: 'MySQL', pg: 'PostgreSQL', lite: 'SQLite' };
// How sqlmap is told of each place: its target behind /DB/PLACE, and what of it is tested.
const places = {
  number: { target: '?v=1', args: ['-p', 'v'] },
  string: { target: '?v=apple', args: ['-p', 'v'] },
  group: { target: '?v=apple', args: ['-p', 'v'] },
  like: { target: '?v=app', args: ['-p', 'v'] },
  order: { target: '?v=name', args: ['-p', 'v'] },
  json: { target: '', args: ['--data', '{"v":"1"}', '--headers', 'Content-Type: application/json', '-p', 'v'] },
  cookie: { target: '', args: ['--cookie', 'v=apple', '-p', 'v'] },
  agent: { target: '', args: ['-p', 'user-agent'] },
  path: { target: '/1*', args: [] },
};

async function attack(stage, db, place, tamper) {
  const output = tempFolder('sqlmap');
  const { target, args } = places[place];
  const result = await run('timeout', [`${options.minutes}m`, 'sqlmap', '-u', `${stage.url}/${db}/${place}${target}`, ...args, '--batch', '--banner',
    '--dbms', dbms[db], '--level', options.level, '--risk', options.risk, '--technique', 'BEUSTQ', '--threads', '4', '--timeout', '30',
    '--time-sec', '2', '--disable-coloring', '--skip-waf', '--random-agent', '--ignore-code', '403', '--output-dir', output, ...(tamper ? ['--tamper', tamper] : [])]);
  const extracted = /^banner: '(.*)'$/m.exec(result.stdout)?.[1];
  const techniques = [...result.stdout.matchAll(/^ {4}Type: (.*)$/gm)].map((match) => match[1]);
  return { extracted, techniques: [...new Set(techniques)], ...stage.recorder.take() };
}

const stage = await Stage.start({ sensitivity: options.bare ? null : options.sensitivity });
let extractions = 0;
const total = { requests: 0, denied: 0 };
try {
  if (options.keep) {
    fs.mkdirSync(options.keep, { recursive: true });
    stage.recorder.keep = options.keep;
  }
  const wanted = Object.keys(dbms).flatMap((db) => Object.keys(places).map((place) => [db, place]))
    .filter(([db, place]) => !options.place || options.place.includes(`${db}/${place}`));
  const tampers = options.tampers ? fs.readdirSync('/usr/share/sqlmap/tamper').filter((name) => /^[a-z0-9].*\.py$/.test(name)).map((name) => name.slice(0, -3)) : [];
  const runs = options.tampers ? tampers.flatMap((tamper) => wanted.filter(([, place]) => place === 'string').map(([db, place]) => [db, place, tamper]))
    : wanted.map(([db, place]) => [db, place, options.tamper]);
  for (const [db, place, tamper] of runs) {
    const found = await attack(stage, db, place, tamper);
    total.requests += found.requests;
    total.denied += found.denied;
    if (found.extracted || found.techniques.length) ++extractions;
    const share = found.requests ? ((100 * found.denied) / found.requests).toFixed(1) : '-';
    console.log(`${db}/${place}${tamper ? ` ${tamper}` : ''}: ${found.requests} requests, ${share} % denied; ` +
      `${found.extracted ? `banner ${found.extracted}` : 'nothing extracted'}${found.techniques.length ? `; injectable: ${found.techniques.join(', ')}` : ''}`);
  }
  console.log(`all: ${total.requests} requests, ${((100 * total.denied) / Math.max(1, total.requests)).toFixed(2)} % denied, ${extractions} of ${runs.length} runs found a way`);
} finally {
  await stage.stop();
}
process.exit(extractions && !options.bare ? 1 : 0);
