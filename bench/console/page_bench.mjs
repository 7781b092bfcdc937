// Figures of the page in a real Chromium against a real wafd, beside a bare page of the same server in the same run.
//   node bench/console/page_bench.mjs [--events 200000] [--seconds 20] [--rate 500]
// cold: first list painted with an empty cache; typing: from the last key to the filtered rows; live: share of the
// main thread and memory while rows arrive and the list is scrolled (600 seconds for the long run).
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const from = (file) => import(pathToFileURL(path.join(root, 'tests/e2e/support', file)).href);
const { openBrowser, setUp } = await from('browser.mjs');
const { until } = await from('processes.mjs');
const { Wafd, request } = await from('wafd.mjs');

const option = (name, fallback) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};
const events = option('--events', 200_000);
const seconds = option('--seconds', 20);
const rate = option('--rate', 500);
const rounds = 5;

const kinds = ['/item/N?id=1%27%20OR%20%271%27=%271', '/search/N?q=%3Cscript%3Ealert(1)%3C/script%3E', '/ping/N?host=1;cat%20/etc/passwd', '/get/N?file=../../../etc/passwd'];
let made = 0;
function lines(count) {
  const out = [];
  for (let n = 0; n < count; n += 1, made += 1) {
    const uri = kinds[made % kinds.length].replace('N', String(made % 997));
    out.push(JSON.stringify({ method: 'GET', uri, src_ip: `10.${made % 3}.${made % 250}.${made % 199}`, host: made % 5 ? 'shop.example' : 'api.shop.example', headers: [['Host', 'shop.example'], ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64) bench']] }));
  }
  return `${out.join('\n')}\n`;
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const ms = (list) => `${median(list).toFixed(0)} ms (${list.map((n) => n.toFixed(0)).join(', ')})`;

const wafd = await Wafd.start({ 'ring.size_mib': 1024 });
const send = async (count) => {
  const answer = await request(`${wafd.http}/v1/records`, { method: 'POST', body: lines(count) });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
};
while (made < events) await send(Math.min(2000, events - made));
const status = await until('the events', async () => {
  const now = await wafd.api('GET', '/status');
  return now.ring.end_seq - now.ring.oldest_seq >= events && now;
}, 300);
console.log(`${(status.ring.end_seq - status.ring.oldest_seq).toLocaleString('en')} events in the ring, ${(status.ring.used_octets / 2 ** 20).toFixed(0)} MiB`);

const chromium = await openBrowser();
const { page, browser } = chromium;
await setUp(page, wafd, fs.readFileSync(path.join(wafd.state, 'setup-token'), 'utf8').trim());
const state = await page.context().storageState();

// The server alone: how long a query takes without a page.
for (const q of ['type:xss', 'src:10.1.7.3', 'action:monitor', 'host:api.shop.example', '"alert(1)"']) {
  const took = [];
  for (let n = 0; n < rounds; n += 1) {
    const begin = performance.now();
    await wafd.api('GET', `/events?limit=200&q=${encodeURIComponent(q)}`);
    const list = performance.now();
    await wafd.api('GET', `/events/histogram?buckets=96&q=${encodeURIComponent(q)}`);
    took.push([list - begin, performance.now() - list]);
  }
  console.log(`query ${q}: list ${ms(took.map(([a]) => a))}, histogram ${ms(took.map(([, b]) => b))}`);
}

// Cold: a context of its own has an empty cache. The bare page is an answer of the same server without a script.
const cold = [];
const bare = [];
for (let n = 0; n < rounds; n += 1) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1360, height: 900 }, storageState: state });
  const fresh = await context.newPage();
  await fresh.addInitScript(() => {
    new MutationObserver((_changes, observer) => {
      if (!document.querySelector('[data-event-id]')) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => { globalThis.painted = performance.now(); }, 0));
    }).observe(document, { childList: true, subtree: true });
  });
  await fresh.goto(`${wafd.console}/`);
  cold.push(await until('rows', () => fresh.evaluate(() => globalThis.painted)));
  await context.close();
  const other = await browser.newContext({ ignoreHTTPSErrors: true });
  const plain = await other.newPage();
  await plain.goto(`${wafd.console}/healthz`);
  bare.push(await plain.evaluate(() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd));
  await other.close();
}
console.log(`cold: first list painted ${ms(cold)}; bare page ${ms(bare)}; ratio ${(median(cold) / Math.max(1, median(bare))).toFixed(1)}`);

// Answers that are still to come; the live tail never ends and does not count.
const waiting = new Set();
let last_change = performance.now();
const counts = (asked) => !asked.url().includes('/stream');
page.on('request', (asked) => { if (counts(asked)) { waiting.add(asked); last_change = performance.now(); } });
for (const end of ['requestfinished', 'requestfailed']) page.on(end, (asked) => { if (waiting.delete(asked)) last_change = performance.now(); });
const quiet = () => until('no answer outstanding', () => waiting.size === 0 && performance.now() - last_change > 400);
// Processor time of the server in ms, of ticks of 10 ms.
const server_cpu = () => {
  const fields = fs.readFileSync(`/proc/${wafd.program.pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

// Typing: from the last key to rows of that kind alone being painted.
await page.goto(`${wafd.console}/`);
await page.getByTestId('event-row').first().waitFor();
const typing = [];
const server = [];
for (const [text, words] of [['type:xss', 'Cross-site'], ['type:sqli', 'SQL injection'], ['type:path_traversal', 'Path traversal'], ['type:cmd_injection', 'Command injection'], ['type:xss', 'Cross-site']]) {
  await page.getByTestId('query').fill('');
  await until('all kinds', () => page.evaluate(() => new Set([...document.querySelectorAll('.row[data-event-id] .cell-type')].map((cell) => cell.innerText)).size > 1));
  await page.getByTestId('query').focus();
  await page.keyboard.type(text.slice(0, -1));
  await quiet();
  const cpu = server_cpu();
  typing.push(await page.evaluate(async ([value, wanted]) => {
    const input = document.getElementById('query');
    const begin = performance.now();
    input.value = value;
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    for (;;) {
      await new Promise((done) => requestAnimationFrame(done));
      const cells = [...document.querySelectorAll('.row[data-event-id] .cell-type')];
      if (cells.length > 0 && cells.every((cell) => cell.innerText.startsWith(wanted))) return performance.now() - begin;
      if (performance.now() - begin > 10_000) return 10_000;
    }
  }, [text, words]));
  server.push(server_cpu() - cpu);
}
console.log(`typing: rows after the last key ${ms(typing)}; processor time of the server meanwhile ${ms(server)}; load of the machine ${os.loadavg()[0].toFixed(1)} on ${os.cpus().length} cores`);
await page.getByTestId('query').fill('');

// Live: rows arrive and the list is scrolled.
const cdp = await page.context().newCDPSession(page);
// Processor time of the main thread: wall time would count what other programs of the machine do.
await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
const metrics = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
const heap = async () => { await cdp.send('HeapProfiler.collectGarbage'); return (await metrics()).JSHeapUsedSize / 2 ** 20; };
await page.goto(`${wafd.console}/`);
await page.getByTestId('event-row').first().waitFor();
let stop = false;
const feed = (async () => {
  const begin = performance.now();
  for (let sent = 0; !stop;) {
    const due = Math.floor(((performance.now() - begin) / 1000) * rate);
    if (due > sent) { await send(due - sent); sent = due; }
    await new Promise((done) => setTimeout(done, 50));
  }
})();
const first = await metrics();
const heaps = [];
const begin = performance.now();
for (let turn = 0; performance.now() - begin < seconds * 1000; turn += 1) {
  await page.getByTestId('event-list').evaluate((box, down) => box.scrollBy(0, down ? 400 : -350), turn % 2 === 0);
  await new Promise((done) => setTimeout(done, 100));
  if (turn % Math.ceil(seconds) === 0) heaps.push(await heap());
}
const last = await metrics();
const elapsed_s = (performance.now() - begin) / 1000;
stop = true;
await feed;
const part = (name) => `${(((last[name] - first[name]) / elapsed_s) * 100).toFixed(1)} %`;
console.log(`live: ${rate} events/s for ${seconds} s, main thread ${part('TaskDuration')} busy (script ${part('ScriptDuration')}, layout ${part('LayoutDuration')}, styles ${part('RecalcStyleDuration')}), heap ${heaps.map((n) => n.toFixed(1)).join(' ')} MiB, ${await page.locator('*').count()} elements`);
console.log(`arrived ${await page.getByTestId('event-total').innerText()}`);
await chromium.close();
await wafd.stop();
