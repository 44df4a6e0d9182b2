import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  callingCodesOf,
  lineTypes,
  maskPhoneNumber,
  readPhoneNumber,
  type NumberPolicy,
} from '../../../../domain/proofs/phone/phone-number.ts';
import { Failure } from '../../../../workflows/failures.ts';

const everywhere: NumberPolicy = { countries: null, lineTypes: new Set() };

describe('an accepted phone number', () => {
  it.for([
    ['German mobile', '+4915112345678'],
    ['American', '+12025550123'],
    ['British mobile', '+447400123456'],
    ['Italian mobile', '+393123456789'],
    ['Latvian mobile', '+37121234567'],
    ['Indian mobile', '+919876543210'],
    ['Japanese mobile', '+819012345678'],
  ])('can be %s', ([, number = '']) => {
    expect(readPhoneNumber(number, everywhere)).toBe(number);
  });

  it('must be of a configured country, if any are set', () => {
    const served = { ...everywhere, countries: new Set(['DE', 'US']) };
    expect(readPhoneNumber('+4915112345678', served)).toBe('+4915112345678');
    expect(readPhoneNumber('+12025550123', served)).toBe('+12025550123');
    // In the numbering plan of the United States, but countries of their own.
    for (const number of ['+18765551234', '+18095551234', '+37121234567']) {
      expect(readPhoneNumber(number, everywhere)).toBe(number);
      const fault = failureOf(() => readPhoneNumber(number, served));
      expect(fault).toMatchObject({ code: 'phone_refused' });
    }
  });
});

describe('a number in national form', () => {
  it.for([
    ['DE', '0151 12345678', '+4915112345678'],
    ['DE', '+49 151 12345678', '+4915112345678'],
    ['US', '\u202A+49 151 12345678\u202C', '+4915112345678'],
    ['US', '\u2066\u200E+4915112345678\u2069', '+4915112345678'],
    ['US', 'tel:+49-151-12345678', '+4915112345678'],
    ['US', '＋４９１５１１２３４５６７８', '+4915112345678'],
    ['US', '(202) 555-0123', '+12025550123'],
    ['GB', '07400 123456', '+447400123456'],
    ['IT', '312 345 6789', '+393123456789'],
    ['DE', '+371 21234567', '+37121234567'],
  ])('is read for %s: %s', ([country = '', written = '', number = '']) => {
    expect(readPhoneNumber(written, everywhere, country)).toBe(number);
    expect(failureOf(() => readPhoneNumber(written, everywhere))).toMatchObject({
      code: 'phone_refused',
    });
  });

  it.for([
    ['DE', ''],
    ['DE', '0151'],
    ['DE', 'call 0151 12345678 now'],
    ['DE', '030 123456'],
    ['XX', '0151 12345678'],
    ['__proto__', '0151 12345678'],
  ])('is refused for %s: %s', ([country = '', written = '']) => {
    const fault = failureOf(() => readPhoneNumber(written, everywhere, country));
    expect(fault).toMatchObject({ code: 'phone_refused' });
  });

  it('has calling codes for the configured countries only', () => {
    const served = { ...everywhere, countries: new Set(['DE', 'US']) };
    expect(callingCodesOf(served)).toEqual({ DE: '49', US: '1' });
    expect(Object.keys(callingCodesOf(everywhere)).length).toBeGreaterThan(200);
  });
});

describe('a line type that the operator allows', () => {
  it.for([
    ['voip', '+445612345678', '+33912345678'],
    ['personal_number', '+447012345678', '+15005550006'],
    ['fixed_line', '+4930123456', '+442071234567'],
  ] as const)('can be %s, and is otherwise refused', ([admitted, ...numbers]) => {
    const others = { ...everywhere, lineTypes: new Set(lineTypes.filter((t) => t !== admitted)) };
    for (const number of numbers) {
      const policy = { ...everywhere, lineTypes: new Set([admitted]) };
      expect(readPhoneNumber(number, policy)).toBe(number);
      const fault = failureOf(() => readPhoneNumber(number, others));
      expect(fault).toMatchObject({ code: 'phone_refused' });
      const away = { ...policy, countries: new Set(['JP']) };
      expect(failureOf(() => readPhoneNumber(number, away))).toMatchObject({
        code: 'phone_refused',
      });
    }
  });

  it.for([
    ['premium', '+37190012345'],
    ['shared cost', '+448712345678'],
    ['toll-free', '+18005550123'],
    ['universal access', '+4918012345678'],
    ['voicemail', '+491511312345678'],
    ['pager', '+447640123456'],
    ['satellite', '+881612345678'],
  ])('cannot be %s', ([, number = '']) => {
    const all = { ...everywhere, lineTypes: new Set(lineTypes) };
    const fault = failureOf(() => readPhoneNumber(number, all));
    expect(fault).toMatchObject({ code: 'phone_refused' });
  });
});

describe('a refused phone number', () => {
  it.for([
    ['German premium', '+499001234567'],
    ['British shared cost', '+448712345678'],
    ['American toll-free', '+18005550123'],
    ['American premium', '+19005550123'],
    ['Latvian premium', '+37190012345'],
    ['British personal, billed to its caller', '+447012345678'],
    ['American personal', '+15005550006'],
    ['British internet', '+445612345678'],
    ['German internet', '+493212345678'],
    ['German landline', '+4930123456'],
    ['British landline', '+442071234567'],
    ['German voicemail of a mobile', '+491511312345678'],
    ['German universal access', '+4918012345678'],
    ['German national subscriber', '+4970012345678'],
    ['British pager', '+447640123456'],
    ['British fictional range', '+447700900123'],
    ['of Inmarsat', '+870776123456'],
    ['of Inmarsat at sea', '+870301234567'],
    ['of universal personal telecommunication', '+87810123456789'],
    ['of Iridium', '+881612345678'],
    ['of Iridium, longer', '+8816312345678'],
    ['of Thuraya', '+88216123456789'],
    ['of a network of ships', '+8823421234'],
    ['of an international network', '+88213123456'],
    ['of an international network, longer', '+883510001234567'],
    ['for disaster relief', '+88812345678901'],
    ['international premium', '+979123456789'],
    ['international toll-free', '+80012345678'],
    ['an unallocated country code', '+9991234567'],
    ['too short', '+4915112'],
    ['too long', '+4915112345678901234'],
    ['without a plus', '4915112345678'],
    ['with an international prefix', '004915112345678'],
    ['national', '015112345678'],
    ['with spaces', '+49 151 12345678'],
    ['led by a space', ' +4915112345678'],
    ['followed by a line break', '+4915112345678\n'],
    ['with an extension', '+4915112345678;ext=9'],
    ['in a tel link', 'tel:+4915112345678'],
    ['in Arabic digits', '+٤٩١٥١١٢٣٤٥٦٧٨'],
    ['in wide digits', '+４９１５１１２３４５６７８'],
    ['with a wide plus', '＋4915112345678'],
    ['with an emoji', '+4915112345678😀'],
    ['with a zero byte', '+4915112345678\u0000'],
    ['empty', ''],
    ['a plus', '+'],
    ['a country code', '+49'],
    ['a megabyte of digits', `+49${'1'.repeat(1_000_000)}`],
  ])('is %s', ([, number = '']) => {
    const fault = failureOf(() => readPhoneNumber(number, everywhere));
    expect(fault).toMatchObject({ code: 'phone_refused' });
    if (number.length > 4)
      expect(`${String(fault)} ${JSON.stringify(fault)}`).not.toContain(number);
  });

  it('can be random input, which is otherwise read as E.164', () => {
    const noise = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^\+[0-9]{0,20}$/));
    fc.assert(
      fc.property(noise, (text) => {
        const read = failureOf(() => readPhoneNumber(text, everywhere));
        if (read instanceof Failure) expect(read.code).toBe('phone_refused');
        else expect(read).toMatch(/^\+[1-9][0-9]{6,14}$/);
      }),
      { numRuns: 1000, seed: 1 },
    );
  });
});

describe('a masked number', () => {
  it.for([
    ['+4915112345678', '+49 ••••••••• 78'],
    ['+12025550123', '+1 •••••••• 23'],
    ['+37121234567', '+371 •••••• 67'],
  ])('%s is %s', ([number = '', masked]) => {
    expect(maskPhoneNumber(number)).toBe(masked);
  });

  it('shows at most its country code and two digits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\+[0-9]{3,15}$/), (number) => {
        const masked = maskPhoneNumber(number);
        expect(masked).toMatch(/^\+\d{0,3} •* .{2}$/u);
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

function failureOf(read: () => string): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}
