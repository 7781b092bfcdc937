// Real applications, used as people and their clients use them, with the gateway's plugin and wafd in monitor mode in front.
//   node run.mjs [NAME...] [--keep FOLDER] [--judge] [--sensitivity S] [--list]
// --keep: what is sent is kept in FOLDER/NAME, a request a file; --judge: judges what FOLDER has, starts nothing;
// --sensitivity: whose denials are printed (balanced); --minutes: how long each may take (20); --list: names of the applications.
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { tempFolder } from '../e2e/support/processes.mjs';
import { judgeFolder, printRows, printTable } from './support/judge.mjs';
import { Stage } from './support/stage.mjs';

// Percent of the ordinary requests that may be denied. Somebody at work sends some hundred requests that are no pictures or styles a day:
// with one denied of five hundred, most people never see a denial, and who does can have an exception made. Of strict people expect that
// they make exceptions before they block.
const limits = { balanced: 0.2, strict: 3 };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'string' },
    judge: { type: 'boolean', default: false },
    sensitivity: { type: 'string', default: 'balanced' },
    list: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '20' },
  },
});
const known = fs
  .readdirSync(import.meta.dirname ?? new URL('.', import.meta.url))
  .filter((name) => name.endsWith('.mjs') && name !== 'run.mjs')
  .map((name) => name.slice(0, -4));
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length) throw new Error(`no such application: ${unknown.join(', ')}`);
if (options.judge && !options.keep) throw new Error('--judge: say by --keep where the requests are');
if (options.list) {
  for (const name of known) console.log(`${name.padEnd(12)} ${(await import(`./${name}.mjs`)).title}`);
  process.exit(0);
}

// Prepares, starts, uses and stops one application.
async function play(name, folder) {
  const app = await import(`./${name}.mjs`);
  const stage = await Stage.start(name, folder);
  const giveUp = (why) => {
    console.error(`${name}: ${why}`);
    stage.stop().finally(() => process.exit(1));
  };
  const timer = setTimeout(() => giveUp(`not done in ${options.minutes} minutes`), Number(options.minutes) * 60_000);
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal).once(signal, () => giveUp(signal));
  try {
    await app.prepare(stage);
    await app.start(stage);
    await app.drive(stage);
    stage.part = 'technical';
    await app.driveTechnical?.(stage);
    const events = await stage.denials();
    const { requests, failed } = stage.recorder;
    for (const what of stage.failed) console.log(`${name}: step failed: ${what}`);
    console.log(
      `${name}: ${stage.steps} steps, ${stage.failed.length} failed; ${requests} requests, ${failed} answered with an error, ${events.length} denied if it blocked`,
    );
    // The table speaks of an application that was used: a tenth of the steps and more is not that.
    if (stage.failed.length * 10 > stage.steps) process.exitCode = 1;
  } finally {
    clearTimeout(timer);
    await stage.stop();
  }
}

const keep = options.keep ?? tempFolder('apps');
const table = [];
for (const name of positionals.length ? positionals : known) {
  const folder = path.join(keep, name);
  try {
    if (!options.judge) await play(name, folder);
  } catch (error) {
    console.log(`${name}: not played to its end: ${error.message}`);
    process.exitCode = 1;
  }
  if (!fs.existsSync(folder)) continue;
  const judged = { balanced: await judgeFolder(name, folder, 'balanced'), strict: await judgeFolder(name, folder, 'strict') };
  printRows(judged[options.sensitivity].rows);
  table.push({ name, ...judged });
}
if (!printTable(table, limits)) process.exitCode = 1;
process.exit();
