// Shared by the benches of the console: options, attacks to record, medians, and a table of figures beside their limits.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const from = (file) => import(pathToFileURL(path.join(root, 'tests/e2e/support', file)).href);
export const { openBrowser, setUp } = await from('browser.mjs');
export const { Program, until } = await from('processes.mjs');
export const { Wafd, request } = await from('wafd.mjs');

// `--name 5`; without it the fallback. A word that is no option of the bench ends it.
export function options(known) {
  const given = { ...known };
  for (let at = 2; at < process.argv.length; at += 2) {
    const name = process.argv[at].replace(/^--/, '');
    const value = Number(process.argv[at + 1]);
    if (!(name in known) || !Number.isFinite(value)) {
      console.error(`${process.argv[at]}: expected ${Object.entries(known).map(([key, n]) => `--${key} ${n}`).join(' ')}`);
      process.exit(2);
    }
    given[name] = value;
  }
  return given;
}

const kinds = ['/item/N?id=1%27%20OR%20%271%27=%271', '/search/N?q=%3Cscript%3Ealert(1)%3C/script%3E', '/ping/N?host=1;cat%20/etc/passwd', '/get/N?file=../../../etc/passwd'];

// Attacks of several kinds from many sources, as mirrored records.
export class Feed {
  made = 0;
  constructor(wafd) {
    this.wafd = wafd;
  }
  lines(count) {
    const out = [];
    for (let n = 0; n < count; n += 1, this.made += 1) {
      const { made } = this;
      const uri = kinds[made % kinds.length].replace('N', String(made % 997));
      out.push(JSON.stringify({ method: 'GET', uri, src_ip: `10.${made % 3}.${made % 250}.${made % 199}`, host: made % 5 ? 'shop.example' : 'api.shop.example', headers: [['Host', 'shop.example'], ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64) bench']] }));
    }
    return `${out.join('\n')}\n`;
  }
  async send(count) {
    const answer = await request(`${this.wafd.http}/v1/records`, { method: 'POST', body: this.lines(count) });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  }
  // Until `enough(status)`.
  async fill(enough) {
    for (;;) {
      const status = await this.wafd.api('GET', '/status');
      if (enough(status)) return status;
      await this.send(2000);
    }
  }
}

export const sorted = (list) => [...list].sort((a, b) => a - b);
export const median = (list) => sorted(list)[Math.floor(list.length / 2)];
export const share = (list, part) => sorted(list)[Math.min(list.length - 1, Math.floor(list.length * part))];

const stat = (file) => {
  const fields = fs.readFileSync(file, 'utf8').replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
// Processor time in ms, of ticks of 10 ms: of a process, or of each of its threads.
export const cpu_ms = (pid) => stat(`/proc/${pid}/stat`);
export const thread_cpu_ms = (pid) => Object.fromEntries(fs.readdirSync(`/proc/${pid}/task`).map((id) => [id, stat(`/proc/${pid}/task/${id}/stat`)]));

// Figures as they come, each against its limit; `table()` prints all of them again as Markdown. One over its limit makes the exit status 1.
export class Figures {
  rows = [];
  add(what, value, unit, limit, note = '') {
    const text = `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${unit}`;
    const verdict = limit === undefined ? '' : value <= limit ? 'within' : 'OVER';
    if (verdict === 'OVER') process.exitCode = 1;
    this.rows.push([what, text, limit === undefined ? '–' : `${limit} ${unit}`, verdict, note]);
    console.log(`${what}: ${text}${limit === undefined ? '' : ` of at most ${limit} ${unit}: ${verdict}`}${note ? ` (${note})` : ''}`);
  }
  table() {
    console.log(`\n${os.cpus().length} processors (${os.cpus()[0].model.trim()}), load ${os.loadavg().map((n) => n.toFixed(1)).join(' ')}, ${new Date().toISOString()}\n`);
    console.log('| figure | measured | limit | | |\n|---|---|---|---|---|');
    for (const row of this.rows) console.log(`| ${row.join(' | ')} |`);
  }
}
