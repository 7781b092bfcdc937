// Bodies and heads as applications read them, at the settings of a new installation and at those of stricter sites: what
// one reader would hand to the application is judged, and what nobody here can read, or a limit leaves out, is the site's decision.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import zlib from 'node:zlib';

import { T1kClient, requestMessage } from './support/t1k.mjs';
import { Wafd, request } from './support/wafd.mjs';

const ATTACK = "1' union select password from users-- ";
const FORM = 'application/x-www-form-urlencoded';

// Letters, digits and the signs that stand at the same place in every EBCDIC page.
function ebcdic(text) {
  const signs = { ' ': 0x40, '.': 0x4b, '<': 0x4c, '(': 0x4d, '+': 0x4e, '&': 0x50, '*': 0x5c, ')': 0x5d, ';': 0x5e, '-': 0x60, '/': 0x61,
    ',': 0x6b, '%': 0x6c, _: 0x6d, '>': 0x6e, '?': 0x6f, ':': 0x7a, "'": 0x7d, '=': 0x7e, '"': 0x7f };
  return Buffer.from([...text].map((c) => {
    if (c in signs) return signs[c];
    const code = c.charCodeAt(0);
    if (c >= '0' && c <= '9') return 0xf0 + code - 48;
    const lower = c.toLowerCase().charCodeAt(0) - 97;
    const row = lower < 9 ? 0x81 + lower : lower < 18 ? 0x91 + lower - 9 : 0xa2 + lower - 18;
    return c === c.toLowerCase() ? row : row + 0x40;
  }));
}

const changed = (bytes, at) => {
  const copy = Buffer.from(bytes);
  copy[at < 0 ? copy.length + at : at] ^= 0x55;
  return copy;
};
const gzip = (text) => zlib.gzipSync(text);
const part = (parameters, content, headers = '') => `--B\r\nContent-Disposition: form-data; ${parameters}\r\n${headers}\r\n${content}\r\n`;
const MULTIPART = 'multipart/form-data; boundary=B';
const parts = (text) => `${text}--B--\r\n`;
const deep = (levels, text) => `${'<e>'.repeat(levels)}${text}${'</e>'.repeat(levels)}`;

// {type, coding, body} or {line, headers}; of `clean`, what is no attack.
const attacks = {
  'XML, a comment in the text': { type: 'text/xml', body: '<a>1\' UNI<!-- -->ON SEL<!-- x -->ECT password FROM users-- </a>' },
  'XML, a processing instruction in the text': { type: 'text/xml', body: '<a>1\' UNI<?x y?>ON SEL<?x?>ECT password FROM users-- </a>' },
  'XML, CDATA in the text': { type: 'text/xml', body: '<a>1\' UNI<![CDATA[ON SEL]]>ECT password FROM users-- </a>' },
  'XML, an internal entity': { type: 'text/xml', body: `<!DOCTYPE a [<!ENTITY x "1' union select "><!ENTITY y "&x;password from users-- ">]><a>&y;</a>` },
  'XML, entities that grow': { type: 'text/xml', body: `<!DOCTYPE a [<!ENTITY a "${'h'.repeat(999)}">${'bcdefg'.split('').map((c, i) => `<!ENTITY ${c} "${`&${'abcdef'[i]};`.repeat(9)}">`).join('')}]><a>&g;</a>` },
  'XML, 300 deep': { type: 'text/xml', body: deep(300, ATTACK) },
  'XML, 5,000 deep': { type: 'text/xml', body: deep(5000, ATTACK) },
  'XML in Cp037': { type: 'text/xml', body: ebcdic(`<?xml version="1.0" encoding="Cp037"?><a>${ATTACK}</a>`) },
  'gzip, its checksum wrong': { type: FORM, coding: 'gzip', body: changed(gzip(`a=${ATTACK}`), -6) },
  'gzip, a second member that is none': { type: FORM, coding: 'gzip', body: Buffer.concat([gzip(`a=${ATTACK}`), Buffer.from('\x1f\x8b\x08junk', 'latin1')]) },
  'gzip, broken off': { type: FORM, coding: 'gzip', body: gzip(`a=${ATTACK}&b=${'c'.repeat(99)}`).subarray(0, -9) },
  'deflate, its checksum wrong': { type: FORM, coding: 'deflate', body: changed(zlib.deflateSync(`a=${ATTACK}`), -1) },
  'gzip, behind 66,000 zeros': { type: FORM, coding: 'gzip', body: gzip(`z=${'0'.repeat(66_000)}&a=${ATTACK}`) },
  'gzip, behind 900,000 zeros': { type: FORM, coding: 'gzip', body: gzip(`z=${'0'.repeat(900_000)}&a=${ATTACK}`) },
  'a part with an empty file name': { type: MULTIPART, body: parts(part('name="a"; filename=""', ATTACK)) },
  'a text part with the file name of a Blob': { type: MULTIPART, body: parts(part('name="a"; filename="blob"', ATTACK, 'Content-Type: text/plain\r\n')) },
  'a JSON part with the file name of a Blob': { type: MULTIPART,
    body: parts(part('name="a"; filename="blob"', JSON.stringify({ q: ATTACK }), 'Content-Type: application/json\r\n')) },
  'the last of 15,000 parts': { type: MULTIPART, body: parts(part('name="x"', '1').repeat(15_000) + part('name="a"', ATTACK)) },
  'a quoted cookie with escapes': { line: 'GET / HTTP/1.1', headers: ['Cookie: a="1\\\' uni\\on sel\\ect password from users-- "'] },
  'a quoted cookie with octal escapes': { line: 'GET / HTTP/1.1', headers: ['Cookie: a="1\\047\\040union\\040select\\040password\\040from\\040users--\\040"'] },
  'a cookie behind 256 headers': { line: 'GET / HTTP/1.1', headers: [...Array.from({ length: 256 }, (_, i) => `X-H${i}: ${i}`), `Cookie: a=${encodeURIComponent(ATTACK)}`] },
  'stray percent signs': { line: "GET /?a=1'%20un%ion%20sel%ect%20pass%word%20fr%om%20users--%20 HTTP/1.1", headers: [] },
  'stray percent signs in a form': { type: FORM, body: "a=1'+un%ion+sel%ect+pass%word+fr%om+users--+" },
  'tabs in the request line': { line: `GET\t/?a=${encodeURIComponent(ATTACK)}\tHTTP/1.1`, headers: [] },
  '750 KB that exhaust the work': { type: FORM, body: `${Array.from({ length: 250 }, (_, i) => `p${i}=${'%2525253c%25252527%3c!--'.repeat(125)}`).join('&')}&a=${encodeURIComponent(encodeURIComponent(ATTACK))}` },
  'XML in a form': { type: FORM, body: `a=${encodeURIComponent('<?xml version="1.0"?><a>1\' UNI<!-- -->ON SEL<!-- x -->ECT password FROM users-- </a>')}` },
  'XML in JSON': { type: 'application/json', body: JSON.stringify({ a: '<?xml version="1.0"?><a>1\' UNI<!-- -->ON SEL<!-- x -->ECT password FROM users-- </a>' }) },
  'JSON, 400 deep': { type: 'application/json', body: `${'['.repeat(400)}"1\\u0027 \\u0075nion sel\\u0065ct password from users-- "${']'.repeat(400)}` },
  'a bare CR in the request line': { line: `GET\r/?a=${encodeURIComponent(ATTACK)}\rHTTP/1.1`, headers: [] },
  'another blank in the request line': { line: `GET\x1c/?a=${encodeURIComponent(ATTACK)}\x1cHTTP/1.1`, headers: [] },
  'XML, an entity in an attribute': { type: 'text/xml', body: `<!DOCTYPE a [<!ENTITY x "1' union select ">]><a b="&x;password from users-- "/>` },
  'XML, CDATA in an entity': { type: 'text/xml', body: `<!DOCTYPE a [<!ENTITY x "1' union sel<![CDATA[ect ]]>">]><a>&x;password from users-- </a>` },
  'XML, a parameter entity that declares one': { type: 'text/xml', body: `<!DOCTYPE a [<!ENTITY % p "<!ENTITY x &#34;1' union select &#34;>">%p;]><a>&x;password from users-- </a>` },
  'XML, elements between the words': { type: 'text/xml', body: "<a>1' UNI<b/>ON SEL<i></i>ECT password FROM users-- </a>" },
  'XML without a type': { type: 'text/plain', body: '<?xml version="1.0"?><a>1\' UNI<!-- -->ON SEL<!-- x -->ECT password FROM users-- </a>' },
  'XML in UTF-16 without a mark': { type: 'text/xml', body: Buffer.from(`<?xml version="1.0" encoding="UTF-16LE"?><a>${ATTACK}</a>`, 'utf16le') },
  'XML in cp875, declared': { type: 'text/xml', body: ebcdic(`<?xml version="1.0" encoding="cp875"?><a>${ATTACK}</a>`) },
  'XML in cp424, declared in the head': { type: 'text/xml; charset="CP424"', body: ebcdic(`<a>${ATTACK}</a>`) },
  'XML in a part': { type: MULTIPART, body: parts(part('name="a"', '<?xml version="1.0"?><a>1\' UNI<!-- -->ON SEL<!-- x -->ECT password FROM users-- </a>', 'Content-Type: text/xml\r\n')) },
  'JSON in cp037': { type: 'application/json; charset=cp037', body: Buffer.concat([Buffer.from([0xc0]), ebcdic(`"a":"${ATTACK}"`), Buffer.from([0xd0])]) },
  'a form in percent of cp875': { type: `${FORM}; charset=cp875`, body: `a=${[...ebcdic(ATTACK)].map((o) => '%' + o.toString(16)).join('')}` },
  'raw deflate': { type: FORM, coding: 'deflate', body: zlib.deflateRawSync(`a=${ATTACK}`) },
  'x-gzip': { type: FORM, coding: 'x-gzip', body: gzip(`a=${ATTACK}`) },
  'GZIP in capitals': { type: FORM, coding: 'GZIP', body: gzip(`a=${ATTACK}`) },
  'br': { type: FORM, coding: 'br', body: zlib.brotliCompressSync(`a=${ATTACK}`) },
  'br broken off': { type: FORM, coding: 'br', body: zlib.brotliCompressSync(`a=${ATTACK}&b=${Array.from({length:400},(_, i)=>(i*7919%1000)).join('')}`).subarray(0, -20) },
  'two codings': { type: FORM, coding: 'deflate, gzip', body: gzip(zlib.deflateSync(`a=${ATTACK}`)) },
  'the second member': { type: FORM, coding: 'gzip', body: Buffer.concat([gzip('b=c&'), gzip(`a=${ATTACK}`)]) },
  'gzip, its length wrong': { type: FORM, coding: 'gzip', body: changed(gzip(`a=${ATTACK}`), -1) },
  'gzip, damaged behind the attack': { type: FORM, coding: 'gzip', body: (() => { const z = gzip(`a=${ATTACK}&b=${Array.from({length:4000},(_, i)=>(i*7919%10007)).join('')}`); return changed(z, -300); })() },
  'deflate, damaged behind the attack': { type: FORM, coding: 'deflate', body: (() => { const z = zlib.deflateSync(`a=${ATTACK}&b=${Array.from({length:4000},(_, i)=>(i*7919%10007)).join('')}`); return changed(z, -300); })() },
  'a packed JSON': { type: 'application/json', coding: 'gzip', body: changed(gzip(JSON.stringify({ a: ATTACK })), -5) },
  'a part with an empty file name and a type': { type: MULTIPART, body: parts(part('name="a"; filename=""', ATTACK, 'Content-Type: application/octet-stream\r\n')) },
  'a part, filename=blob': { type: MULTIPART, body: parts(part('name=a; filename=blob', ATTACK, 'Content-Type: text/plain\r\n')) },
  'a Blob without a type': { type: MULTIPART, body: parts(part('name="a"; filename="blob"', ATTACK)) },
  'a Blob of a form': { type: MULTIPART, body: parts(part('name="a"; filename="blob"', `q=${encodeURIComponent(ATTACK)}`, `Content-Type: ${FORM}\r\n`)) },
  'a Blob of vnd.api+json': { type: MULTIPART, body: parts(part('name="a"; filename="blob"', JSON.stringify({ q: ATTACK }), 'Content-Type: application/vnd.api+json; charset=utf-8\r\n')) },
  'a JSON file of another name': { type: MULTIPART, body: parts(part('name="a"; filename="query.json"', JSON.stringify({ q: ATTACK }), 'Content-Type: application/json\r\n')) },
  'a part in EBCDIC': { type: MULTIPART, body: Buffer.concat([Buffer.from('--B\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=cp875\r\n\r\n'), ebcdic(ATTACK), Buffer.from('\r\n--B--\r\n')]) },
  'a part in base64': { type: MULTIPART, body: parts(part('name="a"; filename=""', Buffer.from(ATTACK).toString('base64'), 'Content-Transfer-Encoding: base64\r\n')) },
  'a cookie, the second of two': { line: 'GET / HTTP/1.1', headers: ['Cookie: b="c d"; a="1\\\' uni\\on sel\\ect password from users-- "'] },
  'a cookie of a second header': { line: 'GET / HTTP/1.1', headers: ['Cookie: b=c', `Cookie: a=${encodeURIComponent(ATTACK)}`] },
  'a cookie behind a comma': { line: 'GET / HTTP/1.1', headers: [`Cookie: b=c, a=${encodeURIComponent(ATTACK)}`] },
  'stray percent, with %u': { line: "GET /?a=1'%20un%zion%u0020sel%yect%20pass%word%20fr%om%20users--%20 HTTP/1.1", headers: [] },
  'stray percent at the ends': { line: "GET /?a=1'%20u%nion%20%select%20%password%20%from%20%users--% HTTP/1.1", headers: [] },
  'stray percent in a name': { line: "GET /?1'%20un%ion%20sel%ect%20pass%word%20fr%om%20users--%20=1 HTTP/1.1", headers: [] },
  'stray percent in a cookie': { line: 'GET / HTTP/1.1', headers: ["Cookie: a=1'%20un%ion%20sel%ect%20pass%word%20fr%om%20users--%20"] },
  'a vertical tab in the request line': { line: `GET\x0b/?a=${encodeURIComponent(ATTACK)}\x0bHTTP/1.1`, headers: [] },
  'a form feed in the request line': { line: `GET \x0c/?a=${encodeURIComponent(ATTACK)}\x0cHTTP/1.1`, headers: [] },
  'blanks in the request line': { line: `GET   /?a=${encodeURIComponent(ATTACK)}   HTTP/1.1`, headers: [] },
  'tabs before a path': { line: `POST\t/a?a=b\t\tHTTP/1.1`, headers: ['X-A: b', `Referer: https://a.example/?q=${encodeURIComponent(ATTACK)}`] },
  'no version': { line: `GET\t/?a=${encodeURIComponent(ATTACK)}`, headers: [] },
};
for (const page of ['cp037', 'cp500', 'cp875', 'cp424', 'cp1026', 'cp1140', 'IBM273', 'cp297', 'cp1047']) {
  attacks[`a form in ${page}`] = { type: `${FORM}; charset=${page}`, body: ebcdic(`a=${ATTACK}`) };
}
const unread = {
  'an unknown character set': { type: `${FORM}; charset=klingon`, body: 'a=b' },
  'an unknown coding': { type: FORM, coding: 'zstd', body: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4, 0, 0x19, 0, 0, 0x61, 0x3d, 0x62, 1, 2, 3, 4]) },
  'four codings': { type: FORM, coding: 'gzip, gzip, gzip, gzip', body: gzip(gzip(gzip(gzip('a=b')))) },
  'more than is inflated': { type: FORM, coding: 'gzip', body: gzip('0'.repeat(40 << 20)) },
  'XML deeper than 10,000': { type: 'text/xml', body: deep(10_100, 'b') },
  '5,000 headers': { line: 'GET / HTTP/1.1', headers: Array.from({ length: 5000 }, (_, i) => `X-H${i}: ${i}`) },
  'an unknown character set of XML': { type: 'text/xml', body: '<?xml version="1.0" encoding="klingon"?><a>b</a>' },
  'an unknown character set of JSON': { type: 'application/json; charset=klingon', body: '{"a":"b"}' },
  'an unknown character set of a part': { type: MULTIPART, body: parts(part('name="a"', 'b', 'Content-Type: text/plain; charset=klingon\r\n')) },
  'uuencode in a part': { type: MULTIPART, body: parts(part('name="a"', 'b', 'Content-Transfer-Encoding: x-uuencode\r\n')) },
  '70,000 fields of a form': { type: FORM, body: Array.from({ length: 70_000 }, (_, i) => `a${i}=b`).join('&') },
  'JSON, 600 deep': { type: 'application/json', body: `${'['.repeat(600)}1${']'.repeat(600)}` },
};
const clean = {
  'JSON, 100 deep': { type: 'application/json', body: `${'['.repeat(100)}1${']'.repeat(100)}` },
  'XML in a form': { type: FORM, body: `a=${encodeURIComponent('<?xml version="1.0"?><order><!-- from the shop --><item>Blue shoes &amp; socks</item></order>')}` },
  'a form': { type: FORM, body: 'a=b&c=d' },
  'XML with comments and entities': { type: 'text/xml', body: '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY c "Example Ltd">]><a>By &c;<!-- 2026 --> and others</a>' },
  'a packed form': { type: FORM, coding: 'gzip', body: gzip('a=b&c=d') },
  'a page of 900 KB, packed well': { type: 'text/plain', coding: 'gzip', body: gzip('All work and no play. '.repeat(42_000)) },
  'a Blob of JSON': { type: MULTIPART, body: parts(part('name="a"; filename="blob"', '{"q":"a word"}', 'Content-Type: application/json\r\n')) },
  'three hundred parts': { type: MULTIPART, body: parts(part('name="x"', '1').repeat(300)) },
  'a quoted cookie': { line: 'GET / HTTP/1.1', headers: ['Cookie: a="b, c"'] },
  'a percent sign': { line: 'GET /?a=100%%20of%20them HTTP/1.1', headers: [] },
};

function head_of(host, one, bytes) {
  if (one.line) return `${one.line}\r\nHost: ${host}\r\n${one.headers.map((line) => `${line}\r\n`).join('')}\r\n`;
  const coding = one.coding ? `Content-Encoding: ${one.coding}\r\n` : '';
  return `POST /a HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${one.type}\r\n${coding}Content-Length: ${bytes.length}\r\n\r\n`;
}

describe('readings', () => {
  let wafd;
  let client;
  before(async () => {
    wafd = await Wafd.start({ 'ingest.budget_ms': 60000 });
    client = await T1kClient.connect(wafd.t1kPort);
    await wafd.api('POST', '/sites', { name: 'strict', hosts: ['strict.example'], sensitivity: 'strict' });
    await wafd.api('POST', '/sites', { name: 'block', hosts: ['block.example'], on_oversize: 'block', on_limit: 'block' });
    await wafd.api('POST', '/sites', { name: 'open', hosts: ['open.example'], on_oversize: 'pass', on_limit: 'pass' });
    await wafd.api('POST', '/sites', { name: 'low', hosts: ['low.example'], sensitivity: 'low' });
  });
  after(async () => {
    client?.close();
    await wafd?.stop();
  });

  const ask = (host, one) => {
    const body = one.line ? null : Buffer.from(one.body).toString('latin1');
    return client.ask(requestMessage(head_of(host, one, body ?? ''), body));
  };
  const action = async (host, one) => ((await ask(host, one)).verdict === '?' ? 'deny' : 'pass');

  for (const [name, one] of Object.entries(attacks)) {
    test(`denied: ${name}`, async () => {
      for (const host of ['new.example', 'strict.example', 'block.example']) assert.equal(await action(host, one), 'deny', host);
      // By what it says, and not by a limit.
      const answer = await ask('open.example', one);
      if (!name.includes('exhaust')) assert.equal(answer.verdict, '?', 'with limits that pass');
    });
  }
  for (const [name, one] of Object.entries(unread)) {
    test(`the site's decision: ${name}`, async () => {
      assert.equal(await action('new.example', one), 'deny');
      assert.equal(await action('strict.example', one), 'deny');
      assert.equal(await action('open.example', one), 'pass');
      assert.equal(await action('low.example', one), 'pass');
    });
  }
  for (const [name, one] of Object.entries(clean)) {
    test(`passed: ${name}`, async () => {
      for (const host of ['new.example', 'block.example']) assert.equal(await action(host, one), 'pass', host);
    });
  }

  test('over HTTP too', async () => {
    for (const [name, one] of Object.entries(attacks).filter(([, one]) => !one.line)) {
      const headers = { Host: 'new.example', 'Content-Type': one.type, ...(one.coding ? { 'Content-Encoding': one.coding } : {}) };
      const answer = await request(`${wafd.http}/check/a`, { method: 'POST', headers, body: Buffer.from(one.body) });
      assert.equal(answer.status, 403, name);
    }
  });
});
