// Rules of the operator that take long to compile: the daemon starts, judges and stops without waiting for them, and goes
// on with what was in force.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, describe, test } from 'node:test';

import { tempFolder, until } from './support/processes.mjs';
import { Wafd, request } from './support/wafd.mjs';

const rule = (id, expression) => ({ id, name: id, attack_type: 'custom', risk: 'high', location: 'query', expression });
const denied = async (wafd, query) => (await request(`${wafd.http}/check/?q=${query}`)).status === 403;
// Each is within what one expression may have; together they are compiled for minutes.
const costly = Array.from({ length: 90 }, (_, n) => rule(`costly-${n}`, `(${'abcdefghij'[n % 10]}${n}|z).{1,1300}b.{1,1300}c.{1,1300}(d|e${n})`));

describe('rules that take long to compile', () => {
  let wafd;
  after(() => wafd?.stop());

  test('a start, judging and a stop do not wait for them; the set that was in force last is kept', async () => {
    const file = path.join(tempFolder('rules'), 'own.json');
    const write = (rules) => fs.writeFileSync(file, JSON.stringify({ rules }));
    write([rule('plain', 'forbidden-word')]);
    wafd = await Wafd.start({ 'rules.files': file });
    await until('the rule to be in force', () => denied(wafd, 'forbidden-word'));
    assert.equal((await wafd.stop()).code, 0);

    write([rule('plain', 'forbidden-word'), ...costly]);
    await wafd.launch();
    assert.match(wafd.program.stderr, /being compiled; until then those that were in force last are in force/);
    assert.ok(await denied(wafd, 'forbidden-word'), 'the last compiled set is in force');
    assert.ok(await denied(wafd, '1%27%20OR%20%271%27=%271'), 'the built-in rules are');
    // SIGTERM ends it while they are still being compiled.
    const exit = await wafd.stop();
    assert.deepEqual(exit, { code: 0, signal: null });
    assert.doesNotMatch(wafd.program.stderr, /rules are in force/);
  });

  test('two rules of 21 bytes that ask for 16,003 states are refused before they are compiled', async () => {
    wafd = await Wafd.start();
    const text = JSON.stringify({ rules: [rule('one', 'a.{1,8000}b.{1,8000}c'), rule('two', 'd.{1,8000}e.{1,8000}f')] });
    const answer = await wafd.api('POST', '/rules', { text }, [422]);
    assert.match(answer.detail, /rule "one": "expression" .*16003 states, expected at most 4000/);
    // The compilation of a user's rules ends with the daemon, too.
    const slow = wafd.api('POST', '/rules', { text: JSON.stringify({ rules: costly }) }, [201, 422, 503]).catch((error) => error);
    await until('a child to compile them', () => fs.readFileSync(`/proc/${wafd.program.pid}/task/${wafd.program.pid}/children`, 'utf8').trim() !== ''
      || fs.readdirSync(`/proc/${wafd.program.pid}/task`).some((task) => fs.readFileSync(`/proc/${wafd.program.pid}/task/${task}/children`, 'utf8').trim() !== ''));
    assert.deepEqual(await wafd.stop(), { code: 0, signal: null });
    await slow;
  });

  test('a rule file that is wrong is refused in words, before anything is compiled', async () => {
    const file = path.join(tempFolder('rules'), 'own.json');
    fs.writeFileSync(file, JSON.stringify({ rules: [rule('wrong', '((')] }));
    const refused = await Wafd.start({ 'rules.files': file }, { ready: false, token: false });
    assert.equal((await refused.program.ended).code, 2);
    assert.match(refused.program.stderr, /own\.json:1: rule "wrong": "expression"/);
  });
});
