// Figures of the kernel about a process and of the load, as rows of a CSV file.
import fs from 'node:fs';
import os from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export const COLUMNS = ['seconds', 'life', 'rss_kib', 'rss_anon_kib', 'rss_ring_kib', 'descriptors', 'threads', 'cpu_percent', 'answered_per_s', 'p50_ms', 'p99_ms', 'max_ms', 'driver_delay_p99_ms', 'tails', 'targets', 'machine_load'];

const at = (sorted, share) => (sorted.length === 0 ? '' : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(2));

export function process_facts(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  const number = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? NaN);
  const ticks = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
  return {
    rss_kib: number('VmRSS'),
    rss_anon_kib: number('RssAnon'),
    rss_ring_kib: number('RssFile') + number('RssShmem'), // the program's own text too
    descriptors: fs.readdirSync(`/proc/${pid}/fd`).length,
    threads: number('Threads'),
    cpu_ms: (Number(ticks[11]) + Number(ticks[12])) * 10,
  };
}

export class Samples {
  #begin = performance.now();
  #before = { at: performance.now(), cpu_ms: 0, pid: 0 };
  #delay = monitorEventLoopDelay({ resolution: 5 });

  constructor(file) {
    this.file = file;
    fs.writeFileSync(file, `${COLUMNS.join(',')}\n`);
    this.#delay.enable();
  }

  get seconds() {
    return (performance.now() - this.#begin) / 1000;
  }

  take({ pid, life, latencies, tails, targets }) {
    const facts = process_facts(pid);
    const now = performance.now();
    const took = now - this.#before.at;
    const sorted = latencies.splice(0).sort((a, b) => a - b);
    const row = {
      ...facts,
      life,
      tails,
      targets,
      seconds: this.seconds.toFixed(1),
      cpu_percent: this.#before.pid === pid ? (((facts.cpu_ms - this.#before.cpu_ms) / took) * 100).toFixed(1) : '',
      answered_per_s: (sorted.length / (took / 1000)).toFixed(1),
      p50_ms: at(sorted, 0.5),
      p99_ms: at(sorted, 0.99),
      max_ms: at(sorted, 1),
      driver_delay_p99_ms: Math.max(0, this.#delay.percentile(99) / 1e6 - 5).toFixed(2),
      machine_load: os.loadavg()[0].toFixed(2),
    };
    this.#delay.reset();
    this.#before = { at: now, cpu_ms: facts.cpu_ms, pid };
    fs.appendFileSync(this.file, `${COLUMNS.map((column) => row[column]).join(',')}\n`);
  }
}
