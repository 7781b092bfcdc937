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

export const PASS = Buffer.from([0xc1, 1, 0, 0, 0, 0x2e]);
