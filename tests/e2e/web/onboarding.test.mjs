// An empty console in a real Chromium: it says where this node listens, how gateways are connected, and that it waits; the copied
// attack brings the first event.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openConsole } from '../support/browser.mjs';
import { at_rest, pictures } from '../support/pictures.mjs';
import { run, until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('an empty console', () => {
  let wafd;
  let chromium;
  let page;
  const hook = (name) => page.getByTestId(name);

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openConsole(wafd, 20_000);
    ({ page } = chromium);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: wafd.console });
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('where it listens, and that it waits', async () => {
    await hook('onboarding').waitFor();
    assert.match(await hook('onboarding-state').innerText(), /Waiting for the first request/);
    const { listeners } = await wafd.api('GET', '/status');
    for (const { address } of listeners) assert.ok((await hook('onboarding').innerText()).includes(address), address);
    await pictures(page, 'onboarding');
    await at_rest(page);
    assert.deepEqual(await axeViolations(page, 'onboarding'), []);
  });

  test('a snippet of every gateway, with the addresses of this node', async () => {
    const offered = await hook('onboarding-gateway').locator('option').evaluateAll((all) => all.map((one) => one.value));
    assert.ok(offered.length >= 9, offered.join());
    for (const id of offered) {
      await hook('onboarding-gateway').selectOption(id);
      if (['haproxy', 'envoy'].includes(id)) { // these listeners are off by default
        await hook('onboarding-off').waitFor();
        continue;
      }
      await until(id, async () => /\d+/.test(await hook('onboarding-snippet').innerText()));
      const text = await hook('onboarding-snippet').innerText();
      assert.ok([wafd.t1kPort, new URL(wafd.http).port].some((port) => text.includes(`${port}`)), `${id}: ${text}`);
    }
  });

  test('a request that is no attack is told; the copied attack brings the first event', async () => {
    assert.equal((await request(`${wafd.http}/check/fine`, { headers: { Host: 'shop.example' } })).status, 200);
    await until('a request', async () => /Requests have come: 1\b/.test(await hook('onboarding-state').innerText()));
    await hook('onboarding-attack').getByRole('button').click();
    await until('copied', async () => /^curl /.test(await page.evaluate(() => navigator.clipboard.readText())));
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const done = await run('/bin/sh', ['-c', command]);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /^HTTP\/1\.1 403/);
    await hook('event-row').first().waitFor();
    await until('gone', async () => (await hook('onboarding').count()) === 0);
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints, []));
});
