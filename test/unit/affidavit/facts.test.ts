import { describe, expect, it } from 'vitest';
import { policyRowsOf, shownFactsOf } from '../../../domain/affidavit/facts.ts';

const chip = {
  issuing_country: 'UTO',
  document_type: 'P',
  document_number_hash: 'ab'.repeat(32),
  expires_on: '2031-01-01',
  levels: { passive: 'ok', active: 'ok', chip: 'absent' },
  digest_algorithm: 'SHA-256',
  signature_algorithm: 'ecdsa-with-SHA256',
  csca_subject: 'CN=Utopia CSCA,C=UT',
  claims: { full_name: 'ANNA MARIA ERIKSSON', date_of_birth: '1974-08-12' },
  unlisted_data_groups: [],
};

describe('the facts of an affidavit', () => {
  it('show the checks of a passport, and nothing about its holder', () => {
    expect(shownFactsOf('nfc_passport', chip)).toEqual({
      levels_passive: 'ok',
      levels_active: 'ok',
      levels_chip: 'absent',
      digest_algorithm: 'SHA-256',
      signature_algorithm: 'ecdsa-with-SHA256',
    });
  });

  it('show the known facts of a device, but not its key or challenge', () => {
    const facts = {
      attestation_version: 400,
      device_locked: true,
      packages: ['com.example.app', 'com.example.other'],
      challenge: 'c2VjcmV0',
      public_key_spki: 'a2V5',
      receipt: { type: 'ATTEST', risk_metric: 1, not_before: null },
      ec_curve: null,
    };
    expect(shownFactsOf('device', facts)).toEqual({
      attestation_version: '400',
      device_locked: 'true',
      packages: 'com.example.app, com.example.other',
      receipt_type: 'ATTEST',
      receipt_risk_metric: '1',
    });
  });

  it.each([[null], [undefined], ['text'], [[]], [7]])(
    'are empty when the verdict has none: %j',
    (facts) => {
      expect(shownFactsOf('nfc_passport', facts)).toEqual({});
    },
  );

  it('are empty for a proof without listed facts', () => {
    expect(shownFactsOf('phone', { phone_number: '+4915112345678' })).toEqual({});
    expect(shownFactsOf('constructor', { name: 'x' })).toEqual({});
  });

  it('show the rules of the link as text', () => {
    const rules = { allowed_countries: ['UTO', 'DEU'], max_age_days: 30, web_allowed: false };
    expect(policyRowsOf(rules)).toEqual({
      allowed_countries: 'UTO, DEU',
      max_age_days: '30',
      web_allowed: 'false',
    });
  });
});
