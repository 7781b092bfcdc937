// Figures of the page in a real Chromium against a real wafd, beside a bare page of the same server in the same run.
//   node bench/console/page_bench.mjs [--events 200000] [--seconds 20] [--rate 500]
// cold: first list painted with an empty cache; typing: from the last key to the filtered rows; live: share of the
// main thread and memory while rows arrive and the list is scrolled (600 seconds for the long run).

import { Feed, Figures, Wafd, cpu_ms, median, openBrowser, options, request, setUp, until } from './kit.mjs';

const { events, seconds, rate } = options({ events: 200_000, seconds: 20, rate: 500 });
const rounds = 5;
const list_of = (values) => values.map((n) => n.toFixed(0)).join(', ');
const figures = new Figures();

const wafd = await Wafd.start({ 'ring.size_mib': 1024 });
const feed = new Feed(wafd);
const { ring } = await feed.fill((now) => now.ring.end_seq - now.ring.oldest_seq >= events);
console.log(`${(ring.end_seq - ring.oldest_seq).toLocaleString('en')} events in the ring, ${(ring.used_octets / 2 ** 20).toFixed(0)} MiB`);

const chromium = await openBrowser();
const { page, browser } = chromium;
await setUp(page, wafd);
const state = await page.context().storageState();

// The bytes that a browser fetches: the page and all that it names, compressed.
const html = await request(`${wafd.console}/`);
const parts = ['/', ...new Set(html.text.match(/\/assets\/[\w.-]+/g))];
const bytes = await Promise.all(parts.map(async (part) => Number((await request(`${wafd.console}${part}`, { headers: { 'Accept-Encoding': 'gzip' } })).headers['content-length'])));
figures.add('assets, gzip', bytes.reduce((a, b) => a + b) / 1024, 'KiB', 200, `${parts.length} files`);

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
figures.add('first list painted, empty cache', median(cold), 'ms', 500, `${list_of(cold)}; a bare page of the same server ${list_of(bare)}`);

// Answers that are still to come; the live tail never ends and does not count.
const waiting = new Set();
let last_change = performance.now();
const counts = (asked) => !asked.url().includes('/stream');
page.on('request', (asked) => { if (counts(asked)) { waiting.add(asked); last_change = performance.now(); } });
for (const end of ['requestfinished', 'requestfailed']) page.on(end, (asked) => { if (waiting.delete(asked)) last_change = performance.now(); });
const quiet = () => until('no answer outstanding', () => waiting.size === 0 && performance.now() - last_change > 400);
const server_cpu = () => cpu_ms(wafd.program.pid);

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
figures.add(`typing: last key to filtered rows, ${events.toLocaleString('en')} events`, median(typing), 'ms', 150, `${list_of(typing)}; processor of the server ${list_of(server)}`);
await page.getByTestId('query').fill('');

// Live: rows arrive and the list is scrolled.
const cdp = await page.context().newCDPSession(page);
// Processor time of the main thread: wall time would count what other programs of the machine do.
await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
const metrics = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
let looking = 0;  // what collecting garbage to look at the heap costs the main thread itself
const heap = async () => {
  const before = await metrics();
  await cdp.send('HeapProfiler.collectGarbage');
  const after = await metrics();
  looking += after.TaskDuration - before.TaskDuration;
  return after.JSHeapUsedSize / 2 ** 20;
};
await page.goto(`${wafd.console}/`);
await page.getByTestId('event-row').first().waitFor();
let stop = false;
const feeding = (async () => {
  const begin = performance.now();
  for (let sent = 0; !stop;) {
    const due = Math.floor(((performance.now() - begin) / 1000) * rate);
    if (due > sent) { await feed.send(due - sent); sent = due; }
    await new Promise((done) => setTimeout(done, 50));
  }
})();
const first = await metrics();
const heaps = [];
const heap_samples = 40;
const full_s = 240;  // by a quarter of this the list holds as many rows as it may
const begin = performance.now();
for (let turn = 0; performance.now() - begin < seconds * 1000; turn += 1) {
  await page.getByTestId('event-list').evaluate((box, down) => box.scrollBy(0, down ? 400 : -350), turn % 2 === 0);
  await new Promise((done) => setTimeout(done, 100));
  if (performance.now() - begin >= (heaps.length * seconds * 1000) / heap_samples) heaps.push(await heap());
}
const last = await metrics();
const elapsed_s = (performance.now() - begin) / 1000;
stop = true;
await feeding;
const busy = (name) => ((last[name] - first[name]) / elapsed_s) * 100;
const quarter = Math.max(1, Math.floor(heaps.length / 4));
const second = heaps.slice(quarter, 2 * quarter);
const early = median(heaps.slice(0, quarter));
const late = median(heaps.slice(-quarter));
figures.add(`live, ${rate} events/s for ${seconds} s: main thread`, busy('TaskDuration') - (looking / elapsed_s) * 100, '%', 50, `script ${busy('ScriptDuration').toFixed(1)}, layout ${busy('LayoutDuration').toFixed(1)}, styles ${busy('RecalcStyleDuration').toFixed(1)}`);
figures.add('live: heap in the last quarter against the second', late / median(second.length > 0 ? second : heaps), 'times', seconds < full_s ? undefined : 1.1, `first quarter ${early.toFixed(1)} MiB, last ${late.toFixed(1)} MiB; along the way ${heaps.filter((_, n) => n % Math.max(1, Math.floor(heaps.length / 10)) === 0).map((n) => n.toFixed(1)).join(' ')}`);
figures.add('live: elements in the document', await page.locator('*').count(), 'elements', 3000);
console.log(`arrived ${await page.getByTestId('event-total').innerText()}; skipped ${await page.getByTestId('skipped').count() ? await page.getByTestId('skipped').innerText() : 'none'}`);
figures.table();
await chromium.close();
await wafd.stop();
