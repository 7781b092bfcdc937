// Whether live tails cost the workers anything: the same requests with none and with many clients that follow every event.
//   node bench/console/tail_bench.mjs [--clients 100] [--seconds 20] [--rate 1000] [--attacks 50]
// Rounds with and without clients take turns. The clients are processes of the lowest priority, so that what they cost
// themselves is not mistaken for what they cost wafd; half of them read nothing at all after the first answer.
import { fork } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';

import { Figures, Wafd, median, options, share, thread_cpu_ms, until } from './kit.mjs';

const of_one_token = 25;

if (process.argv[2] === '--follow') {
  const [address, token, count] = process.argv.slice(3);
  let bytes = 0;
  let events = 0;
  let skipped = 0;
  const follow = (reads) => new Promise((resolve, reject) => {
    https.get(`${address}/api/v1/events/stream`, { rejectUnauthorized: false, agent: false, headers: { Authorization: `Bearer ${token}` } }, (answer) => {
      if (answer.statusCode !== 200) return void reject(new Error(`status ${answer.statusCode}`));
      resolve();
      answer.on('error', () => {});
      if (!reads) return void answer.pause();  // stays open
      let rest = '';
      answer.on('data', (part) => {
        bytes += part.length;
        const lines = (rest + part).split('\n');
        rest = lines.pop();
        for (const line of lines) {
          if (line === 'event: event') events += 1;
          if (line.startsWith('data: {"count":')) skipped += Number(/\d+/.exec(line)[0]);
        }
      });
    }).on('error', reject);
  });
  // One after another: strangers have few places before they have said who they are.
  for (let n = 0; n < Number(count); n += 1) await follow(n % 2 === 0);
  os.setPriority(19);
  process.send({ open: Number(count) });
  process.on('message', () => process.send({ bytes, events, skipped }));
  process.on('disconnect', () => process.exit());
} else {
  const { clients, seconds, rate, attacks } = options({ clients: 100, seconds: 20, rate: 1000, attacks: 50 });
  const wafd = await Wafd.start({ workers: 1, 'ring.size_mib': 256 });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const url = new URL(wafd.http);
  const ask = (uri) => new Promise((resolve, reject) => {
    const begin = performance.now();
    http.get({ host: url.hostname, port: url.port, path: `/check${uri}`, agent, headers: { Host: 'shop.example', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' } }, (answer) => {
      answer.resume().on('end', () => resolve(performance.now() - begin));
    }).on('error', reject);
  });

  // `rate` requests a second, `attacks` of them attacks, evenly; how long each took.
  const round = async () => {
    const took = [];
    const running = new Set();
    const before = thread_cpu_ms(wafd.program.pid);
    const judged = (await wafd.api('GET', '/status')).engine.requests;
    const begin = performance.now();
    for (let sent = 0; performance.now() - begin < seconds * 1000;) {
      for (const due = ((performance.now() - begin) / 1000) * rate; sent < due; sent += 1) {
        const attack = Math.floor((sent * attacks) / rate) !== Math.floor(((sent - 1) * attacks) / rate);
        const one = ask(attack ? `/item/${sent}?id=1%27%20OR%20%271%27=%271` : `/item/${sent}?id=${sent}&sort=price&page=2`).then((ms) => { took.push(ms); running.delete(one); });
        running.add(one);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await Promise.all(running);
    const after = thread_cpu_ms(wafd.program.pid);
    const requests = (await wafd.api('GET', '/status')).engine.requests - judged;
    return { took, requests, threads: Object.fromEntries(Object.entries(after).map(([id, ms]) => [id, ms - (before[id] ?? 0)])) };
  };

  const helpers = [];
  const start_clients = async () => {
    let open = 0;
    for (let left = clients; left > 0; left -= of_one_token) {
      const token = await wafd.makeToken('read');
      const helper = fork(process.argv[1], ['--follow', wafd.console, token, `${Math.min(left, of_one_token)}`]);
      helper.on('message', (told) => { open += told.open ?? 0; });
      helper.on('exit', (code) => { if (code) throw new Error('a client has failed'); });
      helpers.push(helper);
    }
    await until(`${clients} tails`, () => open === clients, 60);
  };
  const count = (helper) => new Promise((resolve) => {
    const listen = (told) => { if ('bytes' in told) { helper.off('message', listen); resolve(told); } };
    helper.on('message', listen);
    helper.send('count');
  });
  const stop_clients = async () => {
    const told = await Promise.all(helpers.map(count));
    for (const helper of helpers.splice(0)) helper.disconnect();
    await until('no tail', async () => (await wafd.api('GET', '/status')).console.streams === 0, 60);
    return told.reduce((sum, one) => ({ bytes: sum.bytes + one.bytes, events: sum.events + one.events, skipped: sum.skipped + one.skipped }));
  };

  await round();  // warm
  const without = [];
  const beside = [];
  let delivered = { bytes: 0, events: 0, skipped: 0 };
  for (let turn = 0; turn < 3; turn += 1) {
    without.push(await round());
    await start_clients();
    beside.push(await round());
    delivered = await stop_clients();
  }
  // The worker is the thread that the requests kept busiest while nobody followed.
  const worker = Object.entries(without[0].threads).sort((a, b) => b[1] - a[1])[0][0];
  const each_us = (rounds) => median(rounds.map((r) => (r.threads[worker] / r.requests) * 1000));
  const all = (rounds) => rounds.flatMap((r) => r.took);
  const figures = new Figures();
  const name = fs.readFileSync(`/proc/${wafd.program.pid}/task/${worker}/comm`, 'utf8').trim();
  figures.add('worker, processor time of a request, nobody follows', each_us(without), 'µs', undefined, `thread ${name}`);
  figures.add(`worker, processor time of a request, ${clients} follow`, each_us(beside), 'µs');
  figures.add('ratio', each_us(beside) / each_us(without), '', 1.1);
  for (const [what, part] of [['median', 0.5], ['99 %', 0.99]]) {
    figures.add(`answer, ${what}, nobody follows`, share(all(without), part), 'ms');
    figures.add(`answer, ${what}, ${clients} follow`, share(all(beside), part), 'ms');
  }
  figures.add('requests answered in a second, nobody follows', median(without.map((r) => r.requests)) / seconds, '/s');
  figures.add(`requests answered in a second, ${clients} follow`, median(beside.map((r) => r.requests)) / seconds, '/s');
  const others = (r) => (Object.entries(r.threads).filter(([id]) => id !== worker).reduce((sum, [, ms]) => sum + ms, 0) / (seconds * 1000)) * 100;
  figures.add('other threads of wafd, nobody follows', median(without.map(others)), '% of a processor');
  figures.add(`other threads of wafd, ${clients} follow`, median(beside.map(others)), '% of a processor');
  figures.add('events given to those that read, in the last round', delivered.events, 'events', undefined, `${(delivered.bytes / 2 ** 20).toFixed(0)} MiB, ${delivered.skipped.toLocaleString('en')} told as skipped`);
  figures.table();
  await wafd.stop();
}
