import { describe, expect, it } from 'vitest';
import { faultsOf } from './verdict.ts';
import type { Answered, Wire } from './wire.ts';

const asked = (target: string, method = 'GET'): Wire => ({
  method,
  target,
  headers: [],
  body: null,
  isChunked: false,
});
const problem = (code: string, status: number, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    type: `http://localhost/docs/errors/${code}`,
    title: 'A title',
    status,
    detail: 'What it was',
    code,
    request_id: 'req_12345678',
    ...more,
  });
const answered = (
  status: number,
  text: string,
  type: string | null = status < 400 ? 'application/json' : 'application/problem+json',
  headers: Record<string, string> = {},
): Answered => ({
  status,
  text,
  tookMs: 1,
  headers: { 'request-id': 'req_12345678', ...(type ? { 'content-type': type } : {}), ...headers },
});
const limits = JSON.stringify({ limits: [] });
const link = '/v2/raw/5b0e8ad4-6b8a-4c09-8f3e-0ef1c7a2c001';

describe('faultsOf', () => {
  it.each<[string, Wire, Answered]>([
    ['a good one', asked('/v2/rate-limits'), answered(200, limits)],
    ['a declared refusal', asked(link), answered(404, problem('not_found', 404))],
    ['a path in another case', asked('/V2/Rate-Limits/'), answered(200, limits)],
    ['a page of a refusal', asked(link), answered(404, '<p>', 'text/html; charset=utf-8')],
    ['one to HEAD', asked('/v2/rate-limits', 'HEAD'), answered(200, '')],
    [
      'an address without an operation',
      asked('/v2/raw', 'PATCH'),
      answered(404, problem('not_found', 404)),
    ],
    ['one that cannot be decoded', asked('/v2/raw/%zz'), answered(404, problem('not_found', 404))],
    ['the answer of the HTTP parser', asked(link), answered(431, '', null)],
  ])('finds no fault in %s', (_what, wire, answer) => {
    expect(faultsOf(wire, answer)).toEqual([]);
  });

  it.each<[string, Wire, Answered]>([
    ['answers 500', asked(link), answered(500, problem('unexpected', 500))],
    ['answers 409, which it does not declare', asked(link), answered(409, problem('gone', 409))],
    [
      '404 is link_expired, which it does not declare',
      asked(link),
      answered(404, problem('link_expired', 404)),
    ],
    ['200 is text/html, which it does not declare', asked(link), answered(200, '<p>', 'text/html')],
    ['404 is application/problem+json and no JSON', asked(link), answered(404, '{')],
    [
      "200 is off its schema at : must have required property 'limits'",
      asked('/v2/rate-limits'),
      answered(200, '{}'),
    ],
    ['200 has a body for HEAD', asked('/v2/rate-limits', 'HEAD'), answered(200, limits)],
    [
      '200 has etag, which it does not declare',
      asked('/v2/rate-limits'),
      answered(200, limits, 'application/json', { etag: '"a"' }),
    ],
    [
      '200 has x-powered-by, which nothing declares',
      asked('/v2/rate-limits'),
      answered(200, limits, 'application/json', { 'x-powered-by': 'us' }),
    ],
    [
      'answers 404 without a code where no operation is',
      asked('/v2/a/b/c/d/e'),
      answered(404, 'Cannot GET', 'text/plain'),
    ],
    [
      'shows a stack',
      asked(link),
      answered(
        404,
        problem('not_found', 404, { detail: 'Error\\n    at find (file:///a/b.js:1:2)' }),
      ),
    ],
    [
      'shows a path of files',
      asked(link),
      answered(404, problem('not_found', 404, { detail: 'no /tmp/objects/a' })),
    ],
    [
      'shows SQL',
      asked(link),
      answered(404, problem('not_found', 404, { detail: 'SELECT a FROM links WHERE a = $1' })),
    ],
    [
      'shows a message of PostgreSQL',
      asked(link),
      answered(
        404,
        problem('not_found', 404, { detail: 'value 2147483648 is out of range for type integer' }),
      ),
    ],
    [
      'shows an error of the runtime',
      asked(link),
      answered(404, problem('not_found', 404, { detail: 'TypeError: x is not a function' })),
    ],
    [
      'shows an error of the workflow server',
      asked(link),
      answered(404, problem('not_found', 404, { detail: 'workflow execution already completed' })),
    ],
  ])('reports that the API %s', (fault, wire, answer) => {
    expect(faultsOf(wire, answer)).toContain(fault);
  });

  it('reports a missing Request-Id', () => {
    const { headers, ...answer } = answered(200, limits);
    const { 'content-type': type } = headers;
    expect(
      faultsOf(asked('/v2/rate-limits'), { ...answer, headers: { 'content-type': type } }),
    ).toEqual(['200 has no Request-Id']);
  });
});
