import { describe, expect, it } from 'vitest';
import { subjectClaims } from '../../../activities/affidavit/shown-claims.ts';
import type { AskedRow } from '../../../db/schema/trust-checks.ts';

const asked: AskedRow = {
  policy: {},
  requested_claims: ['full_name', 'phone_number', 'document_type'],
  max_attempts: 3,
  title: null,
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
  it('are those that were released and that this session asked for', () => {
    const { claims } = subjectClaims(released, { asked, consent });
    expect(claims).toEqual({ full_name: 'ANNA ERIKSSON' });
    expect(subjectClaims(released, { asked, consent: null }).claims).toEqual({});
  });

  it('that are absent were not asked for, not consented to or not established', () => {
    expect(subjectClaims(released, { asked, consent }).absent_claims).toMatchObject({
      age_over_18: 'not_requested',
      phone_number: 'not_consented',
      document_type: 'not_established',
    });
    const { absent_claims: absent } = subjectClaims(released, { asked, consent: null });
    expect(absent).toMatchObject({ full_name: 'not_consented' });
  });
});
