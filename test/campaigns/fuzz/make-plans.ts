import fc from 'fast-check';
import { resolved, type Operation, type Parameter, type Schema } from './operations.ts';
import { plain, spellings, type BodyPlan, type Plan, type Written } from './plans.ts';
import { anyHeader, asWritten, oddBody, oddType, rawPiece, whoElse } from './values/odd-parts.ts';
import { headerText, oddText } from './values/texts.ts';
import { known, validOf } from './values/values.ts';
import { wrongObject, wrongOf } from './values/wrong-values.ts';

/** Generates requests for an operation; about a third of them are well-formed. */
export function plansOf(operation: Operation): fc.Arbitrary<Plan> {
  const gentle = gentleOf(operation);
  const breaks = fc.oneof(...breaksOf(operation));
  return fc
    .tuple(gentle, fc.array(breaks, { maxLength: 2 }))
    .map(([plan, changes]) => Object.assign({}, plan, ...changes) as Plan);
}

const inPart = ({ parameters }: Operation, part: Parameter['in']): readonly Parameter[] =>
  parameters.filter((each) => each.in === part);

function gentleOf(operation: Operation): fc.Arbitrary<Plan> {
  const optional = <T>(value: fc.Arbitrary<T>, weight = 1): fc.Arbitrary<T | undefined> =>
    fc.option(value, { nil: undefined, freq: weight });
  const members = (parameters: readonly Parameter[], weight: number) =>
    fc.record(
      Object.fromEntries(
        parameters.map(({ name, schema }) => [name, optional(validOf(schema, name), weight)]),
      ),
    );
  const path = members(inPart(operation, 'path'), 1).map((values) => written(values));
  const queries = inPart(operation, 'query');
  const query =
    queries.length === 0
      ? fc.constant(null)
      : fc.option(
          members(queries, 2).map((values) => Object.entries(written(values))),
          { freq: 3 },
        );
  const headers = members(inPart(operation, 'header'), 1).map((values) =>
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [name, String(value)]),
  );
  return fc
    .record({
      path: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: path }),
      query,
      headers: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: headers },
      ),
      body: bodyOf(operation.body),
    })
    .map((parts): Plan => ({ ...plain, ...parts }));
}

function written(values: Readonly<Record<string, unknown>>): Record<string, Written> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, { value }]));
}

function bodyOf(schema: Schema | null): fc.Arbitrary<BodyPlan> {
  const own: fc.Arbitrary<BodyPlan> = fc.constant({ kind: 'own' });
  if (!schema) return own;
  const value = fc
    .tuple(validOf(schema), fc.boolean())
    .map(([value, isOver]): BodyPlan => ({ kind: 'value', value, isOver }));
  return fc.oneof({ weight: 1, arbitrary: own }, { weight: 2, arbitrary: value });
}

/** Returns the ways to break one part of a request. */
function breaksOf(operation: Operation): fc.Arbitrary<Partial<Plan>>[] {
  const paths = inPart(operation, 'path');
  const queries = inPart(operation, 'query');
  const breaks: fc.Arbitrary<Partial<Plan>>[] = [
    fc.array(anyHeader, { minLength: 1, maxLength: 4 }).map((headers) => ({ headers })),
    brokenHeader(inPart(operation, 'header')).map((headers) => ({ headers })),
    whoElse.map((who) => ({ who })),
    brokenQuery(queries).map((query) => ({ query })),
    fc
      .constantFrom('HEAD', 'OPTIONS', 'TRACE', 'PATCH', 'DELETE', 'PUT', 'POST', 'GET', 'PROPFIND')
      .map((method) => ({ method })),
    fc.constantFrom('/', '//', '/x', '%2f', ';x', '.json', '%00').map((suffix) => ({ suffix })),
  ];
  if (paths.length > 0) {
    const odd = fc.oneof(
      ...paths.map(({ name, schema }) =>
        fc
          .oneof(rawPiece, asWritten(oddText), asWritten(wrongOf(schema)), asWritten(known(name)))
          .map((one) => ({ path: { [name]: one } })),
      ),
    );
    breaks.push(odd, odd, ...(operation.body ? [] : [odd, odd]));
  }
  if (queries.length > 0) breaks.push(brokenQuery(queries).map((query) => ({ query })));
  const { body } = operation;
  const type = oddType.map((header) => ({ headers: [header] }));
  breaks.push(
    oddBody.map((plan) => ({ body: plan })),
    fc.tuple(type, oddBody).map(([change, plan]) => ({ ...change, body: plan })),
  );
  if (!body) return breaks;
  const wrong = fc
    .tuple(wrongObject(resolved(body)), fc.boolean())
    .map(([value, isOver]) => ({ body: { kind: 'value', value, isOver } as const }));
  const spelled = fc.constantFrom(...spellings).map((spelling) => ({ spelling }));
  return [
    ...breaks,
    ...Array.from({ length: 5 }, () => wrong),
    spelled,
    type,
    fc.constant({ isChunked: true }),
  ];
}

/** One or two of the values. */
const onceOrTwice = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.tuple(values, fc.boolean()).map(([one, isTwice]) => (isTwice ? [one, one] : [one]));

/** Generates unexpected values of a header that the operation reads. */
function brokenHeader(parameters: readonly Parameter[]): fc.Arbitrary<Plan['headers']> {
  const each = parameters.map(({ name, schema }) =>
    fc.oneof(headerText, validOf(schema).map(String)).map((text): [string, string] => [name, text]),
  );
  return onceOrTwice(fc.oneof(...each));
}

/** Generates wrong, repeated, unknown or too many parameters. */
function brokenQuery(parameters: readonly Parameter[]): fc.Arbitrary<Plan['query']> {
  const wrong = parameters.map(({ name, schema }) =>
    onceOrTwice(
      fc
        .oneof(asWritten(wrongOf(schema)), asWritten(oddText), asWritten(validOf(schema)), rawPiece)
        .map((one): [string, Written] => [name, one]),
    ),
  );
  const unknown = fc.array(fc.tuple(oddText, fc.oneof(asWritten(oddText), rawPiece)), {
    minLength: 1,
    maxLength: 3,
  });
  const many = fc
    .tuple(fc.constantFrom('a', 'a[]', 'a[b]', '__proto__', ''), fc.constantFrom(2, 99, 101, 1500))
    .map(([name, count]) =>
      Array.from({ length: count }, (): [string, Written] => [name, { value: '1' }]),
    );
  const weighed = [...wrong, ...wrong, ...wrong, unknown, many];
  return fc.oneof<fc.Arbitrary<Plan['query']>[]>(...weighed);
}
