// The protected application of the quickstart: answers every request with what it got. upstream.mjs PORT
import http from 'node:http';

const port = Number(process.argv[2] ?? 8081);
const server = http.createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.end(`The application got: ${request.method} ${encodeURI(decodeURIComponentOr(request.url))}\n`);
  });
});

function decodeURIComponentOr(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

server.on('error', (error) => {
  console.error(`upstream: port ${port}: ${error.code}`);
  process.exit(1);
});
server.listen(port, '127.0.0.1');
