import { keepEvent } from '../../../activities/meetings/inbox.ts';
import { readNotifications } from '../../../activities/meetings/platforms/conf-b.ts';
import { findMeeting, type MeetingRow } from '../../../db/queries/meetings.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { parseJson } from '../../http/json.ts';
import { InvalidRequest } from '../../http/problem/problem.ts';
import { hookContracts } from './contract.ts';
import { assertEventsConfigured } from './hooks.ts';

/** Plain text whatever its content: the headers prevent a browser from running it. */
const confirmation = (token: string) =>
  ({
    status: 200,
    type: 'text/plain; charset=utf-8',
    content: token,
    headers: { 'Cache-Control': 'no-store', 'Content-Security-Policy': "default-src 'none'" },
  }) as const;

/** Needs no setting: the secret of the notifications is derived, so every API process has it. */
export const confirmHook = handler(hookContracts.confirmHook)(async ({ query }) =>
  confirmation(query.validationToken ?? ''),
);

/**
 * Stores notifications before they are answered, so that none is lost while Temporal is
 * unavailable. A relay signals the workflow. A wrong `clientState` gets the same response as a
 * right one.
 */
export const eventHook = handler(hookContracts.eventHook)(async (
  { query, body, call },
  deps: Pick<Deps, 'db' | 'keys' | 'sealer' | 'settings'>,
) => {
  if (query.validationToken !== undefined) return confirmation(query.validationToken);
  assertEventsConfigured(deps);
  const batch = parsed(body);
  const secrets = deps.keys.acceptedSecrets('conf-b-client-state', call.now);
  const notifications = batch === null ? [] : readNotifications(secrets, batch);
  if (!notifications) {
    const msg = 'a list of notifications is in `value`';
    throw new InvalidRequest([{ loc: ['body', 'value'], msg, type: 'invalid_type' }]);
  }
  const meetings = new Map<string, MeetingRow | null>();
  for (const { meeting_key: key, ...event } of notifications) {
    const meeting = meetings.get(key) ?? (await findMeeting(deps.db, key));
    meetings.set(key, meeting);
    if (meeting?.platform === 'conf-b') await keepEvent(deps, meeting, event, call.now);
  }
  return { status: 202, isEmpty: true };
});

/** Parses the body; null for an empty one. */
function parsed(body: Uint8Array): unknown {
  return body.length === 0 ? null : parseJson(body);
}
