import { describe, expect, it } from 'vitest';
import { createRequestLimit } from '../../../activities/identity/sso/request-limit.ts';
import { accessClaims } from '../../support/people/sso.ts';
import { faultOf, judging } from './judging.ts';

const { idp, judge } = judging();

describe('the requests to a provider', () => {
  it('are limited in number at the same time, per provider', async () => {
    const bound = createRequestLimit({ clock: () => new Date(0), inFlightMax: 2 });
    const held = Promise.withResolvers<string>();
    const first = [1, 2].map(() => bound.within('one', () => held.promise));
    await expect(async () => bound.within('one', () => held.promise)).rejects.toMatchObject({
      code: 'dependency_unavailable',
      retryAfterSeconds: 1,
    });
    expect(await bound.within('another', () => Promise.resolve('asked'))).toBe('asked');
    held.resolve('answered');
    expect(await Promise.all(first)).toEqual(['answered', 'answered']);
    expect(await bound.within('one', () => Promise.resolve('asked'))).toBe('asked');
  });

  it('are limited per minute, including failed ones', async () => {
    let at = 0;
    const bound = createRequestLimit({ clock: () => new Date(at), perMinuteMax: 2 });
    const fail = (): Promise<never> => Promise.reject(new Error('refused'));
    await expect(async () => bound.within('one', fail)).rejects.toThrow('refused');
    at = 20_000;
    expect(await bound.within('one', () => Promise.resolve(1))).toBe(1);
    await expect(async () => bound.within('one', () => Promise.resolve(1))).rejects.toMatchObject({
      retryAfterSeconds: 40,
    });
    at = 60_000;
    expect(await bound.within('one', () => Promise.resolve(1))).toBe(1);
  });

  it('are limited for forged tokens: most of a hundred at once are not sent', async () => {
    const row = { kind: 'introspection' } as const;
    const good = 'a-good-token';
    idp().issuer.tokens.set(good, accessClaims(idp().issuer.issuer));
    await judge(good, row);
    const before = idp().issuer.requests.length;
    const faults = await Promise.all(
      Array.from({ length: 100 }, (_, place) => faultOf(judge(`made-up-${place}`, row))),
    );
    const asked = idp().issuer.requests.length - before;
    expect(asked).toBeLessThanOrEqual(20);
    expect(faults.filter((fault) => fault === 'active').length).toBe(asked);
    expect(faults.filter((fault) => fault === 'dependency_unavailable').length).toBe(100 - asked);
    expect((await judge(good, row)).roles).toEqual(['MEMBER']);
  });
});
