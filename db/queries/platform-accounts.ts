import type { MeetingPlatform } from '../../domain/names.ts';
import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import type { platformAccounts, platformFlows } from '../schema/platforms.ts';

export type PlatformAccountRow = typeof platformAccounts.$inferSelect;
export type PlatformFlowRow = typeof platformFlows.$inferSelect;

/** Keeps a flow for a while after it expired, so that a late user gets a specific error. */
const keptFor = "interval '1 day'";
const sweptMax = 20;

const oldFlows = (now: string, lengthMax: string): string =>
  `DELETE FROM platform_flows WHERE state_hash IN (
     SELECT state_hash FROM platform_flows WHERE expires_at < ${now}::timestamptz - ${keptFor}
     ORDER BY expires_at LIMIT ${lengthMax} FOR UPDATE SKIP LOCKED)`;

const insertFlow = statement(
  'platform_flows.insert',
  `WITH swept AS (${oldFlows(':created_at', `${sweptMax}`)})
   INSERT INTO platform_flows (state_hash, flow_id, platform, account_id, begun_by, external_id,
     secrets_sealed, created_at, expires_at)
   VALUES (:state_hash, :flow_id, :platform, :account_id, :begun_by, :external_id, :secrets_sealed,
     :created_at, :expires_at)`,
);
const removeFlows = statement<{ flow_id: string }>(
  'platform_flows.remove_ended',
  `${oldFlows(':now', ':lengthMax')} RETURNING flow_id`,
);
const take = statement<PlatformFlowRow>(
  'platform_flows.take',
  `DELETE FROM platform_flows
   WHERE state_hash = :stateHash AND platform = :platform AND account_id = :account_id
     AND begun_by = :begun_by RETURNING *`,
);
const connect = statement<PlatformAccountRow>(
  'platform_accounts.connect',
  `INSERT INTO platform_accounts (platform, external_id, account_id, created_at, connected_by,
     connected_at)
   VALUES (:platform, :external_id, :account_id, :connected_at, :connected_by, :connected_at)
   ON CONFLICT (platform, external_id) DO UPDATE
     SET connected_by = :connected_by, connected_at = :connected_at
   WHERE platform_accounts.account_id = :account_id RETURNING *`,
);
const disconnect = statement<PlatformAccountRow>(
  'platform_accounts.disconnect',
  `DELETE FROM platform_accounts
   WHERE platform = :platform AND external_id = :externalId AND account_id = :accountId
     RETURNING *`,
);
const find = statement<{ account_id: number }>(
  'platform_accounts.find',
  `SELECT account_id FROM platform_accounts
   WHERE platform = :platform AND external_id = :externalId`,
);

/** Stores a flow, and deletes a few abandoned ones. */
export async function addPlatformFlow(on: Queryable, row: PlatformFlowRow): Promise<void> {
  await insertFlow(on, row);
}

/** Deletes at most `lengthMax` flows that ended a day before. Returns how many. */
export async function removeEndedFlows(
  on: Queryable,
  now: Date,
  lengthMax: number,
): Promise<number> {
  return (await removeFlows(on, { now, lengthMax })).length;
}

/**
 * Consumes the flow of a `state`, expired or not: once, and only for the credential that started
 * it.
 */
export async function takePlatformFlow(
  on: Queryable,
  stateHash: Buffer,
  { platform, account_id, begun_by }: Pick<PlatformFlowRow, 'platform' | 'account_id' | 'begun_by'>,
): Promise<PlatformFlowRow | null> {
  return firstOf(await take(on, { stateHash, platform, account_id, begun_by }));
}

/**
 * Connects an account of a platform, or reconnects it. Returns null if it belongs to another
 * account.
 */
export async function connectPlatformAccount(
  tx: Tx,
  row: Omit<PlatformAccountRow, 'created_at'> & { readonly connected_at: Date },
): Promise<PlatformAccountRow | null> {
  const { platform, external_id, account_id, connected_at, connected_by } = row;
  return firstOf(
    await connect(tx, { platform, external_id, account_id, connected_at, connected_by }),
  );
}

/** Disconnects an account of a platform. Returns null if it is not connected. */
export async function disconnectPlatformAccount(
  tx: Tx,
  platform: MeetingPlatform,
  externalId: string,
  accountId: number,
): Promise<PlatformAccountRow | null> {
  return firstOf(await disconnect(tx, { platform, externalId, accountId }));
}

/** Returns the account that an account of a conference platform belongs to, or null. */
export async function findPlatformAccount(
  on: Queryable,
  platform: MeetingPlatform,
  externalId: string,
): Promise<number | null> {
  return firstOf(await find(on, { platform, externalId }))?.account_id ?? null;
}
