import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unknownFieldFaults, unknownFields } from '../../../api/http/parse/unknown-fields.ts';
import { addMembership } from '../../../db/queries/seeding.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, newLink } from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { goodBundle } from '../../support/keys/bundles.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

/** Schemas of values without members, or with arbitrary ones. */
const leaves = [
  z.ZodString,
  z.ZodStringFormat,
  z.ZodNumber,
  z.ZodBoolean,
  z.ZodEnum,
  z.ZodLiteral,
  z.ZodUnknown,
] as const;

/**
 * Returns the parts of a schema in which unknownFields looks for members. @throws for unhandled
 * kinds.
 */
function partsOf(schema: unknown): readonly unknown[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return [schema.unwrap()];
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return [schema.unwrap()];
  if (schema instanceof z.ZodPipe) {
    return [schema.in instanceof z.ZodTransform ? schema.out : schema.in];
  }
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

describe('unknownFields', () => {
  it('handles every kind of schema in the contracts', () => {
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

  it('uses the variant selected by the discriminator', () => {
    const schema = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), one: z.string(), of: z.object({ x: z.string() }) }),
      z.object({ kind: z.literal('b'), two: z.string() }),
    ]);
    const named = (value: object): readonly unknown[] =>
      unknownFields(schema, value).map(({ path }) => path);
    expect(named({ kind: 'a', one: '', of: { x: '', y: '' } })).toEqual([['of', 'y']]);
    expect(named({ kind: 'b', one: '', two: '' })).toEqual([['one']]);
    expect(named({ kind: 'c', one: '' })).toEqual([]);
    expect(named({ one: '' })).toEqual([]);
  });

  it('reports twenty fields and the number of others, with long names shortened', () => {
    const value = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]));
    const long = { ['n'.repeat(100_000)]: 1, ...value };
    const faults = unknownFieldFaults('body', unknownFields(z.object({}), long));
    expect(faults).toHaveLength(21);
    expect(faults[0]?.loc).toEqual(['body', `${'n'.repeat(64)}…`]);
    expect(faults[20]).toEqual({
      loc: ['body'],
      msg: '4981 more unknown fields',
      type: 'unknown_field',
    });
  });
});

describe('an unknown field', () => {
  const token = own.api_key;
  const refusedOf = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await call(method, path, { token, body });
    expect([answer.status, answer.headers.get('x-ignored-fields')]).toEqual([422, null]);
    return answer.body['detail'];
  };
  const fault = (loc: (string | number)[], nearest?: string) => ({
    loc,
    msg: nearest ? `Unknown field, did you mean ${nearest}?` : 'Unknown field',
    type: 'unknown_field',
  });

  it('is rejected with the nearest known name, at any depth', async () => {
    const at = `/v2/${own.app_id}`;
    expect(await refusedOf('PUT', at, { policy: { min_levle: 'high' } })).toEqual([
      fault(['body', 'policy', 'min_levle'], 'min_level'),
    ]);
    expect(await refusedOf('PUT', at, { color: 'red', titel: 'x' })).toEqual([
      fault(['body', 'color']),
      fault(['body', 'titel'], 'title'),
    ]);
  });

  it('is rejected in the query', async () => {
    expect(await refusedOf('GET', '/v2/listlinks?pagesize=5')).toEqual([
      fault(['query', 'pagesize'], 'page_size'),
    ]);
    // Operations with only path parameters accept no query parameter.
    expect(await refusedOf('GET', `/v2/app/${own.app_id}/status?expand=links`)).toEqual([
      fault(['query', 'expand']),
    ]);
  });

  it('is reported together with all other faults of the request', async () => {
    const faults = await refusedOf('PUT', `/v2/link/UPPER?color=red`, { titel: 'x', max_uses: 0 });
    expect((faults as { loc: unknown }[]).map(({ loc }) => loc)).toEqual([
      ['path', 'app_id'],
      ['query', 'color'],
      ['body', 'titel'],
      ['body', 'max_uses'],
    ]);
  });

  it('prevents the creation of an object', async () => {
    const title = `Unknown field ${process.pid} ${Date.now()}`;
    const at = `/v2/${own.app_id}`;
    const total = async (): Promise<unknown> => {
      const found = `/v2/links/${own.account_id}/${own.app_id}?search=${encodeURIComponent(title)}`;
      return (await call('GET', found, { token })).body['total'];
    };
    await refusedOf('PUT', at, { title, titel: 'x' });
    expect(await total()).toBe(0);
    await call('PUT', at, { token, body: { title } });
    expect(await total()).toBe(1);
  });

  it('is allowed in records that callers fill', async () => {
    const made = await call('PUT', `/v2/${own.app_id}`, {
      token,
      body: {
        metadata: { anything: 'x', min_levle: 'y' },
        matching_params: { custom: { nickname: 'A' } },
      },
    });
    expect([made.status, made.headers.get('x-ignored-fields')]).toEqual([200, null]);
  });

  it.each(['utm_source=mail', 'fbclid=x', 'utm_source=a&utm_source=b'])(
    'does not break pages opened by people (?%s)',
    async (query) => {
      const uuid = await newLink();
      for (const path of [`/v2/${uuid}`, `/v2/${own.app_id}/${uuid}`, `/success/${uuid}`]) {
        const page = await call('GET', `${path}?${query}`, { headers: { accept: 'text/html' } });
        expect([path, page.status, page.headers.get('content-type')]).toEqual([
          path,
          200,
          'text/html; charset=utf-8',
        ]);
      }
      for (const path of ['/verify', '/email/verify', '/docs', '/livez', '/outbox']) {
        expect([path, (await call('GET', `${path}?${query}`)).status]).toEqual([path, 200]);
      }
    },
  );

  it('does not break handshakes of vendors', async () => {
    const asked = await call('GET', '/v2/conf-b/event?validationToken=abc&added=1');
    expect(asked.status).not.toBe(422);
    const returned = await call('GET', '/cal/oauth/callback?code=x&state=y&scope=a&authuser=0');
    expect(returned.status).not.toBe(422);
  });
});

describe('Prefer: handling=lenient', () => {
  const token = own.api_key;
  const headers = { prefer: 'handling=lenient' };

  it('ignores unknown fields and lists them', async () => {
    const matching_params = { full_name: 'A B', nickname: 'A' };
    const many = Object.fromEntries(Array.from({ length: 19 }, (_, index) => [`n${index}`, 1]));
    const body = { 'Größe, "x"': 1, matching_params, ...many };
    const made = await call('PUT', `/v2/${own.app_id}?color=red`, { token, body, headers });
    expect([made.status, made.headers.get('preference-applied')]).toEqual([200, headers.prefer]);
    const named = made.headers.get('x-ignored-fields')?.split(', ') ?? [];
    const [query, odd, nested, ...others] = named;
    expect([query, odd, nested]).toEqual([
      'color',
      'Gr%C3%B6%C3%9Fe%2C%20%22x%22',
      'matching_params.nickname',
    ]);
    expect(others).toEqual([...Object.keys(many).slice(0, 17), '2 more']);
  });

  it('still rejects faults in known fields', async () => {
    const body = { titel: 'x', max_uses: 0 };
    const made = await call('PUT', `/v2/${own.app_id}`, { token, body, headers });
    expect([made.status, made.headers.get('x-ignored-fields')]).toEqual([422, 'titel']);
    const faults = made.body['detail'] as { loc: unknown }[];
    expect(faults.map(({ loc }) => loc)).toEqual([['body', 'max_uses']]);
  });

  it('lists nothing if all fields are known', async () => {
    const listed = await call('GET', '/v2/listlinks?page_size=5', { token, headers });
    expect([listed.status, listed.headers.get('x-ignored-fields')]).toEqual([200, null]);
    expect(listed.headers.get('preference-applied')).toBe('handling=lenient');
  });

  it('lists unknown fields of a token request', async () => {
    const device = await enrolledPhone();
    const person = device.enrolled?.polyUserId;
    await addMembership(db, [person, own.account_id, ['VIEWER'], new Date()]);
    const body = { grant_type: 'jwt_exchange', jwt: await goodBundle(device), provider: 'native' };
    const answer = await call('POST', '/api/v1/auth/token', { body, headers });
    expect([answer.status, answer.headers.get('x-ignored-fields')]).toEqual([200, 'provider']);
  });
});
