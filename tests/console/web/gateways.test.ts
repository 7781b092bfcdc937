import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filled, gateways, place_of } from '../../../console/web/src/lib/gateways';

test('every gateway names this node\'s address, and the default one no more', () => {
  const place = { host: '192.0.2.8', port: '9444' };
  for (const gateway of gateways) {
    const text = filled(gateway, place).split('\n').filter((line) => !line.trimStart().startsWith('#')).join('\n');
    assert.ok(text.includes('192.0.2.8') && text.includes('9444'), gateway.id);
    assert.doesNotMatch(text, /127\.0\.0\.1:870\d|\b870[012]\b|waf[12]\.internal/, gateway.id);
  }
});

test('a listener that listens everywhere is reached by the name of the page', () => {
  assert.deepEqual(place_of('0.0.0.0:8701', 'waf.example'), { host: 'waf.example', port: '8701' });
  assert.deepEqual(place_of('[::]:8701', 'waf.example'), { host: 'waf.example', port: '8701' });
  assert.deepEqual(place_of('[2001:db8::1]:8701', 'waf.example'), { host: '2001:db8::1', port: '8701' });
  assert.equal(place_of('/run/wafd/t1k.sock', 'waf.example'), undefined);
});
