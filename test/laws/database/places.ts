import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { expect } from 'vitest';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createCodec } from '../../../activities/runtime/codec/codec.ts';
import { masterRing } from '../../../db/sealing/key-ring.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { listRuns } from '../../support/platform/workflow-tasks.ts';

/** A place that other people than the subject can read, with its content. */
export type Place = readonly [name: string, text: string];

/** Decrypts the payloads of a history, as an operator with the key could. */
async function opened(history: unknown): Promise<string> {
  const key = loadKeys(join(ownPlatform().dataDir, 'keys')).secret('temporal-codec');
  const codec = createCodec({ ring: masterRing(key), namespace: 'default', failClosed: false });
  const found: Payload[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { metadata, data } = value as { metadata?: Record<string, string>; data?: string };
    if (metadata?.['encoding'] && data) {
      const entries = Object.entries(metadata).map(([name, text]) => [
        name,
        Buffer.from(text, 'base64'),
      ]);
      found.push({ metadata: Object.fromEntries(entries), data: Buffer.from(data, 'base64') });
    } else for (const part of Object.values(value)) collect(part);
  };
  collect(history);
  const plain = await codec.decode(found);
  return plain.map(({ data }) => Buffer.from(data ?? []).toString()).join('\n');
}

/** The time before planting and the size of each log then: older content cannot contain a mark. */
export interface Beginning {
  readonly at: Date;
  readonly logBytes: ReadonlyMap<string, number>;
}

const logsFolder = (): string => join(ownPlatform().dataDir, 'logs');

/** Returns the current time and log sizes, before anything is planted. */
export function begin(): Beginning {
  const sizes = readdirSync(logsFolder()).map(
    (file) => [file, statSync(join(logsFolder(), file)).size] as const,
  );
  return { at: new Date(), logBytes: new Map(sizes) };
}

/** Histories since then, encrypted and decrypted; events; logs; metrics of all processes. */
export async function placesSince(began: Beginning): Promise<Place[]> {
  const { databaseUrl, metricsUrls, temporalAddress } = ownPlatform();
  const places: Place[] = [];
  const connection = await Connection.connect({ address: temporalAddress });
  const client = new Client({ connection });
  // Older workflows cannot contain a mark, and a whole suite has run many.
  const query = `StartTime >= "${began.at.toISOString()}"`;
  for await (const { workflowId, runId } of listRuns(connection, query)) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const json = historyToJSON(history);
    places.push([`raw history ${workflowId}`, json]);
    places.push([`opened history ${workflowId}`, await opened(JSON.parse(json))]);
  }
  await connection.close();
  const db = openTestDb(databaseUrl);
  const { rows } = await db.query<{ data: string }>(
    'SELECT data::text AS data FROM events WHERE created_at >= $1',
    [began.at],
  );
  await db.end();
  places.push(['events', rows.map(({ data }) => data).join('\n')]);
  for (const file of readdirSync(logsFolder())) {
    const log = readFileSync(join(logsFolder(), file));
    places.push([file, log.toString('utf8', began.logBytes.get(file) ?? 0)]);
  }
  for (const url of metricsUrls) {
    const text = await (await fetch(url)).text();
    expect(text).toContain('# TYPE');
    places.push([url, text]);
  }
  expect(places.length).toBeGreaterThan(6);
  return places;
}
