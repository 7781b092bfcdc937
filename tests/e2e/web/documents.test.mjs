// "This field holds documents" on an event: the field's name is offered, kept with the site, and in force at once.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openConsole } from '../support/browser.mjs';
import { at_rest, pictures } from '../support/pictures.mjs';
import { T1kClient, requestMessage } from '../support/t1k.mjs';
import { Wafd } from '../support/wafd.mjs';

describe('fields that hold documents', () => {
  let wafd;
  let client;
  let chromium;
  let page;
  const hook = (name) => page.getByTestId(name);
  const post = (name) => {
    const body = `${name}=${encodeURIComponent("1' union select password from users-- ")}`;
    return client.ask(requestMessage(`POST /wiki HTTP/1.1\r\nHost: wiki.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n`, body));
  };

  before(async () => {
    wafd = await Wafd.start();
    client = await T1kClient.connect(wafd.t1kPort);
    chromium = await openConsole(wafd);
    ({ page } = chromium);
  });
  after(async () => {
    client?.close();
    await chromium?.close();
    await wafd?.stop();
  });

  test('from an event, in force at once', async () => {
    const denied = await post('text');
    assert.equal(denied.verdict, '?');
    await page.goto(`${wafd.console}/?event=${(await wafd.event(denied.id)).record.event_id}`);
    await hook('make-document').click();
    await hook('event-document').waitFor();
    assert.equal(await hook('document-name').inputValue(), 'text');
    await pictures(page, 'event-document');
    await at_rest(page);
    assert.deepEqual(await axeViolations(page, 'event-document'), []);
    await hook('event-document').getByTestId('save').click();
    await hook('exception-made').waitFor();
    assert.equal((await post('text')).verdict, '.');
    assert.equal((await post('title')).verdict, '?');
    assert.deepEqual((await wafd.api('GET', '/sites/0')).document_fields, ['text']);
  });

  test('the event of it says why it passed, and offers no more', async () => {
    const { events } = await wafd.api('GET', '/events?q=action:allow');
    await page.goto(`${wafd.console}/?event=${events[0].record.event_id}`);
    await hook('finding').first().waitFor();
    assert.match(await hook('finding').first().innerText(), /holds documents/);
    assert.equal(await hook('make-document').count(), 0);
  });

  test('the names stand with the site', async () => {
    await page.goto(`${wafd.console}/?view=settings&section=sites`);
    await page.locator('[data-site="0"]').getByTestId('site-edit').click();
    await hook('site-documents').locator('summary').click();
    assert.equal(await hook('site-document-fields').inputValue(), 'text');
  });
});
