// DAViCal of Debian on PostgreSQL: calendars and address books by the requests of clients; its pages for people, rights and settings.
import path from 'node:path';

import { Postgres } from '../e2e/support/postgres.mjs';
import { card, event, plainText } from './support/icalendar.mjs';
import { copyOf, movedTo, prelude, servePhp } from './support/php.mjs';
import { explore } from './support/robot.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, people, posts, searches } from './support/texts.mjs';
import { lookups, notes } from './support/trades.mjs';

export const title = 'DAViCal';
const password = 'a quiet kitchen at dusk 7';

export async function prepare(stage) {
  const postgres = await Postgres.start();
  stage.programs.push(postgres.program);
  stage.folder = await copyOf(stage, '/usr/share/davical', 'davical');
  const env = { ...stage.env, PGHOST: '127.0.0.1', PGPORT: `${postgres.port}`, PGUSER: 'owner', PGPASSWORD: 'secret', USER: 'owner' };
  const one = (...args) => stage.done('psql', ['-qXAt', '-v', 'ON_ERROR_STOP=1', ...args], { env });
  await one('-d', 'postgres', '-c', 'create user davical_app', '-c', 'create user davical_dba', '-c', 'create database davical');
  const base = ['-d', 'davical', '-f'];
  for (const file of ['/usr/share/awl/dba/awl-tables.sql', '/usr/share/awl/dba/schema-management.sql', '/usr/share/davical/dba/davical.sql'])
    await stage.done('psql', ['-qXAt', ...base, file], { env });
  await stage.done(
    `${stage.folder}/dba/update-davical-database`,
    [
      '--dbuser',
      'owner',
      '--dbpass',
      'secret',
      '--dbhost',
      '127.0.0.1',
      '--dbport',
      `${postgres.port}`,
      '--dbname',
      'davical',
      '--appuser',
      'davical_app',
      '--nopatch',
      '--owner',
      'owner',
    ],
    { env, cwd: `${stage.folder}/dba` },
  );
  await stage.done('psql', ['-qXAt', ...base, '/usr/share/davical/dba/base-data.sql'], { env });
  await one('-d', 'davical', '-c', `update usr set password = '**${password}' where user_no = 1`);
  const config = stage.write(
    path.join(stage.temp('config'), 'config.php'),
    `<?php $c->pg_connect[] = "host=127.0.0.1 port=${postgres.port} dbname=davical user=owner password=secret"; $c->admin_email = 'anna@mail.example'; $c->system_name = "Anna's calendars";\n`,
  );
  await movedTo(stage, stage.folder, { '/etc/davical/config.php': config });
}
export async function start(stage) {
  await servePhp(stage, path.join(stage.folder, 'htdocs'), {
    settings: { auto_prepend_file: prelude(stage), include_path: `.:/usr/share/awl/inc:${stage.folder}/inc` },
  });
  await stage.answers('/index.php');
}

const basic = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
const dav = (stage, method, where, headers = {}, body) =>
  stage.send(method, `/caldav.php${where}`, {
    headers: { Authorization: basic, 'Content-Type': 'application/xml; charset=utf-8', ...headers },
    body,
  });
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const named = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:A="urn:ietf:params:xml:ns:carddav" xmlns:I="http://apple.com/ns/ical/"';

async function write(stage, { posts, comments, searches }) {
  const kind = { 'Content-Type': 'text/calendar; charset=utf-8' };
  for (const [at, one] of posts.entries()) {
    await dav(
      stage,
      'PUT',
      `/admin/calendar/${stage.part}-${at}.ics`,
      kind,
      event(at, {
        summary: one.title,
        description: plainText(one.html),
        extra: [`COMMENT:${comments[at % comments.length].replace(/[\n;,]/g, ' ')}`],
      }),
    );
    await dav(
      stage,
      'PROPPATCH',
      '/admin/calendar/',
      {},
      `<?xml version="1.0"?><D:propertyupdate ${named}><D:set><D:prop><D:displayname>${escape(one.title)}</D:displayname><C:calendar-description xml:lang="de">${escape(comments[at % comments.length])}</C:calendar-description><I:calendar-color>#6B2D8BFF</I:calendar-color></D:prop></D:set></D:propertyupdate>`,
    );
  }
  for (const text of searches) {
    await dav(
      stage,
      'REPORT',
      '/admin/calendar/',
      { Depth: '1' },
      `<?xml version="1.0" encoding="utf-8"?>\n<C:calendar-query ${named}><D:prop><D:getetag/><C:calendar-data><C:comp name="VCALENDAR"><C:prop name="VERSION"/><C:comp name="VEVENT"><C:prop name="SUMMARY"/></C:comp></C:comp></C:calendar-data></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:prop-filter name="SUMMARY"><C:text-match collation="i;unicode-casemap" negate-condition="no">${escape(text)}</C:text-match></C:prop-filter></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`,
    );
    await dav(
      stage,
      'REPORT',
      '/',
      { Depth: '0' },
      `<?xml version="1.0" encoding="utf-8" ?><D:principal-property-search ${named} test="anyof"><D:property-search><D:prop><D:displayname/><C:calendar-user-address-set/></D:prop><D:match>${escape(text)}</D:match></D:property-search><D:prop><D:displayname/></D:prop></D:principal-property-search>`,
    );
  }
}

const logIn = async (stage) => {
  const page = await stage.page();
  await stage.form(page, '/index.php', { username: 'admin', password }, '[name=submit], [type=submit]');
  return page;
};

export async function drive(stage) {
  await dav(
    stage,
    'PROPFIND',
    '/admin/',
    { Depth: '1' },
    `<?xml version="1.0"?><D:propfind ${named}><D:prop><D:resourcetype/><C:schedule-inbox-URL/><D:acl/><D:current-user-privilege-set/></D:prop></D:propfind>`,
  );
  await dav(
    stage,
    'MKCALENDAR',
    '/admin/calendar/',
    {},
    `<?xml version="1.0" encoding="utf-8"?><C:mkcalendar ${named}><D:set><D:prop><D:displayname>Anna's &amp; Jörg's</D:displayname><C:supported-calendar-component-set><C:comp name="VEVENT"/></C:supported-calendar-component-set></D:prop></D:set></C:mkcalendar>`,
  );
  await dav(
    stage,
    'MKCOL',
    '/admin/addresses/',
    {},
    `<?xml version="1.0" encoding="utf-8"?><D:mkcol ${named}><D:set><D:prop><D:resourcetype><D:collection/><A:addressbook/></D:resourcetype><D:displayname>Contacts; private</D:displayname></D:prop></D:set></D:mkcol>`,
  );
  await write(stage, { posts: [...posts, ...notes], comments: [...comments, ...notes.map((one) => one.text)], searches: [...searches, ...lookups] });
  for (const [at, one] of people.entries()) {
    await dav(
      stage,
      'PUT',
      `/admin/addresses/${encodeURIComponent(one.name)}.vcf`,
      { 'Content-Type': 'text/vcard' },
      card(at, one, [`X-NOTE:${notes[at].trade}`]),
    );
    await dav(
      stage,
      'REPORT',
      '/admin/addresses/',
      { Depth: '1' },
      `<?xml version="1.0"?><A:addressbook-query ${named}><D:prop><D:getetag/><A:address-data><A:prop name="FN"/></A:address-data></D:prop><A:filter test="allof"><A:prop-filter name="FN"><A:text-match collation="i;unicode-casemap" match-type="starts-with">${escape(one.name)}</A:text-match></A:prop-filter></A:filter></A:addressbook-query>`,
    );
    await dav(
      stage,
      'ACL',
      '/admin/calendar/',
      {},
      `<?xml version="1.0" encoding="utf-8"?><D:acl ${named}><D:ace><D:principal><D:href>/caldav.php/${escape(encodeURIComponent(one.mail))}/</D:href></D:principal><D:grant><D:privilege><D:read/></D:privilege><D:privilege><C:read-free-busy/></D:privilege></D:grant></D:ace></D:acl>`,
    );
    await stage.send('GET', `/freebusy.php/admin?start=2026-11-01T00:00:00&end=2026-12-01T00:00:00&user=${encodeURIComponent(one.mail)}`, {
      headers: { Authorization: basic },
    });
    await dav(stage, 'MOVE', `/admin/calendar/ordinary-${at}.ics`, {
      Destination: `${stage.url}/caldav.php/admin/calendar/${encodeURIComponent(one.city.replaceAll('/', ' '))}.ics`,
      Overwrite: 'T',
    });
  }
  const page = await logIn(stage);
  for (const [at, one] of people.entries())
    await stage.form(
      page,
      '/admin.php?action=edit&t=principal&id=',
      {
        xxxxusername: `user${at}`,
        fullname: `${one.name} (${one.city})`,
        email: one.mail,
        newpass1: `quiet kitchen ${at}`,
        newpass2: `quiet kitchen ${at}`,
      },
      '[name=submit]',
    );
  for (const text of [...searches, ...lookups].slice(0, 20))
    await stage.go(page, `/admin.php?action=browse&t=principal&type=1&search=${encodeURIComponent(text)}&o=fullname&d=d`);
  await explore(
    stage,
    page,
    ['/index.php', '/admin.php?action=browse&t=principal&type=1', '/tools.php', '/admin.php?action=edit&t=collection&user_no=1', '/setup.php'],
    { pages: 30, avoid: /phpinfo|principal&id=1\b|%5B|\[/ },
  );
}
export const driveTechnical = (stage) => write(stage, technicalTexts);
