import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { smsLimitsConfig, smsLimitsOf } from '../../../../activities/delivery/sms/limits.ts';
import { parseConfig } from '../../../../activities/runtime/config.ts';
import { createMetrics } from '../../../../api/metrics.ts';
import { countMessage } from '../../../../api/trust-checks/code/sms-limits.ts';
import { transaction } from '../../../../db/client.ts';
import { createSealer } from '../../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../../db/sealing/wrapper.ts';
import { rangeOf } from '../../../../domain/proofs/phone/phone-number.ts';
import {
  askCode,
  codeSession,
  newRange,
  outcome,
  refused,
  sent,
  smsApis,
} from '../../../support/people/sms.ts';
import { createDatabase } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { productionSettings } from '../../../support/platform/second-api.ts';

const { databaseUrl } = ownPlatform();

const { start, another, send } = smsApis('sms-policy');

describe('text messages', () => {
  it('are limited per number and day', async () => {
    await start({ SMS_PER_NUMBER_DAILY_MAX: '1' });
    const account = await another();
    const number = `${newRange()}0001`;
    expect(outcome(await send(await codeSession(account), number))).toEqual(sent);
    expect(outcome(await send(await codeSession(account), number))).toEqual(refused);
  });

  it('are limited per network and hour if proxies forward the client address', async () => {
    await start({ SMS_PER_NETWORK_HOURLY_MAX: '2', TRUSTED_PROXIES: 'loopback' });
    const account = await another();
    const block = (process.pid % 0xffff).toString(16);
    const from = async (address: string): Promise<unknown[]> =>
      outcome(
        await send(await codeSession(account), `${newRange()}0001`, { 'x-forwarded-for': address }),
      );
    // An IPv6 client counts by its network, not by its address.
    expect(await from(`2001:db8:${block}:1::1`)).toEqual(sent);
    expect(await from(`2001:db8:${block}:1:ffff::2`)).toEqual(sent);
    expect(await from(`2001:db8:${block}:1:abcd::3`)).toEqual(refused);
    expect(await from(`2001:db8:${block}:2::1`)).toEqual(sent);
  });

  it('are limited per day across all accounts, and each refusal is counted in a metric', async () => {
    const { db, drop } = await createDatabase(databaseUrl);
    try {
      const metrics = createMetrics();
      const limits = smsLimitsOf({
        PROFILE: 'production',
        SMS_DAILY_MAX: 4,
        SMS_PER_NETWORK_HOURLY_MAX: 1,
      });
      const deps = {
        sealer: createSealer(db, masterWrapper(randomBytes(32)), randomBytes(32)),
        settings: { ...productionSettings(), smsLimits: limits },
        telemetry: { metrics },
      };
      const count = (nr: number): Promise<void> => {
        // Behind unknown proxies all callers share one address, so the network limit does not
        // apply.
        const message = { to: `+4916012${nr}4567`, accountId: nr, address: '192.0.2.1' };
        return transaction(db, (tx) => countMessage(tx, deps, message));
      };
      const used = async () => (await metrics.sms.budgetUsed.get()).values[0]?.value;
      const shares = [];
      for (let nr = 1; nr <= 4; nr += 1) {
        await count(nr);
        shares.push(await used());
      }
      expect(shares).toEqual([0.25, 0.5, 0.75, 1]);
      await expect(count(5)).rejects.toMatchObject({ code: 'rate_limited' });
      const { values } = await metrics.sms.refusals.get();
      const over = values.flatMap(({ labels, value }) =>
        value > 0 ? [[labels.limit, value]] : [],
      );
      expect(over).toEqual([['day', 1]]);
    } finally {
      await drop();
    }
  });
});

describe('smsLimitsOf', () => {
  const limitsIn = (PROFILE: 'development' | 'production', given = {}) =>
    smsLimitsOf({ ...parseConfig(smsLimitsConfig, given), PROFILE });

  it('returns strict limits in production and wide ones in development', () => {
    expect(limitsIn('production')).toEqual({
      perNumberHourly: 5,
      perNumberDaily: 10,
      perRangeHourly: 60,
      perNetworkHourly: 120,
      perAccountHourly: 1_000,
      perAccountDaily: 10_000,
      daily: 20_000,
      conversionPercentMin: 10,
      conversionSentMin: 50,
      numbers: { countries: null, lineTypes: new Set() },
    });
    expect(limitsIn('development').perNumberHourly).toBeGreaterThanOrEqual(600);
    expect(limitsIn('production', { SMS_PER_NUMBER_HOURLY_MAX: '3' }).perNumberHourly).toBe(3);
    expect(limitsIn('production', { SMS_CONVERSION_PERCENT_MIN: '0' }).conversionPercentMin).toBe(
      0,
    );
    expect(limitsIn('development').conversionPercentMin).toBe(0);
    for (const wrong of ['101', '-1', '0.5', 'ten']) {
      expect(() => limitsIn('production', { SMS_CONVERSION_PERCENT_MIN: wrong })).toThrow(
        'SMS_CONVERSION_PERCENT_MIN',
      );
    }
    expect(() => limitsIn('production', { SMS_PER_RANGE_HOURLY_MAX: '0' })).toThrow(
      'SMS_PER_RANGE_HOURLY_MAX',
    );
  });

  it('restricts messages to the countries in SMS_COUNTRIES', async () => {
    const served = limitsIn('production', { SMS_COUNTRIES: 'de, US' }).numbers.countries;
    expect(served).toEqual(new Set(['DE', 'US']));
    for (const wrong of ['DE,XX', 'DE,', 'Germany', ',']) {
      expect(() => limitsIn('production', { SMS_COUNTRIES: wrong })).toThrow('SMS_COUNTRIES');
    }
    await start({ SMS_COUNTRIES: 'US' });
    const asking = await codeSession(await another());
    const answer = await send(asking, `${newRange()}0001`);
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'phone_number'], type: 'phone_refused' }] },
    });
    expect(outcome(await send(asking, '+12025550123'))).toEqual(sent);
  });

  it('admits the line types in SMS_LINE_TYPES besides mobile numbers', async () => {
    const admitted = limitsIn('production', { SMS_LINE_TYPES: 'voip, FIXED_LINE' });
    expect(admitted.numbers.lineTypes).toEqual(new Set(['voip', 'fixed_line']));
    for (const wrong of ['premium_rate', 'voip,', 'mobile voip', ',']) {
      expect(() => limitsIn('production', { SMS_LINE_TYPES: wrong })).toThrow('SMS_LINE_TYPES');
    }
    const internet = '+445612345678';
    await start({ SMS_LINE_TYPES: 'voip' });
    const asking = await codeSession(await another());
    expect((await askCode(asking, internet)).text).toContain('phone_refused');
    expect(outcome(await send(asking, internet))).toEqual(sent);
  });

  it('groups numbers by all but their last four digits', () => {
    expect(rangeOf('+4915112345678')).toBe('+491511234');
    expect(rangeOf('+12025550123')).toBe('+1202555');
  });
});
