// Hostile bytes in every field: still one valid message, one valid record, nothing rendered as markup.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { after, before, describe, test } from 'node:test';

import { openBrowser, setUp } from './support/browser.mjs';
import { until } from './support/processes.mjs';
import { checkAttackMessage } from './support/syslog.mjs';
import { T1kClient, TAG, message, requestMessage } from './support/t1k.mjs';
import { Wafd } from './support/wafd.mjs';

const SQLI = 'id=1%27%20OR%20%271%27=%271';
const OCTETS = {
  NUL: '\0',
  'CR LF': '\r\n<30>1 forged',
  'invalid UTF-8': '\xff\xfe\xc0\xaf\xed\xa0\x80',
  'U+2028 and U+2029': '\xe2\x80\xa8\xe2\x80\xa9',
  'C1 and DEL': '\xc2\x85\xc2\x9f\x7f',
  brackets: ']"\\][x y="z"]',
  markup: '<script>window.ran=1</script><img src=x onerror=window.ran=1>',
  bidi: '\xe2\x80\xae\xe2\x81\xa6gpj.exe',
  'half a character': '\xe4\xb8',
  colour: '\x1b[31m\x07',
};

describe('hostile bytes', () => {
  let wafd;
  let socket;
  const datagrams = [];
  let client;
  before(async () => {
    socket = dgram.createSocket('udp4', (data) => datagrams.push(data));
    await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
    wafd = await Wafd.start();
    await wafd.addTarget({ transport: 'udp', port: socket.address().port, max_message_bytes: 65507 });
    client = await T1kClient.connect(wafd.t1kPort);
  });
  after(async () => {
    client?.close();
    await wafd?.stop();
    socket?.close();
  });

  // Asks, and gives the event's message as received once it is there and sound.
  async function blocked(bytes) {
    const answer = await client.ask(bytes);
    assert.ok(answer, 'the connection was closed');
    assert.equal(answer.verdict, '?');
    const data = await until(`message ${answer.id}`, () => datagrams.find((one) => one.includes(answer.id)));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(data);
    assert.equal(datagrams.filter((one) => one.includes(answer.id)).length, 1);
    const { record } = checkAttackMessage(text);
    assert.equal(record.event_id, answer.id);
    return record;
  }

  const places = {
    path: (x) => [`GET /a${x.replace(/[\r\n ]/g, '_')}b?${SQLI} HTTP/1.1\r\nHost: a.example\r\n\r\n`],
    'query name and value': (x) => [`GET /?${SQLI}&n${encode(x)}=v${encode(x)} HTTP/1.1\r\nHost: a.example\r\n\r\n`],
    'raw query': (x) => [`GET /?${SQLI}&n${x.replace(/[\r\n ]/g, '_')}=v HTTP/1.1\r\nHost: a.example\r\n\r\n`],
    method: (x) => [`G${x.replace(/[\r\n ]/g, '_')} /?${SQLI} HTTP/1.1\r\nHost: a.example\r\n\r\n`],
    version: (x) => [`GET /?${SQLI} HTTP/${x}\r\nHost: a.example\r\n\r\n`],
    host: (x) => [`GET /?${SQLI} HTTP/1.1\r\nHost: ${x}\r\n\r\n`],
    'user agent': (x) => [`GET /?${SQLI} HTTP/1.1\r\nHost: a\r\nUser-Agent: ${x}\r\n\r\n`],
    referer: (x) => [`GET /?${SQLI} HTTP/1.1\r\nHost: a\r\nReferer: ${x}\r\n\r\n`],
    cookie: (x) => [`GET /?${SQLI} HTTP/1.1\r\nHost: a\r\nCookie: c${x}=${x}\r\n\r\n`],
    'header name': (x) => [`GET /?${SQLI} HTTP/1.1\r\nHost: a\r\nX${x}: y\r\n\r\n`],
    body: (x) => [`POST /?${SQLI} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\n\r\n`, `b${x}`],
    'multipart file name': (x) => [
      `POST /?${SQLI} HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=q\r\n\r\n`,
      `--q\r\nContent-Disposition: form-data; name="f${x}"; filename="${x}"\r\n\r\n${x}\r\n--q--\r\n`,
    ],
    'what the gateway says of itself': (x) => [
      `GET /?${SQLI} HTTP/1.1\r\nHost: a\r\n\r\n`,
      null,
      Object.fromEntries([0x13, 0x14, 0x15, 0x16, 0x17].map((key) => [key, x.replace(/\n/g, '_')])),
    ],
  };
  for (const [place, build] of Object.entries(places)) {
    test(`in the ${place}`, async () => {
      for (const bytes of Object.values(OCTETS)) await blocked(requestMessage(...build(bytes)));
    });
  }

  test('every byte from 0 to 255 in a body and in a header', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('latin1');
    const record = await blocked(requestMessage(`GET /?${SQLI} HTTP/1.1\r\nHost: a\r\nX: ${all}\r\n\r\n`, all));
    assert.ok(record.body.startsWith('\0\u0001'));
    assert.ok(record.body.endsWith('\\xfe\\xff'));
  });

  test('a head of 1 MiB is judged as far as the limit goes, and the record is cut and says so', async () => {
    const head = `GET /?${SQLI} HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1024 * 1024)}\r\n\r\n`;
    const record = await blocked(requestMessage(head));
    assert.match(record.req_header_raw, /…\[cut \d+\]$/);
  });

  test('JSON of a depth that would end a recursive reader', async () => {
    const deep = `${'['.repeat(200000)}"x' UNION SELECT password FROM users-- "`;
    const record = await blocked(requestMessage(`POST /?${SQLI} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\r\n`, deep));
    assert.match(record.body, /…\[cut \d+\]$/);
    assert.equal(record.req_http_body_is_truncate, 1);
  });

  test('the list and the detail render nothing of it as markup', async () => {
    const chromium = await openBrowser();
    try {
      const { page, complaints } = chromium;
      await setUp(page, wafd);
      const { events } = await wafd.api('GET', '/events?limit=200');
      assert.ok(events.length >= 100);
      for (const { record } of events.filter((_, i) => i % 10 === 0)) {
        await page.goto(`${wafd.console}/?q=id:${record.event_id}`);
        await page.getByTestId('event-row').first().click();
        await page.getByTestId('event-detail').waitFor();
        await until('the record on the page', async () => (await page.getByTestId('event-detail').innerText()).includes(record.event_id));
        assert.equal(await page.evaluate(() => window.ran), undefined);
      }
      assert.deepEqual(complaints, []);
    } finally {
      await chromium.close();
    }
  });

  test('broken T1K ends that connection alone and is counted by reason', async () => {
    const rows = [
      Buffer.from([0x01, 0, 0, 0, 0]), // no FIRST
      Buffer.concat([Buffer.from([0x41, 0, 0, 0, 0]), Buffer.from([0x41, 0, 0, 0, 0])]), // FIRST in the middle
      Buffer.concat(Array.from({ length: 64 }, (_, i) => Buffer.from([i === 0 ? 0x41 : 0x02, 0, 0, 0, 0]))), // too many sections
      Buffer.from('\x16\x03\x01\x02\x00\x01\x00', 'latin1'), // TLS
    ];
    const refused = async () => {
      const status = await wafd.api('GET', '/status');
      const listener = status.listeners.find((one) => one.name === 't1k');
      return Object.values(listener.refused).reduce((sum, count) => sum + count, 0);
    };
    const before = await refused();
    for (const bytes of rows) {
      const broken = await T1kClient.connect(wafd.t1kPort);
      assert.equal(await broken.ask(bytes), null, bytes.toString('hex').slice(0, 40));
      broken.close();
    }
    assert.equal((await refused()) - before, rows.length);
    const heartbeat = await client.ask(Buffer.from([0xc0, 0, 0, 0, 0]));
    assert.equal(heartbeat.sections.size, 1);
    await blocked(message([[TAG.HEAD, `GET /?${SQLI} HTTP/1.1\r\n\r\n`], [TAG.VERSION, 'Proto:2\n'], [TAG.EXTRA, 'RemoteAddr:::1\n']]));
  });
});

function encode(text) {
  return [...Buffer.from(text, 'latin1')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
