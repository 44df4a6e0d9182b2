import { describe, expect, it } from 'vitest';
import {
  beginSession,
  call,
  clientOf,
  codeFor,
  collecting,
  newLink,
  newNumber,
  type Answer,
  type Session,
} from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connect, endSockets, follow, subscribe } from './connect.ts';

const { own } = ownPlatform();
const seenByPerson = {
  reason_code: 'mismatch',
  matching: {},
  decision: { outcome: 'fail', rule: null },
};
const whole = {
  reason_code: 'mismatch',
  matching: { phone_number: 'mismatch', email: 'not_checked' },
  decision: { outcome: 'fail', rule: 'matching_params' },
};

/** Returns the last object of the session in a list of events. */
const lastOf = (events: unknown): unknown =>
  (events as { data: { object: { matching?: unknown } } }[])
    .map(({ data }) => data.object)
    .findLast(({ matching }) => matching !== undefined);

const lists = (read: Answer['body']): unknown => (read['events'] as { items: unknown }).items;

/** Reads the session with a credential in each way, then all its events in each way. */
async function read({ id }: Session, token: string) {
  const get = async (more: string) =>
    (await call('GET', `/v2/trust-checks/${id}${more}`, { token })).body;
  const socket = await connect(token);
  const events = follow(socket);
  const { head } = await subscribe(socket, { stream: `trust-check:${id}` });
  await eventually('all events', async () => events.at(-1)?.sequence === head);
  const expanded = await get('?expand=events');
  return {
    object: expanded,
    events: [lists(expanded), (await get('/events?limit=100'))['items'], events],
  };
}

async function seen(session: Session, token: string): Promise<unknown[]> {
  const { object, events } = await read(session, token);
  return [object, ...events.map(lastOf)];
}

const ended = ({ id }: Session, token: string): Promise<unknown> =>
  eventually('the end', async () => {
    const { body } = await call('GET', `/v2/trust-checks/${id}`, { token });
    return body['status'] === 'failed';
  });

describe('a subject whose data differ from the expected values', () => {
  endSockets();

  it('sees that they differ, but not in which value', async () => {
    const matching_params = { phone_number: newNumber(), email: 'other@example.test' };
    const session = await collecting(
      await newLink({ required_proofs: ['phone'], matching_params }),
    );
    const number = newNumber();
    await session.lead('phone/code', { phone_number: number });
    await session.lead('proofs/phone', { code: await codeFor(number) });
    await ended(session, own.api_key);
    for (const object of await seen(session, own.api_key)) expect(object).toMatchObject(whole);
    for (const object of await seen(session, session.token)) {
      expect(object).toMatchObject(seenByPerson);
      expect(object).toHaveProperty('matching', {});
    }
  });
});

describe('an account that withholds reasons', () => {
  endSockets();

  /** Returns an account with `neutral` set, and a session of it that collects a phone proof. */
  async function begun(
    body: { matching_params?: Record<string, string>; max_attempts?: number },
    claims: 'phone_number'[] = [],
  ) {
    const account = await newAccount(`neutral-${process.pid}-${newNumber().slice(1)}`);
    const client = clientOf(account.api_key);
    const { account_id, app_id } = account;
    const set = async (subject_reasons: 'plain' | 'neutral') =>
      client.accounts.update({ account_id, body: { subject_reasons } });
    await set('neutral');
    const asked = { required_proofs: ['phone' as const], requested_claims: claims, ...body };
    const { link_uuid } = await client.links.create({ app_id, body: asked });
    const session = await beginSession(link_uuid, 'web');
    await session.lead('open');
    await session.lead('pair');
    await session.lead('consent', { accepted: true, tos_version: '1', claims });
    return { account, set, session };
  }

  it('hides the claims of a failed check, because they reveal which proof passed', async () => {
    const matching_params = { phone_number: newNumber() };
    const { account, session } = await begun({ matching_params }, ['phone_number']);
    const number = newNumber();
    await session.lead('phone/code', { phone_number: number });
    await session.lead('proofs/phone', { code: await codeFor(number) });
    await ended(session, account.api_key);
    const path = `/v2/trust-checks/${session.id}`;
    expect((await session.get()).body['claims']).toEqual({});
    const { body } = await call('GET', path, { token: account.api_key });
    expect(body['claims']).toEqual({ phone_number: number });
  });

  it('hides reason and failed proof from the subject, and sees both itself', async () => {
    const { account, session } = await begun({ matching_params: { phone_number: newNumber() } });
    const number = newNumber();
    await session.lead('phone/code', { phone_number: number });
    const judged = await session.lead('proofs/phone', { code: await codeFor(number) });
    expect(judged.body).toMatchObject({ status: 'submitted', reason_code: null });
    await ended(session, account.api_key);
    const person = await read(session, session.token);
    for (const object of [person.object, ...person.events.map(lastOf)]) {
      expect(object).toMatchObject({
        status: 'failed',
        reason_code: null,
        decision: null,
        matching: {},
        subject_reasons: 'neutral',
        proofs: [{ type: 'phone', status: 'submitted', reason_code: null }],
      });
    }
    const told = JSON.stringify(person);
    for (const word of ['mismatch', 'matching_params', 'passed', '"rule"']) {
      expect(told).not.toContain(word);
    }
    const proofs = [{ type: 'phone', status: 'passed' }];
    const decision = { rule: 'matching_params' };
    for (const object of await seen(session, account.api_key)) {
      expect(object).toMatchObject({ reason_code: 'mismatch', decision, proofs });
    }
  });

  it('tells the subject how to retry, but not that the last attempt failed the check', async () => {
    const { account, session } = await begun({ max_attempts: 2 });
    const number = newNumber();
    await session.lead('phone/code', { phone_number: number });
    const wrong = (await codeFor(number)) === '000000' ? '000001' : '000000';
    const first = await session.lead('proofs/phone', { code: wrong });
    expect(first.body).toMatchObject({ status: 'requires_retry', reason_code: 'code_wrong' });
    const last = await session.lead('proofs/phone', { code: wrong });
    expect(last.body).toMatchObject({ status: 'submitted', reason_code: null });
    await ended(session, account.api_key);
    const { object, events } = await read(session, session.token);
    expect(object).toMatchObject({ status: 'failed', reason_code: null, decision: null });
    for (const list of events) {
      const states = (list as { type: string; data: { object: Record<string, unknown> } }[])
        .filter(({ type }) => type === 'proof.updated')
        .map(({ data }) => data.object['proof_status']);
      expect(states).toEqual(['requires_retry', 'submitted']);
    }
  });

  it('shows the subject a passed check completely', async () => {
    const { session } = await begun({});
    const number = newNumber();
    await session.lead('phone/code', { phone_number: number });
    await session.lead('proofs/phone', { code: await codeFor(number) });
    await eventually('the end', async () => (await session.get()).body['status'] === 'passed');
    expect((await session.get()).body).toMatchObject({
      decision: { outcome: 'pass', rule: null },
      proofs: [{ type: 'phone', status: 'passed' }],
    });
  });

  it('does not change the setting of a running check', async () => {
    const { account, set, session } = await begun({ max_attempts: 1 });
    await set('plain');
    const number = newNumber();
    await session.lead('phone/code', { phone_number: number });
    const wrong = (await codeFor(number)) === '000000' ? '000001' : '000000';
    await session.lead('proofs/phone', { code: wrong });
    await ended(session, account.api_key);
    expect((await session.get()).body).toMatchObject({
      status: 'failed',
      reason_code: null,
      subject_reasons: 'neutral',
    });
  });
});
