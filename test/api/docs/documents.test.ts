import { execFileSync } from 'node:child_process';
import specifications from '@asyncapi/specs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { decode } from 'html-entities';
import { describe, expect, it } from 'vitest';
import { partAt, withOperationsResolved } from '../../../api/docs/document-refs.ts';
import { checkedInDocument, type DocumentName } from '../../../api/docs/documents.ts';
import { failureAnswers } from '../../../api/http/problem/failure-answers.ts';
import { generated } from '../../../api/openapi/write-documents.ts';
import { eventTypes } from '../../../workflows/events.ts';
import { call } from '../../support/http/client.ts';
import { referencePages } from '../../support/http/reference-pages.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

type Json = Record<string, unknown>;

const { own, baseUrl } = ownPlatform();
const read = (name: DocumentName): Json => JSON.parse(checkedInDocument(name)) as Json;
/** Returns every internal reference of a document. */
function refsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { $ref } = value as { $ref?: string };
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(value).flatMap(refsOf)];
}

/** Returns the patterns of every schema in a document. */
function patternsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { pattern } = value as { pattern?: unknown };
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...Object.values(value).flatMap(patternsOf),
  ];
}

describe('openapi.json', () => {
  interface Operation {
    readonly parameters?: readonly { name: string; in: string; required?: boolean }[];
    readonly responses: Readonly<Record<string, { headers?: Json }>>;
    readonly security: readonly Json[];
  }
  const { paths } = withOperationsResolved(read('openapi.json')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const headerOf = (operation: Operation | undefined, name: string) =>
    operation?.parameters?.find((each) => each.in === 'header' && each.name === name);

  it('lists the headers an operation reads', () => {
    const complete = paths['/v2/{app_id}/{link_uuid}']?.['post'];
    expect(headerOf(complete, 'attest')).toMatchObject({ required: true });
    const pair = paths['/v2/trust-checks/{id}/pair']?.['post'];
    expect(headerOf(pair, 'attest')).toMatchObject({ required: false });
    const create = paths['/v2/{app_id}']?.['put'];
    expect(headerOf(create, 'idempotency-key')).toMatchObject({ required: false });
    expect(headerOf(create, 'attest')).toBeUndefined();
    expect(create?.security).toContainEqual({ apiKeyHeader: ['links:write'] });
  });

  it('has patterns without regular-expression flags', () => {
    const texts = patternsOf(read('openapi.json'));
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => /\/[a-z]*$/.test(text))).toEqual([]);
    for (const text of texts) expect(() => new RegExp(text, 'u')).not.toThrow();
  });

  it('lists HTML for refusals with a page, and JSON for JSON', () => {
    const responsesOf = (path: string, verb: string): Json => paths[path]?.[verb]?.responses ?? {};
    const typesOf = (of: Json, status: string): string[] =>
      Object.keys((of[status] as { content: Json }).content).toSorted();
    const page = ['application/problem+json', 'text/html'];
    expect(typesOf(responsesOf('/v2/raw/{link_uuid}', 'get'), '404')).toEqual(page);
    expect(typesOf(responsesOf('/v2/link/{app_id}', 'put'), '404')).toEqual(page.slice(0, 1));
    const { content } = responsesOf('/openapi.json', 'get')['200'] as { content: Json };
    expect(content['application/json']).toMatchObject({ schema: { type: 'object' } });
  });

  it('lists the headers of answers', () => {
    const create = paths['/v2/{app_id}']?.['put']?.responses;
    const named = [
      'ETag',
      'Idempotent-Replayed',
      'Preference-Applied',
      'Request-Id',
      'Trustcheck-Version',
      'X-Ignored-Fields',
    ];
    expect(Object.keys(create?.['200']?.headers ?? {}).toSorted()).toEqual(named);
    const complete = paths['/v2/{app_id}/{link_uuid}']?.['post']?.responses;
    expect(Object.keys(complete?.['403']?.headers ?? {})).toContain('Attest-Nonce');
    const mailed = paths['/v2/email/login/request']?.['post']?.responses;
    expect(Object.keys(mailed?.['202']?.headers ?? {})).toContain('Set-Cookie');
  });
});

describe.each(['openapi.json', 'asyncapi.json'] as const)('%s', (name) => {
  it('equals the checked-in file (npm run openapi writes it) and is served', async () => {
    expect(generated[name]()).toEqual(read(name));
    const served = await call('GET', `/${name}`);
    expect([served.status, served.text]).toEqual([200, checkedInDocument(name)]);
  });

  it('has no dangling references', () => {
    const document = read(name);
    const refs = new Set(refsOf(document));
    expect(refs.size).toBeGreaterThan(5);
    for (const pointer of refs) expect(partAt(document, pointer), pointer).toBeDefined();
  });
});

describe('the OpenAPI document', () => {
  it('is valid by the schema of its specification, and a broken one is invalid', async () => {
    const valid = await new Validator().validate(read('openapi.json'));
    expect(valid.errors).toBeUndefined();
    const broken = { ...read('openapi.json'), paths: { '/x': { get: { responses: 5 } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });
});

describe('the AsyncAPI document', () => {
  const holds = new Ajv({ strict: false, validateFormats: false }).compile(
    specifications.schemasWithoutId['3.0.0'] as object,
  );

  it('is valid by the schema of its specification, and a broken one is invalid', () => {
    const document = read('asyncapi.json');
    expect([holds(document), holds.errors]).toEqual([true, null]);
    expect(holds({ ...document, channels: { x: { address: 5 } } })).toBe(false);
    expect(holds({ ...document, operations: { x: { action: 'shout' } } })).toBe(false);
  });

  it('lists every stream in the subscribe request', () => {
    const { channels, components } = read('asyncapi.json') as {
      channels: Record<string, { address?: string }>;
      components: { schemas: { SubscribeRequest: { properties: { stream: Json } } } };
    };
    const { description } = components.schemas.SubscribeRequest.properties.stream;
    for (const kind of ['trust-check', 'meeting', 'account']) {
      expect(Object.keys(channels)).toContain(kind);
      expect(description).toMatch(new RegExp(`\`${kind}:\\{\\w+\\}\``));
    }
  });

  it('lists every event type for the account stream and for webhooks', () => {
    const { channels } = read('asyncapi.json') as {
      channels: Record<string, { messages: Json }>;
    };
    for (const channel of ['account', 'webhooks']) {
      expect(Object.keys(channels[channel]?.messages ?? {})).toEqual([...eventTypes]);
    }
    const ofSession = Object.keys(channels['trust-check']?.messages ?? {});
    expect(ofSession).toContain('proof.updated');
    expect(ofSession).not.toContain('link.created');
  });
});

describe('documentation pages', () => {
  const linksOf = (text: string): string[] =>
    [...text.matchAll(/href="([^"]+)"/g)].map(([, target = '']) => target);

  it('have a strict policy: no scripts, only their own styles, no external resources', async () => {
    for (const path of ['/docs', '/docs/reference', '/docs/errors/not_found']) {
      const page = await call('GET', path);
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toMatch(/style-src 'sha256-[A-Za-z0-9+/]{43}='/);
      expect(policy).not.toContain('unsafe');
      // Commands and patterns are escaped text and load nothing.
      expect(page.text.replaceAll(/<pre>[^<]*<\/pre>|of the form [^<]*/g, '')).not.toMatch(
        /<script|\sstyle=|\son[a-z]+=|https?:|<img|<link[^>]+href="[^d]/,
      );
    }
  });

  it('show every operation, schema and failure code', async () => {
    const { text, paths: pages } = await referencePages();
    const { paths, components } = read('openapi.json') as {
      paths: Record<string, Record<string, { operationId: string }>>;
      components: { schemas: Json };
    };
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
    for (const methods of Object.values(paths)) {
      for (const { operationId } of Object.values(methods)) expect(ids).toContain(operationId);
    }
    for (const name of Object.keys(components.schemas)) {
      expect(pages).toContain(`/docs/reference/schema-${name}`);
    }
    const targets = new Set(linksOf(text));
    for (const code of Object.keys(failureAnswers))
      expect(targets).toContain(`/docs/errors/${code}`);
  });

  it('lead through a first check with commands that work when pasted', async () => {
    const { text } = await call('GET', '/docs/reference');
    expect(text.indexOf('id="first-check"')).toBeLessThan(text.indexOf('id="conventions"'));
    const section = text.slice(text.indexOf('id="first-check"'), text.indexOf('id="conventions"'));
    const commands = [...section.matchAll(/<pre>([^<]*)<\/pre>/g)].map(([, line = '']) =>
      decode(line),
    );
    expect(commands).toHaveLength(3);
    const env = { BASE_URL: baseUrl, TOKEN: own.api_key, APP_ID: own.app_id };
    const run = (command = '', more: Readonly<Record<string, string>> = {}): Json => {
      const options = { encoding: 'utf8', env: { ...process.env, ...env, ...more } } as const;
      return JSON.parse(execFileSync('bash', ['-c', `${command} -s`], options)) as Json;
    };
    const link = run(commands[0]);
    const LINK_UUID = String(link['link_uuid']);
    expect(link['url']).toBe(`${baseUrl}/v2/${own.app_id}/${LINK_UUID}`);
    expect(run(commands[1], { LINK_UUID })).toMatchObject({
      link_uuid: LINK_UUID,
      actionable: true,
    });
    expect(run(commands[2])['items']).toContainEqual(
      expect.objectContaining({ type: 'link.created' }),
    );
  });

  it('explain every failure code and list its operations', async () => {
    for (const [code, { status, title }] of Object.entries(failureAnswers)) {
      const page = await call('GET', `/docs/errors/${code}`);
      expect(page.status, code).toBe(200);
      for (const part of [code, `<dd>${status}</dd>`, `<h1>${title}</h1>`]) {
        expect(page.text).toContain(part);
      }
    }
    const { text } = await call('GET', '/docs/errors/resend_too_soon');
    expect(text).toContain('href="/docs/reference/trust-checks#trust-checks.sendCode"');
  });

  it('are served at the `type` of a problem', async () => {
    const problem = await call('GET', '/v2/events');
    const type = String(problem.body['type']);
    expect(type).toBe(`${baseUrl}/docs/errors/credential_missing`);
    expect((await fetch(type)).status).toBe(200);
  });

  it.each(['no_such_code', '__proto__', 'constructor', 'toString', 'NOT_FOUND', '%3Cscript%3E'])(
    'return 404 for the code %s',
    async (code) => {
      const missing = await call('GET', `/docs/errors/${code}`);
      expect([missing.status, missing.body['code']]).toEqual([404, 'not_found']);
    },
  );
});

describe('GET /', () => {
  it('redirects to the documentation', async () => {
    const { status, headers } = await call('GET', '/');
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
    expect((await fetch(baseUrl)).url).toBe(`${baseUrl}/docs`);
  });
});

describe('llms.txt', () => {
  it('lists every document and operation with working links', async () => {
    const { status, text, headers } = await call('GET', '/llms.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text.startsWith('# trustcheck\n\n> ')).toBe(true);
    expect(text).toContain('PUT /v2/link/{app_id}');
    const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    expect(targets.length).toBeGreaterThan(40);
    for (const target of new Set(targets.map((each) => each.split('#')[0] ?? ''))) {
      expect((await fetch(target)).status, target).toBe(200);
    }
    expect(text).not.toContain(own.api_key);
  });
});
