type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/**
 * Returns the part of a document that a local reference (`#/components/…`, RFC 6901) points to,
 * or undefined.
 */
export function partAt(document: unknown, ref: string): unknown {
  const steps = ref.replace(/^#\//, '').split('/').map(unescaped);
  let at = document;
  for (const step of steps) {
    if (!isObject(at) || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return at;
}

/**
 * Returns what a node refers to, or the node itself when it is no reference. The document is
 * valid, so a reference to a schema leads to a schema: the type of the node is that of its target.
 */
export function resolved<Node>(document: unknown, node: Node): Node {
  const ref = isObject(node) ? node['$ref'] : undefined;
  return typeof ref === 'string' ? (partAt(document, ref) as Node) : node;
}

/**
 * Returns an OpenAPI document whose operations hold their parameters and responses in place of
 * references to them. References to schemas and headers stay.
 */
export function withOperationsResolved(document: unknown): unknown {
  const target = (node: unknown): unknown => resolved(document, node);
  const operationOf = (operation: unknown): unknown => {
    if (!isObject(operation)) return operation;
    const { parameters, responses } = operation;
    return {
      ...operation,
      ...(Array.isArray(parameters) ? { parameters: parameters.map(target) } : {}),
      responses: mapped(responses, target),
    };
  };
  if (!isObject(document)) return document;
  return {
    ...document,
    paths: mapped(document['paths'], (item) => mapped(item, operationOf)),
  };
}

function mapped(object: unknown, change: (value: unknown) => unknown): unknown {
  if (!isObject(object)) return object;
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
