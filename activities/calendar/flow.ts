import { z } from 'zod';
import type { Queryable } from '../../db/client.ts';
import { addCalendarAnswer, type CalendarFlowRow } from '../../db/queries/calendar-flows.ts';
import { calendarOwner } from '../../db/queries/calendar-connections.ts';
import type { Sealer } from '../../db/sealed.ts';
import type { CalendarAnswer, CalendarChallenge } from './port.ts';

/** How long consent is waited for: the cookie, the row and the workflow live so long. */
export const calendarFlowMs = 10 * 60_000;

const challenge = z.object({ verifier: z.string(), nonce: z.string() });
const answer = challenge.extend({ code: z.string(), iss: z.string().nullable() });

type FlowOf = Pick<CalendarFlowRow, 'account_id' | 'flow_id'>;
type AnswerOf = FlowOf & { readonly answer_sealed: Buffer };

const flowContext = (flowId: string): string => `calendar_flows|secrets|${flowId}`;
const answerContext = (flowId: string): string => `calendar_answers|answer|${flowId}`;

export async function sealChallenge(
  sealer: Sealer,
  { account_id, flow_id }: FlowOf,
  given: CalendarChallenge,
): Promise<Buffer> {
  return sealer.seal(calendarOwner(account_id), flowContext(flow_id), JSON.stringify(given));
}

/** Keeps what a browser has come back with for the workflow, in whose history no code stands. */
export async function keepAnswer(
  { db, sealer }: { readonly db: Queryable; readonly sealer: Sealer },
  flow: CalendarFlowRow,
  given: Pick<CalendarAnswer, 'code' | 'iss'>,
  now: Date,
): Promise<void> {
  const { account_id, flow_id, intent, secrets_sealed, started_by: by } = flow;
  const owner = calendarOwner(account_id);
  const opened = await sealer.open(owner, flowContext(flow_id), secrets_sealed);
  const whole = { ...challenge.parse(JSON.parse(opened.toString())), ...given };
  await addCalendarAnswer(db, {
    flow_id,
    account_id,
    intent,
    poly_user_id: by.kind === 'session' ? by.poly_user_id : null,
    created_by: by.kind === 'session' ? by.poly_user_id : by.key_id,
    answer_sealed: await sealer.seal(owner, answerContext(flow_id), JSON.stringify(whole)),
    created_at: now,
  });
}

export async function openAnswer(
  sealer: Sealer,
  { account_id, flow_id, answer_sealed }: AnswerOf,
): Promise<CalendarAnswer> {
  const opened = await sealer.open(
    calendarOwner(account_id),
    answerContext(flow_id),
    answer_sealed,
  );
  return answer.parse(JSON.parse(opened.toString()));
}
