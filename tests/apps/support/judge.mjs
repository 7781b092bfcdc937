// Judges kept requests by `wafd inspect`, and says which would be denied and why.
import fs from 'node:fs';
import path from 'node:path';

import { run, wafdPath } from '../../e2e/support/processes.mjs';

export const parts = ['ordinary', 'technical'];

const partOf = (file) => path.basename(file).split('-')[0];

// `count`: how many requests a folder has, by part; `rows`: what of them `sensitivity` denies.
export async function judgeFolder(app, folder, sensitivity) {
  const count = Object.fromEntries(parts.map((part) => [part, 0]));
  for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.white'))) ++count[partOf(file)];
  const result = await run(wafdPath, ['inspect', '--sensitivity', sensitivity, '--format', 'json', folder]);
  if (result.code !== 0) throw new Error(`wafd inspect: ${result.stderr.slice(-500)}`);
  const rows = [];
  for (const line of Buffer.from(result.stdout, 'latin1').toString('utf8').split('\n')) {
    if (!line) continue;
    const judged = JSON.parse(line);
    if (judged.action !== 'deny') continue;
    const found = judged.findings.find((finding) => finding.decides) ?? judged.findings[0] ?? {};
    const [method, target] = fs.readFileSync(judged.path, 'utf8').split('\r\n', 1)[0].split(' ');
    rows.push({
      app,
      part: partOf(judged.path),
      file: path.basename(judged.path),
      request: `${method} ${target}`,
      field: [found.location, found.name].filter(Boolean).join(' ') || '-',
      rule: found.rule_name ?? (judged.limit_reached ? 'over a limit' : '-'),
      payload: found.payload ?? '',
    });
  }
  return { count, rows };
}

// One line, whatever it holds.
function cut(text, length) {
  const line = text.replace(/[^\P{C}\u200d]/gu, '·');
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

export function printRows(rows) {
  for (const { app, file, request, field, rule, payload } of rows) {
    console.log([`${app}/${file}`, cut(request, 80), cut(field, 40), rule, cut(payload, 100)].join(' | '));
  }
}

const percent = (denied, requests) => `${((100 * denied) / Math.max(1, requests)).toFixed(2)} %`;

function numbersOf(judged, part) {
  const denied = judged.flatMap((one) => one.rows).filter((row) => row.part === part).length;
  return { requests: judged.reduce((sum, one) => sum + one.count[part], 0), denied };
}

// A line for each part of each application, and for all of them; false if ordinary requests are denied more often than `limits` allow.
export function printTable(table, limits) {
  const line = (name, part, ...cells) => console.log(name.padEnd(12) + part.padEnd(12) + cells.map((cell) => `${cell}`.padStart(11)).join(''));
  console.log('');
  line('application', 'texts', 'requests', 'balanced', '', 'strict', '');
  for (const [name, entries] of [...table.map((entry) => [entry.name, [entry]]), ['all', table]]) {
    for (const part of parts) {
      const [balanced, strict] = ['balanced', 'strict'].map((sensitivity) =>
        numbersOf(
          entries.map((entry) => entry[sensitivity]),
          part,
        ),
      );
      const { requests } = balanced;
      if (requests) line(name, part, requests, balanced.denied, percent(balanced.denied, requests), strict.denied, percent(strict.denied, requests));
    }
  }
  let within = true;
  for (const [sensitivity, limit] of Object.entries(limits)) {
    const { requests, denied } = numbersOf(
      table.map((entry) => entry[sensitivity]),
      'ordinary',
    );
    if (100 * denied <= limit * requests) continue;
    within = false;
    console.log(`${sensitivity}: ${percent(denied, requests)} of the ordinary requests would be denied, more than ${limit} %`);
  }
  return within;
}
