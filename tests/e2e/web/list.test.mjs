// Finding one's way in the events, in a real Chromium: spans of time, brushing, legend, top lists, values that filter and
// exclude, addresses that can be sent, columns, export, pausing, pages, empty and failed views, by keyboard alone.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { openConsole } from '../support/browser.mjs';
import { at_rest, pictures } from '../support/pictures.mjs';
import { axeViolations } from '../support/axe.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('finding events', () => {
  let wafd;
  let chromium;
  let page;
  const open = (query = '') => page.goto(`${wafd.console}/${query}`);
  const hook = (name, on = page) => on.getByTestId(name);
  const parameter = (name) => new URL(page.url()).searchParams.get(name);
  const query = (wanted) => until(`the filter ${wanted}`, () => parameter('q') === wanted);
  const cells = (column) => page.locator(`.row[data-event-id] .cell-${column} .cell-text`).allInnerTexts();
  const total = async () => Number((await hook('event-total').innerText()).replace(/\D/g, ''));
  const totals = (wanted) => until(`${wanted} events`, async () => (await hook('event-total').innerText()).trim() !== '' && (await total()) === wanted);
  const looked_at = async (name) => {
    await pictures(page, name);
    await at_rest(page);
    assert.deepEqual(await axeViolations(page, name), []);
  };

  const record = (uri, more = {}) => JSON.stringify({ method: 'GET', uri, src_ip: '198.51.100.7', host: 'shop.example', headers: [['Host', 'shop.example']], ...more });
  const mirror = async (lines) => {
    const answer = await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${lines.join('\n')}\n` });
    assert.equal(answer.status, 200, answer.text);
  };
  const sqli = '/item?id=1%27%20OR%20%271%27=%271';
  const xss = '/search?q=%3Cscript%3Ealert(1)%3C/script%3E';
  const traversal = '/get?file=../../../etc/passwd';

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openConsole(wafd);
    ({ page } = chromium);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: wafd.console });
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('with nothing recorded the list says so and offers a wider span', async () => {
    await open();
    await hook('empty').waitFor();
    assert.match(await hook('empty').innerText(), /No attack has been recorded/);
    await looked_at('events-empty');
    await hook('empty').getByRole('button', { name: 'Look at all times' }).click();
    await until('all times', () => parameter('range') === 'all');
    await hook('empty').waitFor();
    assert.equal(await hook('empty').getByRole('button').count(), 0);
  });

  test('the legend counts and filters by what happened; more than one of them may be chosen', async () => {
    for (let n = 0; n < 3; n += 1) assert.equal((await request(`${wafd.http}/check${sqli}`, { headers: { Host: 'shop.example' } })).status, 403);
    await mirror([record(xss), record(xss, { src_ip: '203.0.113.9' }), record(traversal, { host: 'api.shop.example' }), record(sqli, { src_ip: '203.0.113.9' })]);
    await open();
    await totals(7);
    assert.match(await hook('legend-deny').innerText(), /Blocked\s+3/);
    assert.match(await hook('legend-monitor').innerText(), /Would block\s+4/);
    assert.match(await hook('legend-allow').innerText(), /Below threshold\s+0/);
    await hook('legend-deny').click();
    await query('action:deny');
    await until('blocked alone', async () => (await cells('action')).length === 3 && (await cells('action')).every((text) => text.includes('Blocked')));
    assert.equal(await hook('legend-deny').getAttribute('aria-pressed'), 'true');
    await hook('legend-monitor').click();
    await query('action:deny,monitor');
    await hook('legend-deny').click();
    await query('action:monitor');
    await until('would block alone', async () => (await cells('action')).length === 4);
    await hook('legend-monitor').click();
    await query(null);
  });

  test('a span can be typed, from a time to a time, and what is no span is said', async () => {
    await open();
    await totals(7);
    await hook('span-menu').click();
    await hook('span-form').waitFor();
    await until('prefilled', async () => /^\d{4}-\d\d-\d\dT/.test(await hook('span-from').inputValue()));
    assert.match(await hook('span-form').innerText(), /Times: /);
    await hook('span-from').fill('2026-03-01T10:00');
    await hook('span-to').fill('2026-03-01T09:00');
    await hook('span-show').click();
    await until('what is wrong', async () => /Expected a time after the beginning/.test(await hook('span-form').innerText()));
    assert.equal(parameter('from'), null);
    await hook('span-to').fill('2026-03-01T10:30:15');
    await hook('span-show').click();
    await hook('range-fixed').waitFor();
    assert.equal(await hook('range-fixed').innerText(), '2026-03-01 10:00:00 – 2026-03-01 10:30:15');
    assert.equal(Number(parameter('to')) - Number(parameter('from')), 1_815_000);
    await totals(0);
    await hook('span-menu').click();
    await until('as it stands', async () => (await hook('span-from').inputValue()).startsWith('2026-03-01T10:00'));
    await hook('span-to').fill('');
    await hook('span-show').click();
    await totals(7);
    await open();
  });

  test('the chart has round times below it, and says what the bar under the pointer or the keys stands for', async () => {
    await open('?range=7d');
    await totals(7);
    await until('ticks', async () => (await page.locator('.bars-ticks span').count()) >= 2);
    for (const text of await page.locator('.bars-ticks span').allInnerTexts()) assert.match(text, /^(\d\d:\d\d(:\d[05])?|\d\d-\d\d)$/);
    await hook('ring-begins').waitFor();
    const box = await page.locator('.bars').boundingBox();
    for (const share of [0.01, 0.5, 0.99]) {
      await page.mouse.move(box.x + box.width * share, box.y + 30);
      await hook('histogram-tip').waitFor();
      const tip = await hook('histogram-tip').boundingBox();
      assert.ok(tip.x >= 0 && tip.x + tip.width <= page.viewportSize().width && tip.y >= 0, JSON.stringify(tip));
      assert.match(await hook('histogram-tip').innerText(), /^\d{4}-\d\d-\d\d [\d:]+ to [\d:]+\s+Blocked\s+\d+\s+Would block\s+\d+\s+Below threshold\s+\d+$/);
    }
    await pictures(page, 'chart-tip');
    await page.mouse.move(5, 5);
    await until('no tip', async () => (await hook('histogram-tip').count()) === 0);
    await hook('histogram-keys').focus();
    await page.keyboard.press('End');
    await hook('histogram-tip').waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate(() => document.activeElement.blur());
    await open();
  });

  test('time presets, a dragged span, and back', async () => {
    await open();
    await totals(7);
    for (const [name, range] of [['15 min', '15m'], ['1 h', '1h'], ['7 d', '7d'], ['All', 'all']]) {
      await page.locator('.range').getByRole('button', { name, exact: true }).click();
      await until(range, () => parameter('range') === range);
      await totals(7);
    }
    await page.locator('.range').getByRole('button', { name: '15 min', exact: true }).click();
    await totals(7);
    const box = await page.locator('.bars').boundingBox();
    const drag = async (from, to) => {
      await page.mouse.move(box.x + box.width * from, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * ((from + to) / 2), box.y + 30);
      await page.mouse.move(box.x + box.width * to, box.y + 30);
      await page.mouse.up();
    };
    const chosen = () => [Number(parameter('from')), Number(parameter('to'))];
    const inside = async () => {
      const [from, to] = chosen();
      return (await wafd.api('GET', `/events/histogram?from=${from}&to=${to}`)).total;
    };
    await drag(0.2, 0.4);
    await hook('range-fixed').waitFor();
    const [from, to] = chosen();
    // The chart is as long as the ring reaches, a minute at least.
    assert.ok(to - from > 0.15 * 60_000 && to - from < 0.25 * 15 * 60_000, `${to - from} ms`);
    await totals(await inside());
    assert.equal(await hook('live').isDisabled(), true, 'a span that has ended has no tail');
    await page.goBack();
    await totals(7);
    await drag(0.999, 0.001);
    await hook('range-fixed').waitFor();
    await totals(await inside());
    await hook('range-fixed').click();
    await until('the last 24 hours', () => parameter('from') === null && parameter('range') === null);
    assert.equal(await hook('live').isDisabled(), false);
  });

  test('a value in the list, a top list or an event adds itself to the filter or excludes itself', async () => {
    await open();
    await totals(7);
    const row = hook('event-row').filter({ hasText: '203.0.113.9' }).first();
    await row.locator('.cell-src').hover();
    await row.locator('.cell-src').getByRole('button', { name: 'Exclude 203.0.113.9' }).click();
    await query('-src:203.0.113.9');
    await totals(5);
    assert.ok((await cells('src')).every((text) => text !== '203.0.113.9'));
    assert.equal(await hook('event-detail').count(), 0, 'the value filters, the event stays closed');
    await hook('facet-host').getByRole('button', { name: 'Exclude api.shop.example' }).click();
    await query('-src:203.0.113.9 -host:api.shop.example');
    await totals(4);
    await hook('facet-type').locator('.facet-value', { hasText: 'Cross-site scripting' }).click();
    await query('-src:203.0.113.9 -host:api.shop.example type:xss');
    await totals(1);
    await open('?q=type:xss');
    await totals(2);
    await hook('event-row').first().locator('.cell-time').click();
    await hook('verdict').waitFor();
    const source = (await wafd.event(parameter('event'))).record.src_ip;
    await page.locator('.facts').getByRole('button', { name: `Exclude ${source}` }).click();
    await query(`type:xss -src:${source}`);
    await totals(1);
  });

  test('rules are called by their names in the top list, and filter by their ids', async () => {
    await open('?q=type:xss');
    const facet = hook('facet-rule').locator('.facet-value').first();
    await until('a name', async () => !/^m_/.test(await facet.locator('.facet-text').innerText()));
    const { rules } = await wafd.api('GET', '/rules');
    const name = await facet.locator('.facet-text').innerText();
    await facet.click();
    await until('an id', () => /^type:xss rule:m_/.test(parameter('q')));
    const id = parameter('q').replace(/^.*rule:/, '');
    assert.equal(rules.find((rule) => rule.id === id).name, name);
  });

  test('a top list is closed and opened, and stays so', async () => {
    await open();
    const values = hook('facet-type').locator('.facet-value');
    await values.first().waitFor();
    await hook('facet-type').getByRole('heading').getByRole('button').click();
    await until('closed', async () => (await values.count()) === 0);
    await page.reload();
    await hook('facet-src').locator('.facet-value').first().waitFor();
    assert.equal(await values.count(), 0);
    await hook('facet-type').getByRole('heading').getByRole('button').click();
    await values.first().waitFor();
    await hook('facets-toggle').click();
    await until('hidden', async () => (await hook('facets').count()) === 0);
    await page.reload();
    await hook('event-row').first().waitFor();
    assert.equal(await hook('facets').count(), 0);
    await hook('facets-toggle').click();
  });

  test('the address is the view: a colleague sees the same, Back and Forward go through what was looked at', async () => {
    await open('?q=type:sqli&range=7d');
    await totals(4);
    await hook('event-row').nth(1).locator('.cell-time').click();
    await hook('verdict').waitFor();
    const address = page.url();
    const seen = await cells('time');
    const colleague = await page.context().newPage();
    await colleague.goto(address);
    await hook('verdict', colleague).waitFor();
    assert.equal(await hook('query', colleague).inputValue(), 'type:sqli');
    assert.equal(await colleague.locator('.range [aria-pressed=true]').innerText(), '7 d');
    assert.equal(await hook('event-detail', colleague).getAttribute('data-event-id'), new URL(address).searchParams.get('event'));
    assert.deepEqual(await colleague.locator('.row[data-event-id] .cell-time .cell-text').allInnerTexts(), seen);
    await colleague.close();
    await page.locator('.legend-aside').getByRole('button', { name: 'Attackers' }).click();
    await hook('groups-attackers').waitFor();
    await page.goBack();
    await hook('event-list').waitFor();
    await page.goBack();
    await hook('event-detail').waitFor({ state: 'detached' });
    await page.goForward();
    await hook('verdict').waitFor();
  });

  test('columns are chosen and remembered', async () => {
    await open();
    await hook('event-row').first().waitFor();
    const heads = () => page.locator('.row-head .cell').allInnerTexts();
    await hook('columns-menu').click();
    await looked_at('columns');
    await hook('column-rule').check();
    await hook('column-payload').uncheck();
    await until('the rule', async () => (await heads()).includes('Rule') && !(await heads()).includes('Matched'));
    await page.keyboard.press('Escape');
    await page.reload();
    await hook('event-row').first().waitFor();
    assert.ok((await heads()).includes('Rule') && !(await heads()).includes('Matched'), `${await heads()}`);
    assert.match((await cells('rule'))[0], /^m_/);
    await hook('columns-menu').click();
    await page.getByRole('button', { name: 'Default columns' }).click();
    await until('as before', async () => (await heads()).includes('Matched'));
  });

  test('export: what the view holds, as NDJSON and as CSV', async () => {
    await open('?q=type:sqli');
    await totals(4);
    // Chromium cancels, now and then, what is downloaded in the first tenths of a second of a page: then it is asked for again.
    const attempt = async (name) => {
      await hook('export-menu').click();
      const [got] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
      const failure = await got.failure();
      assert.ok(failure === null || failure === 'canceled', failure);
      return failure === null && { name: got.suggestedFilename(), text: fs.readFileSync(await got.path(), 'utf8') };
    };
    const download = async (name) => {
      let file = false;
      await until(name, async () => (file = await attempt(name)));
      return file;
    };
    const lines = await download('Download NDJSON');
    assert.match(lines.name, /\.ndjson$/);
    const records = lines.text.trimEnd().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual(records.map((r) => r.attack_type), ['sqli', 'sqli', 'sqli', 'sqli']);
    const { events } = await wafd.api('GET', '/events?q=type:sqli');
    assert.deepEqual(new Set(records.map((r) => r.event_id)), new Set(events.map(({ record: r }) => r.event_id)));
    const table = await download('Download CSV');
    assert.match(table.name, /\.csv$/);
    assert.match(table.text, /^\uFEFF?[^\r\n]*\bevent_id\b[^\r\n]*\r\n/);
    for (const { event_id } of records) assert.equal(table.text.split(event_id).length, 2, event_id);
  });

  test('live is paused by button or key: nothing moves until it goes on, and then nothing is missing', async () => {
    await open();
    await until('live', async () => /live-open/.test(await hook('live').getAttribute('class')));
    const before = await total();
    await hook('live').click();
    await until('paused', async () => (await hook('live').getAttribute('aria-pressed')) === 'false');
    const rows = await hook('event-row').count();
    await mirror([record(traversal), record(traversal)]);
    await until('recorded', async () => (await wafd.api('GET', '/events?limit=1000')).events.length === before + 2);
    assert.equal(await hook('event-row').count(), rows);
    await page.keyboard.press('l');
    await until('both', async () => (await hook('event-row').count()) === rows + 2);
    await page.reload();
    await until('live is remembered', async () => (await hook('live').getAttribute('aria-pressed')) === 'true');
  });

  test('the decode chain stands beside what matched, and the match is marked in the request as it came', async () => {
    const hidden = Buffer.from('<script>alert(document.cookie)</script>').toString('base64');
    await mirror([record(`/d?data=${encodeURIComponent(hidden)}`)]);
    await open('?q=path:/d');
    await hook('event-row').first().waitFor();
    await hook('event-row').first().locator('.cell-time').click();
    await hook('verdict').waitFor();
    const { detail, record: stored } = await wafd.event(parameter('event'));
    const finding = detail.findings[detail.weightiest];
    assert.match(finding.decode_path, /base64/);
    const shown = await hook('finding').filter({ hasText: finding.rule_id }).first().locator('.chain code').allInnerTexts();
    assert.deepEqual(shown, finding.decode_path.split('|').filter(Boolean));
    assert.match(await hook('finding').first().innerText(), /<script>alert\(document\.cookie\)/);
    const marked = await hook('match').first().innerText();
    assert.ok(stored.req_header_raw.includes(marked) && decodeURIComponent(marked).startsWith(hidden.slice(0, 8)), marked);
    await looked_at('decode-chain');
  });

  test('the curl command, run by bash, repeats the request byte for byte', async () => {
    let heard;
    const server = http.createServer((incoming, answer) => {
      const parts = [];
      incoming.on('data', (part) => parts.push(part));
      incoming.on('end', () => { heard = { method: incoming.method, url: incoming.url, headers: incoming.headers, body: Buffer.concat(parts).toString('utf8') }; answer.end(); });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address();
    const body = `q=' OR '1'='1&note=$(touch /tmp/never)\t"quoted"\u0001ü`;
    await mirror([record("/it's/$HOME/`id`?x=%27", {
      method: 'POST', host: `127.0.0.1:${port}`, dest_ip: '127.0.0.1', dest_port: port, body,
      headers: [['Host', `127.0.0.1:${port}`], ['Content-Type', 'application/x-www-form-urlencoded'], ['X-Odd', `it's "odd" \\ $(id) !x`]],
    })]);
    await open('?q=method:POST');
    await hook('event-row').first().waitFor();
    await hook('event-row').first().locator('.cell-time').click();
    await hook('copy-menu').click();
    await hook('copy-curl').click();
    const command = await until('the command', async () => {
      const text = await page.evaluate(() => navigator.clipboard.readText());
      return text.startsWith('curl ') && text;
    });
    await promisify(execFile)('bash', ['-c', `${command} -sS --max-time 10`]);
    assert.deepEqual([heard.method, heard.url, heard.headers['x-odd'], heard.headers['content-type'], heard.body],
      ['POST', "/it's/$HOME/`id`?x=%27", `it's "odd" \\ $(id) !x`, 'application/x-www-form-urlencoded', body]);
    await new Promise((resolve) => server.close(resolve));
  });

  test('neighbours: same source, rule and host are one click away, whatever the span', async () => {
    await open('?q=type:xss&range=1h');
    await hook('event-row').first().locator('.cell-time').click();
    await hook('verdict').waitFor();
    const { record: stored } = await wafd.event(parameter('event'));
    await hook('same-source').click();
    await query(`src:${stored.src_ip}`);
    assert.equal(parameter('range'), 'all');
    await page.goBack();
    await hook('verdict').waitFor();
    await hook('same-rule').click();
    await query(`rule:${stored.req_rule_id}`);
    await until('all of that rule', async () => (await wafd.api('GET', `/events?q=rule:${stored.req_rule_id}`)).events.length === (await total()));
  });

  test('an event that the ring does not hold is said to be gone, with how far back it reaches', async () => {
    // The id of what was blocked without being judged belongs to no event that ever was.
    await open(`?event=${'0'.repeat(32)}`);
    await hook('event-gone').waitFor();
    assert.match(await hook('event-gone').innerText(), /too late to be judged/);
    await open(`?event=${'a'.repeat(32)}`);
    await until('the other', async () => /no longer/.test(await hook('event-gone').innerText()));
    assert.match(await hook('event-gone').innerText(), /no longer in the ring[\s\S]*The ring reaches back to \d{4}-/);
    await looked_at('event-gone');
  });

  test('long and odd values keep the rows and the page as they are', async () => {
    const long = 'x'.repeat(6000);
    await mirror([
      record(`/${long}?id=1%27%20OR%20%271%27=%271&${long}=1`, { host: `${'a'.repeat(60)}.${'b'.repeat(60)}.example`, src_ip: '2001:db8:ffff:eeee:dddd:cccc:bbbb:aaaa', headers: [['User-Agent', long]] }),
      record(`/%E2%80%AEtxt.exe%00/${'%0A'.repeat(50)}?id=1%27%20OR%20%271%27=%271`),
    ]);
    await open('?q=type:sqli&range=15m');
    await until('the odd one', async () => (await cells('path')).some((text) => text.startsWith('/xxxx')));
    const sizes = await page.evaluate(() => ({
      heights: [...new Set([...document.querySelectorAll('.row[data-event-id]')].map((row) => row.getBoundingClientRect().height))],
      width: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      spilling: [...document.querySelectorAll('.row[data-event-id] .cell')].filter((cell) => getComputedStyle(cell).overflow === 'visible').length,
    }));
    assert.deepEqual(sizes, { heights: [34], width: 0, spilling: 0 });
    await hook('event-row').filter({ hasText: '2001:db8:ffff' }).locator('.cell-time').click();
    await hook('verdict').waitFor();
    assert.equal(await page.evaluate(() => { const box = document.querySelector('.detail'); return box.scrollWidth - box.clientWidth; }), 0);
    await looked_at('long-values');
  });

  test('by keyboard alone: everything that is reached shows it, and an event is found, read and left', async () => {
    await open();
    await hook('event-row').first().waitFor();
    await hook('facets').locator('.facet-value').last().waitFor();  // what comes later would move what has the focus
    const seen = [];
    for (let n = 0; n < 60; n += 1) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(async () => {
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        const e = document.activeElement;
        if (!e || e === document.body) return undefined;
        const style = getComputedStyle(e);
        const row = e.querySelector?.('.row.current, .row-head');
        const box = e.getBoundingClientRect();
        return {
          what: e.dataset.testid ?? e.className, name: e.getAttribute('aria-label') ?? e.textContent?.slice(0, 30),
          visible: style.outlineStyle !== 'none' || (row !== null && row !== undefined && (getComputedStyle(row).boxShadow !== 'none' || getComputedStyle(row).outlineStyle !== 'none')),
          inside: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
        };
      });
      if (!at) break;
      seen.push(at);
    }
    assert.ok(seen.length > 30, `${seen.length} stops`);
    assert.deepEqual(seen.filter((at) => !at.visible || !at.inside), []);
    for (const wanted of ['query', 'live', 'export-menu', 'columns-menu', 'views-menu', 'legend-deny', 'help', 'account-menu']) assert.ok(seen.some((at) => at.what === wanted), wanted);
    await page.keyboard.press('Escape');
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await hook('overview').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await hook('event-row').nth(1).waitFor();
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key);
    await hook('verdict').waitFor();
    await page.keyboard.press('Escape');
    await hook('event-detail').waitFor({ state: 'detached' });
  });

  test('older pages come as the list is scrolled, each event once; the end is said', async () => {
    const before = (await wafd.api('GET', '/events?limit=1000')).events.length;
    for (let turn = 0; turn < 3; turn += 1) await mirror(Array.from({ length: 200 }, (_, n) => record(`/page/${turn * 200 + n}?id=1%27%20OR%20%271%27=%271`)));
    await open('?range=all');
    await hook('live').click();
    await totals(before + 600);
    const rows = new Map();  // by the place that they have for a screen reader
    const last = before + 599;
    // Steps shorter than what is drawn beyond the rows in sight, so that no row lies between two readings.
    for (let at = 0; ; at = Math.min(last, at + 10)) {
      await until(`row ${at}`, async () => {
        await hook('event-list').evaluate((box, top) => { box.scrollTop = top; }, at * 34);
        for (const [index, id] of await page.locator('.row[data-event-id]').evaluateAll((all) => all.map((row) => [Number(row.getAttribute('aria-rowindex')) - 2, row.dataset.eventId]))) rows.set(index, id);
        return rows.has(at);
      });
      if (at === last) break;
    }
    await page.getByText('That is the oldest event in this view.').waitFor();
    assert.equal(rows.size, before + 600);
    assert.equal(new Set(rows.values()).size, before + 600);
    assert.equal(Number(await page.getByRole('grid').getAttribute('aria-rowcount')), before + 601);
    await hook('live').click();
  });

  test('a flood is shown or counted as skipped: not one event is silently missing', async () => {
    await open('?q=path:/flood*');
    await until('live', async () => /live-open/.test(await hook('live').getAttribute('class')));
    const count = 4000;
    for (let turn = 0; turn < 4; turn += 1) await mirror(Array.from({ length: count / 4 }, (_, n) => record(`/flood/${turn}/${n}?id=1%27%20OR%20%271%27=%271`)));
    const skipped = async () => ((await hook('skipped').count()) === 0 ? 0 : Number((await hook('skipped').innerText()).replace(/\D/g, '')));
    const rows = async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1;
    await until('all of them', async () => (await rows()) + (await skipped()) === count, 60);
    assert.ok((await rows()) > 0);
  });

  test('without the server the page says so and keeps what it shows; with it again it goes on', async () => {
    await open('?range=all&q=type:xss');
    await hook('event-row').first().waitFor();
    const rows = await hook('event-row').count();
    await wafd.stop();
    await until('reconnecting', async () => /Reconnecting/.test(await hook('live').innerText()));
    await page.locator('.range').getByRole('button', { name: '7 d', exact: true }).click();
    await hook('error').waitFor();
    assert.match(await hook('error').innerText(), /The server does not answer/);
    assert.equal(await hook('event-row').count(), rows);
    await looked_at('events-error');
    await wafd.launch();
    await hook('error').getByRole('button', { name: 'Try again' }).click();
    await hook('error').waitFor({ state: 'detached' });
    await until('live again', async () => /live-open/.test(await hook('live').getAttribute('class')));
  });

  test('nothing else was reported by the browser', () => assert.deepEqual(chromium.complaints.filter((c) => !/status of 404|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_NETWORK_CHANGED/.test(c)), []));
});
