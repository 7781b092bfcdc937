import assert from 'node:assert/strict';
import test from 'node:test';
import { line_pieces, pieces_of, visible_text } from '../../../console/web/src/lib/visible';

const rows: [name: string, text: string, shown: string][] = [
  ['plain text stays', 'GET /a?b=c', 'GET /a?b=c'],
  ['letters of other scripts stay', 'größe 漢字 😀', 'größe 漢字 😀'],
  ['NUL and escape', 'a\u0000b\u001b[31m', 'a[NUL]b[ESC][31m'],
  ['line ends and tab', 'a\r\n\tb', 'a[CR][LF][TAB]b'],
  ['DEL and C1', '\u007f\u0085\u009b', '[DEL][U+0085][U+009B]'],
  ['right-to-left override', 'exe\u202etxt', 'exe[U+202E]txt'],
  ['isolates', '\u2066a\u2069', '[U+2066]a[U+2069]'],
  ['zero width', 'a\u200bb\u200dc\ufeff', 'a[U+200B]b[U+200D]c[U+FEFF]'],
  ['line separators', '\u2028\u2029', '[U+2028][U+2029]'],
  ['soft hyphen and fillers', '\u00ad\u3164\uffa0', '[U+00AD][U+3164][U+FFA0]'],
  ['lone surrogate', 'a\ud800b', 'a[U+D800]b'],
  ['tag characters', '\u{e0041}', '[U+E0041]'],
  ['empty', '', ''],
];

for (const [name, text, shown] of rows) test(`visible: ${name}`, () => assert.equal(visible_text(text), shown));

const lines: [text: string, pieces: string][] = [
  ['shop.example', 'shop.·example'],
  ['a-rather-long-name.shop.example', 'a-·rather-·long-·name.·shop.·example'],
  ['/wp-content/plugins/a.php?b=1&c[0].d', '/wp-·content/·plugins/·a.·php?·b=·1&·c·[0].·d'],
  ['203.0.113.7:8443', '203.0.113.7:8443'],
  ['2001:db8::7/64', '2001:·db8::7/64'],
  ['2001:db8:1234:5678::/64', '2001:·db8:·1234:·5678::/64'],
  ['fe80:0:0:0:fc:ff:fe00:1', 'fe80:·0:·0:·0:·fc:·ff:·fe00:·1'],
  ['08:34:10', '08:34:10'],
  ['wafd 1.2.3 of 2026-11-28 08:34:10', 'wafd ·1.2.3 ·of ·2026-11-28 ·08:34:10'],
  ['/some/item/59', '/some/·item/59'],
  ['searchConfigurationText', 'search·Configuration·Text'],
  ['searchText', 'searchText'],
  ['*.shop.example', '*.shop.·example'],
  ['/', '/'],
  ['', ''],
];
for (const [text, pieces] of lines) test(`lines may end in ${text || 'nothing'}`, () => assert.equal(line_pieces(text).join('·'), pieces));

test('visible: every control and format character has a symbol, and no piece holds one', () => {
  let seen = 0;
  for (let code = 0; code <= 0x10ffff; ++code) {
    const text = String.fromCodePoint(code);
    if (!/[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b]/u.test(text)) continue;
    ++seen;
    const pieces = pieces_of(text);
    assert.deepEqual(pieces.map((p) => p.symbol), [true], `U+${code.toString(16)}`);
    assert.match(pieces[0]?.text ?? '', /^[\x21-\x7e]+$/);
  }
  assert.equal(seen, 65 + 12 + 2 + 1);
});
