// Reasons of findings and names of rules in Chinese: each has its translation, and it is found again in what the server says.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { problem_text, reason_text, use_reasons, verdict_text } from '../../../console/web/src/lib/reasons';

const read_table = (file: string): [string, string][] => fs.readFileSync(file, 'utf8').split('\n').filter((line) => line && !line.startsWith('#')).slice(1).map((line) => line.split('\t') as [string, string]);
const judge = path.join(process.cwd(), '../../detect/judge');

// The values of one column in all tables of a folder.
function column(folder: string, wanted: string): string[] {
  return fs.readdirSync(path.join(judge, folder)).filter((name) => name.endsWith('.tsv')).flatMap((name) => {
    const rows = fs.readFileSync(path.join(judge, folder, name), 'utf8').split('\n').filter((line) => line && !line.startsWith('#')).map((line) => line.split('\t'));
    const at = (rows[0] as string[]).findIndex((head) => head.startsWith(`${wanted}:`));
    assert.ok(at >= 0, `${name} has no ${wanted}`);
    return rows.slice(1).map((row) => row[at] as string);
  });
}

const said = new Set([...column('judgements', 'sentence'), ...column('rules', 'name')].filter((text) => text !== '-' && text !== ''));
const rows = fs.readFileSync(path.join(judge, 'zh-CN.txt'), 'utf8').split('\n').filter((line) => line && !line.startsWith('#')).slice(1).map((line) => line.split('\t') as [string, string]);

const console_folder = path.join(process.cwd(), '..');
// All texts in a piece of C++ between two marks, adjacent literals joined as the compiler does.
const cpp_texts = (source: string): string[] => [...source.matchAll(/(?:"(?:[^"\\]|\\.)*"\s*)+/g)].map(([run]) => [...run.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((m) => m[1]).join('').replace(/\\"/g, '"'));

test('every sentence and every rule has its translation, and no row is left over', () => {
  assert.ok(said.size > 500, `${said.size} texts`);
  const known = new Map(rows);
  assert.equal(known.size, rows.length, 'each once');
  assert.deepEqual([...said].filter((text) => !known.has(text)), [], 'not translated');
  assert.deepEqual([...known.keys()].filter((text) => !said.has(text)), [], 'said by nobody');
  for (const [english, chinese] of rows) {
    assert.equal(chinese.split('{}').length, english.split('{}').length, english);
    assert.match(chinese, /\p{Script=Han}/u, english);
  }
});

// Names of signature rules, of which the engine's own are not counted again.
test('every signature rule has its name in Chinese, and no row is left over', () => {
  const folder = path.join(process.cwd(), '../../detect/signatures');
  const names = new Set(fs.readdirSync(path.join(folder, 'rules')).filter((name) => name.endsWith('.json'))
    .flatMap((name) => [...fs.readFileSync(path.join(folder, 'rules', name), 'utf8').matchAll(/"name":\s*"((?:[^"\\]|\\.)*)"/g)].map((m) => m[1] as string)));
  assert.ok(names.size > 600, `${names.size} names`);
  const signatures = read_table(path.join(folder, 'zh-CN.txt'));
  const known = new Map(signatures);
  assert.equal(known.size, signatures.length, 'each once');
  const engine = new Set(rows.map(([english]) => english));
  assert.deepEqual([...names].filter((name) => !known.has(name) && !engine.has(name)), [], 'not translated');
  assert.deepEqual([...known.keys()].filter((name) => !names.has(name)), [], 'of no rule');
  for (const [english, chinese] of signatures) assert.match(chinese, /\p{Script=Han}/u, english);
});

test('what was found is put into the sentence again', () => {
  use_reasons(Object.fromEntries(rows));
  try {
    for (const [english, chinese] of rows) assert.equal(reason_text(english.replace('{}', () => 'UNION $& SELECT')), chinese.replace('{}', () => 'UNION $& SELECT'), english);
    assert.equal(reason_text('a sentence of a rule of one’s own'), 'a sentence of a rule of one’s own');
  } finally {
    use_reasons({});
  }
  assert.equal(reason_text('imports a module'), 'imports a module');
});

// Sentences of the program about a request: decisions, and the rules on HTTP.
const root = path.join(console_folder, '..');
const decisions = read_table(path.join(root, 'detect/policy/zh-CN.txt'));
const http = read_table(path.join(root, 'detect/analyze/http/zh-CN.txt'));

test('every decision and every rule on HTTP has its translation, and no row is left over', () => {
  const policy = fs.readFileSync(path.join(root, 'detect/policy/policy.cc'), 'utf8');
  const levels = ['low', 'balanced', 'strict'];
  const decided = cpp_texts(policy).filter((text) => /^(?:; |[A-Z]\w* )/.test(text)).flatMap((text) => (text.endsWith('sensitivity {}') ? levels.map((level) => text.replace('{}', level)) : [text]));
  const framing = ['HTTP framing refused', 'The HTTP framing was refused: {}', '; it was denied because there was no time for its body'];
  for (const [file, text] of [['ingest/judge.cc', framing[0]], ['ingest/http_session.cc', framing[1]], ['ingest/judge.cc', framing[2]]] as const) assert.ok(cpp_texts(fs.readFileSync(path.join(root, file), 'utf8')).includes(text as string), text);
  assert.ok(decided.length > 12, `${decided.length} texts`);
  assert.deepEqual(decisions.map(([english]) => english).sort(), [...decided, ...framing].sort());
  const rules = cpp_texts(fs.readFileSync(path.join(root, 'detect/analyze/http/http_violation.cc'), 'utf8')).filter((text) => /^[A-Z][\w-]* .*[a-z.]$/.test(text));
  assert.ok(rules.length > 70, `${rules.length} texts`);
  assert.deepEqual(http.map(([english]) => english).sort(), [...new Set(rules)].sort());
  for (const [english, chinese] of [...decisions, ...http]) assert.match(chinese, /\p{Script=Han}/u, english);
});

test('what a decision adds to a sentence is said in the language of the sentence', () => {
  use_reasons(Object.fromEntries([...rows, ...read_table(path.join(root, 'detect/signatures/zh-CN.txt')), ...decisions, ...http]));
  try {
    assert.equal(verdict_text("adds a condition whose outcome is known: OR '1'='1; the traffic is mirrored"), "加入了结果已知的条件：OR '1'='1；这是镜像流量");
    assert.equal(verdict_text('The method is no token; the site is in monitor mode'), '方法不是合法的标记；站点处于监视模式');
    assert.equal(verdict_text('JNDI lookup (CVE-2021-44228); not sure enough for sensitivity low'), 'JNDI 查找 (CVE-2021-44228)；对灵敏度“低”而言把握不足');
    assert.equal(verdict_text('The source is on the deny list (203.0.113.0/24); the site is in monitor mode'), '来源在拒绝名单上（203.0.113.0/24）；站点处于监视模式');
  } finally {
    use_reasons({});
  }
  assert.equal(verdict_text('imports a module; the traffic is mirrored'), 'imports a module; the traffic is mirrored');
});

// --- texts of problems

const problems = read_table(path.join(console_folder, 'api/zh-CN.txt'));

// The texts that the handlers give to problem(): string literals, which the compiler joins.
function problem_literals(): Set<string> {
  const out = new Set<string>();
  const literals = /problem(?:_retry)?\(\s*k\w+,\s*(?:fmt::format\(\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)(?=[,)])/g;
  for (const name of fs.readdirSync(path.join(console_folder, 'api')).filter((one) => one.endsWith('.cc'))) {
    for (const [, found] of fs.readFileSync(path.join(console_folder, 'api', name), 'utf8').matchAll(literals)) {
      const text = [...(found as string).matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((m) => m[1]).join('').replace(/\\"/g, '"');
      out.add(text.replace(/^[a-z_]+: /, '').replace(/^q: /, ''));
    }
  }
  return out;
}

test('wrong lines of a text are said one by one', () => {
  use_reasons(Object.fromEntries(problems));
  try {
    assert.equal(problem_text('text: line 2: cidr: expected an IPv4 or IPv6 address or prefix, such as 192.0.2.0/24, got "x"'), 'text: 第 2 行：cidr: 应为 IPv4 或 IPv6 地址或前缀，例如 192.0.2.0/24，实际为 "x"');
    assert.equal(problem_text('line 1: expected 4 cells, got 2; line 3: expected 4 cells, got 1; and 2 more lines'), '第 1 行：应为 4 个单元格，实际为 2 个；第 3 行：应为 4 个单元格，实际为 1 个；以及另外 2 行');
  } finally {
    use_reasons({});
  }
});

test('every problem of the API has its translation', () => {
  const known = new Map(problems);
  assert.equal(known.size, problems.length, 'each once');
  const texts = problem_literals();
  assert.ok(texts.size > 60, `${texts.size} texts`);
  assert.deepEqual([...texts].filter((text) => !known.has(text) && text !== '{}: expected {}'), []);
  for (const [english, chinese] of problems) {
    assert.equal((chinese.match(/\{\d?\}/g) ?? []).length, english.split('{}').length - 1, english);
    assert.match(chinese, /\p{Script=Han}|^[\w ]+$/u, english);
  }
});

test('help of every key and every warning is said in Chinese too', () => {
  const said = read_table(path.join(console_folder, 'settings/zh-CN.txt'));
  const known = new Map(said);
  assert.equal(known.size, said.length, 'each once');
  const table = fs.readFileSync(path.join(root, 'config.cc'), 'utf8').split('kKeys{')[1]?.split('return kKeys')[0] ?? '';
  const help = cpp_texts(table).filter((text) => /[ .]$|\.$/.test(text) && text.includes(' '));
  assert.ok(help.length > 40, `${help.length} keys`);
  const warnings = ['forward/target/target_warnings.cc', 'console/settings/system_settings.cc'].flatMap((file) => cpp_texts((fs.readFileSync(path.join(root, file), 'utf8').split(/ add_transport| system_warnings/)[1] ?? ''))
    .filter((text) => /has no effect|addresses:/.test(text)).map((text) => text.replace(/^(?:[a-z_.]+|\{\}): /, '')));
  assert.ok(warnings.length > 8, `${warnings.length} warnings`);
  assert.deepEqual([...help, ...warnings].filter((text) => !known.has(text)), [], 'not translated');
  const used = new Set([...help, ...warnings, ' unless tls.enabled is true', 'all', 'a large part of all']);
  assert.deepEqual([...known.keys()].filter((text) => !used.has(text)), [], 'said by nobody');
  use_reasons(Object.fromEntries(said));
  try {
    assert.equal(problem_text('tls: has no effect, the connection is not encrypted unless tls.enabled is true'), 'tls: 不起作用，连接未加密，除非 tls.enabled 为 true');
    assert.equal(problem_text('trusted_proxies: 0.0.0.0/0 holds all IPv4 addresses: whoever asks from one of them says which client address is recorded, and which lists and rules of addresses apply'),
      'trusted_proxies: 0.0.0.0/0 含有全部 IPv4 地址：从其中任一地址发来请求者可决定记录哪个客户端地址，以及适用哪些地址名单和规则');
  } finally {
    use_reasons({});
  }
});

// The arguments of say() and translated() of the notifications, and the words that are put in by name.
test('everything that notifications say is said in Chinese too', () => {
  const said = read_table(path.join(root, 'forward/notify/zh-CN.txt'));
  const known = new Map(said);
  assert.equal(known.size, said.length, 'each once');
  const sources = ['forward/notify/alert_engine.cc', 'forward/notify/message.cc', 'forward/io/notify/notify_loop.cc', 'console/events/report.cc'];
  const given = sources.flatMap((file) => [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/\b(?:say|translated|line|list)\(((?:[^",;)]|"(?:[^"\\]|\\.)*")*)/g)].flatMap(([, argument]) => cpp_texts(argument as string)));
  const by_name = ['rule', 'source', 'site', 'disabled', 'resolving', 'connecting', 'waiting', 'up', 'connected, not acknowledging'];
  const used = new Set([...given, ...by_name]);
  assert.ok(used.size > 40, `${used.size} texts`);
  assert.deepEqual([...used].filter((text) => !known.has(text)), [], 'not translated');
  assert.deepEqual([...known.keys()].filter((text) => !used.has(text)), [], 'said by nobody');
  for (const [english, chinese] of said) {
    assert.equal((chinese.match(/\{\d?\}/g) ?? []).length, english.split('{}').length - 1, english);
    assert.match(chinese.replace('wafd {}：{}{}', '节点').replace(/^\{\}[ ：]?.*\{\}$/, '节点'), /\p{Script=Han}/u, english);
  }
});

// Sentences that tests of connections end with, and notices of the status; what libraries and peers say stays as it is.
test('results of tests and notices of the status are said in Chinese too', () => {
  const said = read_table(path.join(root, 'forward/io/zh-CN.txt'));
  const known = new Map(said);
  assert.equal(known.size, said.length, 'each once');
  const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
  const testers = fs.readdirSync(path.join(root, 'forward/io')).filter((name) => name.startsWith('tester')).map((name) => `forward/io/${name}`);
  const results = [...testers, 'forward/io/notify/notify_stages.cc', 'forward/notify/webhook_message.cc'].flatMap((file) => cpp_texts(read(file)).filter((text) => / \w+ /.test(text) && !/^[A-Z]+ |: expected/.test(text)));
  results.push(...['telemetry/io/exporter.cc', 'telemetry/otlp/messages.cc'].flatMap((file) => cpp_texts(read(file)).filter((text) => /could not be sent: |not all |did not answer|^it(?:s|) /.test(text))));
  const notes = cpp_texts((read('status_report.cc').split('notes_of(')[1] ?? '').split('return notes')[0] ?? '').map((text) => `{}${text}`);
  assert.ok(notes.length === 7 && results.length > 40, `${notes.length} ${results.length}`);
  // Looked for in errors of others, told to receivers, or the first template with its stage put in.
  const not_said = new Set(['address not available', 'not yet valid', 'Connectivity test requested.', 'Failed at after: {}.']);
  assert.deepEqual([...notes, ...results].map((text) => text.replace(/\{:\d+\}/g, '{}')).filter((text) => !known.has(text) && !not_said.has(text)), [], 'not translated');
  const sources = [...testers, 'forward/io/delivery_loop.cc', 'forward/io/notify/notify_stages.cc', 'forward/io/notify/notify_loop.cc', 'forward/io/notify/trend_store.cc', 'forward/notify/webhook_message.cc', 'forward/notify/notifier.h', 'forward/ring/ring_recovery.cc', 'forward/target/target_settings.cc',
    'console/api/status_api.cc', 'console/settings/store.cc', 'status_report.cc', 'source_places.cc', 'rules_in_force.cc', 'daemon_parts.cc', 'telemetry/io/exporter.cc', 'telemetry/otlp/messages.cc'].map(read).flatMap(cpp_texts).join('\n');
  const stages = /^(?:tls|topic|login|schema)$/;
  assert.deepEqual([...known.keys()].filter((text) => !stages.test(text) && !text.split('{}').every((part) => part.split(/ends on|has ended on|the damaged file is/).every((piece) => sources.includes(piece.replace(/^[ :,]+|[ :,]+$/g, ''))))), [], 'said by nobody');
  for (const [english, chinese] of said) assert.equal((chinese.match(/\{\d?\}/g) ?? []).length, english.split('{}').length - 1, english);
  use_reasons(Object.fromEntries(said));
  try {
    assert.equal(problem_text('Failed at connect: connect 127.0.0.1:1: connection refused (the host answers, but nothing listens on that port).'),
      '在“连接”阶段失败：connect 127.0.0.1:1: connection refused（主机有应答，但没有程序监听该端口）。');
    assert.equal(problem_text('12 events could not be stored in the ring'), '12 条事件未能存入环形存储');
  } finally {
    use_reasons({});
  }
});

test('problems are said in Chinese, with what is put in and the member they are about', () => {
  use_reasons(Object.fromEntries([...rows, ...problems]));
  try {
    for (const [english, chinese] of [
      ['This needs the role admin; you are viewer.', '需要角色 admin；您是 viewer。'],
      ['password: expected at least 12 characters', 'password: 至少需要 12 个字符'],
      ['port: expected an integer from 1 to 65535, got "x"', 'port: 应为 1 到 65535 的整数，实际为 "x"'],
      ['The body is no sound JSON text: syntax error at byte 7.', '请求体不是正确的 JSON：第 7 字节处 syntax error。'],
      ['a text of tomorrow', 'a text of tomorrow'],
    ] as const) assert.equal(problem_text(english), chinese);
    assert.equal(reason_text('names imports a module'), '指定 imports a module', 'what an attacker sent is never translated');
  } finally {
    use_reasons({});
  }
  assert.equal(problem_text('There is no such user.'), 'There is no such user.');
});
