// The recorder of the long runs: what it takes for a request, however the bytes come, and what it keeps.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';

import { tempFolder } from './support/processes.mjs';
import { Framer, Recorder } from './support/recorder.mjs';
import { request } from './support/wafd.mjs';

// Sent -> where requests end.
const rows = [
  ['GET / HTTP/1.1\r\nHost: a\r\n\r\n', '|'],
  ['GET /a HTTP/1.1\r\n\r\n', '|', 'GET /b HTTP/1.1\r\n\r\n', '|'],
  ['POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na\r\n', '|', 'GET / HTTP/1.1\r\n\r\n', '|'],
  ['POST / HTTP/1.1\r\ncontent-length:0\r\n\r\n', '|'],
  ['PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4;x=1\r\n\r\n\r\n\r\na\r\n0123456789\r\n0\r\n\r\n', '|'],
  ['PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n1\r\na\r\n0\r\nTrailer: b\r\n\r\n', '|', 'GET / HTTP/1.1\r\n\r\n', '|'],
  ['POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nless'],
  ['GET / HTTP/1.1\r\nHost: a\r\n'],
];

test('requests end where their framing says, however the bytes come', () => {
  for (const parts of rows) {
    const text = parts.filter((part) => part !== '|').join('');
    const wanted = parts.filter((part, at) => parts[at + 1] === '|');
    for (const size of [1, 2, 3, 7, text.length]) {
      const framer = new Framer();
      const found = [];
      for (let at = 0; at < text.length; at += size) found.push(...framer.push(Buffer.from(text.slice(at, at + size))));
      assert.deepEqual(found.map(String), wanted, `${JSON.stringify(text)} by ${size}`);
      assert.equal(`${framer.begun}`, wanted.length ? '' : text);
    }
  }
});

test('each request is kept once, as it came, and counted by its answer', async () => {
  const server = http.createServer((incoming, answer) => {
    answer.statusCode = incoming.url === '/denied' ? 403 : 200;
    incoming.resume().on('end', () => answer.end('done'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const recorder = new Recorder(server.address().port);
  recorder.keep = tempFolder('recorder');
  await recorder.listen();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (const where of ['/a', '/denied', '/a']) {
    await request(`http://127.0.0.1:${recorder.port}${where}`, { method: 'POST', headers: { Expect: '100-continue' }, body: 'x'.repeat(100_000), agent });
  }
  agent.destroy();
  assert.deepEqual(recorder.take(), { requests: 3, denied: 1 });
  const kept = fs.readdirSync(recorder.keep).sort();
  assert.deepEqual(kept, ['1.passed', '2.denied']);
  const text = fs.readFileSync(path.join(recorder.keep, '1.passed'), 'latin1');
  assert.match(text, /^POST \/a HTTP\/1\.1\r\n[^]*\r\n\r\n186a0\r\nx{100000}\r\n0\r\n\r\n$/);
  await recorder.stop();
  await new Promise((resolve) => server.close(resolve));
});
