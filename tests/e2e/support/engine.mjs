// An engine of a test's own making: whatever bytes it likes, in whatever rhythm.
import net from 'node:net';

// A peer of the plugin that does what `onMessage(socket, head, sections)` says; counts the messages and what they report as
// passed. `sections`: tag -> Buffer.
export async function rawEngine(onMessage, port = 0) {
  const engine = { messages: 0, skipped: 0, unjudged: 0, connections: 0, sockets: new Set() };
  engine.server = net.createServer((socket) => {
    engine.connections += 1;
    engine.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => engine.sockets.delete(socket));
    let buffer = Buffer.alloc(0);
    socket.on('data', (data) => {
      buffer = Buffer.concat([buffer, data]);
      for (;;) {
        let at = 0;
        let complete = false;
        const sections = {};
        while (!complete && buffer.length - at >= 5 && buffer.length - at - 5 >= buffer.readUInt32LE(at + 1)) {
          const length = buffer.readUInt32LE(at + 1);
          sections[buffer[at] & 0x3f] = buffer.subarray(at + 5, at + 5 + length);
          complete = (buffer[at] & 0x80) !== 0;
          at += 5 + length;
        }
        if (!complete) return;
        buffer = buffer.subarray(at);
        engine.messages += 1;
        const skipped = /\n\x41(\d+)\n/.exec((sections[3] ?? '').toString('latin1'));
        if (skipped) engine.skipped += Number(skipped[1]);
        const unjudged = /\n\x44(\d+)\n/.exec((sections[3] ?? '').toString('latin1'));
        if (unjudged) engine.unjudged += Number(unjudged[1]);
        onMessage(socket, sections[1].toString('latin1'), sections);
      }
    });
  });
  await new Promise((resolve, reject) => {
    engine.server.on('error', reject);
    engine.server.listen(port, '127.0.0.1', resolve);
  });
  engine.port = engine.server.address().port;
  engine.stop = () => {
    for (const socket of engine.sockets) socket.destroy();
    return new Promise((resolve) => engine.server.close(resolve));
  };
  return engine;
}

// One section of an answer: flags and tag, then the data.
export function section(flags, data) {
  const header = Buffer.alloc(5);
  header[0] = flags;
  header.writeUInt32LE(data.length, 1);
  return Buffer.concat([header, Buffer.from(data)]);
}

export const EVENT_ID = '0123456789abcdef0123456789abcdef';
export const PASS = section(0xc1, '.');
const RECORDED = Buffer.concat([section(0x41, '.'), section(0xa5, EVENT_ID)]);

export function block(status = '403') {
  return Buffer.concat([section(0x41, '?'), section(0x02, status), section(0xa4, `<!-- event_id: ${EVENT_ID} -->`)]);
}

// For rawEngine: blocks and passes by words in head or body.
export function judging(socket, head, sections) {
  const text = head + (sections[2] ?? '');
  socket.write(/attack/.test(text) ? block() : /recorded/.test(text) ? RECORDED : PASS);
}
