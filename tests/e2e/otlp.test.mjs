// Metrics and logs by OTLP over HTTP, to receivers that take them, are away, slow, busy, choosy or not who they should be.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, test } from 'node:test';

import { OtlpReceiver, decode, samples_of } from './support/otlp.mjs';
import { freePort, run, tempFolder, until, wafdPath } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const attack = (wafd, id) => request(`${wafd.http}/check`, { headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Host': 'evil-host.example', 'X-Forwarded-Uri': '/secret-path?id=1%27%20OR%20%271%27=%271', 'X-Forwarded-For': '203.0.113.7', 'X-Request-Id': id } });
const page = async (wafd) => (await request(`${wafd.console}/metrics`, { headers: { Authorization: `Bearer ${wafd.token}` } })).text;
const samples = (text) => new Map(text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
const types = (text) => new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
const notes = async (wafd) => (await wafd.api('GET', '/status')).notes.filter((note) => note.startsWith('OTLP'));
const counter = async (wafd, name, signal) => samples(await page(wafd)).get(`wafd_otlp_${name}_total{signal="${signal}"}`);

let wafd;
const receivers = [];
async function receiver({ tls, port } = {}) {
  const made = await new OtlpReceiver(tls).open(port);
  receivers.push(made);
  return made;
}
async function start(endpoint, settings = {}) {
  wafd = await Wafd.start({ 'log.format': 'json', 'otlp.endpoint': endpoint, 'otlp.interval_s': 1, ...settings });
  return wafd;
}
async function stopped() {
  assert.deepEqual(await wafd.program.stop(60), { code: 0, signal: null }, wafd.program.stderr.slice(-2000));
}
const at = (one) => `http://127.0.0.1:${one.port}`;

afterEach(async () => {
  await wafd?.program.kill();
  wafd = null;
  for (const one of receivers.splice(0)) {
    await one.shut();
    assert.deepEqual(one.wrong, []);
  }
});

describe('OTLP', () => {
  test('is off by default, also where the environment names a receiver', async () => {
    const there = await receiver();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = at(there);
    try {
      for (const settings of [{ 'otlp.endpoint': '', 'otlp.interval_s': 1 }, { 'otlp.endpoint': at(there), 'otlp.metrics': false, 'otlp.logs': false, 'otlp.interval_s': 1 }]) {
        wafd = await Wafd.start(settings);
        assert.equal((await attack(wafd, 'a')).status, 403);
        assert.equal([...samples(await page(wafd)).keys()].filter((name) => name.startsWith('wafd_otlp')).length, 0);
        await stopped();
      }
      assert.equal(there.connections, 0);
    } finally {
      delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    }
  });

  test('the schema refuses what it should: unknown members, other types', async () => {
    const { default: generated } = await import('@opentelemetry/otlp-transformer/build/src/generated/root.js');
    const type = generated.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
    const one = (record) => JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
    decode(type, one({ timeUnixNano: '5', severityNumber: 9, body: { stringValue: 'x' } }));
    for (const record of [{ time_unix_nano: '5' }, { timeUnixNano: 5 }, { severityNumber: 'SEVERITY_NUMBER_INFO' }, { body: 'x' }, { body: { stringValue: 5 } }, { more: 1 }, { attributes: [{ name: 'a' }] }])
      assert.throws(() => decode(type, one(record)), `${JSON.stringify(record)}`);
  });

  test('metrics are those of /metrics at the same moment', async () => {
    const there = await receiver();
    await start(at(there), { 'otlp.logs': false });
    await wafd.addTarget({ name: 'siem "a"', transport: 'udp', port: await freePort() });
    for (let n = 0; n < 5; n += 1) assert.equal((await attack(wafd, `r-${n}`)).status, 403);
    const before = await page(wafd);
    const seen = there.metrics.length;
    await until('metrics of later', () => there.metrics.length >= seen + 2);
    const sent = there.metrics.at(-1);
    const after = await page(wafd);
    assert.deepEqual(sent.resource, { 'service.name': 'wafd', 'service.instance.id': 'node-1', 'service.version': (await run(wafdPath, ['version'])).stdout.trim().split(' ').pop() });

    const [first, last, ours] = [samples(before), samples(after), samples_of(sent.all)];
    assert.deepEqual([...ours.keys()].sort(), [...last.keys()].sort());
    let equal = 0;
    for (const [name, value] of last) {
      if (first.get(name) !== value) continue;  // it changes by itself: connections, exports
      assert.equal(ours.get(name), value, name);
      equal += 1;
    }
    assert.ok(equal > ours.size * 0.8, `${equal} of ${ours.size}`);
    assert.equal(ours.get('wafd_requests_denied_total'), 5);
    const started = (await wafd.api('GET', '/status')).started_ms;
    for (const [name, type] of types(after)) {
      const metric = sent.all.get(name);
      if (!metric) continue;  // without samples
      assert.equal(Boolean(metric.sum), type === 'counter', name);
      if (!metric.sum) continue;
      assert.equal(metric.sum.aggregationTemporality, 2, name);
      assert.equal(metric.sum.isMonotonic, true, name);
      for (const point of metric.sum.dataPoints) {
        assert.ok(BigInt(point.timeUnixNano) > BigInt(started) * 1000000n, name);
        if (/^wafd_(requests|listener|otlp)/.test(name)) assert.ok(BigInt(point.startTimeUnixNano) >= BigInt(started - 60000) * 1000000n && BigInt(point.startTimeUnixNano) < BigInt(point.timeUnixNano), name);
      }
    }
    // The end sends them once more.
    await attack(wafd, 'last');
    await stopped();
    assert.equal(samples_of(there.metrics.at(-1).all).get('wafd_requests_denied_total'), 6);
    for (const one of there.requests) assert.equal(one.headers['content-encoding'], 'gzip');
  });

  test('each line of the log arrives once, with its members; nothing of the request', async () => {
    const there = await receiver();
    await start(at(there), { 'otlp.metrics': false, 'otlp.compression': 'none', 'log.events': 'denied', 'log.max_lines_per_s': 0 });
    for (let n = 0; n < 600; n += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => attack(wafd, `r-${n + i}`)));
    await stopped();
    const lines = wafd.program.stderr.split('\n').filter(Boolean).map((line) => JSON.parse(line));
    assert.equal(lines.filter((line) => line.message === 'event').length, 600);
    const severities = { info: 9, warning: 13, error: 17 };
    const key = (one) => JSON.stringify(one);
    const ours = there.records.map((one) => key([Number(BigInt(one.timeUnixNano) / 1000000n), one.severityNumber, one.severityText, one.message, one.attributes])).sort();
    const theirs = lines.map(({ time, level, message, ...members }) => key([Date.parse(time), severities[level], level, message, members])).sort();
    // What makes the first account stays here.
    const token = theirs.filter((one) => one.includes('first start: make the first account'));
    assert.equal(token.length, 1);
    assert.deepEqual(ours, theirs.filter((one) => one !== token[0]));
    assert.ok(there.records.some((one) => one.attributes.request_id === 'r-599'));
    assert.ok(there.records.some((one) => one.message === 'stopped'));
    const texts = there.requests.map((one) => one.text).join();
    assert.doesNotMatch(texts, /evil-host|secret-path|OR%20/);
    assert.ok(!texts.includes(fs.readFileSync(path.join(wafd.state, 'setup-token'), 'utf8').trim()));
    for (const one of there.requests) assert.equal(one.headers['content-encoding'], undefined);
  });

  test('a receiver that is away: judging goes on, it is said once, and what waits comes when it is there', async () => {
    const port = await freePort();
    await start(`http://127.0.0.1:${port}`);
    await until('that it is said', async () => (await notes(wafd)).length === 2);
    assert.deepEqual(await notes(wafd), ['metrics', 'logs'].map((signal) => `OTLP: ${signal} could not be sent: nobody accepts connections there`));
    assert.equal((await attack(wafd, 'a')).status, 403);
    await until('several tries', async () => (await counter(wafd, 'failures', 'logs')) >= 3);
    await until('the line', () => /OTLP: logs could not be sent/.test(wafd.program.stderr));
    assert.equal([...wafd.program.stderr.matchAll(/OTLP: logs could not be sent/g)].length, 1);
    const there = await receiver({ port });
    await until('the log', () => there.records.some((one) => /is ready as node/.test(one.message)), 90);
    await until('that all is well', async () => (await notes(wafd)).length === 0, 90);
    await until('the line', () => /OTLP: logs are sent again; 0 were dropped since the start/.test(wafd.program.stderr));
    assert.ok((await counter(wafd, 'dropped', 'metrics')) > 0, 'metrics give way to newer ones');
    await stopped();
    assert.equal(there.records.filter((one) => /is ready as node/.test(one.message)).length, 1);
  });

  test('a receiver that never answers, and none at the end: the end comes', async () => {
    const there = await receiver();
    there.answer = () => null;
    await start(at(there));
    await until('requests', () => there.requests.length > 0);
    for (let n = 0; n < 20; n += 1) assert.equal((await attack(wafd, `r-${n}`)).status, 403);
    await stopped();
  });

  test('a receiver that takes 300 ms: metrics have their turn, and lines come together', async () => {
    const there = await receiver();
    there.answer = () => ({ status: 200, body: '{}', after_ms: 300 });
    await start(at(there), { 'log.events': 'denied', 'log.max_lines_per_s': 0 });
    await until('the first lines', () => there.of('logs').length > 0);
    const [logs, metrics, began] = [there.of('logs').length, there.of('metrics').length, performance.now()];
    let lines = 0;
    await until('metrics while lines are logged', async () => {
      assert.equal((await attack(wafd, `r-${lines}`)).status, 403);
      lines += 1;
      return there.of('metrics').length >= metrics + 3 && lines > 20;
    });
    // No sooner than a second after the one before was taken, however slow this machine is.
    const most = (performance.now() - began) / 1000 + 2;
    assert.ok(there.of('logs').length - logs <= most, `${there.of('logs').length - logs} requests, expected at most ${most}`);
    await stopped();
    assert.equal(there.records.filter((one) => one.message === 'event').length, lines);
  });

  test('429, 502, 503 and 504: the same once more, when Retry-After says', async () => {
    const there = await receiver();
    const statuses = [429, 502, 503, 504];
    const times = [];
    there.answer = (_, __, n) => {
      times.push(performance.now());
      return n < statuses.length ? { status: statuses[n], headers: { 'Retry-After': n === 0 ? '2' : '1' }, body: 'busy' } : { status: 200, body: '' };
    };
    await start(at(there), { 'otlp.metrics': false });
    for (const status of statuses) await until(`the note of ${status}`, async () => (await notes(wafd))[0] === `OTLP: logs could not be sent: it answered ${status}`);
    await until('the last one', () => there.requests.length > statuses.length);
    assert.equal(new Set(there.requests.slice(0, statuses.length + 1).map((one) => one.text)).size, 1);
    statuses.forEach((status, n) => assert.ok(times[n + 1] - times[n] >= (n === 0 ? 1900 : 900), `${status}: ${times[n + 1] - times[n]} ms`));
    await stopped();
    assert.equal(there.records.filter((one) => /is ready as node/.test(one.message)).length, 1);
  });

  test('400, a web page and a redirection: never again, counted and said; of a long answer the status decides', async () => {
    const there = await receiver();
    const long = `{"x":"${'x'.repeat(200000)}"}`;
    let answer = { status: 200, body: '{}' };
    const refused = new Set();
    there.answer = (_, __, n) => {
      if (answer.why) refused.add(n);
      return answer;
    };
    await start(at(there), { 'otlp.metrics': false, 'log.events': 'denied' });
    for (answer of [{ status: 400, body: '{}', why: 'it answered 400' }, { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>', why: 'its answer is not one of OTLP in JSON' }, { status: 307, headers: { Location: 'http://127.0.0.1:1/v1/logs' }, why: 'it answered 307' }, { status: 400, body: long, why: 'it answered 400' }, { status: 200, body: long }]) {
      const before = there.requests.length;
      await attack(wafd, `r-${before}`);
      await until('a request', () => there.requests.length > before);
      await until(`the note: ${answer.why}`, async () => `${await notes(wafd)}` === (answer.why ? `OTLP: logs could not be sent: ${answer.why}` : ''));
    }
    await until('the line', () => /OTLP: logs could not be sent: it answered 400"/.test(wafd.program.stderr));
    const records = [...refused].map((n) => JSON.parse(there.requests[n].text).resourceLogs[0].scopeLogs[0].logRecords.length);
    assert.equal(await counter(wafd, 'dropped', 'logs'), records.reduce((sum, one) => sum + one, 0));
    await stopped();
    assert.equal(new Set(there.requests.map((one) => one.text)).size, there.requests.length);
    assert.ok(refused.size >= 4, `${refused.size}`);
  });

  test('partial success: what was not taken is counted, and not sent again', async () => {
    const there = await receiver();
    there.answer = (signal) => ({ status: 200, body: JSON.stringify({ partialSuccess: signal === 'metrics' ? { rejectedDataPoints: '3', errorMessage: '<b>\u001b[31m' } : { rejectedLogRecords: '1' } }) });
    await start(at(there));
    await until('both notes', async () => (await notes(wafd)).length === 2);
    assert.deepEqual(await notes(wafd), ['metrics', 'logs'].map((signal) => `OTLP: not all ${signal} were taken`));
    assert.equal(await counter(wafd, 'failures', 'metrics'), 0);
    const requests = there.of('metrics').length;
    assert.ok((await counter(wafd, 'dropped', 'metrics')) >= 3 * Math.max(1, requests - 1));
    await stopped();
    const texts = there.of('logs').map((one) => one.text);
    assert.equal(new Set(texts).size, texts.length);
    assert.doesNotMatch(wafd.program.stderr, /<b>/);
  });

  test('a certificate that nobody signed is refused; with otlp.ca it is taken, for its own name alone', async () => {
    const folder = tempFolder('otlp');
    const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => path.join(folder, name));
    const made = await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=collector', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate]);
    assert.equal(made.code, 0, made.stderr);
    const tls = { key: fs.readFileSync(key), cert: fs.readFileSync(certificate) };
    const there = await receiver({ tls });
    for (const [host, settings] of [['127.0.0.1', {}], ['localhost', { 'otlp.ca': certificate }]]) {
      await start(`https://${host}:${there.port}`, { 'otlp.metrics': false, ...settings });
      await until('the note', async () => (await notes(wafd)).length === 1);
      assert.match((await notes(wafd))[0], /its certificate is not one that is believed/);
      await wafd.program.kill();
      assert.equal(there.requests.length, 0);
    }
    await start(`https://127.0.0.1:${there.port}`, { 'otlp.metrics': false, 'otlp.ca': certificate });
    await until('the log', () => there.records.length > 0);
    await stopped();
  });

  test('headers of the file, as it is now; a file that is wrong is said', async () => {
    const file = path.join(tempFolder('otlp'), 'headers');
    fs.writeFileSync(file, 'Authorization: Bearer first\nX-Scope-OrgID: tenant\n');
    const there = await receiver();
    await start(at(there), { 'otlp.logs': false, 'otlp.headers_file': file });
    await until('the first token', () => there.requests.some((one) => one.headers.authorization === 'Bearer first' && one.headers['x-scope-orgid'] === 'tenant'));
    fs.writeFileSync(file, 'Authorization: Bearer second\n');
    await until('the second token', () => there.requests.some((one) => one.headers.authorization === 'Bearer second' && !one.headers['x-scope-orgid']));
    fs.writeFileSync(file, 'sesame\n');
    await until('the note', async () => (await notes(wafd)).some((note) => note.endsWith('otlp.headers_file: line 1: expected "Name: value"')));
    await stopped();
    assert.doesNotMatch(wafd.program.stderr, /Bearer|sesame/);
  });

  test('wrong keys: what was expected', async () => {
    const folder = tempFolder('otlp');
    const wrong = path.join(folder, 'headers');
    fs.writeFileSync(wrong, 'Host: x\n');
    for (const [sets, expected] of [
      [['otlp.endpoint=collector:4318'], /otlp\.endpoint: expected an http or https URL such as https:\/\/collector\.example:4318, got "collector:4318"/],
      [['otlp.interval_s=0'], /otlp\.interval_s: expected 1 to 3600, got 0/],
      [['otlp.metrics=yes'], /otlp\.metrics: expected true or false/],
      [['otlp.compression=zstd'], /otlp\.compression: expected one of gzip\|none/],
      [['otlp.endpoint=https://collector.example', `otlp.headers_file=${folder}/none`], /otlp\.headers_file: .*none.*No such file/],
      [['otlp.endpoint=https://collector.example', `otlp.headers_file=${wrong}`], /otlp\.headers_file: line 1: this header is wafd's own/],
      [['otlp.endpoint=http://collector.example', `otlp.headers_file=${wrong}`], /otlp\.headers_file: anybody on the way could read it: expected an https URL/],
      [['otlp.endpoint=https://collector.example', `otlp.ca=${folder}/none`], /otlp\.ca: .*none/],
    ]) {
      const checked = await run(wafdPath, ['config', 'check', '--set', `state_dir=${folder}`, ...['ingest.t1k', 'ingest.http', 'console'].flatMap((one) => ['--set', `${one}.listen=127.0.0.1:0`]), ...sets.flatMap((one) => ['--set', one])]);
      assert.notEqual(checked.code, 0, sets.join());
      assert.match(checked.stdout + checked.stderr, expected);
    }
  });
});
