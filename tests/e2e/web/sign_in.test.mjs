// The button of the provider, there and back in a real browser; the settings page that sets it up; where neither leads astray.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openBrowser, openConsole } from '../support/browser.mjs';
import { clientId, clientSecret, SignInProvider } from '../support/oidc_provider.mjs';
import { pictures } from '../support/pictures.mjs';
import { until } from '../support/processes.mjs';
import { Wafd } from '../support/wafd.mjs';

describe('sign-in by a provider in the browser', () => {
  let wafd;
  let provider;
  let chromium;
  const hook = (name) => chromium.page.getByTestId(name);

  before(async () => {
    wafd = await Wafd.start();
    provider = await SignInProvider.start(`${wafd.console}/oidc/callback`, { olga: { preferred_username: 'olga', groups: ['soc'] } });
    chromium = await openConsole(wafd);
  });
  after(async () => {
    await chromium?.close();
    await provider?.close();
    await wafd?.stop();
  });

  test('an administrator sets it up, checks it and gives the redirect URI to the provider', async () => {
    const { page } = chromium;
    await page.goto(`${wafd.console}/?view=settings&section=sign_in`);
    await hook('oidc-redirect').waitFor();
    assert.equal(await hook('oidc-redirect').innerText(), `${wafd.console}/oidc/callback`);
    await hook('oidc-edit').click();
    await hook('oidc-issuer').fill('http://id.example');
    await hook('save').click();
    await until('the refusal at its field', async () => /https:\/\//.test(await page.locator('.invalid .field-error').innerText()));
    await hook('oidc-issuer').fill(provider.issuer);
    await until('no word of what stood there before', async () => (await page.locator('.field-error').count()) === 0);
    await hook('oidc-client-id').fill(clientId);
    await hook('oidc-client-secret').fill(clientSecret);
    await hook('oidc-label').fill('Example Works');
    await hook('oidc-ca').fill(provider.ca);
    await hook('oidc-operator_groups').fill('soc\nnight watch');
    await hook('oidc-enabled').check();
    await hook('oidc-check').click();
    await until('the provider to answer', async () => /description and its keys are good/.test(await hook('oidc-check-result').innerText()));
    assert.deepEqual(await axeViolations(page, 'sign-in-dialog'), []);
    await pictures(page, 'sign-in-dialog');
    await hook('save').click();
    await until('it is on', async () => (await hook('oidc-state').innerText()) === 'on');
    assert.deepEqual(await axeViolations(page, 'sign-in'), []);
    await pictures(page, 'sign-in');
  });

  test('the button leads there, and back to the view that was asked for', async () => {
    const other = await openBrowser();
    const { page } = other;
    page.setDefaultTimeout(10_000);
    try {
      await page.goto(`${wafd.console}/?view=overview`);
      await page.getByTestId('provider-sign-in').waitFor();
      assert.equal(await page.getByTestId('provider-sign-in').innerText(), 'Sign in with Example Works');
      assert.deepEqual(await axeViolations(page, 'door-provider'), []);
      await pictures(page, 'door-provider');
      assert.deepEqual(other.complaints, []);
      await page.getByTestId('provider-sign-in').click();
      await page.locator('[name=login]').fill('olga');
      await page.locator('[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.locator('button[type=submit]').click();
      await page.getByTestId('overview').waitFor();
      other.complaints.length = 0;  // the provider's own pages ask for files of elsewhere
      assert.equal(page.url(), `${wafd.console}/?view=overview`, 'no code and no state stay in the address');
      await page.getByTestId('account-menu').click();
      assert.match(await page.locator('.account-panel').innerText(), /olga/);
      await page.goto(`${wafd.console}/?view=account`);
      await page.getByTestId('by-provider').waitFor();
      assert.equal(await page.getByTestId('password-form').count(), 0);
      assert.deepEqual(await axeViolations(page, 'account-provider'), []);
      assert.deepEqual(other.complaints, []);
      await page.getByTestId('account-menu').click();
      await page.getByTestId('log-out').click();
      await page.waitForURL((url) => url.origin === provider.issuer);
      await page.goto(wafd.console);
      await page.getByTestId('login-form').waitFor();
    } finally {
      await other.close();
    }
  });

  test('an answer that nobody asked for is refused, and leads to no other place', async () => {
    const other = await openBrowser();
    const { page } = other;
    page.setDefaultTimeout(10_000);
    try {
      const state = 's'.repeat(43);
      await page.goto(`${wafd.console}/oidc/callback?code=c&state=${state}&return=https%3A%2F%2Fevil.example&error_description=call+555-0100`);
      await page.getByTestId('provider-refused').waitFor();
      assert.match(await page.getByTestId('provider-refused').innerText(), /not begun in this browser/);
      assert.equal(page.url(), `${wafd.console}/`);
      assert.ok(!(await page.locator('body').innerText()).includes('555'));
      await page.evaluate(() => sessionStorage.setItem('wafd-before-sign-in', '//evil.example/'));
      await page.goto(`${wafd.console}/oidc/callback?code=c&state=${state}`);
      await page.getByTestId('provider-refused').waitFor();
      assert.equal(page.url(), `${wafd.console}/`);
    } finally {
      await other.close();
    }
  });

  test('a provider that is down is said at its button, and the password still logs in', async () => {
    await provider.close();
    await wafd.program.stop();
    await wafd.launch();
    const other = await openBrowser();
    const { page } = other;
    page.setDefaultTimeout(20_000);
    other.complaints.length = 0;
    try {
      await page.goto(wafd.console);
      await page.getByTestId('provider-sign-in').click();
      await page.getByTestId('provider-error').waitFor();
      assert.match(await page.getByTestId('provider-error').innerText(), /nobody accepts connections there/);
      await pictures(page, 'door-provider-down');
      await page.locator('[name=username]').fill(chromium.account.username);
      await page.locator('[name=password]').fill(chromium.account.password);
      await page.getByTestId('login-submit').click();
      await page.getByTestId('event-list').or(page.getByTestId('empty')).first().waitFor();
    } finally {
      await other.close();
      await provider.open();
    }
  });
});
