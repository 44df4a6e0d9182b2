import { describe, expect, it } from 'vitest';
import { partAt, resolved, withOperationsResolved } from '../../../api/docs/document-refs.ts';
import { shareParts } from '../../../api/openapi/openapi-components.ts';

const page = { name: 'page', in: 'query', schema: { type: 'integer' } };
const shortPage = { ...page, schema: { type: 'integer', maximum: 9 } };
const ok = { description: 'The page' };
const missing = { description: 'not_found: Not found', 'x-codes': ['not_found'] };
const missingPage = { ...missing, content: { 'text/html': {} } };
const limited = { ...missing, headers: { 'RateLimit-Limit': {}, 'Attest-Nonce': {} } };
const wrong = { description: 'The request does not have the declared shape' };

function documentOf(operations: readonly (readonly [object, object])[]) {
  const paths = operations.map(([parameter, responses], at) => [
    `/${at}`,
    { get: { operationId: `pages.${at}`, parameters: [parameter], responses: { ...responses } } },
  ]);
  return { components: {}, paths: Object.fromEntries(paths) as unknown };
}

describe('shareParts', () => {
  const operations = [
    [shortPage, { 200: ok, 404: missing, 422: wrong }],
    [page, { 200: ok, 404: missing, 422: wrong }],
    [page, { 200: ok, 404: missingPage }],
    [page, { 200: ok, 404: missingPage }],
    [shortPage, { 200: ok, 404: limited }],
    [
      { ...page, name: 'cursor' },
      { 200: ok, 404: limited },
    ],
  ] as const;
  const document = documentOf(operations);
  shareParts(document);

  it('names an error response by its codes and by the parts that others lack', () => {
    expect(document.components).toMatchObject({
      responses: {
        HTTPValidationError: wrong,
        not_found: missing,
        'not_found-page': missingPage,
        'not_found-limited-attest': limited,
      },
    });
  });

  it('gives the name of a parameter to its most frequent definition', () => {
    expect(document.components).toMatchObject({
      parameters: { page, 'pages.0.page': shortPage },
    });
  });

  it('leaves success responses and parts of a single operation in place', () => {
    expect(partAt(document, '#/paths/~15/get/responses/200')).toEqual(ok);
    expect(partAt(document, '#/paths/~15/get/parameters/0')).toMatchObject({ name: 'cursor' });
    expect(partAt(document, '#/components/parameters/cursor')).toBeUndefined();
  });

  it('keeps the meaning of every operation', () => {
    const { paths } = withOperationsResolved(document) as { paths: unknown };
    expect(paths).toEqual(documentOf(operations).paths);
  });

  it('refuses two definitions of one name', () => {
    const other = { ...missing, description: 'Another one' };
    const clash = [missing, missing, other, other].map((response) => [page, { 404: response }]);
    expect(() => {
      shareParts(documentOf(clash as [object, object][]));
    }).toThrow('components/responses/not_found has two definitions');
  });
});

describe('resolved', () => {
  const document = { components: { schemas: { 'a/b': { type: 'string' } } } };

  it('returns what a reference points to, and any other value itself', () => {
    expect(resolved<unknown>(document, { $ref: '#/components/schemas/a~1b' })).toEqual({
      type: 'string',
    });
    for (const value of [null, 1, 'text', [], {}]) expect(resolved(document, value)).toBe(value);
  });
});
