import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { curl_command, bytes_of, shell_quote, type CurlSource } from '../../../console/web/src/lib/curl';

const source = (head: string, rest: Partial<CurlSource> = {}): CurlSource => ({
  scheme: 'http', method: head.split(' ')[0] ?? '', host: 'shop.example', dest_ip: '127.0.0.1', dest_port: 80, req_header_raw: head, body: '', ...rest,
});

// The words of a command as bash splits them.
function words(command: string): string[] {
  const out = execFileSync('bash', ['-c', `for word in ${command.replace(/^#.*\n/gm, '')}; do printf '%s\\0' "$word"; done`]);
  return out.toString('latin1').split('\0').slice(0, -1);
}

const hostile: string[] = ["it's", "'; rm -rf / #", '$(id)', '`id`', '\\', "\\'", 'a\tb', 'a\nb', '\u0007', 'ü', '\u202e', '!history', '~', '*', "a'\u0001'b", ''];
for (const text of hostile) {
  test(`bash reads ${JSON.stringify(text)} back as it was`, () => {
    assert.deepEqual(words(shell_quote(bytes_of(text))), [Buffer.from(text).toString('latin1')]);
  });
}

test('bytes that are not UTF-8 come back from their \\xnn', () => {
  assert.deepEqual(bytes_of('a\\xff\\x00b'), [0x61, 0xff, 0, 0x62]);
});

const commands: [name: string, from: CurlSource, expected: string[]][] = [
  ['a plain request', source('GET /a?b=1 HTTP/1.1\r\nHost: shop.example\r\nAccept: */*\r\n\r\n'),
    ['curl', '-g', '--path-as-is', '-X', 'GET', '-H', 'Host: shop.example', '-H', 'Accept: */*', '--url', 'http://shop.example/a?b=1']],
  ['port, body and quotes', source("POST /x HTTP/1.1\r\nHost: shop.example:8080\r\nContent-Length: 9\r\nX: it's\r\n\r\n", { dest_port: 8080, body: "@/etc/x'y" }),
    ['curl', '-g', '--path-as-is', '-X', 'POST', '-H', 'Host: shop.example:8080', '-H', "X: it's", '--data-raw', "@/etc/x'y", '--url', 'http://shop.example:8080/x']],
  ['a header that would name a file is left out', source('GET / HTTP/1.1\r\n@/etc/passwd: x\r\nEmpty:\r\n\r\n'),
    ['curl', '-g', '--path-as-is', '-X', 'GET', '-H', 'Empty;', '--url', 'http://shop.example/']],
  ['an odd target goes as it was', source('GET /a b#c HTTP/1.1\r\n\r\n'),
    ['curl', '-g', '--path-as-is', '-X', 'GET', '--request-target', '/a b#c', '--url', 'http://shop.example/']],
  ['an odd host never reaches the URL', source('GET / HTTP/1.1\r\n\r\n', { host: 'a@evil/', dest_ip: '2001:db8::1', scheme: 'https', dest_port: 443 }),
    ['curl', '-g', '--path-as-is', '-X', 'GET', '--url', 'https://[2001:db8::1]/']],
  ['a method that looks like an option', source('-o/etc/x / HTTP/1.1\r\n\r\n'),
    ['curl', '-g', '--path-as-is', '-X', '-o/etc/x', '--url', 'http://shop.example/']],
];
for (const [name, from, expected] of commands) test(`curl: ${name}`, () => assert.deepEqual(words(curl_command(from)), expected));

test('curl: what was cut is said', () => {
  assert.match(curl_command(source('POST / HTTP/1.1\r\n\r\n', { body: 'abc\u2026[cut 17]' })), /^# the recorded body was cut\n/);
});
