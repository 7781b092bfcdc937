// Source locations: installed by the script from npm, read, replaced under a running wafd; a broken file changes nothing and is said.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { database } from './support/mmdb.mjs';
import { root, run, tempFolder, until } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const script = path.join(root, 'packaging/geoip');

describe('source locations', () => {
  const file = path.join(tempFolder('geoip'), 'country.mmdb');
  let wafd;
  let installed;
  before(async () => {
    installed = await run(script, ['geo-whois-asn-country-mmdb', file]);
    assert.equal(installed.code, 0, installed.stderr);
    wafd = await Wafd.start({ 'geoip.database': file, 'ingest.http.trusted_proxies': '127.0.0.0/8' });
  });
  after(() => wafd?.stop());
  const attack = async (source, of = wafd) => {
    const answer = await request(`${of.http}/check`, {
      headers: { 'X-Forwarded-Method': 'GET', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'shop.example', 'X-Forwarded-Uri': '/item?id=1%27%20OR%20%271%27=%271', 'X-Forwarded-For': source },
    });
    assert.equal(answer.status, 403);
    return (await of.event(answer.json().event_id)).record;
  };

  test('the script says what it installed and under which licence, and refuses what is none', async () => {
    assert.match(installed.stdout, /country\.mmdb: geo-whois-asn-country\.mmdb, \d{6,} bytes/);
    assert.match(installed.stdout, /licence: \S/);
    assert.equal(fs.statSync(file).mode & 0o777, 0o644);
    for (const [args, says] of [[['../../etc'], /expected a package/], [['asn'], /-mmdb/], [['geo-whois-asn-country-mmdb', '/no/such/folder/x.mmdb'], /expected a folder/]]) {
      const refused = await run(script, args);
      assert.notEqual(refused.code, 0);
      assert.match(refused.stderr, says);
    }
  });

  test('the country stands in the record, in top lists and in queries', async () => {
    const record = await attack('8.8.8.8');
    assert.equal(record.country, 'US');
    assert.equal((await attack('192.0.2.7')).country, '');
    const { values } = await wafd.api('GET', '/events/top?field=country');
    assert.ok(values.some(({ value }) => value === 'US'));
    assert.equal((await wafd.api('GET', '/events?q=country:US')).events.length, 1);
    const { geoip } = await wafd.api('GET', '/status');
    assert.equal(geoip.database, file);
    assert.ok(geoip.type !== '' && geoip.built_s > 1_600_000_000 && geoip.error === '', JSON.stringify(geoip));
  });

  test('country, province and city of both layouts of a City database: in the record, in top lists and in the message', async () => {
    const city = path.join(tempFolder('geoip'), 'city.mmdb');
    fs.writeFileSync(city, database('GeoLite2-City', {
      '203.0.113': { country: { iso_code: 'DE' }, subdivisions: [{ names: { en: 'Saxony' } }], city: { names: { de: 'Leipzig (de)', en: 'Leipzig' } } },
      '198.51.100': { country_code: 'JP', state1: 'Osaka', city: 'Sakai' },
    }));
    const other = await Wafd.start({ 'geoip.database': city, 'ingest.http.trusted_proxies': '127.0.0.0/8' });
    try {
      for (const [source, country, province, name] of [['203.0.113.200', 'DE', 'Saxony', 'Leipzig'], ['198.51.100.1', 'JP', 'Osaka', 'Sakai'], ['192.0.2.1', '', '', '']]) {
        const record = await attack(source, other);
        assert.deepEqual([record.country, record.province, record.city], [country, province, name], source);
        const { message } = await other.api('GET', `/events/${record.event_id}/syslog`);
        assert.ok(message.includes(`"province":"${province}"`) && message.includes(`"city":"${name}"`), message);
      }
      const { values } = await other.api('GET', '/events/top?field=country');
      assert.deepEqual(values.map(({ value }) => value).filter(Boolean).sort(), ['DE', 'JP']);
      for (const [field, wanted, one] of [['province', ['Osaka', 'Saxony'], 'province:saxony'], ['city', ['Leipzig', 'Sakai'], 'city:leip*']]) {
        const top = await other.api('GET', `/events/top?field=${field}`);
        assert.deepEqual(top.values.map(({ value }) => value).filter(Boolean).sort(), wanted);
        const { events } = await other.api('GET', `/events?q=${one}`);
        assert.deepEqual(events.map(({ record }) => record.city), ['Leipzig'], one);
      }
      const { fields } = await other.api('GET', '/events/fields');
      assert.ok(['country', 'province', 'city'].every((name) => fields.some((field) => field.name === name)));
      assert.equal((await other.api('GET', '/status')).geoip.type, 'GeoLite2-City');
    } finally {
      await other.stop();
    }
  });

  test('a broken file changes nothing and is said; the next good one is taken, all without a restart', async () => {
    const good = fs.readFileSync(file);
    fs.writeFileSync(`${file}.new`, 'no database');
    fs.renameSync(`${file}.new`, file);
    const { geoip, notes } = await until('the notice', async () => {
      const status = await wafd.api('GET', '/status');
      return status.geoip.error && status;
    });
    assert.match(geoip.error, /country\.mmdb: .*the database before stays in use/);
    assert.ok(notes.includes(geoip.error));
    assert.equal((await attack('8.8.8.8')).country, 'US');
    fs.writeFileSync(`${file}.new`, good);
    fs.renameSync(`${file}.new`, file);
    await until('the notice to go', async () => (await wafd.api('GET', '/status')).geoip.error === '');
    assert.equal((await attack('8.8.8.8')).country, 'US');
  });
});
