// Notifications: an alert rule is met, and a real mail server and a real HTTP receiver get it, signed, grouped, tried again; nothing of it
// touches judging, and a kill loses nothing that waited.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';

import { Exim } from './support/exim.mjs';
import { freePort, until } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

// An HTTP receiver that keeps what it got; `answers` are given in turn, then 200.
class Hook {
  static async start(port) {
    const hook = new Hook();
    hook.got = [];
    hook.answers = [];
    hook.server = http.createServer((incoming, answer) => {
      const parts = [];
      incoming.on('data', (part) => parts.push(part));
      incoming.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        hook.got.push({ url: incoming.url, headers: incoming.headers, text, body: JSON.parse(text) });
        const [status, body] = hook.answers.shift() ?? [200, '{"errcode":0}'];
        answer.writeHead(status, status === 302 ? { Location: 'http://127.0.0.1:1/' } : {});
        answer.end(body);
      });
    });
    hook.port = port ?? (await freePort());
    await new Promise((resolve) => hook.server.listen(hook.port, '127.0.0.1', resolve));
    return hook;
  }
  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

const attack = async (wafd, source = '127.0.0.1', uri = '/item?id=1%27%20OR%20%271%27=%271') => {
  const answer = await request(`${wafd.http}/check`, {
    headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': uri, 'X-Forwarded-For': source },
  });
  assert.equal(answer.status, 403);
};

const failed = (result) => result.stages.find((stage) => !stage.ok);
const audited = async (wafd, action) => (await wafd.api('GET', `/audit?q=${action}`)).entries.filter((entry) => entry.action === action);

describe('notifications', () => {
  let wafd;
  let exim;
  let hook;
  let mail;
  before(async () => {
    exim = await Exim.start();
    hook = await Hook.start();
    wafd = await Wafd.start({ 'ingest.http.trusted_proxies': '127.0.0.0/8' });
    mail = {
      name: 'Team', kind: 'mail', host: 'localhost', port: exim.port, security: 'starttls', username: 'wafd', password: 's3cret', ca: `file:${exim.certificate}`,
      sender: 'wafd@example.org', recipients: ['team@example.org', 'second@example.org'], group_s: 0,
    };
  });
  after(async () => {
    await wafd?.stop();
    await hook?.stop();
    await exim?.stop();
  });
  const tried = (channel) => wafd.api('POST', '/notify/test', channel);

  test('the test of a mail channel says in stages how far it came', async () => {
    const good = await tried(mail);
    assert.equal(good.verdict, 'accepted', JSON.stringify(good));
    assert.deepEqual(good.stages.map(({ name, ok }) => [name, ok]), [['resolve', true], ['connect', true], ['tls', true], ['write', true], ['answer', true]]);
    assert.match(good.text, /whether it reaches the mailbox is not known/);
    assert.equal(good.stages[1].detail.address, `127.0.0.1:${exim.port}`);
    const got = await exim.having('Nothing has happened');
    for (const line of ['To: team@example.org,', 'From: wafd <wafd@example.org>', 'Subject: wafd node-1: test of the channel Team', 'Auto-Submitted: auto-generated', '-auth_id wafd']) assert.ok(got.head.includes(line), `${line} in ${got.head}`);

    const from_begin = await tried({ ...mail, security: 'tls', port: exim.tlsPort });
    assert.equal(from_begin.verdict, 'accepted', JSON.stringify(from_begin));
    const chinese = await tried({ ...mail, name: '值班', language: 'zh-CN' });
    assert.equal(chinese.verdict, 'accepted', JSON.stringify(chinese));
    assert.match((await exim.having('没有发生任何事件')).text, /^渠道 值班 的测试\r?\n[^]*节点：node-1/);
    assert.equal((await audited(wafd, 'notify.test')).length, 3);
  });

  test('what goes wrong is named at its stage', async () => {
    const fresh = await Wafd.start(); // another six tests a minute
    try {
      for (const [change, stage, says] of [
        [{ host: 'no-such-host.invalid' }, 'resolve', /name/],
        [{ port: await freePort() }, 'connect', /nobody accepts/],
        [{ ca: '' }, 'tls', /not one that is believed/],
        [{ security: 'tls' }, 'tls', /perhaps this port does not speak TLS/],
        [{ password: 'wrong' }, 'answer', /did not accept user name and password \(535\)/],
        [{ recipients: ['nobody-here@example.org'] }, 'answer', /reply code 550/],
      ]) {
        const result = await fresh.api('POST', '/notify/test', { ...mail, ...change });
        assert.equal(result.verdict, 'failed');
        assert.equal(failed(result).name, stage, JSON.stringify(result));
        assert.match(failed(result).error, says);
        assert.ok(!JSON.stringify(result).includes('no such user'), 'nothing that the server says is shown');
      }
    } finally {
      await fresh.stop();
    }
  });

  test('one recipient that the server refuses keeps the mail from nobody else, and it is said', async () => {
    const fresh = await Wafd.start();
    try {
      const result = await fresh.api('POST', '/notify/test', { ...mail, name: 'Half', recipients: ['nobody-here@example.org', 'team@example.org'] });
      assert.equal(result.verdict, 'accepted', JSON.stringify(result));
      assert.match(result.text, /for 1 of 2 recipients, the others were refused/);
      const got = await exim.having('test of the channel Half');
      assert.match(got.head, /team@example\.org/);
    } finally {
      await fresh.stop();
    }
  });

  test('no destination that a target may not have', async () => {
    for (const url of ['http://169.254.169.254/latest', 'http://100.100.100.200/', `https://${wafd.settings['console.listen']}/`]) {
      const refused = await wafd.api('POST', '/notify/channels', { name: 'x', kind: 'webhook', url }, [422]);
      assert.equal(refused.type, 'urn:wafd:problem:forbidden-destination', url);
    }
    // A name is judged by the address that would be connected to.
    const own = await tried({ name: 'x', kind: 'webhook', url: `https://localhost:${wafd.settings['console.listen'].split(':')[1]}/` });
    assert.equal(failed(own).name, 'connect');
    assert.match(failed(own).error, /own listeners/);
  });

  test('nothing is sent without its secret: a file that cannot be read is named', async () => {
    const before = hook.got.length;
    for (const [channel, says] of [
      [{ name: 'x', kind: 'webhook', url: `http://127.0.0.1:${hook.port}/`, secret: `file:${wafd.state}/none` }, /^secret: \S+ cannot be read: No such file/],
      [{ ...mail, password: `file:${exim.certificate}` }, /^password: \S+ has more than one line/],
    ]) {
      const result = await tried(channel);
      assert.equal(result.verdict, 'failed', JSON.stringify(result));
      assert.match(failed(result).error, says);
    }
    assert.equal(hook.got.length, before, 'no request came');
  });

  test('a rule that is met tells mail and webhook, once, signed; the audit log has each sending', async () => {
    const chat = await wafd.api('POST', '/notify/channels', { name: 'Chat', kind: 'webhook', url: `http://127.0.0.1:${hook.port}/hook?key=1`, secret: 'shared', group_s: 0 });
    const team = await wafd.api('POST', '/notify/channels', mail);
    assert.ok(!('password' in team) && team.password_set && !('url' in chat) && chat.origin === `http://127.0.0.1:${hook.port}`);
    const alert = await wafd.api('POST', '/notify/alerts', { name: 'Injection', when: 'matches', query: 'type:sqli', count: 2, minutes: 5 });
    await attack(wafd);
    await attack(wafd);
    await attack(wafd);
    const [got] = await until('the webhook', () => hook.got.length > 0 && hook.got);
    assert.equal(got.url, '/hook?key=1');
    assert.equal(got.body.notifications[0].title, 'Injection: 3 events in 5 minutes');
    const signature = crypto.createHmac('sha256', 'shared').update(`${got.headers['x-wafd-timestamp']}.${got.text}`).digest('hex');
    assert.equal(got.headers['x-wafd-signature'], `sha256=${signature}`);
    await exim.having('Injection: 3 events in 5 minutes');
    const status = await until('both in the history', async () => {
      const now = await wafd.api('GET', '/notify/status');
      return now.history.length === 2 && now;
    });
    assert.deepEqual(status.active, [alert.id]);
    assert.ok(status.history.every(({ sent }) => sent));
    await until('the audit log', async () => (await audited(wafd, 'notify.sent')).length === 2);
    await attack(wafd);
    assert.equal(hook.got.length, 1, 'it still holds: nothing new is told');
  });

  test('a source is told of when it is seen for the first time; what was before is not new', async () => {
    hook.got.length = 0;
    await wafd.api('POST', '/notify/alerts', { name: 'New source', when: 'first_seen', of: 'source' });
    await attack(wafd); // its source attacked before
    await attack(wafd, '203.0.113.9');
    const [got] = await until('the webhook', () => hook.got.length > 0 && hook.got);
    assert.deepEqual(got.body.notifications.map(({ title }) => title), ['New source: source 203.0.113.9 for the first time']);
    await attack(wafd, '203.0.113.9');
    await attack(wafd, '203.0.113.10');
    await until('the next one', () => hook.got.length === 2);
    assert.match(hook.got[1].text, /203\.0\.113\.10 for the first time/);
    assert.equal((await wafd.api('GET', '/notify/status')).overtaken, 0);
  });

  test('a rule that is seen for the first time is told of by its name', async () => {
    hook.got.length = 0;
    await wafd.api('POST', '/notify/alerts', { name: 'New rule', when: 'first_seen', of: 'rule' });
    await attack(wafd, '203.0.113.9', '/ping?host=;cat%20/etc/passwd');
    const [got] = await until('the webhook', () => hook.got.length > 0 && hook.got);
    const { rules } = await wafd.api('GET', '/rules');
    const [, name, id] = /^New rule: rule (.+) \((.+)\) for the first time$/.exec(got.body.notifications[0].title);
    assert.equal(name, rules.find((rule) => rule.id === id).name);
  });

  test('a receiver that refuses is tried again, with what came meanwhile, and judging goes on', async () => {
    const port = await freePort();
    const other = await Wafd.start();
    const late = await Hook.start(port);
    late.answers.push([302, ''], [200, '{"errcode":310000}']);
    try {
      const channel = { name: 'Ding', kind: 'webhook', url: `http://127.0.0.1:${port}/robot/send?access_token=t`, secret: 'SEC', format: 'dingtalk', group_s: 0 };
      const made = await other.api('POST', '/notify/channels', channel);
      await other.api('POST', '/notify/alerts', { name: 'Any', when: 'matches', count: 0, minutes: 60 });
      await attack(other);
      await until('the first attempt', async () => (await other.api('GET', '/notify/status')).history.length === 1);
      await attack(other);
      assert.match((await other.api('GET', '/notify/status')).history[0].text, /status 302/);
      // A change of the channel is tried at once; by itself it would be in 15 s.
      await other.api('PUT', `/notify/channels/${made.id}`, { ...channel, name: 'Ding 2' });
      await until('the second attempt', async () => (await other.api('GET', '/notify/status')).history.length === 2);
      assert.match((await other.api('GET', '/notify/status')).history[0].text, /error code 310000/);
      assert.equal((await other.api('GET', '/notify/status')).channels[0].waiting, 1);

      // A kill: what waits is sent by the next start.
      await until('it is kept', () => fs.readFileSync(`${other.state}/notifications.json`, 'utf8').includes('Any: 1 event in'));
      await other.program.kill();
      await other.launch();
      await until('the third attempt', () => late.got.length === 3);
      const { url, body } = late.got[2];
      assert.equal(body.msgtype, 'text');
      const sign = new URL(url, 'http://a').searchParams;
      assert.equal(sign.get('sign'), crypto.createHmac('sha256', 'SEC').update(`${sign.get('timestamp')}\nSEC`).digest('base64'));
      await until('nothing waits', async () => (await other.api('GET', '/notify/status')).channels[0].waiting === 0);
      assert.deepEqual((await audited(other, 'notify.failed')).map(({ object }) => object), [made.id, made.id]);
    } finally {
      await other.stop();
      await late.stop();
    }
  });

  test('a damaged state file is put aside and said', async () => {
    const other = await Wafd.start();
    await other.stop();
    fs.writeFileSync(`${other.state}/notifications.json`, '{"format":1,');
    await other.launch();
    try {
      assert.match((await other.api('GET', '/notify/status')).notice, /put aside/);
      assert.ok(fs.existsSync(`${other.state}/notifications.json.damaged`));
    } finally {
      await other.stop();
    }
  });
});
