import { z } from 'zod';

const parameterObject = z.looseObject({ name: z.string() });
const responseObject = z.looseObject({
  'x-codes': z.array(z.string()).optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
  content: z.record(z.string(), z.unknown()).optional(),
});
const operationObject = z.looseObject({
  operationId: z.string(),
  parameters: z.array(parameterObject).optional(),
  responses: z.record(z.string(), responseObject),
});
const documentObject = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operationObject)),
  components: z.looseObject({}),
});

type Operation = z.output<typeof operationObject>;
type Refusal = z.output<typeof responseObject>;

/** A part of an operation, its JSON text, and a function that replaces it. */
interface Place<Part> {
  readonly part: Part;
  readonly text: string;
  readonly operationId: string;
  readonly replace: (other: { $ref: string }) => void;
}

/**
 * Moves each parameter and error response that several operations share into `components`, and
 * leaves references in the operations. Success responses stay in their operation.
 */
export function shareParts(document: unknown): void {
  if (!isDocument(document)) throw new Error('not a document whose operations have responses');
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const parameters = operations.flatMap(parametersOf);
  Object.assign(document.components, {
    parameters: share('parameters', parameters, parameterNames(parameters)),
    responses: share('responses', operations.flatMap(refusalsOf), refusalNames()),
  });
}

/** Checks the document itself, because zod's copy has another order of members. */
function isDocument(value: unknown): value is z.output<typeof documentObject> {
  return documentObject.safeParse(value).success;
}

function parametersOf({ operationId, parameters = [] }: Operation) {
  return parameters.map((part, at) => ({
    part,
    text: JSON.stringify(part),
    operationId,
    replace: (other: { $ref: string }) => void Object.assign(parameters, { [at]: other }),
  }));
}

function refusalsOf({ operationId, responses }: Operation): Place<Refusal>[] {
  return Object.entries(responses)
    .filter(([status, { 'x-codes': codes }]) => status === '422' || codes !== undefined)
    .map(([status, part]) => ({
      part,
      text: JSON.stringify(part),
      operationId,
      replace: (other) => void Object.assign(responses, { [status]: other }),
    }));
}

/** @throws Error if two different parts have the same name */
function share<Part>(
  section: string,
  places: readonly Place<Part>[],
  nameOfPlace: (place: Place<Part>) => string,
): Record<string, Part> {
  const made = new Map<string, Place<Part>>();
  for (const same of Map.groupBy(places, ({ text }) => text).values()) {
    const [first, second] = same;
    if (!first || !second) continue;
    const name = nameOfPlace(first);
    if (made.has(name)) throw new Error(`components/${section}/${name} has two definitions`);
    made.set(name, first);
    for (const { replace } of same) replace({ $ref: `#/components/${section}/${name}` });
  }
  const sorted = [...made].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, { part }]) => [name, part]));
}

/**
 * Names a parameter by its own name. If one name has several definitions, the most frequent one
 * keeps it. Each other is named after the first operation that reads it.
 */
function parameterNames(places: readonly Place<z.output<typeof parameterObject>>[]) {
  const usual = new Map<string, string>();
  for (const [name, named] of Map.groupBy(places, ({ part }) => part.name)) {
    const byText = [...Map.groupBy(named, ({ text }) => text)];
    const [most] = byText.sort(([, a], [, b]) => b.length - a.length);
    if (most) usual.set(name, most[0]);
  }
  return ({ part: { name }, text, operationId }: (typeof places)[number]): string =>
    usual.get(name) === text ? name : `${operationId}.${name}`;
}

/**
 * Names an error response by its first code and the number of its other codes, then by its
 * variants. If two responses would have the same name, the second lists all its codes.
 */
function refusalNames(): (place: Place<Refusal>) => string {
  const taken = new Map<string, string>();
  return ({ part, text }) => {
    const [first = 'HTTPValidationError', ...others] = part['x-codes'] ?? [];
    const suffixes = suffixesOf(part);
    const short = `${first}${others.length > 0 ? `-and-${others.length}` : ''}${suffixes}`;
    const owner = taken.get(short) ?? text;
    taken.set(short, owner);
    return owner === text ? short : `${[first, ...others].join('.')}${suffixes}`;
  };
}

function suffixesOf({ headers, content }: Refusal): string {
  const variants = {
    page: 'text/html' in (content ?? {}),
    limited: 'RateLimit-Limit' in (headers ?? {}),
    attest: 'Attest-Nonce' in (headers ?? {}),
    dpop: 'DPoP-Nonce' in (headers ?? {}),
  };
  return Object.entries(variants)
    .flatMap(([name, has]) => (has ? [`-${name}`] : []))
    .join('');
}
