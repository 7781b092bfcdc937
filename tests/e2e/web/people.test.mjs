// The page in the reader's language, a second factor by QR code, the view of viewers, the end of all sessions.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openBrowser, setUp } from '../support/browser.mjs';
import { pictures } from '../support/pictures.mjs';
import { tempFolder, until } from '../support/processes.mjs';
import { Wafd, request } from '../support/wafd.mjs';

const attack = '/item?id=1%27%20UNION%20SELECT%20password%20FROM%20users--%20';

// RFC 6238 by Node's own means, as an authenticator app computes it.
function totp(secret, time_ms) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((c) => alphabet.indexOf(c).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time_ms / 30_000)));
  const mac = crypto.createHmac('sha1', key).update(counter).digest();
  const at = mac[19] & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

describe('people', () => {
  let wafd;
  let chromium;
  let page;
  let account;
  const hook = (name) => page.getByTestId(name);
  const text = (name) => hook(name).innerText();

  before(async () => {
    wafd = await Wafd.start();
    const sent = await request(`${wafd.http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': attack } });
    assert.equal(sent.status, 403);
    chromium = await openBrowser({ context: { locale: 'zh-CN' } });
    ({ page } = chromium);
    page.setDefaultTimeout(10_000);
    await page.goto(wafd.console);
    await hook('setup-form').waitFor();
    assert.match(await page.locator('h1').innerText(), /首次启动/);
    assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
    account = await setUp(page, wafd);
  });
  after(async () => {
    await chromium?.close();
    await wafd?.stop();
  });

  test('a browser that asks for Chinese gets every view in Chinese', async () => {
    for (const [name, address, words] of [
      ['events-zh', '/?range=all', /已拦截/], ['overview-zh', '/?view=overview', /监听器/], ['try-zh', '/?view=try', /试验请求|粘贴/],
      ['syslog-zh', '/?view=settings&section=syslog', /添加目标/], ['sites-zh', '/?view=settings&section=sites', /灵敏度/], ['rules-zh', '/?view=settings&section=rules', /引擎检测的内容/],
      ['users-zh', '/?view=settings&section=users', /管理员/], ['system-zh', '/?view=settings&section=system', /时区/], ['account-zh', '/?view=account', /双因素认证/],
    ]) {
      await page.goto(`${wafd.console}${address}`);
      await until(`${name} in Chinese`, async () => words.test(await page.locator('main').innerText()));
      assert.deepEqual(await axeViolations(page, name), []);
      await pictures(page, name);
    }
  });

  test('the reason of a finding is said in Chinese, the record is English', async () => {
    await page.goto(`${wafd.console}/?range=all`);
    await hook('event-row').first().click();
    await until('the reason', async () => /把 .+ 的结果并入查询自身的结果/.test(await text('event-detail')));
    await pictures(page, 'detail-zh');
    const list = (await request(`${wafd.console}/api/v1/events`, { headers: { Authorization: `Bearer ${wafd.token}` } })).json();
    assert.match(list.events[0].record.reason, /^joins the result of /);
  });

  test('the user chooses language and time zone, and both are kept with the account', async () => {
    await page.goto(`${wafd.console}/?view=account`);
    await hook('preferences-language').selectOption('en');
    await hook('preferences-zone').fill('Mars/Olympus');
    await hook('preferences-save').click();
    await until('the zone to be refused', async () => /Mars|时区|time zone/.test(await text('preferences')));
    await hook('preferences-zone').fill('Asia/Shanghai');
    await hook('preferences-save').click();
    await until('English', async () => /Second factor/.test(await page.locator('main').innerText()));
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    await page.goto(`${wafd.console}/?range=all`);
    await until('the zone', async () => /Asia\/Shanghai/.test(await page.locator('main').innerText() + await page.locator('main').innerHTML()));
    const other = await openBrowser({ context: { locale: 'zh-CN' } });
    try {
      other.page.setDefaultTimeout(10_000);
      await other.page.goto(wafd.console);
      const form = other.page.getByTestId('login-form');
      await form.locator('[name=username]').fill(account.username);
      await form.locator('[name=password]').fill(account.password);
      await other.page.getByTestId('login-submit').click();
      await until('English for this account', async () => (await other.page.locator('html').getAttribute('lang')) === 'en');
    } finally {
      await other.close();
    }
  });

  test('a second factor: its QR code is read, a code turns it on, and log-ins ask for one', async () => {
    await page.goto(`${wafd.console}/?view=account`);
    await hook('factor-password').fill(account.password);
    await hook('factor-password-go').click();
    await hook('factor-qr').waitFor();
    const picture = path.join(tempFolder('qr'), 'qr.png');
    fs.writeFileSync(picture, await hook('factor-qr').screenshot());
    const read = spawnSync('zbarimg', ['--quiet', '--raw', picture], { encoding: 'utf8' });
    assert.equal(read.error, undefined, 'zbarimg (package zbar-tools)');
    const uri = new URL(read.stdout.trim());
    const secret = uri.searchParams.get('secret');
    assert.equal(secret, (await text('factor-secret')).trim());
    assert.equal(uri.searchParams.get('issuer'), 'wafd');
    assert.deepEqual(await axeViolations(page, 'factor'), []);
    await pictures(page, 'second-factor');
    await hook('factor-code').fill('000000');
    await hook('factor-code-go').click();
    await until('the wrong code to be refused', async () => /wrong/.test(await text('second-factor')));
    await hook('factor-code').fill(totp(secret, Date.now()));
    await hook('factor-code-go').click();
    await hook('recovery-codes').waitFor();
    const codes = await hook('recovery-codes').locator('li').allInnerTexts();
    assert.equal(codes.length, 10);
    await hook('recovery-done').click();
    await until('it is on', async () => /Recovery codes left: 10/.test(await text('factor-state')));

    await hook('log-out-everywhere').click();
    const form = hook('login-form');
    await form.waitFor();
    await form.locator('[name=username]').fill(account.username);
    await form.locator('[name=password]').fill(account.password);
    await hook('login-submit').click();
    await form.locator('[name=code]').waitFor();
    assert.deepEqual(await axeViolations(page, 'login-code'), []);
    await pictures(page, 'login-code');
    await form.locator('[name=code]').fill(codes[0]);
    await hook('login-submit').click();
    await hook('account-menu').waitFor();
    await page.goto(`${wafd.console}/?view=account`);
    await until('one code fewer', async () => /Recovery codes left: 9/.test(await text('factor-state')));
  });

  test('a viewer sees what happened without what the attacker sent, and looks behind the mask where that is allowed', async () => {
    const headers = { Authorization: `Bearer ${wafd.token}`, 'Content-Type': 'application/json' };
    const added = await request(`${wafd.console}/api/v1/users`, { method: 'POST', headers, body: JSON.stringify({ username: 'vera', role: 'viewer', password: 'amber falcon 77 dusk', may_unmask: true }) });
    assert.equal(added.status, 201, added.text);
    const viewer = await openBrowser();
    try {
      const seen = viewer.page;
      seen.setDefaultTimeout(10_000);
      await seen.goto(wafd.console);
      const form = seen.getByTestId('login-form');
      await form.locator('[name=username]').fill('vera');
      await form.locator('[name=password]').fill('amber falcon 77 dusk');
      await seen.getByTestId('login-submit').click();
      await seen.getByTestId('account-menu').waitFor();
      await seen.goto(`${wafd.console}/?range=all`);
      await seen.getByTestId('event-row').first().waitFor();
      assert.doesNotMatch(await seen.locator('main').innerText(), /password( |%20)FROM/i);
      await seen.getByTestId('event-row').first().click();
      await seen.getByTestId('masked').waitFor();
      assert.doesNotMatch(await seen.getByTestId('event-detail').innerText(), /password( |%20)FROM/i);
      assert.deepEqual(await axeViolations(seen, 'masked'), []);
      await pictures(seen, 'masked');
      await seen.getByTestId('unmask').click();
      await until('the request', async () => /password( |%20)FROM/i.test(await seen.getByTestId('event-detail').innerText()));
      assert.deepEqual(viewer.complaints, []);
    } finally {
      await viewer.close();
    }
    const audit = (await request(`${wafd.console}/api/v1/audit`, { headers })).text;
    assert.match(audit, /event\.unmask/);
  });

  test('a role that needs a second factor sets one up before anything else', async () => {
    const headers = { Authorization: `Bearer ${wafd.token}`, 'Content-Type': 'application/json' };
    const set = await request(`${wafd.console}/api/v1/system`, { method: 'PUT', headers, body: JSON.stringify({ second_factor_roles: ['viewer'] }) });
    assert.equal(set.status, 200, set.text);
    const viewer = await openBrowser();
    try {
      const seen = viewer.page;
      seen.setDefaultTimeout(10_000);
      await seen.goto(wafd.console);
      const form = seen.getByTestId('login-form');
      await form.locator('[name=username]').fill('vera');
      await form.locator('[name=password]').fill('amber falcon 77 dusk');
      await seen.getByTestId('login-submit').click();
      await seen.getByTestId('factor-state').waitFor();
      assert.equal(await seen.getByTestId('nav-events').count(), 0);
      assert.deepEqual(await axeViolations(seen, 'factor-first'), []);
      await pictures(seen, 'factor-first');
    } finally {
      await viewer.close();
    }
  });

  test('nothing was complained of', () => assert.deepEqual(chromium.complaints, []));
});
