import { describe, expect, it } from 'vitest';
import { resolved, withOperationsResolved } from '../../../api/docs/document-refs.ts';
import { refusesBody } from '../../../api/http/parse/body.ts';
import { refusesUnknownFields } from '../../../api/http/parse/parse.ts';
import { openApiDocument } from '../../../api/openapi/openapi.ts';
import { contracts } from '../../support/http/routes.ts';

/** Operations without an HTML page that a vendor calls or shapes, or that a mailed link opens. */
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

/** Every object schema with members under a node, through references. */
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

describe('the law of unknown fields', () => {
  it('ignores them only on pages that people open and on input that vendors shape', () => {
    const takesInput = contracts.filter(({ request }) => Object.keys(request).length > 0);
    const ignoring = takesInput.filter((row) => !refusesUnknownFields(row)).map(({ id }) => id);
    // A page behind a credential is asked for by a program.
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

  it('is told in the document: bodies are closed, answers stay open', () => {
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

  it('has the Prefer header documented where they are refused', () => {
    const text = JSON.stringify(paths);
    const refusing = contracts.filter(
      (row) => (refusesUnknownFields(row) || refusesBody(row)) && !row.hidden,
    );
    expect(text.split('"name":"prefer"').length - 1).toBe(refusing.length);
  });
});
