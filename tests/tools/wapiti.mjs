// Debian's wapiti against the vulnerable application: which holes it finds, and how many of its requests are denied.
//   node wapiti.mjs [--bare] [--sensitivity S] [--keep FOLDER]
// --bare: without wafd, to see that the tool works. Ends with status 1 if it found a hole through wafd.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { run, tempFolder } from '../e2e/support/processes.mjs';
import { Stage } from './stage.mjs';

const { values: options } = parseArgs({ options: {
  bare: { type: 'boolean', default: false }, sensitivity: { type: 'string', default: 'balanced' }, keep: { type: 'string' } } });

// Modules about values that a client sends; headers that the application lacks are no concern of wafd.
const modules = ['sql', 'timesql', 'exec', 'file', 'xss', 'permanentxss', 'crlf', 'redirect', 'ssrf', 'xxe', 'shellshock', 'log4shell'];
const injections = /injection|execution|scripting|path traversal|request forgery|xml|shell/i;

const stage = await Stage.start({ sensitivity: options.bare ? null : options.sensitivity });
let holes = 0;
try {
  if (options.keep) {
    fs.mkdirSync(options.keep, { recursive: true });
    stage.recorder.keep = options.keep;
  }
  const folder = tempFolder('wapiti');
  const report = path.join(folder, 'report.json');
  const result = await run('timeout', ['30m', 'wapiti', '-u', `${stage.url}/`, '--scope', 'folder', '-m', modules.join(','), '--flush-session', '-f', 'json',
    '-o', report, '--no-bugreport', '--max-scan-time', '1500', '-v', '0', '--store-session', folder, '--store-config', folder]);
  if (!fs.existsSync(report)) throw new Error(`wapiti: no report: ${result.stderr.slice(-2000)} ${result.stdout.slice(-2000)}`);
  const found = Object.entries(JSON.parse(fs.readFileSync(report, 'utf8')).vulnerabilities).filter(([name, list]) => list.length && injections.test(name));
  for (const [name, list] of found) {
    holes += list.length;
    console.log(`${name}: ${list.length} (${list.slice(0, 3).map((one) => `${one.method} ${one.path} ${one.parameter}`).join('; ')})`);
  }
  const counts = stage.recorder.take();
  console.log(`all: ${counts.requests} requests, ${((100 * counts.denied) / Math.max(1, counts.requests)).toFixed(2)} % denied, ${holes} holes found`);
} finally {
  await stage.stop();
}
process.exit(holes && !options.bare ? 1 : 0);
