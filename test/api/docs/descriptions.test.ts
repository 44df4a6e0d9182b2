import { describe, expect, it } from 'vitest';
import { resolved, withOperationsResolved } from '../../../api/docs/document-refs.ts';
import { openApiDocument } from '../../../api/openapi/openapi.ts';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const document = withOperationsResolved(openApiDocument()) as Document;

/** Returns every property of a schema and of nested schemas, with path and description. */
function membersOf(given: Schema, at: string): [string, string | undefined][] {
  const schema = resolved(document, given);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${at}.${name}`;
    const words = member.description ?? resolved(document, member).description;
    return [[path, words] as [string, string | undefined], ...membersOf(member, path)];
  });
  const { items, additionalProperties: more, anyOf = [], oneOf = [], allOf = [] } = schema;
  const parts = [...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])];
  if (typeof more === 'object') parts.push(more);
  return [...own, ...parts.flatMap((part) => membersOf(part, at))];
}

const asked = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, parameters = [], requestBody }) => [
    ...parameters.map(({ name, schema }): [string, string | undefined] => [
      `${operationId}?${name}`,
      resolved(document, schema).description,
    ]),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
      membersOf(schema, operationId),
    ),
  ]);

describe('the documented request members', () => {
  it('include parameters, headers, properties and nested properties', () => {
    const paths = asked.map(([path]) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'links.preview?format_type',
        'links.complete?attest',
        'links.create.policy.min_level',
        'links.complete.consent.claims',
        'session.token.access_token',
      ]),
    );
    expect(membersOf({ properties: { lacking: {} } }, 'x')).toEqual([['x.lacking', undefined]]);
  });

  it('have a one-line description each', () => {
    expect(asked.filter(([, words]) => !words).map(([path]) => path)).toEqual([]);
    const odd = asked.filter(([, words = '']) => words !== words.trim() || words.length > 200);
    expect(odd).toEqual([]);
  });
});
