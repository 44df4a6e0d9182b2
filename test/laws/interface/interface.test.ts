import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withOperationsResolved } from '../../../api/docs/document-refs.ts';
import { documentPath } from '../../../api/docs/documents.ts';
import { families } from '../../../api/families.ts';
import type { Limit } from '../../../api/http/contract.ts';
import { orderedRoutes } from '../../../api/http/mount.ts';
import { openApiDocument } from '../../../api/openapi/openapi.ts';
import { bodyOf, parametersOf, type Parameter } from '../../support/runner/declared-parameters.ts';

/** The design of one operation, independent of the code that serves it. */
interface Row {
  readonly id: string;
  /** Method and path of the operation and of each alias. */
  readonly routes: readonly string[];
  readonly auth: readonly string[];
  /** Further kinds of caller that may be admitted. */
  readonly also?: readonly string[];
  readonly role?: string;
  readonly attest?: 'required' | 'accepted';
  /** Excludes parameters that a route has in its path. */
  readonly parameters?: readonly Parameter[];
  readonly body?: 'required' | 'optional' | 'bytes';
  readonly limit?: Limit;
  /** All success statuses. */
  readonly success: readonly number[];
  /** Whether the document has a 422, as for every operation with a parameter or a body. */
  readonly declares422?: true;
  /** Serves our own pages and processes: not in the documents. */
  readonly internal?: true;
}

const rows = JSON.parse(
  readFileSync(new URL('interface-rows.json', import.meta.url), 'utf8'),
) as Row[];
const mounted = new Map(
  orderedRoutes(families).map(({ contract }) => [
    `${contract.method.toUpperCase()} ${contract.path}`,
    contract,
  ]),
);

/** Designed, but not served yet. The list may only shrink: remove what is mounted. */
const later = [
  'calls.create calls.accept calls.decline calls.bind calls.heartbeat calls.confirm',
  'calls.reverify calls.end calls.get calls.turnCredentials',
].flatMap((line) => line.split(' '));
const unserved = new Set(later);

const isOperation = (rowId: string, contractId: string): boolean =>
  contractId === rowId ||
  (contractId.startsWith(rowId) && /^[A-Z]/.test(contractId.slice(rowId.length)));

const { paths: documented } = withOperationsResolved(openApiDocument()) as {
  paths: Record<
    string,
    Record<string, { responses: object; requestBody?: { required?: boolean } } | undefined>
  >;
};

const inOrder = (parameters: readonly Parameter[]): Parameter[] =>
  parameters.toSorted((a, b) => `${a.in} ${a.name}`.localeCompare(`${b.in} ${b.name}`));

const documentBytesMax = 900_000;

describe('the checked-in OpenAPI document', () => {
  it('has at most 900 kB', () => {
    expect(statSync(documentPath('openapi.json')).size).toBeLessThanOrEqual(documentBytesMax);
  });
});

describe('the interface', () => {
  it('has at least the 74 designed operations, each route once', () => {
    const routes = rows.flatMap((row) => row.routes);
    expect(new Set(routes).size).toBe(routes.length);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(routes.length).toBeGreaterThan(74);
  });

  it('has a row for every mounted route', () => {
    const routes = new Set(rows.flatMap((row) => row.routes));
    const missing = [...mounted.keys()].filter((route) => !routes.has(route));
    expect(missing, 'give each its row in test/laws/interface/interface-rows.json').toEqual([]);
  });

  it('has every file that CONTRIBUTING.md names for a new endpoint', () => {
    const page = readFileSync(new URL('../../../CONTRIBUTING.md', import.meta.url), 'utf8');
    const [guide = ''] = /^## Add an endpoint\n[^]*?(?=^## )/m.exec(page) ?? [];
    const files = Array.from(guide.matchAll(/`([a-z]+\/[^`]+\.\w+)`/g), ([, file = '']) => file);
    expect(files).toEqual(
      expect.arrayContaining([
        'api/families.ts',
        'client/operations.ts',
        'test/api/authz/policy.ts',
        'test/laws/interface/interface-rows.json',
      ]),
    );
    const one = (file: string): URL =>
      new URL(`../../../${file.replace('<family>', 'accounts')}`, import.meta.url);
    expect(files.filter((file) => !existsSync(one(file)))).toEqual([]);
  });

  it('is mounted with every alias, except the operations listed as not served', () => {
    const missing = rows
      .filter(({ id }) => !unserved.has(id))
      .flatMap(({ id, routes }) =>
        routes.filter((route) => !mounted.has(route)).map((route) => `${id}: ${route}`),
      );
    expect(missing).toEqual([]);
  });

  it('lists no served operation as not served', () => {
    const ids = new Set(rows.map(({ id }) => id));
    expect([...unserved].filter((id) => !ids.has(id))).toEqual([]);
    const served = rows.filter(
      ({ id, routes }) => unserved.has(id) && routes.every((route) => mounted.has(route)),
    );
    expect(served.map(({ id }) => id)).toEqual([]);
  });

  const served = rows.flatMap((row) =>
    row.routes.flatMap((route) => {
      const contract = mounted.get(route);
      return contract ? [[route, row, contract] as const] : [];
    }),
  );
  it.each(served)(
    '%s has the designed callers, limits and success statuses',
    (_route, row, contract) => {
      expect(isOperation(row.id, contract.id), `${contract.id} serves ${row.id}`).toBe(true);
      const optional = row.also ?? [];
      const admitted = contract.auth.filter((kind) => !optional.includes(kind));
      expect([...admitted].sort()).toEqual([...row.auth].sort());
      expect([contract.role, contract.attest]).toEqual([row.role, row.attest]);
      expect(contract.limit).toEqual(row.limit);
      const successes = Object.keys(contract.replies)
        .map(Number)
        .filter((status) => status < 400);
      expect(successes.length).toBeGreaterThan(0);
      expect(successes).toEqual(row.success);
      expect(contract.hidden ?? false).toBe(row.internal ?? false);
    },
  );

  it.each(served)('%s has the designed parameters and body', (_route, row, contract) => {
    const isInPath = ({ name }: Parameter): boolean =>
      new RegExp(`[{]${name}[*]?[}]`).test(contract.path);
    const designed = (row.parameters ?? []).filter((one) => (one.in === 'path') === isInPath(one));
    expect(inOrder(parametersOf(contract))).toEqual(inOrder(designed));
    expect(bodyOf(contract)).toBe(row.body);
    const operation = documented[contract.path.replace('*}', '}')]?.[contract.method];
    expect(operation === undefined).toBe(row.internal ?? false);
    if (!operation) return;
    expect('422' in operation.responses).toBe(row.declares422 ?? false);
    const isRequired = row.body === undefined ? undefined : row.body !== 'optional';
    expect(operation.requestBody?.required).toBe(isRequired);
  });
});
