import { createLink } from '../../../api/links/create.ts';
import { seed, type Seed } from '../../../cli/data-directory/seed.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { randomIds, type Ids } from '../../../db/ids.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import { insertTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { accountOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import { platformKeys } from '../keys/bundles.ts';
import { ownSealer } from '../keys/own-sealer.ts';
import { createDatabase } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { productionSettings } from '../platform/second-api.ts';
import { openWide } from './ground.ts';

/** A database that no worker uses, with a connection for each caller. */
export interface Stage {
  readonly db: Db;
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly clock: () => Date;
  readonly own: Seed;
}

const connectionsMax = 50;
let shared: Promise<Stage & { end: () => Promise<void> }> | undefined;

/** Returns the stage that all races of a process share. Each race uses its own objects. */
export function stage(): Promise<Stage> {
  shared ??= openStage();
  return shared;
}

export async function closeStage(): Promise<void> {
  await (await shared)?.end();
  shared = undefined;
}

async function openStage(): Promise<Stage & { end: () => Promise<void> }> {
  const { databaseUrl, baseUrl } = ownPlatform();
  const made = await createDatabase(databaseUrl);
  const db = openWide(made.url, connectionsMax);
  const keys = platformKeys();
  const own = await seed({ db, keys, ids: randomIds, baseUrl }, 'raced-app', new Date());
  const sealer = ownSealer(db);
  await sealer.prepare(accountOwner(own.account_id));
  const clock = () => new Date();
  const end = async (): Promise<void> => {
    await db.end();
    await made.drop();
  };
  return { db, ids: randomIds, sealer, clock, own, end };
}

/** Creates a link of the stage's account, for the phone proof by default. */
export function stagedLink(
  { db, ids, sealer, own }: Stage,
  body: Partial<Parameters<typeof createLink>[1]> = {},
): Promise<LinkRow> {
  const deps = { db, ids, sealer, settings: productionSettings() };
  return createLink(
    deps,
    { required_proofs: ['phone'], ...body },
    {
      appId: own.app_id,
      linkType: undefined,
      caller: { kind: 'anonymous' },
      seed: ids.uuid(),
      now: new Date(),
      authorize: () => undefined,
    },
  );
}

/** Creates a session of a link in the state after the given steps. */
export async function stagedSession(
  { db, ids }: Stage,
  link: LinkRow,
  changes: Partial<Pick<TrustCheckRow, 'status' | 'decided_at'>> = {},
): Promise<TrustCheckRow> {
  const row = await transaction(db, (tx) =>
    insertTrustCheck(tx, {
      link_session_id: ids.make('tc'),
      link_uuid: link.link_uuid,
      app_id: link.app_id,
      account_id: link.account_id,
      client: 'web',
      locale: null,
      return_to: null,
      proofs: [phoneProof],
      livemode: true,
      created_at: new Date(),
      begun_from: '10.0.0.1',
      sandbox_subject: null,
      poly_user_id: null,
      resume_hash: null,
    }),
  );
  if (!row) throw new Error('no session was made');
  const { status = 'created', decided_at = null } = changes;
  const { rows } = await db.query<TrustCheckRow>(
    `UPDATE trust_checks SET status = $2, decided_at = $3 WHERE link_session_id = $1 RETURNING *`,
    [row.link_session_id, status, decided_at],
  );
  return rows[0] ?? row;
}

const phoneProof = {
  type: 'phone',
  status: 'ready',
  attempt: 0,
  max_attempts: 3,
  reason_code: null,
  provider: null,
  evidence_hash: null,
} as const;

/** Creates a session of its own link. */
export async function newSession(
  on: Stage,
  changes: Parameters<typeof stagedSession>[2] = {},
): Promise<TrustCheckRow> {
  return stagedSession(on, await stagedLink(on), changes);
}

/** Returns the rows of a query on the stage. */
export async function staged(
  { db }: Stage,
  text: string,
  values: readonly unknown[],
): Promise<Record<string, unknown>[]> {
  return (await db.query<Record<string, unknown>>(text, [...values])).rows;
}
