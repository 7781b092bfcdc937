// Calendar entries and contact cards as clients write them: RFC 5545, RFC 2426.
import { comments, markdown, people } from './texts.mjs';

export const crlf = (lines) => `${lines.join('\n').replaceAll('\r\n', '\n').split('\n').map(folded).join('\r\n')}\r\n`;
// RFC 5545 section 3.1: lines of 75 bytes, the next ones begin with a space.
function folded(line) {
  const parts = [''];
  let bytes = 0;
  for (const letter of line) {
    bytes += Buffer.byteLength(letter);
    if (bytes > (parts.length > 1 ? 74 : 75)) (parts.push(''), (bytes = Buffer.byteLength(letter)));
    parts[parts.length - 1] += letter;
  }
  return parts.join('\r\n ');
}
export const escaped = (text) => text.replaceAll('\\', '\\\\').replaceAll(';', '\\;').replaceAll(',', '\\,').replaceAll('\n', '\\n');
export const plainText = (html) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/&amp;/g, '&');
export const zone = [
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'X-LIC-LOCATION:Europe/Berlin',
  'BEGIN:DAYLIGHT',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'TZNAME:CEST',
  'DTSTART:19700329T020000',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'TZNAME:CET',
  'DTSTART:19701025T030000',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'END:VTIMEZONE',
];

export function event(at, { summary, description, extra = [], producer = '-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN' }) {
  const one = people[at % people.length];
  return crlf([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:${producer}`,
    ...zone,
    'BEGIN:VEVENT',
    `UID:${at}-7f3a@radicale.example`,
    'DTSTAMP:20261118T081500Z',
    `DTSTART;TZID=Europe/Berlin:202612${String(1 + (at % 28)).padStart(2, '0')}T100000`,
    `DTEND;TZID=Europe/Berlin:202612${String(1 + (at % 28)).padStart(2, '0')}T113000`,
    `SUMMARY:${escaped(summary)}`,
    `DESCRIPTION:${escaped(description)}`,
    `LOCATION:${escaped(`Gasthaus "Zum Lamm", ${one.city}`)}`,
    `ORGANIZER;CN="${one.name.replaceAll('"', "'")}":mailto:${one.mail}`,
    ...people
      .slice(at % 5, (at % 5) + 3)
      .map(
        (guest) =>
          `ATTENDEE;CN="${guest.name.replaceAll('"', "'")}";ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CUTYPE=INDIVIDUAL;X-NUM-GUESTS=0:mailto:${guest.mail}`,
      ),
    'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;UNTIL=20271231T225959Z',
    'EXDATE;TZID=Europe/Berlin:20261224T100000',
    'CLASS:PUBLIC',
    'STATUS:CONFIRMED',
    'TRANSP:OPAQUE',
    ...extra,
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-PT15M',
    `DESCRIPTION:${escaped(summary)}`,
    'END:VALARM',
    'END:VEVENT',
    'END:VCALENDAR',
  ]);
}

export function card(at, one, extra = []) {
  const [first, ...rest] = one.name.split(' ');
  return crlf([
    'BEGIN:VCARD',
    'VERSION:3.0',
    'PRODID:-//Apple Inc.//iOS 18.1//EN',
    `UID:card-${at}`,
    `N:${escaped(rest.join(' '))};${escaped(first)};;Dr.;`,
    `FN:${escaped(one.name)}`,
    `ORG:${escaped("O'Reilly & Sons; Ltd.")};Sales`,
    `EMAIL;type=INTERNET;type=WORK;type=pref:${one.mail}`,
    `TEL;type=CELL;type=VOICE:${one.phone}`,
    `item1.ADR;type=HOME:;;${escaped("12, rue de l'Église")};${escaped(one.city)};;12345;France`,
    'item1.X-ABADR:fr',
    'item2.URL:https\\://www.example.org/~me/index.php?id=12&lang=en',
    'item2.X-ABLabel:_$!<HomePage>!$_',
    'BDAY;value=date:1974-05-01',
    `NOTE:${escaped(markdown[at] ?? comments[at % comments.length])}`,
    ...extra,
    'REV:2026-11-18T08:15:00Z',
    'END:VCARD',
  ]);
}
