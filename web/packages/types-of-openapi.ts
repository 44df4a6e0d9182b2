import { compile, type JSONSchema } from 'json-schema-to-typescript';

type Schema = JSONSchema;
interface Content {
  readonly [type: string]: { readonly schema: Schema };
}
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface DocumentOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * Generates TypeScript types for every operation of an OpenAPI document, and for its named schemas.
 * The interface `Operations` has `params` and `result` per operation.
 */
export async function typesOfOpenApi(text: string, failureCodes: readonly string[]) {
  const document = JSON.parse(
    text.replaceAll('#/components/schemas/', '#/definitions/'),
  ) as OpenApi;
  const read = (part: unknown): unknown => resolve(document, part);
  const operations = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .filter(({ operationId }) => operationId !== undefined)
    .map((operation) => [operation.operationId, schemaOf(operation, read)] as const);
  const root: Schema = {
    ...recordOf(Object.fromEntries(operations)),
    definitions: {
      ...Object.fromEntries(
        Object.entries(document.components.schemas).map(([name, each]) => [name, plain(each)]),
      ),
      FailureCode: { type: 'string', enum: [...failureCodes] },
    },
  };
  return compile(root, 'Operations', {
    bannerComment: '',
    format: false,
    unreachableDefinitions: true,
  });
}

/** Follows a reference into the document. */
type Read = (part: unknown) => unknown;

function resolve(document: OpenApi, part: unknown): unknown {
  const target = (part as { readonly $ref?: string }).$ref;
  if (target === undefined) return part;
  const steps = target.slice('#/'.length).split('/');
  return steps.reduce<unknown>((at, step) => Reflect.get(at as object, step), document);
}

function schemaOf(operation: DocumentOperation, read: Read): Schema {
  const { summary, parameters = [], requestBody, responses } = operation;
  const declared = parameters.map((each) => read(each) as Parameter);
  const ofAddress = declared.filter((each) => each.in !== 'header');
  const headers = declared.filter((each) => each.in === 'header');
  const body = requestBody === undefined ? null : (read(requestBody) as Body);
  const isRequired = (each: Parameter): boolean => each.required === true;
  const properties: Record<string, Schema> = {
    ...fieldsOf(ofAddress),
    ...(body === null ? {} : { body: bodyOf(body.content) }),
    ...(headers.length === 0 ? {} : { headers: recordOf(fieldsOf(headers), []) }),
  };
  const required = [
    ...ofAddress.filter(isRequired).map(({ name }) => name),
    ...(body?.required === true ? ['body'] : []),
  ];
  const params = recordOf(properties, required);
  return { ...recordOf({ params, result: resultOf(responses, read) }), description: summary };
}

interface Body {
  readonly required?: boolean;
  readonly content: Content;
}

const fieldsOf = (parameters: readonly Parameter[]): Record<string, Schema> =>
  Object.fromEntries(
    parameters.map(({ name, schema, description }) => [
      name,
      { ...plain(schema), ...(description === undefined ? {} : { description }) },
    ]),
  );

function bodyOf(content: Content): Schema {
  const json = content['application/json'];
  return json ? plain(json.schema) : { tsType: 'Uint8Array' };
}

/** The client parses JSON. Other content is a `Response`, and no content is `undefined`. */
function resultOf(responses: DocumentOperation['responses'], read: Read): Schema {
  const answers = Object.entries(responses).filter(([status]) => /^(?:2|302)/.test(status));
  const results = answers.flatMap(([status, response]): Schema[] => {
    const { content } = read(response) as { readonly content?: Content };
    if (!content) return [{ tsType: status.startsWith('3') ? 'Response' : 'undefined' }];
    return Object.entries(content).map(([type, { schema }]) =>
      /^application\/(?:[\w-]+\+)?json$/.test(type) && schema
        ? plain(schema)
        : { tsType: 'Response' },
    );
  });
  const distinct = new Map(results.map((each) => [JSON.stringify(each), each]));
  return { anyOf: [...distinct.values()] };
}

function recordOf(properties: Record<string, Schema>, required = Object.keys(properties)): Schema {
  return { type: 'object', additionalProperties: false, properties, required };
}

/**
 * Strips the parts of a schema that would only become comments. Closes it to unknown members unless
 * it states otherwise.
 */
function plain(schema: Schema): Schema {
  const own = Object.entries(schema).filter(([name]) => !['example', 'examples'].includes(name));
  const members = own.map(([name, part]) => [name, name === 'default' ? part : within(part)]);
  const made = Object.fromEntries(members) as Schema;
  const isOpen = made.properties !== undefined && made.additionalProperties === undefined;
  return isOpen ? { ...made, additionalProperties: false } : made;
}

function within(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(within);
  return typeof part === 'object' && part !== null ? plain(part) : part;
}
