import { trustCheckWorkflowId } from '../../workflows/trust-check/messages.ts';
import { eventually } from '../support/platform/harness.ts';
import { newLink, type Stage } from './scenario.ts';

let lastNumber = 12_346_000;

/** A check by the web client for the phone proof, step by step. */
export interface WebCheck {
  readonly id: string;
  readonly workflowId: string;
  step(name: string, body?: unknown, token?: string): Promise<{ status: string }>;
  /** Has a code sent, the first time, and gives it. */
  code(): Promise<string>;
  status(): Promise<string>;
}

/** Begins a check and brings it to where it collects proofs. */
export async function collectingCheck(stage: Stage, link = {}): Promise<WebCheck> {
  const check = await openedCheck(stage, link);
  await check.step('pair');
  await check.step('consent', { accepted: true, tos_version: '1', claims: [] });
  return check;
}

export async function openedCheck(stage: Stage, link = {}): Promise<WebCheck> {
  const check = await begunCheck(stage, link);
  await check.step('open');
  return check;
}

/** A check whose page has not loaded yet. */
export async function begunCheck(stage: Stage, link = {}): Promise<WebCheck> {
  const { call, facts } = stage;
  const { link_uuid } = await newLink(stage, link);
  const begun = await call<{ link_session_id: string; check_token: string }>(
    'POST',
    '/v2/trust-checks',
    { body: { link_uuid, client: 'web' }, idempotencyKey: `begin-${link_uuid}` },
  );
  const id = begun.link_session_id;
  lastNumber += 1;
  const number = `+49151${lastNumber}`;
  let steps = 0;
  const step = (name: string, body: unknown = {}, token = begun.check_token) => {
    steps += 1;
    const idempotencyKey = `${id}-${name}-${steps}`;
    const path = `/v2/trust-checks/${id}/${name}`;
    return call<{ status: string }>('POST', path, { body, token, idempotencyKey });
  };
  const newCode = async (): Promise<string> => {
    await step('phone/code', { phone_number: number });
    return eventually('the code', async () => {
      const { items } = await call<{ items: { recipient: string; text: string }[] }>(
        'GET',
        '/outbox/messages?limit=200',
      );
      const sent = items.find(({ recipient }) => recipient === number);
      return sent && /^(\d{6})\b/.exec(sent.text)?.[1];
    });
  };
  let code: Promise<string> | null = null;
  return {
    id,
    workflowId: trustCheckWorkflowId(id),
    step,
    code() {
      code ??= newCode();
      return code;
    },
    async status() {
      const token = facts.own.api_key;
      return (await call<{ status: string }>('GET', `/v2/trust-checks/${id}`, { token })).status;
    },
  };
}

export const otherThan = (code: string): string => (code === '000000' ? '000001' : '000000');
