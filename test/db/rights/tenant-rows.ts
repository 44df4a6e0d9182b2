import type pg from 'pg';

/** The values that distinguish rows of one account from those of another. */
export interface RowOf {
  readonly accountId: number;
  /** The value of every text column, so that a row has the keys of the account's other rows. */
  readonly text: string;
}

interface Column {
  readonly name: string;
  readonly type: string;
  /** The first label of an enum, or the first value that a CHECK of the column allows. */
  readonly label: string | null;
}

const columnsOf = `SELECT attname AS name, format_type(atttypid, atttypmod) AS type,
    coalesce(
      (SELECT enumlabel FROM pg_enum WHERE enumtypid = atttypid ORDER BY enumsortorder LIMIT 1),
      (SELECT substring(pg_get_constraintdef(oid) FROM 'ANY \\(ARRAY\\[''(\\w+)''') FROM pg_constraint
       WHERE contype = 'c' AND conrelid = attrelid AND conkey = ARRAY[attnum])
    ) AS label
  FROM pg_attribute
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity <> 'a'
    AND (attnotnull OR attname IN ('account_id', 'link_session_id', 'link_uuid', 'endpoint_id'))
  ORDER BY attnum`;

/** Adds a row of an account with a value in each column that needs one. */
export async function addRow(
  client: pg.Client,
  table: string,
  { accountId, text }: RowOf,
): Promise<pg.QueryResult> {
  const { rows: columns } = await client.query<Column>(columnsOf, [table]);
  const valueOf = ({ type, label }: Column): unknown => {
    if (label !== null) return label;
    if (type.endsWith('[]')) return [];
    if (type === 'integer' || type === 'bigint') return accountId;
    if (type === 'boolean') return false;
    if (type === 'jsonb') return '{}';
    if (type === 'bytea') return Buffer.from(text);
    if (type.startsWith('timestamp')) return new Date('2026-01-01');
    if (type === 'date') return '2026-01-01';
    return text;
  };
  const names = columns.map(({ name }) => name).join(', ');
  const places = columns.map((_, at) => `$${at + 1}`).join(', ');
  return client.query(`INSERT INTO ${table} (${names}) VALUES (${places})`, columns.map(valueOf));
}
