// Whether plain attacks are caught while somebody else keeps the machine busy: a flood of one client at 1, 2 and 4 times of what
// wafd can judge, attacks and ordinary requests of others beside it, over T1K as gateways speak it.
//   node bench/gateway/flood_bench.mjs [--flood bodies|dear-bodies|heads] [--seconds 10] [--connections 12] [--rate 10]
// One attack in three is in the query of a request without a body, one in a form, one in a JSON body. WAFD_PROGRAM=FILE takes another build
// of the program, to compare.
import { parseArgs } from 'node:util';

import { wafdPath } from '../../tests/e2e/support/processes.mjs';
import { T1kClient } from '../../tests/e2e/support/t1k.mjs';
import { Wafd } from '../../tests/e2e/support/wafd.mjs';
import { ATTACK, FORM, JSON_TYPE, ask } from './requests.mjs';

const { values: given } = parseArgs({
  options: {
    flood: { type: 'string', default: 'bodies' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '12' },
    rate: { type: 'string', default: '10' },
  },
});
const seconds = Number(given.seconds);
const connections = Number(given.connections);
const rate = Number(given.rate);
// A gateway that waits no longer passes the request.
const patience_ms = 2000;

const flooder = '198.51.100.1';
const dear = 'e\xf7val(/**/%25e\xdeal(\';$(<svg/onload=";select%2527+/*{{';
const fill = (pattern, bytes) => pattern.repeat(Math.ceil(bytes / pattern.length)).slice(0, bytes);
const unlike = (n) => `${n.toString(36)}${Math.random().toString(36).slice(2)}`;
const floods = {
  // Forms of ordinary words, each another.
  bodies: (n) => ask(flooder, 'POST', '/up', { type: FORM, body: fill(`a${unlike(n)}=one+two+%c3%a4+three&`, 1 << 20) }),
  // Texts that many matchers look at.
  'dear-bodies': (n) => ask(flooder, 'POST', '/up', { type: FORM, body: `a${unlike(n)}=${fill(dear, 1 << 20)}`.slice(0, 1 << 20) }),
  heads: (n) => ask(flooder, 'GET', `/?${unlike(n)}`, { headers: `X-A: ${fill(dear, 16 << 10)}\r\n` }),
};
const plain = [
  (address) => ask(address, 'GET', `/item?id=${encodeURIComponent(ATTACK)}`),
  (address) => ask(address, 'POST', '/item', { type: FORM, body: `id=${encodeURIComponent(ATTACK)}` }),
  (address) => ask(address, 'POST', '/item', { type: JSON_TYPE, body: JSON.stringify({ id: ATTACK }) }),
];
const ordinary = (address) => ask(address, 'GET', '/item?id=7');

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
const at_share = (sorted, share) => (sorted.length === 0 ? NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);

// Asks on one connection; null where the gateway would have waited long enough.
async function timed(client, bytes) {
  const begin = performance.now();
  const answer = await client.ask(bytes);
  return { answer, ms: performance.now() - begin };
}

async function flood(wafd, per_second, state) {
  const messages = Array.from({ length: 24 }, (_, n) => floods[given.flood](n));
  let next = 0;
  const begin = performance.now();
  await Promise.all(Array.from({ length: connections }, async () => {
    const client = await T1kClient.connect(wafd.t1kPort);
    while (!state.over) {
      const due = begin + (next / per_second) * 1000;
      const message = messages[next % messages.length];
      next += 1;
      await wait(due - performance.now());
      if (state.over) break;
      if ((await client.ask(message)) === null) throw new Error('wafd closed the connection of the flood');
      state.answered += 1;
    }
    client.close();
  }));
}

async function others(wafd, state) {
  const results = [];
  const clients = [];
  const begin = performance.now();
  const one = async (n) => {
    const address = `203.0.113.${n % 200}`;
    const is_attack = n % 2 === 0;
    const kind = (n / 2) % plain.length;
    const client = clients.pop() ?? (await T1kClient.connect(wafd.t1kPort));
    const { answer, ms } = await timed(client, is_attack ? plain[kind](address) : ordinary(address));
    clients.push(client);
    results.push({ is_attack, body: is_attack && kind !== 0, caught: answer?.verdict === '?' && ms <= patience_ms, ms });
  };
  const asked = [];
  for (let n = 0; performance.now() - begin < seconds * 1000; n += 1) {
    asked.push(one(n));
    await wait(begin + ((n + 1) / (2 * rate)) * 1000 - performance.now());
  }
  await Promise.all(asked);
  state.over = true;
  for (const client of clients) client.close();
  return results;
}

async function round(wafd, per_second) {
  const state = { over: false, answered: 0 };
  const metrics = async () => (await wafd.api('GET', '/status')).engine;
  const before = await metrics();
  const flooding = per_second === 0 ? null : flood(wafd, per_second, state);
  await wait(500);
  const results = await others(wafd, state);
  await flooding;
  const after = await metrics();
  const attacks = results.filter((one) => one.is_attack);
  const share = (list) => `${list.filter((one) => one.caught).length}/${list.length}`;
  const bare = results.filter((one) => !one.body).map((one) => one.ms).sort((a, b) => a - b);
  const bodies = results.filter((one) => one.body).map((one) => one.ms).sort((a, b) => a - b);
  const ms = (value) => value.toFixed(value < 10 ? 1 : 0);
  return {
    'flood/s': (state.answered / seconds).toFixed(1),
    'caught': share(attacks),
    'in queries': share(attacks.filter((one) => !one.body)),
    'in bodies': share(attacks.filter((one) => one.body)),
    'bare ms p50': ms(at_share(bare, 0.5)),
    'bare ms max': ms(bare.at(-1)),
    'bodies ms p50': ms(at_share(bodies, 0.5)),
    'bodies ms max': ms(bodies.at(-1)),
    'by head': (after.judged_by_head ?? 0) - (before.judged_by_head ?? 0),
    interrupted: (after.interrupted ?? 0) - (before.interrupted ?? 0),
  };
}

const wafd = await Wafd.start();
try {
  // Its capacity: requests as fast as the connections ask.
  const state = { over: false, answered: 0 };
  setTimeout(() => { state.over = true; }, seconds * 500);
  const begin = performance.now();
  await flood(wafd, 1e9, state);
  const capacity = state.answered / ((performance.now() - begin) / 1000);
  console.log(`${wafdPath}\nflood of ${given.flood} over ${connections} connections; ${capacity.toFixed(1)}/s are judged; ${rate} attacks/s and as many ordinary requests beside it for ${seconds} s`);
  const table = { none: await round(wafd, 0) };
  for (const times of [1, 2, 4]) table[`${times}x`] = await round(wafd, capacity * times);
  console.table(table);
} finally {
  await wafd.stop();
}
