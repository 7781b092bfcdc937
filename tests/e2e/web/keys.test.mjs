// A span of the histogram by keys alone, and addresses of which the end can be read however little room there is.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openConsole } from '../support/browser.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('the histogram by keys, long addresses', () => {
  let wafd;
  let chromium;
  let page;
  const hook = (name) => page.getByTestId(name);
  const parameter = (name) => new URL(page.url()).searchParams.get(name);
  const sources = ['2001:db8:85a3:8d3:1319:8a2e:370:7348', '2001:db8:85a3:8d3:1319:8a2e:370:7349', '198.51.100.7'];

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openConsole(wafd);
    ({ page } = chromium);
    const lines = sources.map((src_ip) => JSON.stringify({ method: 'GET', uri: '/item?id=1%27%20OR%20%271%27=%271', src_ip, host: 'shop.example', headers: [['Host', 'shop.example']] }));
    assert.equal((await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${lines.join('\n')}\n` })).status, 200);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('arrows move, Shift chooses a span, Enter shows it, Escape lets it go; each step is said', async () => {
    await page.goto(`${wafd.console}/?range=15m`);
    await until('the total', async () => /\b3\b/.test(await hook('event-total').innerText()));
    const keys = hook('histogram-keys');
    await keys.focus();
    const last = Number(await keys.getAttribute('aria-valuemax'));
    assert.equal(Number(await keys.getAttribute('aria-valuenow')), last);
    await page.keyboard.press('ArrowLeft');
    assert.equal(Number(await keys.getAttribute('aria-valuenow')), last - 1);
    assert.match(await keys.getAttribute('aria-valuetext'), /\d blocked, \d would block, \d below threshold$/);
    await page.keyboard.press('Home');
    assert.equal(await keys.getAttribute('aria-valuenow'), '0');
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('Shift+ArrowRight');
    assert.match(await keys.getAttribute('aria-valuetext'), /Chosen: .+ to .+/);
    assert.deepEqual(await axeViolations(page, 'histogram keys'), []);
    await page.keyboard.press('Escape');
    assert.equal(Number(await keys.getAttribute('aria-valuenow')), last);
    assert.equal(parameter('from'), null);
    await page.keyboard.press('Home');
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await until('the span', () => parameter('from') !== null);
    // Four of the chart's spans. It reaches back to the oldest event, a minute at least and 15 at most.
    const chart_ms = ((Number(parameter('to')) - Number(parameter('from'))) / 4) * (last + 1);
    assert.ok(chart_ms > 50_000 && chart_ms < 16 * 60_000, `${chart_ms} ms`);
    await until('nothing that long ago', async () => /\b0\b/.test(await hook('event-total').innerText()));
    await page.goBack();
    await until('back', async () => /\b3\b/.test(await hook('event-total').innerText()));
  });

  test('a long address shows its end, in top lists, in the list and on the overview', async () => {
    for (const [address, where] of [['/?range=15m', '.facet[data-testid=facet-src] .facet-text'], ['/?view=overview', '.top-list a'], ['/?range=15m', '.cell-src .cell-text']]) {
      await page.goto(`${wafd.console}${address}`);
      for (const source of sources) {
        const shown = page.locator(where).filter({ hasText: source }).first();
        await shown.waitFor();
        assert.equal(await shown.innerText(), source, 'the whole of it is there to copy and to read aloud');
        // The end lies within what is drawn.
        const seen = await shown.evaluate((box) => {
          const end = document.createRange();
          const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
          let node;
          for (let next = texts.nextNode(); next; next = texts.nextNode()) node = next;
          end.setStart(node, node.length - 1);
          end.setEnd(node, node.length);
          let frame = box;
          while (getComputedStyle(frame).overflowX === 'visible') frame = frame.parentElement;
          return { end: end.getBoundingClientRect().right, frame: frame.getBoundingClientRect().right };
        });
        assert.ok(seen.end <= seen.frame + 1, `${source} in ${where}: ends at ${seen.end}, the frame at ${seen.frame}`);
      }
    }
    assert.deepEqual(chromium.complaints, []);
  });
});
