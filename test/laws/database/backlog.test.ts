import { readdirSync, readFileSync } from 'node:fs';
import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, it } from 'vitest';
import { outboxes } from '../../../db/queries/backlog.ts';
import * as schema from '../../../db/schema/index.ts';

const folder = new URL('../../../workers/outboxes/', import.meta.url);
/** The outboxes in the code: their channel, and the name they are counted as. */
const relayed = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const members = / channel: (\w+),\n +countedAs: (?:'(\w+)'|null),/g;
    const listed = [...text.matchAll(members)].map(([, channel, countedAs]) => ({
      file,
      channel,
      countedAs,
    }));
    // A sweep removes old rows, so no caller waits for it.
    const swept = text.match(/ return sweep\(/g) ?? [];
    return [...listed, ...swept.map(() => ({ file, channel: 'null', countedAs: undefined }))];
  })
  .filter(({ file }) => file !== 'sweep.ts');

describe('the backlog', () => {
  it('counts every column that marks a row as waiting for a worker', () => {
    const tables = Object.values<unknown>(schema).filter((each) => is(each, PgTable));
    const waiting = tables.flatMap((table) =>
      Object.values(getTableColumns(table))
        .filter(({ name }) => name.startsWith('awaits_'))
        .map(({ name }) => `${getTableName(table)}.${name}`),
    );
    expect(waiting.length).toBeGreaterThan(6);
    const counted = outboxes.map(([, table, where]) => `${table}.${where}`);
    expect(waiting.filter((column) => !counted.includes(column))).toEqual([]);
  });

  it('counts every outbox once, except those that only time fills', () => {
    const named = relayed.flatMap(({ countedAs }) => countedAs ?? []);
    expect(named.sort()).toEqual(outboxes.map(([name]) => name).sort());
    const uncounted = relayed.filter(({ countedAs }) => !countedAs);
    expect(uncounted.map(({ file }) => file).sort()).toEqual([
      'schedules.ts',
      // A phone waits for a key of its team, which may never be configured.
      'starts/receipt-starts.ts',
      'sweeps/abandoned-uploads.ts',
      'sweeps/audit-checkpoints.ts',
      'sweeps/ended-recoveries.ts',
      'sweeps/ended-sessions.ts',
      'sweeps/expired-links.ts',
      'sweeps/expired-photos.ts',
      ...Array.from({ length: 7 }, () => 'sweeps/expired-records.ts'),
      'sweeps/witnessed-checkpoints.ts',
    ]);
    expect(uncounted.filter(({ channel }) => channel !== 'null')).toEqual([]);
    const begun = readFileSync(new URL('outboxes.ts', folder), 'utf8').match(
      /^ {2}\w+\(deps\),$/gm,
    );
    expect(relayed.length).toBe(begun?.length);
  });
});
