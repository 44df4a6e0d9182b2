import { expect, it } from 'vitest';
import { call, codeFor, collecting, newLink, newNumber } from '../../../support/http/client.ts';
import { eventually } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const callers = 50;

/** Returns the events of a check with sequence number and type. */
async function eventsOf(id: string): Promise<{ sequence: number; type: string }[]> {
  const token = ownPlatform().own.api_key;
  const { body } = await call('GET', `/v2/trust-checks/${id}/events?limit=100`, { token });
  return body['items'] as { sequence: number; type: string }[];
}

it('a check accepts a code once when fifty callers submit it concurrently', async () => {
  const session = await collecting(await newLink());
  const number = newNumber();
  await session.step('phone/code', { phone_number: number });
  const code = await codeFor(number);
  const answers = await Promise.all(
    Array.from({ length: callers }, () => session.step('proofs/phone', { code })),
  );
  // 503 means that the API stopped waiting for the answer; the step itself continues.
  for (const { status } of answers) expect([200, 202, 409, 503]).toContain(status);
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  await eventually('the affidavit', async () => {
    const { body } = await session.get();
    return (body['affidavit'] as { status: string }).status === 'available';
  });
  const events = await eventsOf(session.id);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const count = (type: string) => events.filter((event) => event.type === type).length;
  expect([count('trust_check.passed'), count('affidavit.available')]).toEqual([1, 1]);
});
