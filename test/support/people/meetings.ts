import { transaction, type Db } from '../../../db/client.ts';
import { derivedId } from '../../../db/ids.ts';
import { insertMeeting } from '../../../db/queries/meetings.ts';
import { connectPlatformAccount } from '../../../db/queries/platform-accounts.ts';
import { call, collecting, done, newLink, pass, type Answer } from '../http/client.ts';
import { eventually } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { newTenant } from './consents.ts';

/** Creates a link to a meeting, in the sandbox by default. */
export function newMeetingLink(
  meeting: Record<string, unknown> = {},
  body: Record<string, unknown> = {},
): Promise<string> {
  return newLink({
    link_type: 'meeting',
    meeting: { platform: 'sandbox', topic: 'A topic', ...meeting },
    ...body,
  });
}

/**
 * Inserts a meeting on conference platform B, as its adapter would have opened it, and its tenant.
 */
export async function newConfBMeeting(
  db: Db,
): Promise<{ id: string; key: string; tenant: string }> {
  const link = await newMeetingLink({ platform: 'conf-b' });
  const key = derivedId('mt', link, '1');
  const meeting_id = Buffer.from(`meeting of ${link}`);
  const tenant = newTenant();
  const { account_id } = ownPlatform().own;
  await transaction(db, async (tx) => {
    const connected = { connected_by: 'a test', connected_at: new Date() };
    const row = { platform: 'conf-b', external_id: tenant, account_id, ...connected } as const;
    await connectPlatformAccount(tx, row);
    await insertMeeting(tx, {
      meeting_key: key,
      platform: 'conf-b',
      meeting_id,
      link_uuid: link,
      occurrence: 1,
      account_id,
      livemode: true,
      topic: null,
      organization: null,
      scheduled_at: null,
      created_by: 'a test',
      created_at: new Date(),
    });
  });
  return { id: meeting_id.toString('base64'), key, tenant };
}

export interface Started {
  readonly meeting_id: string;
  readonly platform: string;
  readonly status: string;
  readonly participant_id: string;
  readonly socket: { readonly stream: string };
}

const asKey = (): { token: string } => ({ token: ownPlatform().own.api_key });

export function start(link: string, body: Record<string, unknown> = {}): Promise<Answer> {
  return call('POST', `/v2/start/${link}`, { ...asKey(), body });
}

/** Starts a meeting as a setup step. */
export async function started(link: string, body: Record<string, unknown> = {}): Promise<Started> {
  const answer = await done('a start', () => start(link, body));
  return answer.body as unknown as Started;
}

/** Simulates a meeting event, with the account's live key by default. */
export async function play(
  { meeting_id }: Pick<Started, 'meeting_id'>,
  body: Record<string, unknown>,
  token?: string,
): Promise<Answer> {
  const by = { token: token ?? ownPlatform().own.api_key, body };
  return call('POST', `/v2/sandbox/meetings/${meeting_id}/events`, by);
}

let ownTestKey: Promise<string> | undefined;

/** Returns a test-mode key of the account of this process. */
export function testKey(): Promise<string> {
  ownTestKey ??= newTestKey();
  return ownTestKey;
}

async function newTestKey(): Promise<string> {
  const path = `/v2/accounts/${ownPlatform().own.account_id}/api-keys`;
  const body = { name: 'a key of test mode', roles: ['MEMBER'], livemode: false };
  const made = await done('a key', () => call('POST', path, { ...asKey(), body }));
  return String(made.body['api_key']);
}

export function getMeeting({ meeting_id }: Pick<Started, 'meeting_id'>): Promise<Answer> {
  return call('GET', `/v2/meeting/sandbox/${meeting_id}`, asKey());
}

/** Waits until the meeting satisfies the condition. Returns it. */
export function meetingOnce(
  meeting: Pick<Started, 'meeting_id'>,
  what: string,
  isSo: (body: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  return eventually(what, async () => {
    const { body } = await getMeeting(meeting);
    return isSo(body) && body;
  });
}

/** Joins the meeting of a link as a guest with this name. */
export function join(link_uuid: string, display_name = 'A guest'): Promise<Answer> {
  const body = { link_uuid, display_name };
  return done('a join session', () => call('POST', '/v2/join/session', { body }));
}

export const tokenOf = ({ body }: Answer): string => String(body['join_token']);

/** Joins as a guest with a passed check. Returns the join session and that check. */
export async function verifiedGuest(link: string, displayName?: string) {
  const made = await join(link, displayName);
  const token = tokenOf(made);
  const check = await collecting(link, 'web', undefined, { join_token: token });
  await pass(check);
  return { id: String(made.body['join_session_id']), token, check };
}
