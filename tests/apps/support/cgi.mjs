// Programs behind the Common Gateway Interface (RFC 3875), without a server of their own.
import http from 'node:http';
import { spawn } from 'node:child_process';

// `programOf(path)`: {command, args, script, env} of the program for a path; `script` is the part of the path that names it.
export function serveCgi(programOf) {
  return http.createServer((incoming, answer) => {
    const [target, query = ''] = incoming.url.split(/\?(.*)/s);
    const { command, args = [], script = '', env = {} } = programOf(target);
    const program = spawn(command, args, {
      env: {
        PATH: process.env.PATH,
        GATEWAY_INTERFACE: 'CGI/1.1',
        SERVER_PROTOCOL: 'HTTP/1.1',
        SERVER_NAME: (incoming.headers.host ?? 'localhost').split(':')[0],
        SERVER_PORT: '80',
        SCRIPT_NAME: script,
        PATH_INFO: decodeURIComponent(target.slice(script.length)),
        QUERY_STRING: query,
        REQUEST_METHOD: incoming.method,
        REQUEST_URI: incoming.url,
        CONTENT_TYPE: incoming.headers['content-type'] ?? '',
        HTTP_HOST: incoming.headers.host ?? '',
        HTTP_CONTENT_ENCODING: incoming.headers['content-encoding'] ?? '',
        HTTP_GIT_PROTOCOL: incoming.headers['git-protocol'] ?? '',
        ...(incoming.headers['content-length'] ? { CONTENT_LENGTH: incoming.headers['content-length'] } : {}),
        REMOTE_ADDR: '127.0.0.1',
        ...env,
      },
    });
    program.on('error', () => answer.writeHead(502).end());
    incoming.pipe(program.stdin).on('error', () => {});
    // Answered when the program has ended: proxies send no more of a request of which they have the answer.
    const parts = [];
    program.stdout.on('data', (data) => parts.push(data));
    program.on('close', () => {
      if (answer.headersSent) return;
      const all = Buffer.concat(parts);
      const gap = /\r?\n\r?\n/.exec(all.subarray(0, 8192).toString('latin1'));
      const lines = gap
        ? all
            .subarray(0, gap.index)
            .toString('latin1')
            .split(/\r?\n/)
            .filter(Boolean)
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
        : [];
      answer.writeHead(
        gap ? Number.parseInt(lines.find(([name]) => name === 'Status')?.[1] ?? '200', 10) : 502,
        Object.fromEntries(lines.filter(([name]) => name !== 'Status')),
      );
      answer.end(gap ? all.subarray(gap.index + gap[0].length) : '');
    });
  });
}

// Listens on the stage's application port, until the stage stops.
export async function listenCgi(stage, programOf) {
  const server = serveCgi(programOf);
  await new Promise((resolve) => server.listen(stage.appPort, '127.0.0.1', resolve));
  stage.programs.push({ name: 'cgi', stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))) });
}
