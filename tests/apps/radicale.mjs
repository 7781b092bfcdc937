// radicale: calendars and address books, by the requests of clients as they send them (curl), by cadaver, vdirsyncer and its page.
import path from 'node:path';

import { card, crlf, escaped, event, plainText, zone } from './support/icalendar.mjs';
import { agents, comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'radicale (CalDAV, CardDAV)';

export function prepare(stage) {
  const folder = stage.temp('data');
  stage.config = stage.write(
    path.join(folder, 'config'),
    `[server]\nhosts = 127.0.0.1:${stage.appPort}\n[auth]\ntype = none\n[storage]\nfilesystem_folder = ${folder}/collections\n[web]\ntype = internal\n`,
  );
}

export async function start(stage) {
  stage.run('radicale', ['--config', stage.config]);
  await stage.answers('/.web/');
}

const curl = (
  stage,
  method,
  where,
  { headers = {}, body, agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.3' } = {},
) =>
  stage.command(
    'curl',
    [
      '-sS',
      '-o',
      '/dev/null',
      '-X',
      method,
      '--connect-to',
      `::${stage.address}`,
      '-u',
      "anna:it's; me--",
      '-A',
      agent,
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      ...(body === undefined ? [] : ['--data-binary', '@-']),
      `${stage.url}${where}`,
    ],
    { input: body },
  );

const xml = { 'Content-Type': 'text/xml; charset=utf-8' };
const davx = 'DAVx5/4.4.3.1-ose (dav4jvm; okhttp/4.12.0) Android/14';
const iphone = 'iOS/18.1 (22B83) dataaccessd/1.0';

export async function drive(stage) {
  await curl(stage, 'PROPFIND', '/.well-known/caldav', {
    headers: { ...xml, Depth: '0' },
    agent: iphone,
    body: '<?xml version="1.0" encoding="UTF-8"?>\n<A:propfind xmlns:A="DAV:">\n  <A:prop>\n    <A:current-user-principal/>\n    <A:principal-URL/>\n    <A:resourcetype/>\n  </A:prop>\n</A:propfind>\n',
  });
  await curl(stage, 'OPTIONS', '/anna/');
  for (const [name, display] of [
    ['office', "Anna's work; meetings & more"],
    ['family', 'Familie (Müller & Söhne)'],
    ['tasks', 'TODO -- this week'],
  ]) {
    await curl(stage, 'MKCALENDAR', `/anna/${name}/`, {
      headers: xml,
      agent: davx,
      body: `<?xml version='1.0' encoding='UTF-8' ?><CAL:mkcalendar xmlns="DAV:" xmlns:CAL="urn:ietf:params:xml:ns:caldav"><set><prop><displayname>${display.replaceAll('&', '&amp;')}</displayname><n0:calendar-color xmlns:n0="http://apple.com/ns/ical/">#8bc34aff</n0:calendar-color><CAL:calendar-timezone>${zone.join('&#13;\n')}&#13;\n</CAL:calendar-timezone><CAL:supported-calendar-component-set><CAL:comp name="VEVENT"/><CAL:comp name="VTODO"/><CAL:comp name="VJOURNAL"/></CAL:supported-calendar-component-set></prop></set></CAL:mkcalendar>`,
    });
  }
  await curl(stage, 'MKCOL', '/anna/contacts/', {
    headers: xml,
    agent: iphone,
    body: '<?xml version="1.0" encoding="utf-8"?><D:mkcol xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><D:set><D:prop><D:resourcetype><D:collection/><C:addressbook/></D:resourcetype><D:displayname>Contacts &lt;private&gt;</D:displayname></D:prop></D:set></D:mkcol>',
  });
  const ics = { 'Content-Type': 'text/calendar; charset=utf-8', 'If-None-Match': '*' };
  const meeting = `${plainText(posts[8].html)}\n\n________________________________________________________________________________\nMicrosoft Teams-Besprechung\nNehmen Sie am Computer teil <https://teams.example/l/meetup-join/19%3ameeting_NzY%40thread.v2/0?context=%7b%22Tid%22%3a%22aa-bb%22%2c%22Oid%22%3a%22cc-dd%22%7d>\nKonferenz-ID: 123 456 789#  |  +49 69 1234567,,123456789#\n`;
  for (const [at, post] of posts.entries())
    await curl(stage, 'PUT', `/anna/office/${at}-7f3a.ics`, {
      headers: ics,
      body: event(at, { summary: post.title, description: plainText(post.html) }),
    });
  for (const [at, text] of comments.entries())
    await curl(stage, 'PUT', `/anna/family/${20 + at}.ics`, {
      headers: ics,
      agent: davx,
      body: event(20 + at, {
        summary: searches[at],
        description: text,
        producer: '+//IDN bitfire.at//DAVx5/4.4.3.1-ose ical4j/3.2.19 (at.techbee.jtx)',
      }),
    });
  await curl(stage, 'PUT', '/anna/office/teams.ics', {
    headers: ics,
    agent: agents.outlook,
    body: event(40, {
      summary: "Re: O'Brien -- Q4 numbers",
      description: meeting,
      producer: '-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN',
      extra: [
        'X-MICROSOFT-CDO-BUSYSTATUS:BUSY',
        `X-ALT-DESC;FMTTYPE=text/html:<html><body><p>${posts[4].html.replaceAll('\n', '\\n')}</p></body></html>`,
      ],
    }),
  });
  await curl(stage, 'PUT', '/anna/office/attached.ics', {
    headers: ics,
    body: event(41, {
      summary: 'With a file',
      description: 'See attachment',
      extra: [
        `ATTACH;FMTTYPE=image/png;ENCODING=BASE64;VALUE=BINARY:${Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 131 + (at >> 3)) & 255)).toString('base64')}`,
        'ATTACH;FMTTYPE=application/pdf:https://files.example/offer.pdf?id=12&v=2#page=3',
        'URL:https://meet.example/anna?pwd=aB%2Bc',
        'GEO:50.94;6.96',
        'CATEGORIES:BUSINESS,"it\'s private"',
      ],
    }),
  });
  for (const [at, text] of markdown.entries()) {
    await curl(stage, 'PUT', `/anna/tasks/${at}.ics`, {
      headers: ics,
      agent: davx,
      body: crlf([
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'PRODID:+//IDN tasks.org//android-130904//EN',
        'BEGIN:VTODO',
        `UID:todo-${at}`,
        'DTSTAMP:20261118T081500Z',
        `SUMMARY:${escaped(text.split('\n')[0])}`,
        `DESCRIPTION:${escaped(text)}`,
        'PRIORITY:9',
        'PERCENT-COMPLETE:50',
        'DUE;TZID=Europe/Berlin:20261201T120000',
        'RELATED-TO;RELTYPE=PARENT:todo-0',
        'X-APPLE-SORT-ORDER:553223101',
        'END:VTODO',
        'END:VCALENDAR',
      ]),
    });
    await curl(stage, 'PUT', `/anna/tasks/j${at}.ics`, {
      headers: ics,
      agent: davx,
      body: crlf([
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        'PRODID:-//jtx//EN',
        'BEGIN:VJOURNAL',
        `UID:journal-${at}`,
        'DTSTAMP:20261118T081500Z',
        'DTSTART;VALUE=DATE:20261118',
        `SUMMARY:Notes ${at}`,
        `DESCRIPTION:${escaped(text)}`,
        'END:VJOURNAL',
        'END:VCALENDAR',
      ]),
    });
  }
  const photo = `PHOTO;ENCODING=b;TYPE=JPEG:${Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 197 + (at >> 2)) & 255)).toString('base64')}`;
  for (const [at, one] of people.entries())
    await curl(stage, 'PUT', `/anna/contacts/${encodeURIComponent(one.name)}.vcf`, {
      headers: { 'Content-Type': 'text/vcard; charset=utf-8' },
      agent: iphone,
      body: card(
        at,
        one,
        at % 2 ? [photo] : ['X-SOCIALPROFILE;type=twitter:http://twitter.example/o_brien', 'IMPP;X-SERVICE-TYPE=Skype:skype:live:.cid.12ab'],
      ),
    });
  await curl(stage, 'REPORT', '/anna/office/', {
    headers: { ...xml, Depth: '1' },
    body: '<?xml version="1.0" encoding="UTF-8"?><C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop><C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="20261101T000000Z" end="20261231T235959Z"/><C:prop-filter name="SUMMARY"><C:text-match collation="i;ascii-casemap">don\'t</C:text-match></C:prop-filter></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>',
  });
  await curl(stage, 'REPORT', '/anna/office/', {
    headers: { ...xml, Depth: '1' },
    agent: davx,
    body: `<?xml version="1.0"?><C:calendar-multiget xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><prop><getetag/><C:calendar-data/></prop>${[0, 1, 2].map((at) => `<href>/anna/office/${at}-7f3a.ics</href>`).join('')}</C:calendar-multiget>`,
  });
  await curl(stage, 'REPORT', '/anna/office/', {
    headers: xml,
    agent: davx,
    body: '<?xml version="1.0"?><sync-collection xmlns="DAV:"><sync-token>http://radicale.org/ns/sync/4f0a</sync-token><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>',
  });
  for (const text of searches.slice(0, 12))
    await curl(stage, 'REPORT', '/anna/contacts/', {
      headers: { ...xml, Depth: '1' },
      agent: iphone,
      body: `<?xml version="1.0"?><C:addressbook-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><D:prop><D:getetag/><C:address-data/></D:prop><C:filter test="anyof"><C:prop-filter name="FN"><C:text-match collation="i;unicode-casemap" match-type="contains">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</C:text-match></C:prop-filter></C:filter></C:addressbook-query>`,
    });
  await curl(stage, 'PROPPATCH', '/anna/office/', {
    headers: xml,
    body: '<?xml version="1.0"?><D:propertyupdate xmlns:D="DAV:" xmlns:A="http://apple.com/ns/ical/"><D:set><D:prop><D:displayname>It\'s "work"; or is it?</D:displayname><A:calendar-color>#FF2968FF</A:calendar-color><A:calendar-order>1</A:calendar-order></D:prop></D:set></D:propertyupdate>',
  });
  const whole = crlf([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Google Inc//Google Calendar 70.9054//EN',
    'CALSCALE:GREGORIAN',
    "X-WR-CALNAME:Anna's calendar",
    'X-WR-TIMEZONE:Europe/Berlin',
    ...zone,
    ...posts.flatMap((post, at) => [
      'BEGIN:VEVENT',
      `UID:whole-${at}`,
      'DTSTAMP:20261118T081500Z',
      `DTSTART:202701${String(at + 1).padStart(2, '0')}T100000Z`,
      `SUMMARY:${escaped(post.title)}`,
      `DESCRIPTION:${escaped(post.html)}`,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]);
  await curl(stage, 'PUT', '/anna/imported/', { headers: { 'Content-Type': 'text/calendar' }, body: whole });
  await curl(stage, 'PUT', '/anna/cards/', { headers: { 'Content-Type': 'text/vcard' }, body: people.map((one, at) => card(at, one)).join('') });
  const local = stage.write(
    path.join(stage.temp('local'), 'dinner.ics'),
    event(50, { summary: "Dinner at O'Malley's", description: 'Bring wine; or beer, or both' }),
  );
  await stage.command('cadaver', [`http://${stage.address}/anna/`], {
    input: `anna\npw\nls\ncd office\nput ${local} dinner.ics\npropnames dinner.ics\nget dinner.ics ${local}.back\nmove 0-7f3a.ics "it's moved.ics"\ncopy 1-7f3a.ics copied.ics\ndelete copied.ics\nlock dinner.ics\nunlock dinner.ics\nls\nquit\n`,
  });
  await curl(stage, 'MOVE', '/anna/office/2-7f3a.ics', { headers: { Destination: `${stage.url}/anna/family/moved.ics`, Overwrite: 'T' } });
  await curl(stage, 'DELETE', '/anna/office/3-7f3a.ics', { headers: { 'If-Match': '"f3a1c0"' } });
  await synchronize(stage);
  const page = await stage.page();
  await stage.form(
    page,
    '/.web/',
    { '#loginscene [data-name=user]': 'anna', '#loginscene [data-name=password]': "it's; me--" },
    '#loginscene button',
  );
  await stage.step('new collection by the page', async () => {
    await page.locator('#collectionsscene [data-name=new]').first().click();
    await page.locator('#createcollectionscene [data-name=displayname]').fill("Kids' school & sports");
    await page.locator('#createcollectionscene [data-name=description]').fill("Mon-Fri; ask Siobhán O'Connor");
    await page.locator('#createcollectionscene [data-name=submit]').click();
    await page.waitForTimeout(1500);
  });
  for (const where of ['/anna/office/', '/anna/office/1-7f3a.ics', '/anna/contacts/'])
    await stage.send('GET', where, { headers: { 'User-Agent': agents.feed } });
}

// vdirsyncer: two folders that follow the server's, and changes of theirs that go back.
async function synchronize(stage) {
  const folder = stage.temp('vdir');
  const pair = (name, type, extension) => `[pair ${name}]
a = "${name}_local"
b = "${name}_server"
collections = ["from b"]
conflict_resolution = "b wins"
[storage ${name}_local]
type = "filesystem"
path = "${folder}/${name}"
fileext = "${extension}"
[storage ${name}_server]
type = "${type}"
url = "http://${stage.address}/anna/"
username = "anna"
password = "it's; me--"
`;
  const config = stage.write(
    path.join(folder, 'config'),
    `[general]\nstatus_path = "${folder}/status"\n${pair('calendars', 'caldav', '.ics')}${pair('cards', 'carddav', '.vcf')}`,
  );
  const sync = (command, input) => stage.command('vdirsyncer', ['-c', config, command], { seconds: 120, input });
  await sync('discover', 'y\n'.repeat(20));
  await sync('sync');
  for (const [at, post] of posts.entries())
    stage.write(
      path.join(folder, 'calendars/family', `mine-${at}.ics`),
      event(60 + at, {
        summary: post.title,
        description: markdown[at % markdown.length],
        producer: '-//PIMUTILS.ORG//NONSGML khal / icalendar //EN',
      }),
    );
  for (const [at, one] of people.entries()) stage.write(path.join(folder, 'cards/contacts', `mine-${at}.vcf`), card(100 + at, one));
  await sync('sync');
}
