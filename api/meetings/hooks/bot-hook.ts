import { createHash } from 'node:crypto';
import { keepEvent } from '../../../activities/meetings/inbox.ts';
import {
  assertTokenIsFor,
  readBotMessage,
  tenantOf,
  verifyBotToken,
  type BotMessage,
} from '../../../activities/meetings/platforms/bot.ts';
import { derivedId } from '../../../db/ids.ts';
import type { MeetingRow } from '../../../db/queries/meetings.ts';
import { findPlatformAccount } from '../../../db/queries/platform-accounts.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { parseJson } from '../../http/json.ts';
import { InvalidRequest } from '../../http/problem/problem.ts';
import { unlessRefused } from '../../sign-in/sign-in.ts';
import { meetingOf } from '../find.ts';
import { hookContracts } from './contract.ts';

type BotDeps = Pick<Deps, 'db' | 'outside' | 'sealer' | 'settings' | 'telemetry'>;

/**
 * Stores a message about a meeting before it is answered; a relay signals the workflow. The token
 * is verified before the message is read, and must be for that message. A message about an unknown
 * meeting, or of another tenant than the meeting's, is dropped with the same response.
 */
export const botHook = handler(hookContracts.botHook)(async ({ body, call }, deps: BotDeps) => {
  const { bot } = deps.settings;
  if (!bot) throw new Failure('platform_not_configured');
  const token = /^Bearer (\S+)$/i.exec(call.header('authorization') ?? '')?.[1];
  if (token === undefined) throw new Failure('credential_invalid');
  const message = await unlessRefused(
    deps,
    call,
    async () => {
      const verified = await verifyBotToken(deps.outside.issuers, bot, token, call.now);
      const received = readBotMessage(parseJson(body));
      if (received) assertTokenIsFor(bot, verified, received);
      return received;
    },
    { hook: 'conf-b/bot' },
  );
  if (!message) {
    const msg = 'a message of the platform has a serviceUrl';
    throw new InvalidRequest([{ loc: ['body', 'serviceUrl'], msg, type: 'missing' }]);
  }
  const meeting = await meetingOfMessage(deps, message);
  if (meeting) {
    const name = message.id ?? createHash('sha256').update(body).digest('hex');
    const event_id = derivedId('we', meeting.meeting_key, 'bot', name);
    await keepEvent(deps, meeting, { event_id, body: message }, call.now);
  }
  return { status: 202, isEmpty: true };
});

/** Returns the meeting of a message, if its tenant is connected to the meeting's account. */
async function meetingOfMessage(deps: BotDeps, message: BotMessage): Promise<MeetingRow | null> {
  const meetingId = message.channelData?.meeting?.id;
  const tenant = tenantOf(message);
  if (meetingId === undefined || tenant === null) return null;
  const meeting = await meetingOf(deps, 'conf-b', meetingId);
  const account = await findPlatformAccount(deps.db, 'conf-b', tenant);
  return meeting?.account_id === account ? meeting : null;
}
