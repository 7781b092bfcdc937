// The metrics of a running wafd as Prometheus' own tool takes them, the alerts and the dashboard that are shipped for them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { freePort } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const shipped = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../packaging/prometheus');
const promtool = (args, input) => {
  const done = spawnSync('promtool', args, { cwd: shipped, input, encoding: 'utf8' });
  assert.equal(done.error, undefined, 'promtool is installed (packaging/packages.txt)');
  return { status: done.status, said: done.stdout + done.stderr };
};

describe('prometheus', () => {
  let wafd;
  let metrics;
  before(async () => {
    wafd = await Wafd.start();
    for (const name of ['siem "a"', 'second']) await wafd.addTarget({ name, transport: 'udp', port: await freePort() });
    const { status } = await request(`${wafd.http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': '/?id=1%27%20OR%20%271%27=%271' } });
    assert.equal(status, 403);
    const answer = await request(`${wafd.console}/metrics`, { headers: { Authorization: `Bearer ${wafd.token}` } });
    assert.equal(answer.status, 200);
    metrics = answer.text;
  });
  after(() => wafd?.stop());

  test('promtool finds nothing to say about the metrics, and would of a wrong one', () => {
    assert.deepEqual(promtool(['check', 'metrics'], metrics), { status: 0, said: '' });
    assert.notEqual(promtool(['check', 'metrics'], '# HELP wafd_wait_ms x\n# TYPE wafd_wait_ms gauge\nwafd_wait_ms 1\n').status, 0);
    assert.match(metrics, /^wafd_target_state\{target="siem \\"a\\"",state="\w+"\} 1$/m);
    assert.match(metrics, /^wafd_requests_denied_total 1$/m);
  });

  test('targets of one name are told apart by their name alone, so there are no two', async () => {
    await wafd.api('POST', '/syslog/targets', { name: 'second', transport: 'udp', host: '127.0.0.1', port: await freePort() }, [409, 422]);
  });

  test('the alerts fire where they should and are silent where nothing is wrong', () => {
    for (const args of [['check', 'rules', 'wafd.rules.yml'], ['test', 'rules', 'wafd.rules.test.yml'], ['check', 'config', '--syntax-only', 'prometheus.yml']]) {
      const { status, said } = promtool(args);
      assert.equal(status, 0, said);
    }
    const rules = fs.readFileSync(`${shipped}/wafd.rules.yml`, 'utf8');
    const tests = fs.readFileSync(`${shipped}/wafd.rules.test.yml`, 'utf8');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map((match) => match[1]);
    assert.ok(alerts.length >= 14);
    for (const alert of alerts) assert.ok(tests.includes(alert), `${alert} has a test in which it fires`);
  });

  test('every metric that the alerts and the dashboard name is there', () => {
    const known = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map((match) => match[1]));
    let named = 0;
    for (const file of ['wafd.rules.yml', 'wafd.rules.test.yml', 'grafana-dashboard.json']) {
      for (const [name] of fs.readFileSync(`${shipped}/${file}`, 'utf8').matchAll(/\bwafd_[a-z0-9_]+/g)) {
        assert.ok(known.has(name), `${file} names ${name}`);
        named += 1;
      }
    }
    assert.ok(named > 80, `${named}`);
  });

  test('each question of the dashboard is one that Prometheus takes', () => {
    const board = JSON.parse(fs.readFileSync(`${shipped}/grafana-dashboard.json`, 'utf8'));
    const asked = board.panels.flatMap((panel) => panel.targets ?? []).map((target) => target.expr);
    assert.ok(asked.length > 40);
    assert.equal(new Set(board.panels.map((panel) => panel.id)).size, board.panels.length);
    // As rules of recording, with what Grafana puts in for its variables.
    const rules = asked.map((expr, i) => ({ record: `asked_${i}`, expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '6h').replaceAll('$instance', '.*') }));
    const file = path.join(wafd.state, 'asked.yml');
    fs.writeFileSync(file, JSON.stringify({ groups: [{ name: 'asked', rules }] }));
    const { status, said } = promtool(['check', 'rules', file]);
    assert.equal(status, 0, said);
  });
});
