import { describe, expect, it } from 'vitest';
import { resolved, withOperationsResolved } from '../../../api/docs/document-refs.ts';
import { refusesBody } from '../../../api/http/parse/body.ts';
import { refusesUnknownFields } from '../../../api/http/parse/parse.ts';
import { openApiDocument } from '../../../api/openapi/openapi.ts';
import { contracts } from '../../support/http/routes.ts';

/** Operations without an HTML page: called or shaped by a vendor, or opened from a mailed link. */
const exceptions = [
  'codec.decode',
  'codec.encode',
  'logs.photo',
  'logs.report',
  'mail.events',
  'meetings.botHook',
  'meetings.confirmHook',
  'meetings.eventHook',
  'meetings.loaded',
  'meetings.redirect',
  'sms.events',
  'system.object',
];

interface Operation {
  readonly operationId: string;
  readonly requestBody?: unknown;
  readonly responses: unknown;
}

const document = withOperationsResolved(openApiDocument()) as {
  paths: Record<string, Record<string, Operation>>;
};
const { paths } = document;
const operations = Object.values(paths).flatMap((path) => Object.values(path));

/** Lists every object schema with members under a node, following references. */
function objectsIn(node: unknown, seen = new Set<unknown>()): Record<string, unknown>[] {
  if (typeof node !== 'object' || node === null || seen.has(node)) return [];
  seen.add(node);
  const fields = node as Record<string, unknown>;
  const target = resolved<unknown>(document, node);
  return [
    ...('properties' in fields ? [fields] : []),
    ...objectsIn(target, seen),
    ...Object.values(fields).flatMap((value) => objectsIn(value, seen)),
  ];
}

describe('the rule of unknown fields', () => {
  it('ignores them only on pages for people and on input from vendors', () => {
    const takesInput = contracts.filter(({ request }) => Object.keys(request).length > 0);
    const ignoring = takesInput.filter((row) => !refusesUnknownFields(row)).map(({ id }) => id);
    // A page that needs a key is requested by a program.
    const pages = takesInput.filter(
      ({ replies, auth }) =>
        !auth.includes('key') &&
        Object.values(replies).some(
          (reply) => reply.kind === 'page' && reply.types.includes('text/html'),
        ),
    );
    const ids = pages.map(({ id }) => id);
    expect(ignoring.toSorted()).toEqual([...ids, ...exceptions].toSorted());
    const vendors = takesInput.filter(({ auth }) => auth.includes('webhook'));
    expect(vendors.filter(refusesUnknownFields)).toEqual([]);
  });

  it('is visible in the document: request bodies are closed, answers are open', () => {
    const ignoring = new Set(
      contracts.filter((row) => !refusesUnknownFields(row)).map(({ id }) => id),
    );
    const [bodies, answers] = [new Set<unknown>(), new Set<unknown>()];
    for (const { operationId, requestBody, responses } of operations) {
      const isClosed = !ignoring.has(operationId);
      for (const schema of objectsIn(requestBody)) {
        expect([operationId, schema['additionalProperties'] === false]).toEqual([
          operationId,
          isClosed,
        ]);
        bodies.add(schema);
      }
      for (const schema of objectsIn(responses)) {
        expect([operationId, schema['additionalProperties']]).not.toEqual([operationId, false]);
        answers.add(schema);
      }
    }
    expect([bodies.size > 40, answers.size > 100]).toEqual([true, true]);
  });

  it('documents the Prefer header for every operation that refuses them', () => {
    const text = JSON.stringify(paths);
    const refusing = contracts.filter(
      (row) => (refusesUnknownFields(row) || refusesBody(row)) && !row.hidden,
    );
    expect(text.split('"name":"prefer"').length - 1).toBe(refusing.length);
  });
});
