import assert from 'node:assert/strict';
import { test } from 'node:test';
import { is_private, network_around } from '../../../console/web/src/lib/source';

test('the network around an address', () => {
  for (const [address, network] of [
    ['192.0.2.77', '192.0.2.0/24'], ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'], ['2001:db8::7', '2001:db8::/64'], ['::1', '0::/64'],
    ['2001:0db8:0:1::', '2001:db8:0:1::/64'], ['shop.example', ''], ['', ''],
  ]) assert.equal(network_around(address as string), network, address);
});

test('private addresses', () => {
  for (const address of ['10.1.2.3', '127.0.0.1', '172.16.0.1', '172.31.9.9', '192.168.1.1', '169.254.1.1', '100.64.0.1', '::1', 'fd00::1', 'fe80::1']) assert.ok(is_private(address), address);
  for (const address of ['11.1.2.3', '172.32.0.1', '192.169.1.1', '100.128.0.1', '2001:db8::1', '203.0.113.7']) assert.ok(!is_private(address), address);
});
