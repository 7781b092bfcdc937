// Rules on the page: mistakes with their line, upload, in force within seconds, switched off and on, kept over a restart; a built-in rule switched off.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { openConsole } from '../support/browser.mjs';
import { pictures } from '../support/pictures.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

const rule = { id: 'staging-login', name: 'Login of the staging area', attack_type: 'custom', risk: 'medium', location: 'urlpath', expression: '^/staging/login' };

describe('rules', () => {
  let wafd;
  let chromium;
  let page;
  const hook = (name) => page.getByTestId(name);
  const status = async (target) => (await request(`${wafd.http}/check${target}`, { headers: { Host: 'shop.example' } })).status;
  const shot = (name) => pictures(page, name);

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openConsole(wafd);
    ({ page } = chromium);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('a mistake is said with line, rule and reason, at the text, which stays', async () => {
    await page.goto(`${wafd.console}/?view=settings&section=rules`);
    await hook('rule-add').click();
    const wrong = `{"rules": [\n  ${JSON.stringify({ ...rule, id: 'good' })},\n  ${JSON.stringify({ ...rule, expression: '(' })}\n]}`;
    await hook('rule-text').fill(wrong);
    await hook('save').click();
    await hook('rule-dialog').locator('.field-error').waitFor();
    assert.match(await hook('rule-dialog').locator('.field-error').innerText(), /rule "staging-login": .+/);
    assert.equal(await hook('rule-text').inputValue(), wrong);
    await hook('rule-text').fill(`{"rules": [\n  ${JSON.stringify({ ...rule, risk: 'huge' })}\n]}`);
    await hook('save').click();
    await until('the line', async () => /^Line 2: rule "staging-login": /.test(await hook('rule-dialog').locator('.field-error').innerText().catch(() => '')));
    await shot('rules-mistake');
  });

  test('a file is uploaded and in force within seconds', async () => {
    assert.equal(await status('/staging/login'), 200);
    await hook('rule-file').setInputFiles({ name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from(`// mine\n{"rules": [${JSON.stringify(rule, null, 2)},]}`) });
    await until('the file to be read', async () => (await hook('rule-text').inputValue()).startsWith('// mine'));
    await hook('save').click();
    await hook('own-rule').waitFor();
    await until('the rule to be in force', async () => (await status('/staging/login')) === 403);
    await until('its hits', async () => (await wafd.api('GET', '/rules')).own[0].hits.count > 0);
    await page.reload();
    await hook('own-rule').waitFor();
    await shot('rules-own');
  });

  test('switched off and on, and kept over a restart', async () => {
    await hook('own-rule').getByTestId('rule-switch').click();
    await until('the rule to be off', async () => (await status('/staging/login')) === 200);
    await wafd.stop();
    await wafd.launch();
    assert.equal(await status('/staging/login'), 200);
    await page.reload();
    await hook('own-rule').getByTestId('rule-switch').click();
    await until('the rule to be on', async () => (await status('/staging/login')) === 403);
    await wafd.stop();
    await wafd.launch();
    assert.equal(await status('/staging/login'), 403, 'from the first request on');
  });

  test('a built-in rule is switched off by an exception for it, and on again', async () => {
    const answer = await request(`${wafd.http}/check/webshell.php?cmd=id`, { headers: { Host: 'shop.example' } });
    assert.equal(answer.status, 403);
    const { detail } = await wafd.event(answer.json().event_id);
    const ids = [...new Set(detail.findings.map((finding) => finding.rule_id))];
    await page.goto(`${wafd.console}/?view=settings&section=rules`);
    for (const id of ids) {
      await hook('rule-search').fill(id);
      await page.locator(`[data-testid=rule][data-rule="${id}"]`).getByTestId('rule-switch').click();
      await page.locator(`[data-testid=rule][data-rule="${id}"]`).getByText('Switch on').waitFor();
    }
    assert.equal(await status('/webshell.php?cmd=id'), 200);
    const { exceptions } = await wafd.api('GET', '/exceptions');
    assert.deepEqual(exceptions.map((one) => one.rule_id).sort(), [...ids].sort());
    assert.ok(exceptions.every((one) => one.author === 'admin' && /switched off/.test(one.comment)));
    for (const id of ids) {
      await hook('rule-search').fill(id);
      await page.locator(`[data-testid=rule][data-rule="${id}"]`).getByTestId('rule-switch').click();
      await page.locator(`[data-testid=rule][data-rule="${id}"]`).getByText('Switch off').waitFor();
    }
    assert.equal(await status('/webshell.php?cmd=id'), 403);
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints.filter((c) => !/status of 4|ERR_CONNECTION|net::|Failed to fetch/.test(c)), []));
});
