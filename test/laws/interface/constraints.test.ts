import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { judgeOf, operationOf, resolved, type Schema } from '../../campaigns/fuzz/operations.ts';
import { validOf } from '../../campaigns/fuzz/values/values.ts';
import { wrongOf } from '../../campaigns/fuzz/values/wrong-values.ts';
import { contracts } from '../../support/http/routes.ts';

/** A parameter, or a body member that is not an object: its document and its server schema. */
interface Leaf {
  readonly at: string;
  readonly declared: Schema;
  readonly served: z.ZodType;
  /** Parameters arrive as strings. */
  readonly isText: boolean;
}

/** Rules that JSON Schema cannot express; the description of the member states them. */
const saidInWords = [
  // Names of hosts and networks: IDNA, and only addresses of the public internet.
  /\.(?:allowed_origins|email_domains)$/,
  /\.(?:redirect_url|logo_url|tos_url|install_url|support_url|issuer|return_to|url)$/,
  // A single email address (RFC 5321), with IDNA.
  /body\.(?:email|default_email|support_email)$/,
  // Each frame is later than the one before it.
  /\.frames$/,
  // A month of a year.
  /\.patch_level_min$/,
];

function shapeOf(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return shapeOf(schema.unwrap());
  }
  if (schema instanceof z.ZodDefault) return shapeOf(schema.unwrap());
  return schema instanceof z.ZodPipe ? shapeOf(schema.in) : schema;
}

function leavesOf(at: string, served: unknown, declared: Schema, isText: boolean): Leaf[] {
  if (!(served instanceof z.ZodType)) throw new Error(`${at} is declared and not read`);
  const { properties, oneOf } = resolved(declared);
  const shape = shapeOf(served);
  // Each option is an object; the tests of those operations cover the combinations.
  if (oneOf) return [];
  if (!properties || !(shape instanceof z.ZodObject)) return [{ at, declared, served, isText }];
  return Object.entries(properties).flatMap(([name, part]) =>
    leavesOf(`${at}.${name}`, shape.shape[name], part, false),
  );
}

const leaves = contracts.flatMap(({ id, request }) => {
  const operation = operationOf.get(id);
  if (!operation) return [];
  const parameters = operation.parameters.flatMap(({ name, in: part, schema }) =>
    part === 'header'
      ? []
      : leavesOf(`${id} ${part}.${name}`, request[part]?.shape[name], schema, true),
  );
  const { body } = operation;
  const members = request.body && body ? leavesOf(`${id} body`, request.body, body, false) : [];
  return [...parameters, ...members];
});
const judged = leaves.filter(({ at }) => !saidInWords.some((rule) => rule.test(at)));

/** White space around a string is removed before its rules apply. */
const isBare = (value: unknown): boolean =>
  !JSON.stringify(value, (_name, part: unknown) => (part === undefined ? null : part)).match(
    /"(?:\\[tnrfv]|\s|\u00a0|\ufeff)+|(?:\\[tnrfv]|\s|\u00a0|\ufeff)+"/,
  );
const shown = (value: unknown): string => JSON.stringify(value).slice(0, 80);
const sampled = (values: fc.Arbitrary<unknown>) =>
  fc.sample(values, { numRuns: 60, seed: 22 }).filter(isBare);

describe('declared constraints', () => {
  it('cover the parameters and members of all operations', () => {
    expect(judged.length).toBeGreaterThan(300);
  });

  it.each(judged.map((leaf) => [leaf.at, leaf] as const))('match the server: %s', (_at, leaf) => {
    const { declared, served, isText } = leaf;
    const isDeclared = judgeOf(declared);
    const spelled = (value: unknown): unknown =>
      isText && (typeof value === 'number' || typeof value === 'boolean') ? String(value) : value;
    const isServed = (value: unknown): boolean => served.safeParse(spelled(value)).success;
    const refused = sampled(validOf(declared)).filter(
      (value) => isDeclared(value) && !isServed(value),
    );
    expect(refused.map(shown), 'declared and refused').toEqual([]);
    const isSent = (value: unknown): boolean => !isText || typeof value === 'string';
    const { type } = resolved(declared);
    const read = (value: unknown): unknown => (isText && type !== 'string' ? Number(value) : value);
    const taken = sampled(wrongOf(declared)).filter(
      (value) => isSent(value) && !isDeclared(read(value)) && isServed(value),
    );
    expect(taken.map(shown), 'not declared and accepted').toEqual([]);
  });
});
