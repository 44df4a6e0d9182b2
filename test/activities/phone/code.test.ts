import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeMessage, deriveCode, isCode } from '../../../activities/phone/code.ts';
import { maskPhoneNumber, readPhoneNumber } from '../../../activities/phone/phone-number.ts';

const secret = Buffer.alloc(32, 3);

describe('codes', () => {
  it('are six digits, the same for the same session and series, spread evenly', () => {
    const counts = new Map<string, number>();
    for (let session = 0; session < 5000; session += 1) {
      const code = deriveCode(secret, `tc_${session}`, 1);
      expect(code).toMatch(/^\d{6}$/);
      expect(deriveCode(secret, `tc_${session}`, 1)).toBe(code);
      const [first = ''] = code;
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(120);
    expect(deriveCode(secret, 'tc_1', 1)).not.toBe(deriveCode(secret, 'tc_1', 2));
    expect(deriveCode(Buffer.alloc(32, 4), 'tc_1', 1)).not.toBe(deriveCode(secret, 'tc_1', 1));
  });

  it('match themselves with spaces or a dash, and nothing else', () => {
    expect(isCode('012345', '012345')).toBe(true);
    expect(isCode('012345', '012 345')).toBe(true);
    expect(isCode('012345', '012-345')).toBe(true);
    for (const other of ['', '12345', '0123456', '٠١٢٣٤٥', 'x'.repeat(10_000), '012346']) {
      expect(isCode('012345', other)).toBe(false);
    }
  });

  it('travel in one message that names the app and cannot be broken out of', () => {
    const text = codeMessage('012345', 'Evil\r\n@other.test #999999', 'trust.test', 'de');
    expect(text.split('\n')).toHaveLength(3);
    expect(text.startsWith('012345 ist dein Code')).toBe(true);
    expect(text.endsWith('\n\n@trust.test #012345')).toBe(true);
    expect(codeMessage('1', 'App', 'h', 'xx')).toContain('is your code');
  });
});

describe('phone numbers', () => {
  it.each(['+4915112345678', '+12025550123', '+447400123456'])('%s can get a code', (number) => {
    expect(readPhoneNumber(number)).toBe(number);
  });

  it.each([
    '+4990012345678',
    '+448712345678',
    '+18005550123',
    '+0',
    '4915112345678',
    '+49',
    ' +4915112345678',
  ])('%j cannot', (number) => {
    expect(() => readPhoneNumber(number)).toThrow();
  });

  it('are never read from noise, and noise never throws anything but the refusal', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          readPhoneNumber(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'phone_refused' });
        }
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('are masked to their country and last two digits', () => {
    const masked = maskPhoneNumber('+4915112345678');
    expect(masked).toMatch(/^\+49 •+ 78$/);
  });
});
