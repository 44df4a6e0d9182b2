import { WithStartWorkflowOperation } from '@temporalio/client';
import { keepEmailRequest } from '../../../activities/identity/email/requests.ts';
import { startOfEmailFlow } from '../../../activities/identity/email/start.ts';
import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { markRequestSignaled, type EmailRequestRow } from '../../../db/queries/email-requests.ts';
import { createSealer, platformOwner } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import {
  consumeUpdate,
  requestUpdate,
  type EmailFlowInput,
} from '../../../workflows/email-login/messages.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** Logins and attachments by mail, through every way they end. */
export const emailScenarios: readonly Scenario[] = [
  flow('emailLogin', 'consumed', (stage) => answered(stage, 'login'), {
    status: 'consumed',
    sends: 1,
  }),
  flow('emailLogin', 'expired', unanswered, { status: 'expired', sends: 1 }),
  flow('emailLogin', 'limited', limited, { status: 'expired', sends: 2 }),
  flow('emailAttach', 'consumed', (stage) => answered(stage, 'attach'), {
    status: 'consumed',
    sends: 1,
  }),
];

function flow(
  type: 'emailLogin' | 'emailAttach',
  scenario: string,
  play: Scenario['play'],
  ends: Scenario['ends'],
): Scenario {
  return { type, scenario, play, ends };
}

/** A request that the scenario tells its workflow of, before any worker does. */
async function newRequest(
  { db, keys, facts }: Stage,
  purpose: 'login' | 'attach',
  name: string,
): Promise<EmailRequestRow> {
  const sealer = createSealer(db, masterWrapper(keys.secret('data-keys')), keys.secret('blind-index'));
  const address = readAddress(`${name}@example.test`);
  if (!address) throw new Error('no address');
  await sealer.prepare(platformOwner);
  const now = new Date();
  const rows = await transaction(db, async (tx) => {
    await keepEmailRequest(
      { db: tx, sealer, ids: randomIds, keys },
      {
        purpose,
        address,
        polyUserId: purpose === 'attach' ? facts.own.member.poly_user_id : null,
        network: null,
        appId: null,
        returnTo: null,
        locale: null,
      },
      now,
    );
    const kept = await tx.query<EmailRequestRow>(
      'SELECT * FROM email_requests ORDER BY created_at DESC LIMIT 1',
    );
    await markRequestSignaled(tx, kept.rows[0]?.request_id ?? '', now);
    return kept.rows;
  });
  const [request] = rows;
  if (!request) throw new Error('no request');
  return request;
}

async function tell(
  { client }: Stage,
  request: EmailRequestRow,
  input?: EmailFlowInput,
): Promise<string> {
  const start = startOfEmailFlow(request, input);
  const type = request.purpose === 'login' ? 'emailLogin' : 'emailAttach';
  await client.workflow.executeUpdateWithStart(requestUpdate, {
    startWorkflowOperation: new WithStartWorkflowOperation(type, start),
    args: [{ request_id: request.request_id }],
    updateId: request.request_id,
  });
  return start.workflowId;
}

async function answered(stage: Stage, purpose: 'login' | 'attach'): Promise<string> {
  const request = await newRequest(stage, purpose, `answered-${purpose}`);
  const id = await tell(stage, request);
  const args: [{ request_id: string }] = [{ request_id: request.request_id }];
  await stage.client.workflow.getHandle(id).executeUpdate(consumeUpdate, { args });
  return id;
}

async function unanswered(stage: Stage): Promise<string> {
  const request = await newRequest(stage, 'login', 'unanswered');
  return tell(stage, request, { windowMs: 1500, sendsMax: 3 });
}

async function limited(stage: Stage): Promise<string> {
  let id = '';
  for (let place = 0; place < 3; place += 1) {
    const request = await newRequest(stage, 'login', 'limited');
    id = await tell(stage, request, { windowMs: 3000, sendsMax: 2 });
  }
  return id;
}
