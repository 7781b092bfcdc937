// Chromium on the console's page; every script error, CSP report and foreign request is kept for the test to see.
import fs from 'node:fs';
import path from 'node:path';

import { chromium } from 'playwright-core';

// `args`, `context`: more arguments of the browser, more settings of its context.
export async function openBrowser({ args = [], context: settings = {} } = {}) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', ...args],
  });
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1360, height: 900 }, ...settings });
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (401|403|404|409|412|422|429)/.test(message.text())) complaints.push(message.text());
  });
  const opened = { browser, context, page, complaints, close: () => browser.close() };
  // A form with unsaved input asks before the tab leaves it: tests that go elsewhere mean it. Anything else is unexpected.
  opened.answer = (dialog) => {
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    complaints.push(`dialog: ${dialog.message()}`);
    return void dialog.dismiss();
  };
  page.on('dialog', (dialog) => opened.answer(dialog));
  return opened;
}

// First start: chooses the admin's password with the set-up token and ends on the event list.
export async function setUp(page, wafd, { username = 'admin', password = 'a quiet gateway at dusk 7' } = {}) {
  await page.goto(wafd.console);
  const form = page.getByTestId('setup-form');
  await form.waitFor();
  await form.locator('[name=token]').fill(fs.readFileSync(path.join(wafd.state, 'setup-token'), 'utf8').trim());
  await form.locator('[name=username]').fill(username);
  for (const field of await form.locator('[type=password]:not([name=token])').all()) await field.fill(password);
  await page.getByTestId('setup-submit').click();
  await page.getByTestId('event-list').or(page.getByTestId('empty')).first().waitFor();
  return { username, password };
}

// A browser on the event list of a wafd that starts for the first time; `account` is who is logged in.
export async function openConsole(wafd, timeout_ms = 10_000) {
  const opened = await openBrowser();
  opened.page.setDefaultTimeout(timeout_ms);
  try {
    opened.account = await setUp(opened.page, wafd);
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}
