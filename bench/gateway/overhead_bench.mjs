// The cost of the plugin for a request, besides the engine: node bench/gateway/overhead_bench.mjs [ROUNDS]
// A round is one request without the plugin, one with it, and one exchange with the engine alone, in turn, so that whatever else the
// machine does meets all three alike. Prints the medians in ms and the rest: with - without - engine; and the processor time of the
// gateway's worker a request, with and without the plugin in turns of 100 requests, which says the same on a machine that others load.
import fs from 'node:fs';
import http from 'node:http';

import { Gateway, startUpstream } from '../../tests/e2e/support/gateway.mjs';
import { T1kClient, requestMessage } from '../../tests/e2e/support/t1k.mjs';
import { Wafd } from '../../tests/e2e/support/wafd.mjs';

const rounds = Number(process.argv[2] ?? 3000);

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

async function timed(list, work) {
  const begin = process.hrtime.bigint();
  await work();
  list.push(Number(process.hrtime.bigint() - begin) / 1e6);
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const get = (url) =>
  new Promise((resolve, reject) => {
    http.get(url, { agent }, (answer) => {
      answer.resume();
      answer.on('end', resolve);
    }).on('error', reject);
  });

// The worker of the gateway: the child of its master process.
const workerOf = (master) => Number(fs.readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ')[0]);
const processorMs = (pid) => Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

async function processorTime(pid, url, requests) {
  const begin = processorMs(pid);
  for (let i = 0; i < requests; i += 1) await get(url);
  return (processorMs(pid) - begin) / requests;
}

const upstream = await startUpstream();
const wafd = await Wafd.start();
const gateway = await Gateway.start(upstream.port, { args: ['--workers', '1', '--service', `plain=http://127.0.0.1:${upstream.port}/plain`] });
try {
  await gateway.enable({ host: '127.0.0.1', port: wafd.t1kPort, budget: 5000 });
  const engine = await T1kClient.connect(wafd.t1kPort);
  const message = requestMessage(`GET /shops?id=1 HTTP/1.1\r\nHost: 127.0.0.1:${gateway.proxyPort}\r\nConnection: keep-alive\r\n\r\n`);
  const took = { without: [], with: [], engine: [] };
  for (let i = 0; i < rounds + 200; i += 1) {
    await timed(took.without, () => get(`${gateway.proxy}/plain?id=1`));
    await timed(took.with, () => get(`${gateway.proxy}/shops?id=1`));
    await timed(took.engine, () => engine.ask(message));
    if (i === 200) for (const list of Object.values(took)) list.length = 0; // warm
  }
  engine.close();
  const worker = workerOf(gateway.program.child.pid);
  const spent = { without: [], with: [] };
  for (let i = 0; i < rounds / 100; i += 1) {
    spent.without.push(await processorTime(worker, `${gateway.proxy}/plain?id=1`, 100));
    spent.with.push(await processorTime(worker, `${gateway.proxy}/shops?id=1`, 100));
  }
  const [without, withPlugin, alone] = [median(took.without), median(took.with), median(took.engine)];
  const show = (ms) => ms.toFixed(3);
  console.log(`rounds ${rounds}  without ${show(without)}  with ${show(withPlugin)}  engine ${show(alone)}  plugin ${show(withPlugin - without - alone)} ms`);
  const [bare, judged] = [median(spent.without), median(spent.with)];
  console.log(`processor time of the gateway  without ${show(bare)}  with ${show(judged)}  plugin ${show(judged - bare)} ms`);
} finally {
  await gateway.stop();
  await wafd.stop();
  await upstream.stop();
}
