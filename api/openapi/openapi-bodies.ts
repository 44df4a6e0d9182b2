import { z } from 'zod';
import { partAt } from '../docs/document-refs.ts';

const schemaNode = z.looseObject({
  $ref: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
});
const bodiesOfDocument = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ operationId: z.string(), requestBody: z.unknown().optional() }),
    ),
  ),
});

/**
 * Sets `additionalProperties: false` on every object in the body of the named operations, through
 * references. Objects that are maps keep the form of their members.
 */
export function closeBodies(document: unknown, operationIds: ReadonlySet<string>): void {
  const { paths } = bodiesOfDocument.parse(document);
  const closed = new Set<unknown>();
  const close = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || closed.has(node)) return;
    closed.add(node);
    const { $ref, properties } = schemaNode.parse(Array.isArray(node) ? {} : node);
    if ($ref) close(partAt(document, $ref));
    if (properties && !('additionalProperties' in node)) {
      Object.assign(node, { additionalProperties: false });
    }
    for (const part of Object.values(node)) close(part);
  };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    if (operationIds.has(operation.operationId)) close(operation.requestBody);
  }
}
