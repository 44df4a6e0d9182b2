import { createHash } from 'node:crypto';
import { readBotMessage, verifyBotToken } from '../../activities/meetings/bot.ts';
import { keepEvent } from '../../activities/meetings/inbox.ts';
import { hold } from '../../activities/sso/access-token-refused.ts';
import { derivedId } from '../../db/ids.ts';
import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { parseJson } from '../json.ts';
import { InvalidRequest } from '../problem.ts';
import { unlessRefused } from '../session/sign-in.ts';
import { meetingOf } from './find.ts';
import { hookContracts } from './hook-contract.ts';

type BotDeps = Pick<Deps, 'db' | 'outside' | 'sealer' | 'settings' | 'telemetry'>;

/**
 * Keeps a message about a meeting of ours before it is answered; a relay tells its workflow. What
 * is about none is answered alike, and forgotten. The token is judged before the message is read,
 * and the service it speaks of has to be that of the message.
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
      const service = await verifyBotToken(deps.outside.issuers, bot, token, call.now);
      const told = readBotMessage(parseJson(body));
      if (told) hold('service', service === told.serviceUrl);
      return told;
    },
    { hook: 'conf-b/bot' },
  );
  if (!message) {
    const msg = 'a message of the platform has a serviceUrl';
    throw new InvalidRequest([{ loc: ['body', 'serviceUrl'], msg, type: 'missing' }]);
  }
  const meetingId = message.channelData?.meeting?.id;
  const meeting = meetingId === undefined ? null : await meetingOf(deps, 'conf-b', meetingId);
  if (meeting) {
    const name = message.id ?? createHash('sha256').update(body).digest('hex');
    const event_id = derivedId('we', meeting.meeting_key, 'bot', name);
    await keepEvent(deps, meeting, { event_id, body: message }, call.now);
  }
  return { status: 202, isEmpty: true };
});
