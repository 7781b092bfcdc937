// Two real nodes on one real PostgreSQL, seen from the console of one: events of both as they come, what people say of them,
// and a node that is killed: the badge of every page, its row and an alert name it. Its silence is made longer in the database,
// so that nobody waits half a minute for it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { axeViolations } from '../support/axe.mjs';
import { openConsole } from '../support/browser.mjs';
import { at_rest, pictures } from '../support/pictures.mjs';
import { Postgres } from '../support/postgres.mjs';
import { freePort, run, tempFolder, until, wafdPath } from '../support/processes.mjs';
import { cut_words, sizes, unreachable } from '../support/reflow.mjs';
import { Wafd, request } from '../support/wafd.mjs';
import { broken_words } from '../support/words.mjs';

describe('a fleet of two nodes', () => {
  let postgres;
  let near;
  let far;
  let hook;
  let chromium;
  let page;
  const told = [];
  const by = (name) => page.getByTestId(name);
  const attack = async (wafd, uri) => assert.equal((await request(`${wafd.http}/check${uri}?id=1%27%20OR%20%271%27=%271`, { headers: { Host: 'shop.example' } })).status, 403);
  const target = () => ({ name: 'all', transport: 'postgresql', port: postgres.port, tls: { enabled: false }, postgresql: { database: 'postgres', user: 'owner', password: 'secret' } });
  const fleet = () => near.api('GET', '/fleet');
  const paths = () => page.locator('.cell-path .cell-text').allInnerTexts();

  before(async () => {
    hook = http.createServer((incoming, answer) => {
      const parts = [];
      incoming.on('data', (part) => parts.push(part));
      incoming.on('end', () => {
        told.push(...JSON.parse(Buffer.concat(parts).toString('utf8')).notifications);
        answer.end('{}');
      });
    });
    const port = await freePort();
    await new Promise((done) => hook.listen(port, '127.0.0.1', done));
    postgres = await Postgres.start();
    const password = path.join(tempFolder('fleet'), 'password');
    fs.writeFileSync(password, 'secret\n', { mode: 0o600 });
    [near, far] = await Promise.all([
      Wafd.start({ node: 'edge-1', 'fleet.database': postgres.url, 'fleet.password_file': password }),
      Wafd.start({ node: 'edge-2' }),
    ]);
    await near.addTarget(target());
    await far.addTarget(target());
    const channel = await near.api('POST', '/notify/channels', { name: 'Hook', kind: 'webhook', url: `http://127.0.0.1:${port}/`, group_s: 0 });
    await near.api('POST', '/notify/alerts', { name: 'Nodes', when: 'node_silent', minutes: 1, channels: [channel.id] });
    chromium = await openConsole(near, 15_000);
    ({ page } = chromium);
  });
  after(async () => {
    await chromium?.close();
    await Promise.all([near?.stop(), far?.program.kill(), postgres?.program.kill('SIGQUIT')]);
    hook?.closeAllConnections();
    hook?.close();
  });

  test('events of both come live; what is said of one stands in the database', async () => {
    await until('both nodes to tell', async () => (await fleet()).nodes.length === 2);
    await page.goto(near.console);
    await until('the tail to be open', async () => /live-open/.test(await by('live').getAttribute('class')));
    await attack(near, '/near');
    await attack(far, '/far');
    await until('both events', async () => (await paths()).filter((one) => /^\/(near|far)/.test(one)).length === 2);
    const { events } = await near.api('GET', '/events?q=node:edge-2');
    assert.equal(events.length, 1);
    await near.api('POST', '/triage', { events: [events[0].record.event_id], state: 'closed', note: 'ours' });
    assert.equal(await postgres.sql("SELECT state || ' ' || note FROM wafd_events WHERE node = 'edge-2'"), 'closed ours');
    await page.goto(`${near.console}/?q=is:closed`);
    await until('the closed one alone', async () => (await paths()).map((one) => one.split('?')[0]).join() === '/far');
  });

  test('a node that is killed is named by the badge, its row and an alert', async () => {
    await page.goto(`${near.console}/?view=fleet`);
    await by('fleet').locator('tbody tr').nth(1).waitFor();
    assert.match(await by('fleet').innerText(), /edge-1[\s\S]*Reports[\s\S]*edge-2[\s\S]*Reports/);
    await until('a badge without issues', async () => await by('health').getAttribute('data-issues') === '0');
    await far.program.kill('SIGKILL');
    await postgres.sql("UPDATE wafd_nodes SET seen = seen - interval '2 minutes' WHERE node = 'edge-2'");
    await until('its silence', async () => (await near.api('GET', '/status')).fleet.silent.join() === 'edge-2');
    await page.goto(near.console);
    await until('the badge', async () => /edge-2: fleet node missing/.test(await by('health').innerText()));
    await by('health').click();
    await by('fleet').locator('tbody tr').filter({ hasText: 'Silent' }).waitFor();
    assert.match(await by('fleet').locator('tbody tr').filter({ hasText: 'Silent' }).innerText(), /edge-2/);
    await pictures(page, 'fleet');
    const found = [];
    for (const [width, height] of sizes.toReversed()) {
      await page.setViewportSize({ width, height });
      await at_rest(page);
      found.push(...[...(await unreachable(page)), ...(await cut_words(page)), ...(await broken_words(page)).found].map((text) => `${width} × ${height}: ${text}`));
      if ([320, 720, 1440].includes(width)) found.push(...(await axeViolations(page, `${width} × ${height}`)));
      if ([390, 720, 1024, 1440].includes(width)) await pictures(page, `reflow-fleet-${width}`);
    }
    assert.deepEqual(found, []);
    await page.setViewportSize({ width: 1440, height: 900 });
    const alert = await until('the alert', () => told.find((one) => one.when === 'node_silent'));
    assert.match(alert.title, /node edge-2 has been silent for/);
    // One that is no more is forgotten.
    await by('fleet').getByTestId('remove').click();
    await by('confirm-yes').click();
    await until('all well', async () => (await fleet()).nodes.length === 1);
  });

  test('a database that is away is said by the badge and above the figures', async () => {
    await postgres.program.kill('SIGQUIT');
    await page.goto(`${near.console}/?view=overview`);
    await by('fleet-away').waitFor();
    await until('the badge', async () => {
      await page.reload();
      await by('overview').waitFor();
      return Number(await by('health').getAttribute('data-issues')) > 0;
    });
    assert.deepEqual(chromium.complaints.filter((one) => !/503/.test(one)), []);
  });
});

describe('a fleet that shares its settings', () => {
  let postgres;
  let node;
  let other;
  let chromium;
  const by = (name) => chromium.page.getByTestId(name);

  before(async () => {
    postgres = await Postgres.start();
    const password = path.join(tempFolder('fleet'), 'password');
    fs.writeFileSync(password, 'secret\n', { mode: 0o600 });
    const key = path.join(tempFolder('fleet'), 'key');
    fs.writeFileSync(key, (await run(wafdPath, ['fleet', 'key'])).stdout, { mode: 0o600 });
    const shared = (name) => ({ node: name, 'settings.source': 'fleet', 'fleet.database': postgres.url, 'fleet.password_file': password, 'fleet.key_file': key });
    await run(wafdPath, ['fleet', 'init', '--password', `file:${password}`, postgres.url]);
    node = await Wafd.start(shared('edge-1'));
    other = await Wafd.start(shared('edge-2'));
    chromium = await openConsole(node, 15_000);
  });
  after(async () => {
    await chromium?.close();
    await Promise.all([node?.program.kill(), other?.program.kill(), postgres?.program.kill('SIGQUIT')]);
  });

  test('the settings say so, and their history names who and where; going back is there', async () => {
    await other.api('POST', '/sites', { name: 'shop', hosts: ['shop.example'] });
    await other.api('POST', '/sites', { name: 'blog', hosts: ['blog.example'] });
    await until('the version', async () => (await node.api('GET', '/status')).settings.version === 2);
    await chromium.page.goto(`${node.console}/?view=settings&section=sites`);
    await by('settings-fleet').waitFor();
    assert.match(await by('settings-fleet').innerText(), /All nodes of the fleet share these settings/);
    await chromium.page.goto(`${node.console}/?view=settings&section=history`);
    await by('version').nth(1).waitFor();
    assert.match(await by('version').first().innerText(), /^2[\s\S]*token:test-\S+ · edge-2[\s\S]*blog/);
    await by('restore').click();
    await by('confirm-yes').click();
    await until('the version on the other node', async () => (await other.api('GET', '/status')).settings.version === 3);
    assert.deepEqual((await other.api('GET', '/sites')).sites.map((one) => one.name), ['Default site', 'shop']);
  });

  test('a node that cannot use a version says why on the page of the fleet', async () => {
    const target = { name: 'all', transport: 'postgresql', port: postgres.port, tls: { enabled: false }, postgresql: { database: 'postgres', user: 'owner', password: `file:${path.join(other.state, 'owner-password')}` } };
    fs.writeFileSync(path.join(other.state, 'owner-password'), 'secret\n', { mode: 0o600 });
    await other.addTarget(target);
    await until('both nodes to tell', async () => (await node.api('GET', '/fleet')).nodes.filter((one) => one.settings_version === 4).length === 2);
    // Settings that nobody made with this wafd and the fleet's key: both say so.
    await postgres.sql("INSERT INTO wafd_settings (version, parent, change_id, author, node, comment, document, sealed) VALUES (5, 4, 'x', 'tomorrow', 'edge-9', '', '{\"format\": 2}', '{}')");
    await until('the reason', async () => (await node.api('GET', '/fleet')).nodes.filter((one) => /version 5 .*by tomorrow on node edge-9, cannot be used/.test(one.settings_error)).length === 2);
    await chromium.page.goto(`${node.console}/?view=fleet`);
    await by('fleet').locator('tbody tr').nth(1).waitFor();
    for (const row of [0, 1]) assert.match(await by('fleet').locator('tbody tr').nth(row).innerText(), /4[\s\S]*cannot be used on this node: /);
    const found = [];
    for (const [width, height] of sizes.toReversed()) {
      await chromium.page.setViewportSize({ width, height });
      await at_rest(chromium.page);
      found.push(...[...(await unreachable(chromium.page)), ...(await cut_words(chromium.page)), ...(await broken_words(chromium.page)).found].map((text) => `${width} × ${height}: ${text}`));
    }
    assert.deepEqual(found, []);
    assert.deepEqual(chromium.complaints, []);
  });
});
