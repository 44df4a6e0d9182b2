import { expect, it } from 'vitest';
import { beginSession, newLink } from '../../support/http/client.ts';

it('a second consent returns the first if both are equal, and is refused otherwise', async () => {
  const session = await beginSession(
    await newLink({ requested_claims: ['phone_number', 'full_name'] }),
  );
  await session.step('open');
  await session.step('pair');
  const all = { accepted: true, tos_version: '1', claims: ['phone_number', 'full_name'] };
  const first = await session.step('consent', all);
  expect(first.body).toMatchObject({ status: 'collecting', consent: { claims: all.claims } });
  const again = await session.step('consent', all);
  expect([again.status, again.body['consent']]).toEqual([200, first.body['consent']]);
  const turned = await session.step('consent', { ...all, claims: all.claims.toReversed() });
  expect([turned.status, turned.body['consent']]).toEqual([200, first.body['consent']]);
  for (const other of [
    { ...all, claims: [] },
    { accepted: false, tos_version: '1' },
  ]) {
    const refused = await session.step('consent', other);
    expect([refused.status, refused.body['code']]).toEqual([409, 'invalid_state']);
  }
  expect((await session.get()).body['consent']).toEqual(first.body['consent']);
});
