import { describe, expect, it } from 'vitest';
import { releaseClaims } from '../../../activities/trust-checks/claims.ts';
import { claimNames } from '../../../domain/names.ts';

const known = {
  full_name: 'ANNA MARIA ERIKSSON',
  date_of_birth: '2008-11-21',
  nationality: 'UTO',
  document_type: 'passport',
  phone_number: '+4915112345678',
};
const all = ['full_name', 'region', 'age_over_18', 'document_type', 'phone_number', 'photo'];

describe('releaseClaims', () => {
  it('releases each claim under its own name only', () => {
    const claims = {
      ...known,
      place_of_birth: 'ZENITH',
      region: 'US-CA',
      photo: 'https://check.example/v2/photo/photos/x.jpg',
      document_number: 'L898902C3',
      issuing_country: 'UTO',
      expires_on: '2032-04-15',
    };
    const at = new Date('2026-11-21');
    const answers = { ...claims, age_over_18: true };
    for (const name of claimNames) {
      expect(releaseClaims(claims, [name], at)).toEqual({ [name]: answers[name] });
      expect(releaseClaims({}, [name], at)).toEqual({});
    }
  });

  it('returns only claims that are consented to and known', () => {
    expect(releaseClaims(known, [], new Date('2026-11-21'))).toEqual({});
    expect(releaseClaims(known, ['full_name', 'sex'], new Date('2026-11-21'))).toEqual({
      full_name: 'ANNA MARIA ERIKSSON',
    });
    expect(releaseClaims({}, all, new Date('2026-11-21'))).toEqual({});
  });

  it.each([
    ['2026-11-20T23:59:59Z', false],
    ['2026-11-21T00:00:00Z', true],
  ])('answers age_over_18 at %s with %s, never with the date', (at, adult) => {
    const released = releaseClaims(known, all, new Date(at));
    expect(released).toEqual({
      full_name: 'ANNA MARIA ERIKSSON',
      age_over_18: adult,
      document_type: 'passport',
      phone_number: '+4915112345678',
    });
  });
});
