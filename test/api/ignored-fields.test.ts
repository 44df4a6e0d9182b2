import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unknownFields } from '../../api/ignored-fields.ts';
import { addMembership } from '../../db/queries/seeding.ts';
import { goodBundle } from '../bundles.ts';
import { call } from '../client.ts';
import { openTestDb } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';
import { enrolledPhone } from '../phone.ts';
import { contracts } from '../routes.ts';

const { databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

/** Schemas of values that have no members of their own, or none that anybody is held to. */
const leaves = [
  z.ZodString,
  z.ZodStringFormat,
  z.ZodNumber,
  z.ZodBoolean,
  z.ZodEnum,
  z.ZodLiteral,
  z.ZodUnknown,
] as const;

/** What members are looked for in; anything else would hide what is ignored in it. */
function partsOf(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return [schema.unwrap()];
  if (schema instanceof z.ZodDefault) return [schema.unwrap()];
  if (schema instanceof z.ZodPipe) return [schema.in];
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodObject) return Object.values(schema.shape);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const isPlain = schema.options.every((one) => one instanceof z.ZodObject);
    if (isPlain) return schema.options;
  }
  if (leaves.some((leaf) => schema instanceof leaf)) return [];
  throw new Error(`unknownFields does not look into ${Object(schema).constructor.name}`);
}

function walk(schema: unknown): number {
  return partsOf(schema).reduce((count: number, part) => count + walk(part), 1);
}

describe('the members a request has and nobody reads', () => {
  it('are looked for in every form that a contract takes', () => {
    const walked = contracts.map(({ id, request: { path, query, headers, body } }) => {
      const schemas = [path, query, headers, body].filter((one) => one !== undefined);
      try {
        return schemas.reduce((count, schema) => count + walk(schema), 0);
      } catch (error) {
        throw new Error(id, { cause: error });
      }
    });
    expect(Math.max(...walked)).toBeGreaterThan(10);
    expect(() => walk(z.object({ a: z.union([z.object({}), z.string()]) }))).toThrow('ZodUnion');
  });

  it('are those of the form that is told by its discriminator', () => {
    const schema = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), one: z.string(), of: z.object({ x: z.string() }) }),
      z.object({ kind: z.literal('b'), two: z.string() }),
    ]);
    const named = (value: object): readonly unknown[] => unknownFields(schema, value);
    expect(named({ kind: 'a', one: '', of: { x: '', y: '' } })).toEqual([['of', 'y']]);
    expect(named({ kind: 'b', one: '', two: '' })).toEqual([['one']]);
    expect(named({ kind: 'c', one: '' })).toEqual([]);
    expect(named({ one: '' })).toEqual([]);
  });

  it('are told of a token request', async () => {
    const device = await enrolledPhone();
    const person = device.enrolled?.polyUserId;
    await addMembership(db, [person, own.account_id, ['VIEWER'], new Date()]);
    const body = { grant_type: 'jwt_exchange', jwt: await goodBundle(device), provider: 'native' };
    const answer = await call('POST', '/api/v1/auth/token', { body });
    expect([answer.status, answer.headers.get('x-ignored-fields')]).toEqual([200, 'provider']);
  });
});
