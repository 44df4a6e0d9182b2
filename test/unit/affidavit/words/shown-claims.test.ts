import { describe, expect, it } from 'vitest';
import { subjectClaims } from '../../../../activities/affidavit/shown-claims.ts';
import type { RequestedProofRow } from '../../../../db/schema/trust-checks.ts';

const asked: RequestedProofRow = {
  policy: {},
  requested_claims: ['full_name', 'phone_number', 'document_type'],
  max_attempts: 3,
  link_type: 'trust_check',
  redirect_url: null,
  app_name: 'Example app',
  account_name: 'Example account',
};

const consent = {
  accepted: true,
  tos_version: '1',
  claims: ['full_name', 'document_type'],
  at: '2026-11-21T05:58:30.000Z',
};
const released = { full_name: 'ANNA ERIKSSON', age_over_18: true };

describe('the claims of an affidavit', () => {
  it('are those that the person released and this session requested', () => {
    const { claims } = subjectClaims(released, { asked, consent }, null);
    expect(claims).toEqual({ full_name: 'ANNA ERIKSSON' });
    expect(subjectClaims(released, { asked, consent: null }, null).claims).toEqual({});
  });

  it('are listed as absent with the reason: not requested, not consented or not established', () => {
    expect(subjectClaims(released, { asked, consent }, null).absent_claims).toMatchObject({
      age_over_18: 'not_requested',
      phone_number: 'not_consented',
      document_type: 'not_established',
    });
    const { absent_claims: absent } = subjectClaims(released, { asked, consent: null }, null);
    expect(absent).toMatchObject({ full_name: 'not_consented' });
  });

  it('include a photo as an image, never as a URL', () => {
    const asks = { ...asked, requested_claims: ['photo'] };
    const agreed = { ...consent, claims: ['photo'] };
    const session = { asked: asks, consent: agreed };
    const address = { photo: 'https://check.example/v2/photo/photos/x.jpg' };
    const photo = { width: 8, height: 10, jpeg: '/9j/' };
    expect(subjectClaims(address, session, photo)).toMatchObject({ claims: {}, photo });
    expect(subjectClaims(address, session, photo).absent_claims).not.toHaveProperty('photo');
    expect(subjectClaims(address, session, null)).toMatchObject({
      claims: {},
      photo: null,
      absent_claims: { photo: 'not_established' },
    });
  });
});
