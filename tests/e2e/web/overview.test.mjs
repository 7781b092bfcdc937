// The overview in a real Chromium: what it says of listeners, targets, ring and engine is what the server knows, and every
// number leads to the list behind it.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openBrowser, setUp } from '../support/browser.mjs';
import { at_rest, pictures } from '../support/pictures.mjs';
import { freePort, until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('the overview', () => {
  let wafd;
  let chromium;
  let page;
  let receiver;
  const hook = (name) => page.getByTestId(name);
  const open = () => page.goto(`${wafd.console}/?view=overview`);
  const row = (table, text) => hook(table).locator('tbody tr').filter({ hasText: text });
  const figure = (label) => page.locator('.figure').filter({ hasText: label });
  const value = async (label) => (await figure(label).locator('.figure-value').innerText()).trim();
  const looked_at = async (name) => {
    await pictures(page, name);
    await at_rest(page);
    assert.deepEqual(await axeViolations(page, name), []);
  };
  const attack = (uri) => request(`${wafd.http}/check${uri}`, { headers: { Host: 'shop.example' } });
  const mirror = (uri, more) => request(`${wafd.http}/v1/records`, {
    method: 'POST', body: `${JSON.stringify({ method: 'GET', uri, src_ip: '198.51.100.7', host: 'api.shop.example', headers: [['Host', 'api.shop.example']], ...more })}\n`,
  });

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openBrowser();
    ({ page } = chromium);
    page.setDefaultTimeout(15_000);
    receiver = net.createServer((socket) => socket.resume().on('error', () => {}));
    await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    await setUp(page, wafd);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
    receiver?.close();
  });

  test('before the first request: every listener says so, nothing is made up', async () => {
    await open();
    await hook('listeners').waitFor();
    assert.equal(await hook('listeners').locator('tbody tr').count(), 2);
    for (const name of ['t1k', 'http']) assert.match(await row('listeners', name).innerText(), /No request yet[\s\S]*never/);
    assert.match(await hook('targets-status').innerText(), /No target yet/);
    assert.match(await hook('ring-status').innerText(), /Reaches back\s+empty/);
    assert.equal(await value('Time to judge'), '–');
    await looked_at('overview-empty');
  });

  test('per listener: the last request, requests, refused input by reason', async () => {
    for (let n = 0; n < 4; n += 1) assert.equal((await attack('/item?id=1%27%20OR%20%271%27=%271')).status, 403);
    for (let n = 0; n < 2; n += 1) assert.equal((await mirror('/search?q=%3Cscript%3Ealert(1)%3C/script%3E')).status, 200);
    assert.equal((await attack('/fine')).status, 200);
    assert.notEqual((await request(`${wafd.http}/v1/records`, { method: 'POST', body: 'no record\n' })).status, 500);
    const socket = net.connect(wafd.t1kPort, '127.0.0.1');
    await new Promise((resolve) => socket.on('connect', resolve));
    socket.write(Buffer.alloc(5));  // no first section
    await new Promise((resolve) => socket.on('close', resolve).resume());
    const status = await until('refused input on both', async () => {
      const now = await wafd.api('GET', '/status');
      return now.listeners.every((l) => Object.values(l.refused).some((n) => n > 0)) && now;
    });
    await open();
    await until('requests', async () => /Receiving/.test(await row('listeners', 'http').innerText()));
    for (const listener of status.listeners) {
      const text = await row('listeners', listener.address).innerText();
      for (const [reason, n] of Object.entries(listener.refused)) if (n > 0) assert.ok(text.includes(`${reason} ${n}`), `${reason} ${n} in ${text}`);
    }
    const http = status.listeners.find((l) => l.name === 'http');
    assert.match(await row('listeners', 'http').innerText(), new RegExp(`(just now|\\d+ s ago)\\s+${http.requests}\\b`));
  });

  test('a listener that has been silent for long is warned of', async () => {
    // The server's answer, only older: nobody waits a quarter of an hour here.
    await page.route('**/api/v1/status', async (route) => {
      const answer = await route.fetch();
      const status = await answer.json();
      for (const listener of status.listeners) if (listener.last_request_ms) listener.last_request_ms -= 16 * 60_000;
      await route.fulfill({ response: answer, json: status });
    });
    await open();
    await until('the warning', async () => /has a gateway stopped calling\?/.test(await row('listeners', 'http').innerText()));
    assert.match(await row('listeners', 't1k').innerText(), /No request yet/);
    await page.unroute('**/api/v1/status');
  });

  test('engine: the time that half, 99 % and 99.9 % of requests took, as the server counts them', async () => {
    await open();
    await until('a time', async () => (await value('Time to judge')) !== '–');
    const { engine } = await wafd.api('GET', '/status');
    assert.ok(engine.detect_us_p50 > 0 && engine.detect_us_p50 <= engine.detect_us_p99 && engine.detect_us_p99 <= engine.detect_us_p999, JSON.stringify(engine));
    const words = (us) => (us < 1000 ? `${us} µs` : us < 10_000 ? `${(us / 1000).toFixed(1)} ms` : `${Math.round(us / 1000)} ms`);
    assert.equal(await value('Time to judge'), words(engine.detect_us_p50));
    assert.equal((await figure('Time to judge').locator('.figure-sub').innerText()).trim(), `99 %: ${words(engine.detect_us_p99)} · 99.9 %: ${words(engine.detect_us_p999)}`);
    const metrics = await request(`${wafd.console}/metrics`, { headers: { Authorization: `Bearer ${wafd.token}` } });
    const seconds = Number(/^wafd_detect_seconds_p99 (\S+)$/m.exec(metrics.text)?.[1]);
    assert.equal(Math.round(seconds * 1e6), engine.detect_us_p99);
  });

  test('requests of the day and rates', async () => {
    await open();
    await until('a rate', async () => /^\d+\.\d\/s now, events \d+\.\d\/s$/.test((await figure('Requests today').locator('.figure-sub').innerText()).trim()));
    const { sites } = await wafd.api('GET', '/status');
    assert.equal(Number((await value('Requests today')).replace(/\D/g, '')), sites.reduce((n, site) => n + (site.today?.requests ?? 0), 0));
  });

  test('targets: honest states, what waits, what was sent, the last error', async () => {
    await wafd.addTarget({ name: 'up', transport: 'tcp', port: receiver.address().port });
    await wafd.addTarget({ name: 'datagrams', transport: 'udp', port: await freePort() });
    await wafd.addTarget({ name: 'closed port', transport: 'tcp', port: await freePort() });
    await wafd.addTarget({ name: 'asleep', transport: 'tcp', port: 9, enabled: false });
    await attack('/item?id=1%27%20OR%20%271%27=%271');
    await open();
    await until('connected', async () => /Connected/.test(await row('targets-status', 'up').innerText()));
    await until('sending', async () => /Sending \(UDP, unconfirmed\)|Waiting to retry/.test(await row('targets-status', 'datagrams').innerText()));
    assert.doesNotMatch(await row('targets-status', 'datagrams').innerText(), /Connected/);
    assert.equal(await row('targets-status', 'datagrams').locator('td').nth(5).innerText(), '–', 'UDP acknowledges nothing');
    await until('a refusal', async () => /Waiting to retry[\s\S]*refused/.test(await row('targets-status', 'closed port').innerText()));
    await until('its lag', async () => /^\d+ · /.test(await row('targets-status', 'closed port').locator('td').nth(3).innerText()));
    assert.match(await row('targets-status', 'asleep').innerText(), /Disabled/);
    await looked_at('overview-targets');
    await row('targets-status', 'up').getByRole('link').click();
    await hook('targets').waitFor();
  });

  test('the ring: fill, events, reach', async () => {
    await open();
    await hook('ring-status').waitFor();
    const { ring } = await wafd.api('GET', '/status');
    const text = await hook('ring-status').innerText();
    assert.match(text, /of 16\.0 MiB/);
    assert.match(text, new RegExp(`Events kept\\s+${ring.end_seq - ring.oldest_seq}\\b`));
    assert.match(text, /Reaches back\s+\d+ s|Reaches back\s+\d+ min/);
    await hook('ring-status').getByRole('link').click();
    await until('all of them', async () => (await hook('event-total').innerText()).startsWith(`${ring.end_seq - ring.oldest_seq} `));
  });

  test('every number leads to the list behind it', async () => {
    const behind = async (link, count) => {
      await link.click();
      await hook('event-list').waitFor();
      await until(`${count} events`, async () => (await hook('event-total').innerText()).replace(/\D/g, '') === `${count}`);
      await page.goBack();
      await hook('overview').waitFor();
    };
    await open();
    for (const [label, count] of [['Blocked', 5], ['Would block', 2], ['Below threshold', 0]]) {
      await until(label, async () => (await value(label)) === `${count}`);
      await behind(figure(label).getByRole('link'), count);
    }
    for (const title of ['Attacks', 'Top sources', 'Top paths', 'Top rules', 'Top hosts']) {
      const card = page.locator('.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
      await card.locator('.top-list li').first().waitFor();
      const lines = await card.locator('.top-list li').count();
      // Bars are as long as what they stand for, the longest fills the line.
      const bars = await card.locator('.top-list li').evaluateAll((all) => all.map((one) => [one.querySelector('.top-bar').getBoundingClientRect().width / one.getBoundingClientRect().width, Number(one.querySelector('.num').textContent.replace(/\D/g, ''))]));
      for (const [share, count] of bars) assert.ok(Math.abs(share / bars[0][0] - count / bars[0][1]) < 0.02, `${title}: ${JSON.stringify(bars)}`);
      for (let n = 0; n < lines; n += 1) {
        await card.locator('.top-list li').nth(n).waitFor();
        await behind(card.getByRole('link').nth(n), Number((await card.locator('.top-list .num').nth(n).innerText()).replace(/\D/g, '')));
      }
    }
    await until('a rule by its name', async () => !/\bm_/.test(await page.locator('.card').filter({ hasText: 'Top rules' }).innerText()));
    await until('no database', async () => /No source-location database/.test(await page.locator('.card').filter({ hasText: 'Top countries' }).innerText()));
  });

  test('requests over time stand first and say what the server counted', async () => {
    await open();
    await hook('traffic').waitFor();
    const { engine } = await wafd.api('GET', '/status');
    await until('the requests', async () => (await hook('traffic-requests').innerText()) === engine.requests.toLocaleString('en-GB'));
    assert.equal(await hook('traffic-deny').innerText(), engine.denied.toLocaleString('en-GB'));
    const box = await hook('traffic').locator('.bars').boundingBox();
    await page.mouse.move(box.x + box.width * 0.97, box.y + 40);
    await hook('traffic-tip').waitFor();
    assert.match(await hook('traffic-tip').innerText(), /to \d\d:\d\d:\d\d\s+Blocked\s+\d+\s+Would block/);
    const top = async (name) => (await hook(name).boundingBox()).y;
    assert.ok((await top('traffic')) < (await top('listeners')));
    await page.mouse.move(5, 5);
    // Two whole days, the later one with half as many requests again.
    await page.route('**/api/v1/traffic*', async (route) => {
      const answer = await route.fetch();
      const begin = Math.floor(Date.now() / 300_000 - 575) * 300_000;
      const buckets = Array.from({ length: 576 }, (_, i) => ({ t: begin + i * 300_000, requests: i < 288 ? 10 : 15, denied: 2, monitored: 0, unjudged: 0 }));
      await route.fulfill({ response: answer, json: { ...(await answer.json()), bucket_ms: 300_000, buckets } });
    });
    await open();
    const beside = (name) => hook(name).locator('xpath=..').innerText();
    await until('the day before', async () => /\+50\s?%/.test(await beside('traffic-requests')));
    assert.match(await beside('traffic-deny'), /as many as the day before/);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('the badge of every page tells a dead target and a silent listener, and leads to the cause', async () => {
    for (const target of (await wafd.api('GET', '/syslog/targets')).targets) await wafd.api('DELETE', `/syslog/targets/${target.id}`);
    await page.goto(`${wafd.console}/`);
    await until('well', async () => (await hook('health').getAttribute('data-issues')) === '0');
    assert.match(await hook('health').innerText(), /All well/);
    const target = await wafd.addTarget({ name: 'Dead end', host: '127.0.0.1', port: await freePort(), transport: 'tcp' });
    await page.goto(`${wafd.console}/?view=try`);
    await until('the dead target', async () => /Dead end: receives no events/.test(await hook('health').innerText()));
    await looked_at('health');
    await hook('health').click();
    await until('its form', async () => new URL(page.url()).searchParams.get('target') === target.id);
    await page.route('**/api/v1/status', async (route) => {
      const answer = await route.fetch();
      const status = await answer.json();
      for (const listener of status.listeners) if (listener.last_request_ms) listener.last_request_ms -= 16 * 60_000;
      await route.fulfill({ response: answer, json: status });
    });
    await page.goto(`${wafd.console}/`);
    await until('several', async () => Number(await hook('health').getAttribute('data-issues')) >= 2);
    await hook('health-menu').click();
    await page.locator('.health-list a').filter({ hasText: 'silent' }).first().click();
    await until('the listeners', async () => new URL(page.url()).searchParams.get('show') === 'listeners');
    await hook('listeners').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await wafd.api('DELETE', `/syslog/targets/${target.id}`);
  });

  test('without the server: said, and the last numbers stay', async () => {
    await open();
    await hook('listeners').waitFor();
    await wafd.stop();
    await hook('error').waitFor();
    assert.match(await hook('error').innerText(), /The server does not answer/);
    assert.equal(await hook('listeners').locator('tbody tr').count(), 2);
    await looked_at('overview-error');
  });
});
