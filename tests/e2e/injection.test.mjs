// Events made by hostile requests, to every kind of stream and datagram target in every content: one event is one message
// of its own, whatever the client put into it.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';

import { until } from './support/processes.mjs';
import { T1kClient, requestMessage } from './support/t1k.mjs';
import { Wafd } from './support/wafd.mjs';

const FORGED = '<30>1 2026-01-01T00:00:00Z forged wafd 1 waf_event - forged';
const BREAKS = ['\n', '\r\n', '\0', '\r', '\x0b\x0c', '\x85', '\u2028', ' 57 ', '\x1b]0;x\x07', '"}\n{"', '|x=y\n', '\\n', '\ttab=1\t', 'CEF:0|a|b|', 'LEEF:2.0|a|'];
const utf8 = (text) => Buffer.from(text, 'utf8').toString('latin1');
const hostile = BREAKS.flatMap((line) => [
  requestMessage(`GET /?id=1%27%20OR%20%271%27=%271&x=${encodeURIComponent(line + FORGED)} HTTP/1.1\r\nHost: a\r\n\r\n`),
  requestMessage(`GET /?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: ${utf8(line.replace(/[\r\n]/g, '\x0b'))}${FORGED}\r\nUser-Agent: ${utf8(line.replace(/[\r\n]/g, '\x0b'))}${FORGED}\r\n\r\n`),
  requestMessage('POST /?id=1%27%20OR%20%271%27=%271 HTTP/1.1\r\nHost: a\r\n\r\n', utf8(line) + FORGED, { 0x18: 'uuid' }),
]);

const TARGETS = ['udp', 'tcp', 'tcp-lf'].flatMap((transport) => ['json', 'cef', 'leef', 'ecs'].flatMap((content) => ['rfc5424', 'rfc3164'].map((header) => ({ transport, content, header }))));

function receiver(transport) {
  const got = { messages: [] };
  if (transport === 'udp') {
    got.socket = dgram.createSocket('udp4').on('message', (data) => data.length > 0 && got.messages.push(data));
    return new Promise((resolve) => got.socket.bind(0, '127.0.0.1', () => resolve(Object.assign(got, { port: got.socket.address().port, stop: () => got.socket.close() }))));
  }
  const sockets = new Set();
  got.socket = net.createServer((socket) => {
    sockets.add(socket);
    let buffer = Buffer.alloc(0);
    socket.on('error', () => {}).on('data', (data) => {
      buffer = Buffer.concat([buffer, data]);
      for (;;) {
        const end = buffer.indexOf(transport === 'tcp' ? 0x20 : 0x0a);
        if (end < 0) return;
        const size = transport === 'tcp' ? Number(buffer.toString('latin1', 0, end)) : end;
        const begin = transport === 'tcp' ? end + 1 : 0;
        if (buffer.length < begin + size) return;
        got.messages.push(Buffer.from(buffer.subarray(begin, begin + size)));
        buffer = buffer.subarray(transport === 'tcp' ? begin + size : end + 1);
      }
    });
  });
  return new Promise((resolve) => got.socket.listen(0, '127.0.0.1', () => resolve(Object.assign(got, {
    port: got.socket.address().port,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      got.socket.close();
    },
  }))));
}

describe('hostile events', () => {
  let wafd;
  const receivers = [];
  before(async () => {
    wafd = await Wafd.start();
    for (const target of TARGETS) {
      const one = await receiver(target.transport);
      receivers.push({ ...target, one });
      await wafd.addTarget({ name: `${target.transport} ${target.content} ${target.header}`, transport: target.transport.slice(0, 3), framing: target.transport === 'tcp-lf' ? 'lf' : 'octet_counting', content: target.content, header: target.header, port: one.port });
    }
    const client = await T1kClient.connect(wafd.t1kPort);
    for (const request of hostile) assert.equal((await client.ask(request)).verdict, '?');
    client.close();
  });
  after(async () => {
    await wafd?.stop();
    for (const { one } of receivers) one.stop();
  });

  for (const [index, { transport, content, header }] of TARGETS.entries()) {
    test(`${transport}, ${content}, ${header}`, async () => {
      const { messages } = receivers[index].one;
      await until('every event', () => messages.length >= hostile.length);
      assert.equal(messages.length, hostile.length, 'one message for each event');
      const begins = header === 'rfc5424' ? /^<\d{2}>1 \d{4}-\d\d-\d\dT[^ ]+ node-1 wafd 1 waf_event - / : /^<\d{2}>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d node-1 wafd\[1\]: /;
      for (const message of messages) {
        const text = message.toString('utf8');
        assert.match(text, begins);
        // No byte that ends a line or a string for anybody, nor one that a terminal obeys.
        assert.doesNotMatch(text, /[\x00-\x08\x0a-\x1f\x7f]/, text);
        if (content === 'json' || content === 'ecs') assert.doesNotThrow(() => JSON.parse(text.slice(text.indexOf('{'))));
        if (content === 'cef') assert.match(text, /CEF:0\|[^|]*\|/);
      }
    });
  }
});
