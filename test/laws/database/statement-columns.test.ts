import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { preparedStatements } from '../../../db/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { rowTypes, type Kind, type RowType } from './row-types.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { builtins } = pg.types;
const voidType = 2278;
let database: pg.Client;
let types: Map<string, RowType>;

beforeAll(async () => {
  database = new pg.Client({ connectionString: ownPlatform().databaseUrl });
  await database.connect();
  types = rowTypes();
  const files = globSync('{activities,api,cli,db,simulator,workers}/**/*.ts', { cwd: root });
  for (const file of files) {
    const text = await readFile(`${root}${file}`, 'utf8');
    if (/= (?:statement|sharing|inReach|prepare)\b/.test(text)) await import(`${root}${file}`);
  }
}, 120_000);
afterAll(() => database.end());

interface Column {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Parses and describes a statement (PostgreSQL §54.2.3) without running it. */
class Description {
  readonly columns: Promise<readonly Column[]>;
  private readonly text: string;
  private readonly end = Promise.withResolvers<readonly Column[]>();
  private fields: readonly Column[] = [];

  constructor(text: string) {
    this.text = text;
    this.columns = this.end.promise;
  }

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.fields = fields;
  }

  handleError(error: Error): void {
    this.end.reject(error);
  }

  handleReadyForQuery(): void {
    this.end.resolve(this.fields);
  }
}

function columnsOf(text: string): Promise<readonly Column[]> {
  return database.query(new Description(text)).columns;
}

const kinds: ReadonlyMap<number, Kind> = new Map([
  [builtins.BOOL, 'boolean'],
  [builtins.BYTEA, 'Buffer'],
  [builtins.FLOAT4, 'number'],
  [builtins.FLOAT8, 'number'],
  [builtins.INT2, 'number'],
  [builtins.INT4, 'number'],
  [builtins.INT8, 'number'],
  [builtins.JSON, 'any'],
  [builtins.JSONB, 'any'],
  [builtins.TEXT, 'string'],
  [builtins.TIMESTAMPTZ, 'Date'],
  [builtins.VARCHAR, 'string'],
]);

async function kindsById(): Promise<Map<number, Kind>> {
  const { rows } = await database.query<{ oid: number; is_array: boolean; is_enum: boolean }>(
    `SELECT oid::int, typcategory = 'A' AS is_array, typtype = 'e' AS is_enum FROM pg_type`,
  );
  return new Map(
    rows.flatMap(({ oid, is_array, is_enum }): [number, Kind][] => {
      const kind = is_array ? 'array' : is_enum ? 'string' : kinds.get(oid);
      return kind ? [[oid, kind]] : [];
    }),
  );
}

/** The differences between the columns of a statement and its row type, one line each. */
function differences(row: RowType, columns: readonly Column[], byId: Map<number, Kind>): string[] {
  const names = new Set(columns.map(({ name }) => name));
  const missing = [...row.keys()].filter((name) => !names.has(name));
  return [
    ...missing.map((name) => `${name} is no column`),
    ...columns.flatMap(({ name, dataTypeID }) => {
      // The result type of `pg_notify`.
      if (dataTypeID === voidType) return [];
      const typed = row.get(name);
      if (!typed) return [`${name} is not in the row type`];
      const kind = byId.get(dataTypeID);
      const isFine = kind === 'any' || (kind && typed.has(kind) && typed.size === 1);
      return isFine
        ? []
        : [`${name} is ${kind ?? `of type ${dataTypeID}`}, not ${[...typed].join()}`];
    }),
  ];
}

describe('prepared statements', () => {
  it('return the columns of their row types', async () => {
    const byId = await kindsById();
    const wrong: string[] = [];
    let checked = 0;
    let builtByDrizzle = 0;
    for (const [name, text] of preparedStatements) {
      const row = types.get(name) ?? types.get(name.replace(/(?:_in_test)?(?:_of_apps)?$/, ''));
      const columns = await columnsOf(text);
      if (!row) continue;
      checked += 1;
      if (/^(?:select|insert|update|delete) /.test(text)) builtByDrizzle += 1;
      wrong.push(...differences(row, columns, byId).map((line) => `${name}: ${line}`));
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(340);
    expect(builtByDrizzle).toBeGreaterThan(70);
  });
});
