import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { Db } from '../../../db/client.ts';
import { trustCheckStream } from '../../../db/queries/events.ts';
import { readDevTrust, type DevTrust } from '../../../simulator/roots/dev-trust.ts';
import { createClient } from '../../../simulator/session/client.ts';
import { eventually, openTestDb, type TestPlatform } from '../../support/platform/harness.ts';
import { follow, type Follower } from './follower.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { startCheck, type RunningCheck } from './running-check.ts';

/** The environment of a run of kills: a platform, an account with its followers, and its checks. */
export interface Field {
  readonly platform: TestPlatform;
  readonly account: Seed;
  readonly db: Db;
  readonly receiver: Receiver;
  /**
   * The head of the account’s stream when the field was opened; the endpoint gets later events
   * only.
   */
  readonly openedAt: number;
  /** One follower of the account's stream, and one of every session's. */
  readonly followers: readonly Follower[];
  readonly checks: readonly RunningCheck[];
  /** Adds a check that waits before its first step. */
  addCheck(): RunningCheck;
  /** Waits until the affidavit of a check is available, and tolerates failures meanwhile. */
  issued(check: RunningCheck): Promise<void>;
  /** Returns whether the object store has the affidavit of a session. */
  hasFile(linkSessionId: string): boolean;
  /** The files in the object store of one session. */
  filesOf(linkSessionId: string): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Limit of a wait in ms. It includes the restart of the killed part, which takes tens of seconds on
 * a busy machine. The campaign (`run.ts`) measures how fast a check recovers.
 */
export const waitMsMax = 240_000;

/** Adds a webhook endpoint and followers to an account of a running platform. */
export async function openField(platform: TestPlatform, account: Seed): Promise<Field> {
  const { baseUrl, databaseUrl, dataDir } = platform.facts;
  const trust: DevTrust = await readDevTrust(dataDir);
  const receiver = await startReceiver();
  const call = createClient(baseUrl);
  const path = `/v2/accounts/${account.account_id}/webhook-endpoints`;
  const made = await call<{ secret: string }>('POST', path, {
    token: account.api_key,
    body: { url: receiver.url, types: [] },
  });
  receiver.trust(made.secret);
  const followers = [follow(baseUrl, account.api_key, `account:${account.account_id}`)];
  const checks: RunningCheck[] = [];
  const db = openTestDb(databaseUrl);
  const head = await db.query<{ seq: number }>('SELECT seq FROM streams WHERE stream = $1', [
    `account:${account.account_id}`,
  ]);
  const folderOf = (id: string): string =>
    join(dataDir, 'objects', 'affidavits', String(account.account_id), id);
  return {
    platform,
    account,
    db,
    receiver,
    openedAt: head.rows[0]?.seq ?? 0,
    followers,
    checks,
    addCheck() {
      const check = startCheck({
        baseUrl,
        account,
        trust,
        patienceMs: waitMsMax,
        platform: checks.length % 2 === 0 ? 'ios' : 'android',
        number: `+49151${String(account.account_id % 1000).padStart(3, '0')}${String(10_000 + checks.length)}`,
        onSession: (id) => {
          followers.push(follow(baseUrl, account.api_key, trustCheckStream(id)));
        },
      });
      checks.push(check);
      return check;
    },
    async issued(check) {
      await eventually(
        `the affidavit of ${check.linkSessionId() ?? 'no session'}`,
        async () => {
          const found = await db
            .query(`SELECT 1 FROM affidavits WHERE link_session_id = $1 AND status = 'available'`, [
              check.linkSessionId(),
            ])
            .catch(() => null);
          return found?.rowCount === 1;
        },
        waitMsMax,
      );
    },
    hasFile: (id) => existsSync(folderOf(id)),
    async filesOf(id) {
      const entries = await readdir(folderOf(id), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name));
    },
    async stop() {
      for (const follower of followers) follower.stop();
      await receiver.stop();
      await db.end();
    },
  };
}
