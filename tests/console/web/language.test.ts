// Which language a reader gets, and how numbers look in it.
import assert from 'node:assert/strict';
import test from 'node:test';
import { count_text, duration_text, set_locale } from '../../../console/web/src/lib/format';
import { language_for } from '../../../console/web/src/lib/language';
import chinese from '../../../console/web/texts/zh-CN.json';
import { english, say, t, use_catalogue, type Catalogue } from '../../../console/web/src/text';

test('the choice of the user, then what the browser asks for, then English', () => {
  for (const [chosen, asked, expected] of [
    ['', ['zh-CN', 'en'], 'zh-CN'], ['', ['zh'], 'zh-CN'], ['', ['de-DE', 'zh-Hans-CN', 'en'], 'zh-CN'], ['', ['de', 'en-US', 'zh'], 'en'],
    ['', [], 'en'], ['', ['fr'], 'en'], ['en', ['zh-CN'], 'en'], ['zh-CN', ['en'], 'zh-CN'], ['tlh', ['zh'], 'zh-CN'],
  ] as const) assert.equal(language_for(chosen, asked), expected, `${chosen} ${asked.join()}`);
});

test('texts, plural forms and numbers are those of the language', () => {
  assert.equal(say(t.events.total, { n: 1 }), '1 event');
  assert.equal(say(t.events.total, { n: 12345 }), '12,345 events');
  assert.equal(say(t.overview.no_body, { listener: 'http', n: 1 }).includes('although 1 request had one'), true);
  assert.equal(duration_text(3 * 3_600_000), '3 h 0 min');
  use_catalogue(chinese as unknown as Catalogue);
  set_locale('zh-CN');
  try {
    assert.equal(say(t.events.total, { n: 1 }), '1 条事件');
    assert.equal(say(t.common.ago, { duration: duration_text(12_000) }), '12 秒前');
    assert.equal(count_text(12345), '12,345');
  } finally {
    use_catalogue(english);
    set_locale('en-GB');
  }
  assert.equal(t.events.title, 'Events');
});
