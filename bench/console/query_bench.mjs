// Queries over a full ring, through the API of a real wafd: the newest matches, and the count of all matches over time.
//   node bench/console/query_bench.mjs [--ring 1024] [--rounds 7]
// Terms that match much, little and nothing; what matches nothing has to look at everything.
import { Feed, Figures, Wafd, cpu_ms, median, options } from './kit.mjs';

const { ring, rounds } = options({ ring: 1024, rounds: 7 });
const indexed_ms = 100;
const free_text_ms = 1000;
const group_cpu_ms = 300;

const wafd = await Wafd.start({ 'ring.size_mib': ring });
const feed = new Feed(wafd);
const began = performance.now();
const status = await feed.fill((now) => now.ring.oldest_seq > 1);
const { oldest_seq, end_seq, used_octets, oldest_ms } = status.ring;
console.log(`${(end_seq - oldest_seq).toLocaleString('en')} events, ${(used_octets / 2 ** 20).toFixed(0)} MiB, full after ${((performance.now() - began) / 1000).toFixed(0)} s`);

const [oldest] = (await wafd.api('GET', `/events?limit=1&before=${oldest_seq + 20_000}`)).events;
const [newest] = (await wafd.api('GET', '/events?limit=1')).events;
const middle = Math.round((oldest_ms + newest.record.timestamp * 1000) / 2);
const site = newest.record.site_uuid;
const terms = [
  ['time, a span in the middle', '', { from: middle - 1000, to: middle }],
  ['id, of an old event', `id:${oldest.record.event_id}`],
  ['id, of no event', `id:${'0'.repeat(32)}`],
  ['source, one of many', `src:${newest.record.src_ip}`],
  ['source, a network', 'src:10.1.0.0/16'],
  ['source, none', 'src:192.0.2.1'],
  ['type, a quarter', 'type:xss'],
  ['type, none', 'type:xxe'],
  ['action, all', 'action:monitor'],
  ['action, none', 'action:deny'],
  ['site, all', `site:${site}`],
  ['site, none', `site:${'0'.repeat(32)}`],
  ['rule, a quarter', `rule:${newest.record.req_rule_id}`],
  ['rule, none', 'rule:m_none/00000000000000000000000000000000'],
];
const texts = [['free text, a quarter', '"alert(1)"'], ['free text, none', '"nowhere to be found"'], ['host, a fifth', 'host:api.shop.example'], ['path, none', 'path:/none*']];

const figures = new Figures();
async function measure(what, q, span, limit) {
  const params = new URLSearchParams({ ...(q ? { q } : {}), ...span });
  const all = new URLSearchParams({ from: '1', ...Object.fromEntries(params) });
  for (const [kind, address] of [['list', `/events?limit=100&${params}`], ['histogram', `/events/histogram?buckets=96&${all}`]]) {
    const took = [];
    const cpu = cpu_ms(wafd.program.pid);
    let found;
    for (let n = 0; n < rounds; n += 1) {
      const begin = performance.now();
      const answer = await wafd.api('GET', address);
      took.push(performance.now() - begin);
      found = answer.total ?? answer.events.length;
    }
    const each = (cpu_ms(wafd.program.pid) - cpu) / rounds;
    figures.add(`${what}: ${kind}`, median(took), 'ms', limit, `finds ${found.toLocaleString('en')}; slowest ${Math.max(...took).toFixed(0)} ms, processor ${each.toFixed(0)} ms`);
  }
}
for (const [what, q, span] of terms) await measure(what, q, span, indexed_ms);
for (const [what, q] of texts) await measure(what, q, undefined, free_text_ms);

// Groups: while nothing has been read yet in steps, and then from what is kept beside the ring.
for (const by of ['attackers', 'tuning']) {
  const steps = [];
  let answer;
  do {
    const cpu = cpu_ms(wafd.program.pid);
    answer = await wafd.api('GET', `/events/groups?by=${by}&limit=200`);
    steps.push(cpu_ms(wafd.program.pid) - cpu);
  } while (answer.unread > 0);
  figures.add(`${by}, ${steps.length} answers until all is counted: processor of the slowest`, Math.max(...steps), 'ms', group_cpu_ms);
  const kept = [];
  for (let n = 0; n < rounds; n += 1) {
    const cpu = cpu_ms(wafd.program.pid);
    await wafd.api('GET', `/events/groups?by=${by}&limit=200`);
    kept.push(cpu_ms(wafd.program.pid) - cpu);
  }
  figures.add(`${by}, of ${answer.total.toLocaleString('en')} events: processor`, median(kept), 'ms', group_cpu_ms, `${answer.distinct.toLocaleString('en')} groups`);
}
figures.table();
await wafd.stop();
