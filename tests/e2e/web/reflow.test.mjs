// Reflow (WCAG 2.2, 1.4.10) in a real Chromium: from 320 CSS px on, and at 400 % zoom, no view scrolls sideways, every
// function stays in reach and can be used, and nothing that is always the same word is cut.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openConsole } from '../support/browser.mjs';
import { at_rest, pictures } from '../support/pictures.mjs';
import { until } from '../support/processes.mjs';
import { cut_words, sizes, unreachable } from '../support/reflow.mjs';
import { views } from '../support/views.mjs';
import { Wafd, request } from '../support/wafd.mjs';
import { broken_words } from '../support/words.mjs';

describe('reflow', () => {
  let wafd;
  let chromium;
  let page;
  const open = (query = '') => page.goto(`${wafd.console}/${query}`);
  const hook = (name) => page.getByTestId(name);
  const resize = ([width, height]) => page.setViewportSize({ width, height });

  before(async () => {
    wafd = await Wafd.start({ node: 'gateway-west-3.internal.example' });
    const lines = Array.from({ length: 60 }, (_, n) => JSON.stringify({
      method: 'GET', uri: `/a/long/path/to/some/item/${n}?id=1%27%20OR%20%271%27=%271`, src_ip: `2001:db8:1234:5678:9abc:def0:1234:${(n % 9).toString(16)}`,
      host: 'a-rather-long-name.shop.example', headers: [['Host', 'a-rather-long-name.shop.example'], ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64)']],
    }));
    assert.equal((await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${lines.join('\n')}\n` })).status, 200);
    const words = ['/authentication/openid-connect/callback', '/wp-content/plugins/internationalization/admin-ajax.php', '/'].map((path, n) => JSON.stringify({
      method: 'GET', uri: `${path}?searchConfiguration[${n}].description=1%27%20OR%20%271%27=%271`, src_ip: '203.0.113.7', host: 'shop.example', headers: [['Host', 'shop.example']],
    }));
    assert.equal((await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${words.join('\n')}\n` })).status, 200);
    await wafd.addTarget({ name: 'A receiver with quite a long name in the other building', host: '127.0.0.1', port: 9, transport: 'udp' });
    await wafd.api('POST', '/sites', { name: 'Shop', hosts: ['a-rather-long-name.shop.example', '*.another-long-name.shop.example'], mode: 'monitor' });
    await wafd.api('POST', '/exceptions', { host: 'a-rather-long-name.shop.example', path: '/a/long/path/*', rule_id: 'm_sqli/tautology', comment: 'Found in the search box of the shop' });
    await wafd.api('POST', '/lists', { kind: 'deny', cidr: '2001:db8:1234:5678::/64', comment: 'Tries everything, every night' });
    const { id: channel } = await wafd.api('POST', '/notify/channels', { name: 'The people of the night shift', kind: 'webhook', url: 'http://127.0.0.1:9/notifications/incoming' });
    await wafd.api('POST', '/notify/alerts', { name: 'Injection in the shop', when: 'matches', query: 'type:sqli host:a-rather-long-name.shop.example', count: 2, minutes: 5, channels: [channel] });
    const [{ event_id }] = (await wafd.api('GET', '/events?limit=1')).events.map((event) => event.record ?? event);
    await wafd.api('PUT', `/pins/${event_id}`);
    chromium = await openConsole(wafd);
    ({ page } = chromium);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  const shown = async (name) => {
    await page.locator('h1, h2').first().waitFor();
    if (name === 'detail') {
      await hook('event-row').first().click({ position: { x: 60, y: 8 } });
      await hook('verdict').waitFor();
    }
    await page.waitForLoadState('networkidle', { timeout: 1200 }).catch(() => {});  // a live tail never ends
    await at_rest(page);
  };

  const with_tables = new Set();
  // Opened once and resized, as a window is; what screen readers meet follows from the layout, which has three shapes.
  for (const [name, query] of Object.entries(views)) {
    test(`${name} at every size: nothing beyond the sides, no word cut, no fault for screen readers`, async () => {
      await resize(sizes.at(-1));
      await open(query);
      await shown(name);
      const found = [];
      for (const size of sizes.toReversed()) {
        await resize(size);
        await at_rest(page);
        found.push(...[...(await unreachable(page)), ...(await cut_words(page))].map((text) => `${size.join(' × ')}: ${text}`));
        const torn = await broken_words(page);
        if (torn.looked_at > 0) with_tables.add(name);
        found.push(...torn.found.map((text) => `${size.join(' × ')}: a word torn: ${text}`));
        if ([320, 720, 1440].includes(size[0])) found.push(...(await axeViolations(page, size.join(' × '))));
        if ([390, 720, 1024, 1440].includes(size[0])) await pictures(page, `reflow-${name}-${size[0]}`);
      }
      assert.deepEqual(found, []);
    });
  }

  test('words were looked for in the tables of all views that have some', () => {
    assert.deepEqual([...with_tables].sort(), ['account', 'attackers', 'audit', 'exceptions', 'history', 'lists', 'notify', 'overview', 'pinned', 'report', 'rules', 'sites', 'source', 'syslog', 'system', 'tokens', 'tuning', 'users']);
  });

  test('at 320 px: live, columns, views, export, groups, top lists, filter and detail can all be used', async () => {
    await resize([320, 256]);
    await open();
    await hook('event-row').first().waitFor();
    for (const [menu, inside] of [['columns-menu', 'column-method'], ['views-menu', 'view-name'], ['export-menu', null]]) {
      await hook(menu).click();
      const target = inside ? hook(inside) : page.getByRole('link', { name: 'Download CSV' });
      await target.scrollIntoViewIfNeeded();
      assert.deepEqual(await unreachable(page), [], menu);
      if (inside === 'column-method') await target.check();
      await page.keyboard.press('Escape');
    }
    await until('the method in the rows', async () => /GET/.test(await hook('event-row').first().innerText()));
    await hook('live').click();
    await until('paused', async () => (await hook('live').getAttribute('aria-pressed')) === 'false');
    await hook('facets-toggle').click();
    await hook('facet-type').locator('.facet-value').first().click();
    await until('the filter', () => new URL(page.url()).searchParams.get('q') === 'type:sqli');
    await hook('facets-toggle').click();
    await page.getByRole('button', { name: 'Attackers', exact: true }).click();
    await hook('group-row').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Source', exact: true }).isVisible(), true, 'sorting');
    await hook('source-open').first().click();
    await hook('group-exception').first().click();
    await hook('ex-host').waitFor();
    assert.deepEqual(await unreachable(page), [], 'the exception');
    await page.keyboard.press('Escape');
    await hook('histogram').getByRole('button', { name: 'Events', exact: true }).click();
    await hook('event-row').first().click({ position: { x: 60, y: 8 } });
    await hook('verdict').waitFor();
    const box = await hook('event-detail').boundingBox();
    assert.deepEqual([box.x, box.width], [0, 320], 'the detail has the whole window');
    await hook('copy-menu').click();
    await hook('copy-json').scrollIntoViewIfNeeded();
    await page.keyboard.press('Escape');
    await hook('make-exception').click();
    await hook('ex-host').waitFor();
    await page.keyboard.press('Escape');
    await hook('detail-close').click();
    await until('the list again', async () => (await hook('event-detail').count()) === 0);
  });

  test('Enter opens the event and puts the focus into it, Esc leads back to the list', async () => {
    await resize([1440, 900]);
    await open();
    await hook('event-row').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await hook('verdict').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.closest('[data-testid=event-detail]') !== null), true);
    await page.keyboard.press('Escape');
    await until('closed', async () => (await hook('event-detail').count()) === 0);
    assert.equal(await page.evaluate(() => document.activeElement?.closest('[data-testid=event-list]') !== null), true);
  });

  test('tables sort by what is in them', async () => {
    await open('?view=settings&section=rules');
    const names = () => page.locator('[data-testid=rule] td[data-label=Number]').allInnerTexts().then((all) => all.slice(0, 5).map(Number));
    await hook('rule').first().waitFor();
    const head = page.getByRole('columnheader', { name: 'Number' });
    await head.getByRole('button').click();
    assert.equal(await head.getAttribute('aria-sort'), 'descending');
    const down = await names();
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    await head.getByRole('button').click();
    const up = await names();
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    assert.notDeepEqual(up, down);
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints, []));
});
