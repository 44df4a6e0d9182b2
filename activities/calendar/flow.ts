import { z } from 'zod';
import type { Queryable } from '../../db/client.ts';
import { calendarOwner } from '../../db/queries/calendar-connections.ts';
import { addCalendarAnswer, type CalendarFlowRow } from '../../db/queries/calendar-flows.ts';
import type { Sealer } from '../../db/sealing/sealed.ts';
import {
  openChallenge,
  sealChallenge,
  storedChallenge,
  type ConsentAnswer,
  type ConsentChallenge,
} from '../identity/sso/consent.ts';

/** Milliseconds to wait for consent: lifetime of the cookie, the row and the workflow. */
export const calendarFlowMs = 10 * 60_000;

const answer = storedChallenge.extend({ code: z.string(), iss: z.string().nullable() });

type FlowOf = Pick<CalendarFlowRow, 'account_id' | 'flow_id'>;
type AnswerOf = FlowOf & { readonly answer_sealed: Buffer };

const flowPlace = ({ account_id, flow_id }: FlowOf): readonly [string, string] => [
  calendarOwner(account_id),
  `calendar_flows|secrets|${flow_id}`,
];
const answerContext = (flowId: string): string => `calendar_answers|answer|${flowId}`;

export const sealFlow = (
  sealer: Sealer,
  flow: FlowOf,
  challenge: ConsentChallenge,
): Promise<Buffer> => sealChallenge(sealer, flowPlace(flow), challenge);

/** Stores the browser's answer for the workflow, so that the code is not in its history. */
export async function keepAnswer(
  { db, sealer }: { readonly db: Queryable; readonly sealer: Sealer },
  flow: CalendarFlowRow,
  parameters: Pick<ConsentAnswer, 'code' | 'iss'>,
  now: Date,
): Promise<void> {
  const { account_id, flow_id, intent, secrets_sealed, started_by: by } = flow;
  const owner = calendarOwner(account_id);
  const whole = {
    ...(await openChallenge(sealer, flowPlace(flow), secrets_sealed)),
    ...parameters,
  };
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
): Promise<ConsentAnswer> {
  const opened = await sealer.open(
    calendarOwner(account_id),
    answerContext(flow_id),
    answer_sealed,
  );
  return answer.parse(JSON.parse(opened.toString()));
}
