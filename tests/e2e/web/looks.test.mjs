// How the page looks, measured in a real Chromium: widths from 1024 px up, no jump of the layout while live, colours by
// system and by choice, nothing from elsewhere, every dialog and menu named for screen readers.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openBrowser, setUp } from '../support/browser.mjs';
import { at_rest, pictures } from '../support/pictures.mjs';
import { until } from '../support/processes.mjs';
import { views } from '../support/views.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('how the page looks', () => {
  let wafd;
  let chromium;
  let page;
  const asked = [];
  const open = (query = '') => page.goto(`${wafd.console}/${query}`);
  const hook = (name) => page.getByTestId(name);
  let made = 0;
  const attacks = async (count) => {
    const lines = Array.from({ length: count }, () => JSON.stringify({
      method: 'GET', uri: `/a/long/path/to/some/item/${made++}?id=1%27%20OR%20%271%27=%271`, src_ip: `2001:db8:1234:5678:9abc:def0:1234:${(made % 9).toString(16)}`,
      host: 'a-rather-long-name.shop.example', headers: [['Host', 'a-rather-long-name.shop.example']],
    }));
    assert.equal((await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${lines.join('\n')}\n` })).status, 200);
  };

  before(async () => {
    wafd = await Wafd.start({ node: 'gateway-west-3.internal.example' });
    chromium = await openBrowser();
    ({ page } = chromium);
    page.setDefaultTimeout(10_000);
    page.on('request', (one) => asked.push(one.url()));
    await setUp(page, wafd);
    await attacks(40);
    await wafd.addTarget({ name: 'A receiver with quite a long name in the other building', host: '127.0.0.1', port: 9, transport: 'tcp' });
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  // Elements that are wider than their place and cannot be scrolled: the page, its frame, cards, dialogs.
  const spilling = () => page.evaluate(() => {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push(`the page: ${document.documentElement.scrollWidth}`);
    for (const box of document.querySelectorAll('.topbar, .toolbar, .legend, main, .page, .card, .section, .settings-body, .events-list, .groups, .detail, .figures, .figure, dialog[open], .menu-panel')) {
      const own = getComputedStyle(box).overflowX;
      if (box.scrollWidth > box.clientWidth + 1 && own !== 'hidden') found.push(`${box.className}: ${box.scrollWidth} in ${box.clientWidth}`);
    }
    for (const control of document.querySelectorAll('button, input, select, textarea, a')) {
      const at = control.getBoundingClientRect();
      if (at.width === 0 || control.closest('.vlist, .skip, .unseen, .closed') || control.matches('.skip')) continue;
      if (at.left < -0.5 || at.right > innerWidth + 0.5) found.push(`${control.tagName} ${control.getAttribute('aria-label') ?? control.textContent.slice(0, 30)}: ${Math.round(at.left)} to ${Math.round(at.right)}`);
    }
    return found;
  });

  for (const [name, query] of Object.entries(views)) {
    test(`${name} from 1024 px up: nothing spills over its place or out of the window`, async () => {
      await open(query);
      await page.locator('h1, h2').first().waitFor();
      if (name === 'detail') {
        await hook('event-row').first().locator('.cell-time').click();
        await hook('verdict').waitFor();
      }
      await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {});  // a live tail never ends
      const found = [];
      for (const width of [1024, 1280, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        await at_rest(page);
        found.push(...(await spilling()).map((text) => `${width}: ${text}`));
        if (width === 1024 && ['events', 'detail', 'overview', 'tuning', 'sites', 'rules', 'syslog', 'system'].includes(name)) await pictures(page, `${name}-1024`);
      }
      assert.deepEqual(found, []);
      await page.setViewportSize({ width: 1360, height: 900 });
    });
  }

  test('every column of the list is in sight without scrolling sideways, from 1024 px', async () => {
    for (const width of [1024, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await open();
      await hook('event-row').first().waitFor();
      const out = await page.locator('.row-head .cell').evaluateAll((cells) => cells.map((c) => [c.textContent, Math.round(c.getBoundingClientRect().right)]).filter(([, right]) => right > innerWidth));
      assert.deepEqual(out, [], `${width} px`);
      // Words that are always the same are whole.
      const cut = await page.locator('.cell-time .cell-text, .cell-action .cell-text').evaluateAll((cells) => cells.filter((c) => c.scrollWidth > c.clientWidth).length);
      assert.equal(cut, 0, `${width} px`);
    }
    await page.setViewportSize({ width: 1360, height: 900 });
  });

  test('at 1440 px names of attacks and marked counts of the chart are whole', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${JSON.stringify({ method: 'GET', uri: '/ping?host=;cat%20/etc/passwd', src_ip: '198.51.100.9', host: 'shop.example', headers: [] })}\n` });
    await open();
    await until('the command', async () => (await page.locator('.cell-type .cell-text', { hasText: 'Command injection' }).count()) > 0);
    const cut = await page.locator('.cell-type .cell-text').evaluateAll((cells) => cells.filter((c) => c.scrollWidth > c.clientWidth).map((c) => c.textContent));
    assert.deepEqual(cut, []);
    await until('marks', async () => (await page.locator('.bars-count').count()) > 0);
    const above = await page.locator('.bars-count').evaluateAll((marks) => marks.filter((m) => m.getBoundingClientRect().top < document.querySelector('.bars').getBoundingClientRect().top).map((m) => m.textContent));
    assert.deepEqual(above, []);
    await page.setViewportSize({ width: 1360, height: 900 });
  });

  test('the audit log breaks no address and no action in two at 1024 px', async () => {
    await page.setViewportSize({ width: 1024, height: 800 });
    await open('?view=settings&section=audit');
    await hook('audit').waitFor();
    const broken = await page.locator('[data-testid=audit] tr:not(.table-below) > td:nth-child(-n+5):not(:nth-child(2))').evaluateAll((cells) => {
      const lines = (cell) => { const range = document.createRange(); range.selectNodeContents(cell); return new Set([...range.getClientRects()].map((r) => Math.round(r.top / 8))).size; };
      return cells.filter((cell) => cell.textContent !== '' && lines(cell) > 1).map((cell) => cell.textContent);
    });
    assert.deepEqual(broken, []);
    await page.setViewportSize({ width: 1360, height: 900 });
  });

  for (const [name, query] of [['list', ''], ['attackers', '?group=attackers'], ['overview', '?view=overview']]) {
    test(`${name}: nothing jumps while events arrive`, async () => {
      await open(query);
      await page.locator('.row[data-event-id], .group-table tbody tr, .top-list li').first().waitFor();
      await until('the answers', () => page.evaluate(() => document.querySelectorAll('.facet-empty').length === 0));
      if (query === '') await until('live', async () => /live-open/.test(await hook('live').getAttribute('class')));
      if (name === 'overview') await hook('targets-status').waitFor();  // the lists and the status are two answers
      await at_rest(page);
      await page.evaluate(() => {
        globalThis.jumps = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            for (const source of entry.sources) {
              const node = source.node?.nodeType === 1 ? source.node : source.node?.parentElement;
              // A row that makes room for another moves by whole rows: that is what a live list, newest or largest first, is.
              // The marks of the time axis stand where their times are.
              if (node?.closest('.vlist-rows, .top-list, .facet-values, .group-table tbody, .bars-ticks')) continue;
              // Less than a pixel is no jump.
              if (Math.round(source.previousRect.x) === Math.round(source.currentRect.x) && Math.round(source.previousRect.y) === Math.round(source.currentRect.y)) continue;
              globalThis.jumps.push(`${node?.className ?? 'gone'}: ${Math.round(source.previousRect.x)},${Math.round(source.previousRect.y)} to ${Math.round(source.currentRect.x)},${Math.round(source.currentRect.y)}`);
            }
          }
        }).observe({ type: 'layout-shift' });
      });
      const places = () => page.evaluate(() => ['.topbar', '.toolbar', '.legend', '.histogram', '.bars', '.events-body', '.facets', '.row-head', '.figures', '[data-testid=listeners]', '[data-testid=targets-status]']
        .map((s) => document.querySelector(s)?.getBoundingClientRect()).map((r) => (r ? [r.x, r.y, r.width].map(Math.round).join() : '')));
      const then = await places();
      for (let turn = 0; turn < 5; turn += 1) {
        await attacks(30);
        const wanted = (await wafd.api('GET', '/events?limit=1')).events[0].record.event_id;
        if (query === '') await until('the newest row', async () => (await page.locator('.row[data-event-id]').first().getAttribute('data-event-id')) === wanted);
        else await page.waitForResponse((answer) => /\/(status|groups|counts)/.test(answer.url()), { timeout: 20_000 });
      }
      await at_rest(page);
      assert.deepEqual(await places(), then);
      assert.deepEqual(await page.evaluate(() => globalThis.jumps), []);
    });
  }

  test('colours follow the system until one is chosen; the choice stays', async () => {
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    await open();
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await ground();
    assert.notEqual(light, dark);
    await hook('account-menu').click();
    await page.getByRole('button', { name: 'Light', exact: true }).click();
    assert.equal(await ground(), light);
    await page.reload();
    await hook('event-row').first().waitFor();
    assert.equal(await ground(), light, 'over a reload, against the system');
    await hook('account-menu').click();
    await page.getByRole('button', { name: 'As the system', exact: true }).click();
    assert.equal(await ground(), dark);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.keyboard.press('Escape');
  });

  test('menus, help and dialogs: named, closed by Escape, focus returns', async () => {
    await open();
    await hook('event-row').first().waitFor();
    for (const name of ['views-menu', 'columns-menu', 'export-menu', 'account-menu']) {
      await hook(name).click();
      await page.locator('.menu-panel').waitFor();
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await at_rest(page);
        assert.deepEqual(await axeViolations(page, `${name} ${colorScheme}`), []);
      }
      await page.keyboard.press('Escape');
      await page.locator('.menu-panel').waitFor({ state: 'detached' });
      assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), name);
    }
    await hook('help').click();
    await hook('help-dialog').waitFor();
    await pictures(page, 'help');
    assert.deepEqual(await axeViolations(page, 'help'), []);
    await page.keyboard.press('Escape');
    await until('focus back', () => page.evaluate(() => document.activeElement?.dataset.testid === 'help'));
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('everything came from the console itself, and every icon is drawn in the page', async () => {
    assert.ok(asked.length > 50, `${asked.length} requests`);
    assert.deepEqual(asked.filter((url) => !url.startsWith(`${wafd.console}/`)), []);
    const kinds = new Set(asked.map((url) => new URL(url).pathname).filter((name) => name.startsWith('/assets/')).map((name) => name.replace(/^.*\./, '')));
    assert.deepEqual([...kinds].sort(), ['css', 'js', 'svg'], 'no font, no picture');
    assert.ok((await page.locator('svg.icon path').count()) > 5);
    assert.equal(await page.locator('img').count(), 0);
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints, []));
});
