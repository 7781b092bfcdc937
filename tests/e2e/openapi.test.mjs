// The API's document as a running wafd gives it: valid by OpenAPI 3.1's own schema, and nothing in it that the daemon does not know.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';

import { Wafd, request } from './support/wafd.mjs';

describe('the OpenAPI document', () => {
  let wafd;
  let document;
  before(async () => {
    wafd = await Wafd.start();
    document = (await request(`${wafd.console}/api/v1/openapi.json`)).json();
  });
  after(() => wafd?.stop());

  test('is valid, and the check would find a mistake', async () => {
    assert.equal(document.openapi, '3.1.0');
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors, null, 1));
    const wrong = structuredClone(document);
    delete wrong.paths['/api/v1/me'].get.responses;
    wrong.paths['/api/v1/me'].get.parameters = [{ name: 'x', in: 'nowhere' }];
    assert.equal((await new Validator().validate(wrong)).valid, false);
  });

  test('another check, which also looks at manners, has no error and no warning', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const said_of = async (one) => (await lintFromString({ source: JSON.stringify(one), absoluteRef: '/openapi.json', config })).map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`);
    assert.deepEqual(await said_of(document), []);
    const wrong = structuredClone(document);
    delete wrong.paths['/api/v1/me'].get.operationId;
    assert.equal((await said_of(wrong)).length, 1);
  });

  test('every operation is known, its answers to nonsense are problem documents by its schema', async () => {
    let asked = 0;
    for (const [pattern, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const target = pattern.replaceAll(/\{[^}]+\}/g, 'nothing');
        const anonymous = await request(`${wafd.console}${target}`, { method: method.toUpperCase() });
        const isPublic = operation.security?.length === 0;
        assert.equal(anonymous.status === 401, !isPublic, `${method} ${pattern}: ${anonymous.status}`);
        const nonsense = await request(`${wafd.console}${target}?no-such-parameter=1`, { method: method.toUpperCase(), headers: { Authorization: `Bearer ${wafd.token}` } });
        if (pattern === '/' || pattern.startsWith('/assets')) continue;
        assert.ok(nonsense.status >= 400 && nonsense.status < 500, `${method} ${pattern}: ${nonsense.status}`);
        assert.equal(nonsense.headers['content-type'], 'application/problem+json', `${method} ${pattern}`);
        const problem = nonsense.json();
        for (const member of document.components.schemas.Problem.required) assert.ok(member in problem, `${method} ${pattern}: ${member}`);
        assert.equal(problem.status, nonsense.status);
        assert.ok(operation.responses['4XX'].content['application/problem+json'], `${method} ${pattern}`);
        asked += 1;
      }
    }
    assert.ok(asked > 60, `${asked}`);
  });
});
