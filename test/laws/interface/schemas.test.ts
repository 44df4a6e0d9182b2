import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Contract } from '../../../api/http/contract.ts';
import { contracts } from '../../support/http/routes.ts';

interface Schema {
  readonly type?: string | string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly enum?: unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly $defs?: Record<string, Schema>;
  readonly properties?: Record<string, Schema>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: Schema[];
  readonly allOf?: Schema[];
  readonly items?: Schema;
}
/** A schema within another, with its path. */
interface Place {
  readonly at: string;
  readonly schema: Schema;
}

/** Lists all parts of a schema, including the named ones. */
function placesOf(schema: Schema, at: string): Place[] {
  const inner: [string, Schema][] = [
    ...Object.entries(schema.properties ?? {}).map(([name, part]): [string, Schema] => [
      `${at}.${name}`,
      part,
    ]),
    ...Object.entries(schema.$defs ?? {}).map(([name, part]): [string, Schema] => [name, part]),
    ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].map((part): [string, Schema] => [
      `${at}|`,
      part,
    ]),
    ...(schema.items ? [[`${at}[]`, schema.items] as [string, Schema]] : []),
    ...(typeof schema.additionalProperties === 'object'
      ? [[`${at}{}`, schema.additionalProperties] as [string, Schema]]
      : []),
  ];
  return [{ at, schema }, ...inner.flatMap(([place, part]) => placesOf(part, place))];
}

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Schema =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;

function requestPlaces({ id, request }: Contract, io: 'input' | 'output'): Place[] {
  const parts = { path: request.path, query: request.query, body: request.body };
  return Object.entries(parts).flatMap(([part, schema]) =>
    schema ? placesOf(jsonSchema(schema, io), `${id} ${part}`) : [],
  );
}

function replyPlaces({ id, replies }: Contract): Place[] {
  return Object.entries(replies).flatMap(([status, reply]) =>
    'schema' in reply && reply.schema
      ? placesOf(jsonSchema(reply.schema, 'input'), `${id} ${status}`)
      : [],
  );
}

const requests = contracts.flatMap((contract) => requestPlaces(contract, 'input'));
const replies = contracts.flatMap(replyPlaces);
/** The types of a value other than null. */
const typesOf = ({ type, anyOf, enum: choices, const: only }: Schema): string[] => {
  if (anyOf) return [...new Set(anyOf.flatMap(typesOf))].filter((each) => each !== 'null');
  if (type === undefined) return (choices ?? [only]).map((choice) => typeof choice);
  return [type].flat().filter((each) => each !== 'null');
};

describe('request schemas', () => {
  it('drop members that they do not name', () => {
    const open = contracts
      .flatMap((contract) => requestPlaces(contract, 'output'))
      .filter(({ schema }) => schema.properties && schema.additionalProperties !== false);
    expect(open.map(({ at }) => at)).toEqual([]);
  });

  it('bound every text, list and map', () => {
    const isBounded = (schema: Schema): boolean => {
      const types = [schema.type].flat();
      if (types.includes('string')) {
        const { maxLength, pattern, enum: choices, const: only } = schema;
        return [maxLength, pattern, choices, only].some((bound) => bound !== undefined);
      }
      if (types.includes('array')) return schema.maxItems !== undefined;
      const names = schema.propertyNames;
      return !names || isBounded({ ...names, type: 'string' });
    };
    // The limit of the body bounds these. Codec payloads have any form, and a token of any length
    // is refused like any other wrong one. A user id of a wrong form is the same 404 as an unknown
    // one, so its handler checks the form.
    const elsewhere = /^(codec\.|SecureLinkRequest\.|keys\.userJwks path\.poly_user_id$)/;
    const unbounded = requests.filter(
      ({ at, schema }) => !elsewhere.test(at) && !isBounded(schema),
    );
    expect(unbounded.map(({ at }) => at)).toEqual([]);
  });

  it('bound every number to the range that the store holds', () => {
    // A larger page is answered with 500 items: the interface declares no maximum for log pages.
    const elsewhere = /^logs\.\w+ query\.page_size$/;
    const numbers = requests.filter(({ schema }) =>
      [schema.type].flat().some((type) => type === 'integer' || type === 'number'),
    );
    expect(numbers.length).toBeGreaterThan(20);
    const safe = Number.MAX_SAFE_INTEGER;
    const unbounded = numbers.filter(
      ({ at, schema: { minimum = -safe, maximum = safe } }) =>
        !elsewhere.test(at) && (minimum <= -safe || maximum >= safe),
    );
    expect(unbounded.map(({ at }) => at)).toEqual([]);
  });
});

describe('schemas', () => {
  it('give each id name one type, in requests and replies', () => {
    const outputs = contracts.flatMap((contract) => requestPlaces(contract, 'output'));
    const types = new Map<string, Set<string>>();
    for (const { at, schema } of [...outputs, ...replies]) {
      const name = /\.(\w+(?:_id|_uuid))$/.exec(at)?.[1];
      if (!name || schema.$ref) continue;
      const seen = types.get(name) ?? new Set();
      // The result of a transformation has no JSON type; a Uint8Array is bytes.
      for (const type of typesOf(schema)) if (type !== 'undefined') seen.add(type);
      if (seen.size > 0) types.set(name, seen);
    }
    expect(types.size).toBeGreaterThan(8);
    for (const [name, seen] of types) expect([name, [...seen]]).toEqual([name, [typeFor(name)]]);
  });

  it('have every time in ISO 8601', () => {
    // NumericDate, as OpenID Federation 1.0 §8.7.2 requires.
    const numeric = new Set(['JWK.revoked.revoked_at']);
    const times = [...requests, ...replies].filter(
      ({ at }) => /(\.|_)at$/.test(at) && !numeric.has(at),
    );
    expect(times.length).toBeGreaterThan(30);
    const wrong = times.filter(({ schema }) =>
      [schema, ...(schema.anyOf ?? [])].every(({ format }) => format !== 'date-time'),
    );
    expect(wrong.map(({ at }) => at)).toEqual([]);
  });
});

/** Account ids are integers in the interface; all other ids are strings. */
function typeFor(name: string): string {
  return name === 'account_id' || name === 'identity_id' ? 'integer' : 'string';
}
