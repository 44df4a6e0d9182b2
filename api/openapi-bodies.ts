import { z } from 'zod';

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
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

/**
 * Sets `additionalProperties: false` on every object in the body of the named operations, through
 * references. Objects that are maps keep the form of their members.
 */
export function closeBodies(document: unknown, operationIds: ReadonlySet<string>): void {
  const { paths, components } = bodiesOfDocument.parse(document);
  const closed = new Set<unknown>();
  const close = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || closed.has(node)) return;
    closed.add(node);
    const { $ref, properties } = schemaNode.parse(Array.isArray(node) ? {} : node);
    if ($ref) close(components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]);
    if (properties && !('additionalProperties' in node)) {
      Object.assign(node, { additionalProperties: false });
    }
    for (const part of Object.values(node)) close(part);
  };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    if (operationIds.has(operation.operationId)) close(operation.requestBody);
  }
}
