import fc from 'fast-check';
import { judgeOf, resolved, type Schema } from '../operations.ts';
import { oddText } from './texts.ts';

/** Marks a value that is replaced by an existing object when the request is sent. */
const mark = '\u0002known:';
const marked = new RegExp(`^${mark}(\\w+):(\\d+)$`);
const picksMax = 30;

/** Replaces marks by known values, or by `unknown`. */
export function withKnown(
  value: unknown,
  lookUp: (name: string, pick: number) => string | number | undefined,
): unknown {
  if (typeof value === 'string') {
    const [, name = '', pick] = marked.exec(value) ?? [];
    return pick === undefined ? value : (lookUp(name, Number(pick)) ?? 'unknown');
  }
  if (Array.isArray(value)) return value.map((each) => withKnown(each, lookUp));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withKnown(member, lookUp)]),
  );
}

export const known = (name: string): fc.Arbitrary<string> =>
  fc.nat(picksMax).map((pick) => `${mark}${name}:${pick}`);

const isNamed = (name: string): boolean => /(_id|_ids|_uuid|token|jwt|code|nonce)$/.test(name);

/**
 * Generates valid values of a schema, often near its limits; with a known name, also existing
 * objects.
 */
export function validOf(given: Schema, name = '', depth = 0): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  const values = plainOf(schema, depth);
  if (!isNamed(name)) return values;
  const one = known(name.replace(/_ids$/, '_id'));
  const of = [schema.type].flat().includes('array')
    ? fc.array(one, { minLength: 1, maxLength: 3 })
    : one;
  return fc.oneof(
    { weight: 3, arbitrary: of as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: values },
  );
}

function plainOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return fc.oneof(...choices.map((each) => validOf(each, '', depth)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const types = [schema.type].flat();
  return fc.oneof(...types.map((type) => ofType(type ?? 'any', schema, depth)));
}

function ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return listOf(schema, depth);
    case 'object':
      return objectOf(schema, depth);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function listOf(schema: Schema, depth: number): fc.Arbitrary<unknown[]> {
  const { items, uniqueItems, not, minItems = 0, maxItems = 3 } = schema;
  const item = items ? validOf(items, '', depth + 1) : fc.integer();
  const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 3)) };
  const lists = uniqueItems ? fc.uniqueArray(item, bounds) : fc.array(item, bounds);
  return not === undefined ? lists : lists.filter(judgeOf({ type: 'array', not }));
}

function numberOf(schema: Schema): fc.Arbitrary<number> {
  const min = schema.minimum ?? Number.MIN_SAFE_INTEGER;
  const max = schema.maximum ?? Number.MAX_SAFE_INTEGER;
  const near = fc.constantFrom(
    min,
    max,
    ...[0, 1, 25, 100, 2 ** 31 - 1].filter((n) => n >= min && n <= max),
  );
  return fc.oneof(
    near,
    fc.integer({ min, max: Math.min(max, min + 100) }),
    fc.integer({ min, max }),
  );
}

function objectOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, validOf(part, name, depth + 1)]),
  );
  const named = fc.record(members, { requiredKeys: [...required] });
  if (typeof additionalProperties !== 'object') return named;
  const { pattern } = schema.propertyNames ?? {};
  const free = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 });
  const key = pattern === undefined ? free : matching(pattern);
  const more = fc.dictionary(key, validOf(additionalProperties, '', depth + 1), { maxKeys: 4 });
  return fc.tuple(more, named).map(([some, rest]) => ({ ...some, ...rest }));
}

const byFormat: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: fc.constantFrom('2026-11-22', '1970-01-01', '0001-01-01', '9999-12-31', '2024-02-29'),
  'date-time': fc.constantFrom(
    '2030-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '2026-11-22T10:00:00.123456789Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '2030-01-01T00:00:00+14:00',
  ),
  email: fc.constantFrom(
    'fuzz@example.test',
    'FUZZ@EXAMPLE.TEST',
    'a+b@example.test',
    `${'a'.repeat(64)}@example.test`,
    'fuzz@xn--bcher-kva.example',
  ),
  uri: fc.constantFrom(
    'https://receiver.example.test/',
    'https://receiver.example.test/done?a=b#c',
    'http://127.0.0.1:9/',
    'https://xn--bcher-kva.example/',
    'https://[::1]/',
    'mailto:fuzz@example.test',
    `https://receiver.example.test/${'a'.repeat(1900)}`,
  ),
};

const made = new Map<string, fc.Arbitrary<string>>();

/** Generates texts of a regular expression; cached, because it is slow to build. */
function matching(pattern: string): fc.Arbitrary<string> {
  const before = made.get(pattern);
  if (before) return before;
  const texts = fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
  made.set(pattern, texts);
  return texts;
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength = 10_000 } = schema;
  const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength;
  const isForm = (text: string): boolean => !pattern || new RegExp(pattern, 'u').test(text);
  if (format && byFormat[format]) return byFormat[format].filter(fits).filter(isForm);
  if (pattern !== undefined) return matching(pattern).filter(fits);
  const edges = [minLength, Math.min(minLength + 1, maxLength), Math.min(maxLength, 2_000)];
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 20) }),
    fc.constantFrom(...edges.map((length) => 'a'.repeat(length))),
    oddText.filter(fits).filter((text) => text.isWellFormed() && !text.includes('\0')),
  );
}
