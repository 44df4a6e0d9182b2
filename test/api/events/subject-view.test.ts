import { describe, expect, it } from 'vitest';
import { call, codeFor, collecting, newLink, newNumber } from '../../support/http/client.ts';
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

/** The last object of a list of events that carries the session. */
const lastOf = (events: unknown): unknown =>
  (events as { data: { object: { matching?: unknown } } }[])
    .map(({ data }) => data.object)
    .findLast(({ matching }) => matching !== undefined);

describe('a person who differs from what was expected', () => {
  endSockets();

  it('learns it, and by no way of reading in which value', async () => {
    const matching_params = { phone_number: newNumber(), email: 'other@example.test' };
    const session = await collecting(
      await newLink({ required_proofs: ['phone'], matching_params }),
    );
    const path = `/v2/trust-checks/${session.id}`;
    const stream = `trust-check:${session.id}`;
    const seen = async (token: string) => {
      const read = async (more: string) => (await call('GET', path + more, { token })).body;
      const socket = await connect(token);
      const events = follow(socket);
      const { head } = await subscribe(socket, { stream });
      await eventually('all events', async () => events.at(-1)?.sequence === head);
      const expanded = await read('?expand=events');
      return [
        expanded,
        lastOf((expanded['events'] as { items: unknown }).items),
        lastOf((await read('/events?limit=100'))['items']),
        lastOf(events),
      ];
    };
    const number = newNumber();
    await session.lead('phone/code', { phone_number: number });
    await session.lead('proofs/phone', { code: await codeFor(number) });
    await eventually('the end', async () => {
      const { body } = await call('GET', path, { token: own.api_key });
      return body['status'] === 'failed';
    });
    for (const object of await seen(own.api_key)) expect(object).toMatchObject(whole);
    for (const object of await seen(session.token)) {
      expect(object).toMatchObject(seenByPerson);
      expect(object).toHaveProperty('matching', {});
    }
  });
});
