import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { Db } from '../../../db/client.ts';
import { trustCheckFinalStates } from '../../../workflows/trust-check/state.ts';
import {
  beginSession,
  call,
  done,
  newLink,
  passedSession,
  withAffidavit,
} from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { newMeetingLink, join, testKey, tokenOf } from '../../support/people/meetings.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';
import { confBSettings, startConfBLogin } from '../../support/stand-ins/oauth/conf-b-login.ts';
import { twilioSettings } from '../../support/stand-ins/phones/twilio-reports.ts';

/** The objects and credentials that the requests of a campaign use. */
export interface Stage {
  readonly baseUrl: string;
  readonly db: Db;
  readonly client: Client;
  /**
   * An account for destructive calls: its people, apps and endpoints may be changed and removed.
   */
  readonly quiet: Seed;
  /** An account with an app and a key of test mode. */
  readonly trial: Seed & { readonly test_key: string };
  /** An API that receives the hooks and consents of conference platform B, and message reports. */
  readonly confB: SecondApi;
  /** Valid credentials of many kinds, none of which belongs to the requested object. */
  readonly principals: readonly string[];
  /** Address of a server that accepts webhooks. */
  readonly receiver: string;
  /** A check that has passed, with its affidavit. */
  readonly passed: { readonly id: string; readonly token: string; readonly affidavit: string };
  /** Cancels every open check of the accounts. */
  cancelChecks(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates a key of an account through the API. */
export async function newKeyOf(
  { account_id, api_key: token }: Seed,
  body: Readonly<Record<string, unknown>>,
): Promise<{ readonly key: string; readonly id: string }> {
  const path = `/v2/accounts/${account_id}/api-keys`;
  const made = await done('a key', () => call('POST', path, { token, body }));
  return { key: String(made.body['api_key']), id: String(made.body['key_id']) };
}

async function principalsOf(db: Db, quiet: Seed): Promise<string[]> {
  const { own, foreign } = ownPlatform();
  const check = await beginSession(await newLink());
  const guest = await join(await newMeetingLink());
  const email = await newEmailUser(db, { [foreign.account_id]: ['VIEWER'] });
  const viewer = await newKeyOf(quiet, { name: 'a viewer', roles: ['VIEWER'] });
  return [
    foreign.api_key,
    foreign.admin.session_token,
    own.member.session_token,
    own.subject.session_token,
    await testKey(),
    viewer.key,
    email.token,
    check.token,
    tokenOf(guest),
  ];
}

/** Makes accounts and objects on the running platform. */
export async function makeStage(): Promise<Stage> {
  const { baseUrl, databaseUrl } = ownPlatform();
  const db = openTestDb(databaseUrl);
  const mark = `${process.pid}-${Date.now().toString(36)}`;
  const quiet = await newAccount(`fuzz-quiet-${mark}`);
  const trial = await newAccount(`fuzz-trial-${mark}`);
  await db.query('UPDATE apps SET livemode = false WHERE app_id = $1', [trial.app_id]);
  const tester = { name: 'a tester', roles: ['ADMIN'], livemode: false };
  const { key: test_key } = await newKeyOf(trial, tester);
  const login = await startConfBLogin();
  const hooks = { CONF_B_EVENTS: 'on', TRUSTED_PROXIES: 'loopback' };
  const [client, confB, principals] = await Promise.all([
    connectClient(),
    startSecondApi({ ...hooks, ...confBSettings(login), ...twilioSettings(baseUrl) }),
    principalsOf(db, quiet),
  ]);
  const receiver = createServer((request, response) =>
    request.resume().once('end', () => response.end()),
  );
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const session = await passedSession();
  const { body } = await withAffidavit(session);
  const { affidavit_id: affidavit = '' } = body['affidavit'] as Record<string, string>;
  return {
    baseUrl,
    db,
    client,
    quiet,
    trial: { ...trial, test_key },
    confB,
    principals,
    receiver: `http://127.0.0.1:${port}/`,
    passed: { id: session.id, token: session.token, affidavit },
    cancelChecks: () => cancelChecks(db, { ...trial, api_key: test_key }),
    async stop() {
      await confB.stop();
      await login.stop();
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
      await client.connection.close();
      await db.end();
    },
  };
}

async function cancelChecks(db: Db, trial: Seed): Promise<void> {
  const { own } = ownPlatform();
  for (const { account_id, api_key: token } of [own, trial]) {
    const { rows } = await db.query<{ id: string }>(
      `SELECT link_session_id AS id FROM trust_checks
       WHERE account_id = $1 AND created_at > now() - interval '6 hours'
         AND NOT status::text = ANY ($2)`,
      [account_id, trustCheckFinalStates],
    );
    for (const { id } of rows) {
      await call('POST', `/v2/trust-checks/${id}/cancel`, { token, body: {} });
    }
  }
}
