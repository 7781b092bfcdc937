// Working with events in a real Chromium: completion, filter errors in place, copies, exceptions with their preview,
// judging an event again. WAFD_SCREENSHOTS=FOLDER also takes pictures, light and dark.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openBrowser, setUp } from '../support/browser.mjs';
import { at_rest, pictures } from '../support/pictures.mjs';
import { until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('working with events', () => {
  let wafd;
  let chromium;
  let page;
  const open = (query = '') => page.goto(`${wafd.console}/${query}`);
  const hook = (name) => page.getByTestId(name);
  // Looked at by axe and photographed.
  const picture = async (name) => {
    await pictures(page, name);
    await at_rest(page);
    assert.deepEqual(await axeViolations(page, name), []);
  };

  // One request behind /check, as from that source; the event's id.
  const attack = async (uri, source = '198.51.100.1', expected = 403) => {
    const answer = await request(`${wafd.http}/check`, {
      headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': uri, 'X-Forwarded-For': source, 'User-Agent': 'Mozilla/5.0' },
    });
    assert.equal(answer.status, expected, uri);
    return expected === 403 ? answer.json().event_id : undefined;
  };
  const sqli = '/user/17/edit?id=7%20UNION%20SELECT%20login,secret%20FROM%20accounts--';
  const both = `${sqli}&q=%3Cimg%20src=x%20onerror=alert(1)%3E`;
  let own;

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openBrowser();
    ({ page } = chromium);
    page.setDefaultTimeout(10_000);
    own = await attack(sqli);
    await attack(sqli.replace('17', '18'));
    await attack(both);
    await attack(sqli, '203.0.113.7');
    await attack('/ping?host=127.0.0.1;cat%20/etc/shadow', '203.0.113.7');
    await attack(sqli, '203.0.113.8');
    await setUp(page, wafd);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: wafd.console });
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('completion: fields, then values with what they mean, by keyboard alone', async () => {
    await open();
    await hook('event-row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('ty');
    await until('the field', async () => (await hook('query-offer').allInnerTexts()).some((text) => text.startsWith('type')));
    await page.keyboard.press('Tab');
    assert.equal(await hook('query').inputValue(), 'type:');
    await page.keyboard.type('s');
    await until('the values', async () => (await hook('query-offer').allInnerTexts()).some((text) => text.includes('SQL injection')));
    await page.keyboard.press('ArrowDown');
    assert.equal(await hook('query').getAttribute('aria-activedescendant'), 'offer-0');
    await picture('completion');
    await page.keyboard.press('Enter');
    assert.equal(await hook('query').inputValue(), 'type:sqli ');
    await until('the filter', async () => new URL(page.url()).searchParams.get('q') === 'type:sqli');
    await page.keyboard.type('src:203');
    await until('sources that are there', async () => (await hook('query-offer').allInnerTexts()).filter((text) => text.includes('203.0.113.')).length === 2);
    assert.equal(await hook('query-offer').filter({ hasText: '198.51.100' }).count(), 0);
    await page.keyboard.press('Escape');
    await until('closed', async () => (await hook('query-offer').count()) === 0);
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'query', 'the first Escape closes the offers alone');
    await hook('query-clear').click();
  });

  test('a wrong filter: the server’s words once, the wrong part marked where it stands', async () => {
    await open();
    await hook('query').fill('risk:high nofield:x type:sqli');
    await hook('query-wrong').waitFor();
    assert.equal(await hook('query-wrong').innerText(), 'nofield:x');
    const words = await hook('query-error').innerText();
    assert.match(words, /Expected a field \(id, type, /);
    assert.doesNotMatch(words, /offset|character|q:|query,/);
    await picture('filter-error');
    await hook('query').fill('');
    await hook('query-error').waitFor({ state: 'detached' });
  });

  test('an address with a parameter given twice is the page, not a problem document', async () => {
    const answer = await page.goto(`${wafd.console}/?q=type:sqli&q=type:xss`);
    assert.equal(answer.status(), 200);
    await hook('event-list').waitFor();
    assert.equal(await hook('query').inputValue(), 'type:sqli');
  });

  test('the syslog line that is copied is the one that a target gets', async () => {
    await open(`?event=${own}`);
    await hook('copy-menu').click();
    await hook('copy-syslog').click();
    const line = await until('the line', async () => {
      const text = await page.evaluate(() => navigator.clipboard.readText());
      return text.startsWith('<') && text;
    });
    const { record } = await wafd.event(own);
    assert.match(line, /^<26>1 \S+ node-1 wafd 1 waf_event - \{/);
    assert.deepEqual(JSON.parse(line.slice(line.indexOf('{'))), record);
  });

  test('an exception from an event: prefilled, previewed three ways, attackers first, in force at once', async () => {
    await open(`?event=${own}`);
    await hook('verdict').waitFor();
    await page.keyboard.press('e');
    await hook('event-exception').waitFor();
    assert.equal(await hook('ex-host').inputValue(), 'shop.example');
    assert.equal(await hook('ex-path').inputValue(), '/user/*/edit');
    assert.equal(await hook('ex-name').inputValue(), 'id');
    const count = async (name) => Number((await hook(name).locator('strong').innerText()).replace(/\D/g, ''));
    await until('the preview', async () => (await hook('exception-preview').getAttribute('aria-busy')) === 'false');
    assert.equal(await count('preview-unknown'), 0);
    // Several findings may stand in one value: with the narrow rule some of them may still deny.
    await hook('event-exception').locator('.segments [data-value=any]').click();
    await until('all four by that parameter', async () => (await count('preview-pass')) === 4);
    assert.equal(await count('preview-denied'), 1, 'the one with markup beside it');
    assert.match(await hook('preview-event').innerText(), /This event would pass/);
    assert.match(await hook('preview-attackers').innerText(), /One source/);
    const sources = await hook('exception-preview').locator('li').allInnerTexts();
    assert.equal(sources.length, 2);
    assert.match(sources[0], /203\.0\.113\.7/);
    assert.match(sources[0], /1 other stopped/);
    await until('settled', async () => (await hook('exception-preview').getAttribute('aria-busy')) === 'false');
    await picture('exception-preview');
    await hook('ex-host').fill('not a host');
    await page.locator('.field-error').first().waitFor();
    await hook('ex-host').fill('shop.example');
    await hook('ex-comment').fill('the report form');
    await until('the preview again', async () => (await count('preview-pass')) === 4 && (await hook('exception-preview').getAttribute('aria-busy')) === 'false');
    await hook('save').click();
    await hook('exception-made').waitFor();
    const { exceptions } = await wafd.api('GET', '/exceptions');
    assert.equal(exceptions.length, 1);
    assert.deepEqual([exceptions[0].host, exceptions[0].path, exceptions[0].name, exceptions[0].author], ['shop.example', '/user/*/edit', 'id', 'admin']);
    assert.equal(exceptions[0].comment, `the report form (event ${own})`);
    await until('it to be in force', () => attack(sqli, '198.51.100.1', 200).then(() => true));
    await attack(both);
  });

  test('an event is judged again from the try-it page', async () => {
    await open(`?event=${own}`);
    await hook('judge-again').click();
    await hook('taken-from').waitFor();
    await until('the request', async () => (await hook('inspect-request').inputValue()).startsWith('GET /user/17/edit?id=7%20UNION'));
    await hook('inspect-run').click();
    await hook('inspect-result').waitFor();
    assert.match(await hook('inspect-result').innerText(), /accepted by an exception/);
  });

  test('trying: a draft exception and a sensitivity are judged beside what is in force', async () => {
    await open('?view=try');
    await hook('inspect-request').fill('GET /report?id=7%20UNION%20SELECT%20login,secret%20FROM%20accounts-- HTTP/1.1\nHost: shop.example\n\n');
    await hook('inspect-form').getByLabel('Sensitivity').selectOption('strict');
    await hook('inspect-form').locator('summary').click();
    await hook('inspect-form').getByLabel('Draft exception: path').fill('/report');
    await hook('inspect-form').getByLabel('Draft exception: parameter').fill('id');
    await hook('inspect-run').click();
    await hook('inspect-draft').waitFor();
    assert.match(await hook('inspect-result').innerText(), /SQL injection[\s\S]*Blocked/);
    assert.match(await hook('inspect-draft').innerText(), /With the draft[\s\S]*accepted by an exception/);
    assert.doesNotMatch(await hook('inspect-draft').innerText(), /Blocked/);
    await picture('try-draft');
  });

  test('an event that was recorded cut is not called harmless when nothing is found in what is left', async () => {
    const record = JSON.stringify({ method: 'POST', uri: '/upload', src_ip: '198.51.100.40', host: 'shop.example', headers: [['Host', 'shop.example'], ['Content-Type', 'application/x-www-form-urlencoded']],
      body: `note=${'x'.repeat(60_000)}&id=7 UNION SELECT login,secret FROM accounts--` });
    assert.equal((await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${record}\n` })).status, 200);
    const id = await until('the event', async () => (await wafd.api('GET', '/events?q=path:/upload')).events[0]?.record.event_id);
    await open(`?view=try&event=${id}`);
    await hook('taken-incomplete').waitFor();
    await hook('inspect-run').click();
    await hook('inspect-result').waitFor();
    assert.match(await hook('inspect-result').innerText(), /Unknown[\s\S]*cannot be said/);
    assert.doesNotMatch(await hook('inspect-result').innerText(), /would pass\./);
  });

  test('triage: x selects, many at once, and is: filters by it', async () => {
    await open('?range=all');
    await hook('event-row').nth(2).waitFor();
    const total = await hook('event-row').count();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await hook('selection').waitFor();
    assert.match(await hook('selection').innerText(), /2 selected/);
    await picture('selection');
    await hook('selection-false').click();
    await hook('selection').waitFor({ state: 'detached' });
    await until('both closed', async () => (await page.locator('.row.closed').count()) === 2);
    await open('?range=all&q=is:open');
    await until('the others', async () => (await hook('event-row').count()) === total - 2);
    await open('?range=all&q=is:false_positive');
    await until('these two', async () => (await hook('event-row').count()) === 2);
    await hook('event-row').first().locator('.cell-time').click();
    await hook('triage').waitFor();
    await until('who said so', async () => /^admin, /.test(await hook('triage-by').innerText()));
    await hook('triage-note').fill('the report form\nof accounting');
    await hook('triage-save').click();
    await hook('triage-save').waitFor({ state: 'detached' });
    const id = await hook('event-detail').getAttribute('data-event-id');
    const { marks } = await wafd.api('GET', `/triage?events=${id}`);
    assert.deepEqual([marks[0].state, marks[0].label, marks[0].note, marks[0].by], ['closed', 'false_positive', 'the report form\nof accounting', 'admin']);
    await picture('triage');
  });

  test('a pinned event has a view of its own', async () => {
    await open(`?range=all&event=${own}`);
    await hook('pin').click();
    await until('pinned', async () => (await hook('pin').getAttribute('aria-pressed')) === 'true');
    await open('?group=pinned');
    await hook('pin-row').waitFor();
    assert.match(await hook('pin-row').innerText(), /\/user\/17\/edit/);
    assert.equal((await wafd.api('GET', '/pins')).pins[0].event_id, own);
    await picture('pinned');
  });

  test('two groupings: attackers and tuning, each row leads to its events', async () => {
    await open('?range=all&group=attackers');
    await hook('group-row').first().waitFor();
    const attackers = await hook('group-row').allInnerTexts();
    assert.ok(attackers.some((text) => text.includes('203.0.113.7')), attackers.join('|'));
    await open('?range=all&group=tuning');
    const row = hook('group-row').filter({ hasText: '/user/17/edit' }).first();
    await row.waitFor();
    const count = Number((await row.locator('.group-counts strong').innerText()).trim());
    await row.getByRole('link').first().click();
    await until('its events', async () => (await hook('event-row').count()) === count);
    assert.match(await hook('query').inputValue(), /^rule:\S+ host:shop\.example path:\/user\/17\/edit param:id$/);
    await page.goBack();
    await hook('group-exception').first().click();
    await hook('event-exception').waitFor();
    await page.keyboard.press('Escape');
  });

  test('a view is saved, shared, opened again, and one to begin with', async () => {
    await open('?q=type:sqli&range=7d');
    await hook('views-menu').click();
    await hook('view-name').fill('SQL this week');
    await hook('views').getByLabel('For everybody').check();
    await hook('view-save').click();
    await hook('view').waitFor();
    await picture('views');
    await hook('view').getByRole('button', { name: 'Begin with this view' }).click();
    await open();
    await until('the view to begin with', async () => new URL(page.url()).searchParams.get('q') === 'type:sqli');
    assert.equal(await hook('query').inputValue(), 'type:sqli');
    const { views } = await wafd.api('GET', '/views');
    assert.deepEqual([views[0].name, views[0].shared, views[0].query], ['SQL this week', true, 'q=type%3Asqli&range=7d']);
    // One whose search cannot be done is not kept.
    await open('?q=src:notip');
    await hook('query-error').waitFor();
    await hook('views-menu').click();
    await hook('view-name').fill('Broken');
    await hook('view-save').click();
    await hook('views').getByText(/at character 5: expected an address, a prefix/).waitFor();
    assert.equal(await hook('view-name').inputValue(), 'Broken');
    assert.equal((await wafd.api('GET', '/views')).views.length, 1);
  });

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints.filter((c) => !/status of 4(00|22)/.test(c)), []));
});
