import fc from 'fast-check';
import { resolved, type Schema } from '../operations.ts';
import { oddText } from './texts.ts';
import { validOf } from './values.ts';

const oddNumbers = [
  0,
  -0,
  -1,
  1.5,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1e300,
  5e-324,
];

/** Values of any type. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], { a: 1 }, ['a', 1, {}]),
  fc.constantFrom(...oddNumbers),
  oddText,
  fc.jsonValue({ maxDepth: 4 }),
);

/** Generates values just outside a schema, and of wrong types. */
export function wrongOf(given: Schema, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  const near = nearOf(schema, depth);
  if (near.length === 0) return oddValue;
  return fc.oneof({ weight: 1, arbitrary: oddValue }, { weight: 2, arbitrary: fc.oneof(...near) });
}

function nearOf(schema: Schema, depth: number): fc.Arbitrary<unknown>[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, items } = schema;
  const near: fc.Arbitrary<unknown>[] = [];
  const add = (...values: unknown[]): void => void near.push(fc.constantFrom(...values));
  if (minLength) add('a'.repeat(minLength - 1), ' '.repeat(minLength));
  if (maxLength !== undefined) {
    const edge = Math.min(maxLength, 100_000);
    add('a'.repeat(edge), 'a'.repeat(edge + 1), '\u{1f600}'.repeat(edge), 'ü'.repeat(edge));
  }
  if (minimum !== undefined) add(minimum - 1, String(minimum), minimum + 0.5);
  if (maximum !== undefined) add(maximum + 1, String(maximum), -maximum);
  if (schema.pattern !== undefined || schema.format !== undefined || schema.enum) {
    near.push(
      fc.tuple(validOf(schema), oddText).map(([value, text]) => `${String(value)}${text}`),
      validOf(schema).map((value) => String(value).toUpperCase()),
      validOf(schema).map((value) => [value]),
      oddText,
    );
  }
  if (items) {
    near.push(fc.array(wrongOf(items, depth + 1), { minLength: 1, maxLength: 3 }));
    if (minItems) add([]);
    if (maxItems !== undefined) {
      near.push(validOf(items).map((value) => Array.from({ length: maxItems + 1 }, () => value)));
      // One value repeated as often as allowed.
      near.push(validOf(items).map((value) => Array.from({ length: maxItems }, () => value)));
    }
  }
  if (schema.properties && depth < 4) near.push(wrongObject(schema, depth));
  for (const each of schema.oneOf ?? schema.anyOf ?? [])
    near.push(...nearOf(resolved(each), depth));
  return near;
}

/** Generates an object with one wrong, missing or additional member. */
export function wrongObject(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return fc.oneof(...choices.map((each) => wrongObject(resolved(each), depth)));
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  const good = validOf({ ...schema, type: 'object' });
  const changes: fc.Arbitrary<Record<string, unknown>>[] = [
    fc.dictionary(oddText, oddValue, { minKeys: 1, maxKeys: 3 }),
    ...names.map((name) =>
      wrongOf(properties[name] ?? {}, depth + 1).map((value) => ({ [name]: value })),
    ),
  ];
  // JSON omits undefined.
  if (required.length > 0)
    changes.push(fc.constantFrom(...required).map((name) => ({ [name]: undefined })));
  return fc.tuple(good, fc.oneof(...changes)).map(([value, change]) => ({
    ...(value as object),
    ...change,
  }));
}
