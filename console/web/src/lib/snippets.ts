// What to paste on the receiver, made from the form. Each is a whole working configuration of that product.
import type { Target } from '../api/types';

export interface Snippet {
  product: string;
  text: string;
  note?: string;
}

function rsyslog(t: Target): string {
  const module = t.transport === 'udp' ? 'imudp' : 'imtcp';
  return [
    '# /etc/rsyslog.d/30-wafd.conf',
    'global(maxMessageSize="64k")',
    `module(load="${module}")`,
    'template(name="wafd_json" type="string" string="%msg:::drop-last-lf%\\n")',
    'ruleset(name="wafd") {',
    '  action(type="omfile" file="/var/log/wafd.log" template="wafd_json")',
    '}',
    `input(type="${module}" port="${t.port}" ruleset="wafd")`,
  ].join('\n');
}

function syslog_ng(t: Target): string {
  const modern = t.header === 'rfc5424';
  const counted = t.transport === 'udp' || t.framing === 'octet_counting';
  const source = modern && counted
    ? `syslog(transport("${t.transport}") port(${t.port}))`
    : `network(transport("${t.transport}") port(${t.port})${modern ? ' flags(syslog-protocol)' : ''})`;
  return [
    '# /etc/syslog-ng/conf.d/wafd.conf',
    'options { log-msg-size(65536); };',
    `source s_wafd { ${source}; };`,
    'destination d_wafd { file("/var/log/wafd.log" template("${MSG}\\n")); };',
    'log { source(s_wafd); destination(d_wafd); flags(final); };',
  ].join('\n');
}

function logstash(t: Target): string {
  const input = t.transport === 'udp' ? `udp { port => ${t.port} }` : `tcp { port => ${t.port} codec => line }`;
  return [
    '# /etc/logstash/conf.d/wafd.conf',
    `input { ${input} }`,
    'filter {',
    '  grok { match => { "message" => "^<%{POSINT}>1 %{TIMESTAMP_ISO8601} %{NOTSPACE} %{NOTSPACE} %{NOTSPACE} %{NOTSPACE} (?:-|\\[.*?\\]) %{GREEDYDATA:wafd_json}" } }',
    '  json { source => "wafd_json" }',
    '}',
  ].join('\n');
}

function wazuh(t: Target): string {
  return [
    '<!-- /var/ossec/etc/ossec.conf -->',
    '<remote>',
    '  <connection>syslog</connection>',
    `  <port>${t.port}</port>`,
    `  <protocol>${t.transport === 'udp' ? 'udp' : 'tcp'}</protocol>`,
    '  <allowed-ips>ADDRESS OF THIS NODE</allowed-ips>',
    '</remote>',
  ].join('\n');
}

const wants_lf = 'Reads lines, not octet counts: choose the framing “Line feed” above.';

export function snippets(t: Target): Snippet[] {
  const lf_note = t.transport === 'tcp' && t.framing === 'octet_counting' ? { note: wants_lf } : {};
  return [
    { product: 'rsyslog', text: rsyslog(t) },
    { product: 'syslog-ng', text: syslog_ng(t) },
    { product: 'Logstash', text: logstash(t), ...lf_note },
    { product: 'Wazuh', text: wazuh(t), ...lf_note },
  ];
}
