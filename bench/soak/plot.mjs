// The samples of a soak as one SVG of four charts, one below the other, with a line at each SIGKILL.
//   node bench/soak/plot.mjs build/soak/soak.csv > soak.svg
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';

const width = 900;
const left = 70;
const inner = width - left - 20;
const height = 130;
const step = 190;

const charts = [
  { title: 'Memory, MiB', lines: [['rss_kib', 'resident', 1024, '#1f5fbf'], ['rss_anon_kib', 'of it anonymous (the rest: ring and program)', 1024, '#c2410c']] },
  { title: 'Descriptors and threads', lines: [['descriptors', 'descriptors', 1, '#1f5fbf'], ['threads', 'threads', 1, '#c2410c']] },
  { title: 'Latency of answers, ms, logarithmic', log: true, lines: [['p50_ms', 'median', 1, '#1f5fbf'], ['p99_ms', '99 in 100', 1, '#c2410c'], ['driver_delay_p99_ms', 'delay of the driver itself, 99 in 100', 1, '#6b7280']] },
  { title: 'Requests answered a second; load of the machine', lines: [['answered_per_s', 'answered', 1, '#1f5fbf'], ['machine_load', 'load', 1, '#6b7280']] },
];

export function read(csv) {
  const [head, ...lines] = csv.trim().split('\n').map((line) => line.split(','));
  return lines.map((line) => Object.fromEntries(head.map((name, n) => [name, line[n] === '' ? NaN : Number(line[n])])));
}

const round_up = (value) => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= value);
};

function chart({ title, lines, log }, rows, top, end) {
  const values = lines.flatMap(([column, , unit]) => rows.map((row) => row[column] / unit)).filter(Number.isFinite);
  const high = round_up(Math.max(...values, log ? 1 : 0));
  const low = log ? 0.1 : 0;
  const part = (value) => (log ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : value / high);
  const y = (value) => (top + height - Math.min(1, part(value)) * height).toFixed(1);
  const x = (seconds) => (left + (seconds / end) * inner).toFixed(1);
  const marks = log ? Array.from({ length: Math.floor(Math.log10(high / low)) + 1 }, (_, n) => low * 10 ** n) : [0, high / 2, high];
  const out = [`<text x="${left}" y="${top - 24}" font-weight="bold">${title}</text>`];
  for (const mark of marks) out.push(`<path d="M${left} ${y(mark)}h${inner}" stroke="#e5e7eb"/><text x="${left - 6}" y="${Number(y(mark)) + 4}" text-anchor="end">${Number(mark.toPrecision(3))}</text>`);
  let before = rows[0]?.life;
  for (const row of rows) {
    if (row.life !== before) out.push(`<path d="M${x(row.seconds)} ${top}v${height}" stroke="#9ca3af" stroke-dasharray="3 3"/>`);
    before = row.life;
  }
  let at = left;
  for (const [column, name, unit, colour] of lines) {
    const points = rows.filter((row) => Number.isFinite(row[column])).map((row) => `${x(row.seconds)},${y(row[column] / unit)}`);
    out.push(`<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.2"/>`, `<text x="${at}" y="${top - 8}" fill="${colour}">${name}</text>`);
    at += name.length * 7 + 24;
  }
  return out.join('\n');
}

export function plot(csv) {
  const rows = read(csv);
  const end = Math.max(...rows.map((row) => row.seconds), 1);
  const total = charts.length * step + 50;
  const minutes = round_up(end / 60 / 6);
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${total}" font-family="sans-serif" font-size="12">`, `<rect width="${width}" height="${total}" fill="#fff"/>`];
  for (const [n, one] of charts.entries()) out.push(chart(one, rows, 50 + n * step, end));
  for (let at = 0; at * 60 <= end; at += minutes) out.push(`<text x="${(left + ((at * 60) / end) * inner).toFixed(1)}" y="${total - 28}" text-anchor="middle">${Number(at.toPrecision(3))}</text>`);
  out.push(`<text x="${left + inner / 2}" y="${total - 10}" text-anchor="middle">minutes; a dashed line is a SIGKILL</text>`, '</svg>');
  return `${out.join('\n')}\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) process.stdout.write(plot(fs.readFileSync(process.argv[2], 'utf8')));
