import { describe, expect, it } from 'vitest';
import type { Seed } from '../../../../cli/data-directory/seed.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { verifyEvidence } from '../../../../domain/judging/verifiers.ts';
import { createDevice } from '../../../../simulator/device/device.ts';
import type { PhoneFailure } from '../../../../simulator/failures/failures.ts';
import { phoneCheck } from '../../../../simulator/session/check.ts';
import { devTrust } from '../../../support/checks/phone.ts';
import { call, clientOf, newNumber } from '../../../support/http/client.ts';
import { newAccount } from '../../../support/people/accounts.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();

async function runCheck(
  platform: 'ios' | 'android',
  fail?: PhoneFailure,
  { app_id, api_key: token }: Pick<Seed, 'app_id' | 'api_key'> = own,
) {
  const link = await call('PUT', `/v2/link/${app_id}`, {
    token,
    body: {
      requested_claims: ['full_name', 'age_over_18', 'document_type', 'issuing_country'],
    },
  });
  const trust = await devTrust();
  return phoneCheck({
    link: String(link.body['url']),
    number: newNumber(),
    trust,
    device: createDevice({ platform, trust, now: () => new Date(), fail }),
    fail,
    say: () => undefined,
  });
}

describe.each(['ios', 'android'] as const)('three proofs by an %s phone', (platform) => {
  it('pass and release the requested passport claims to the requester', async () => {
    const session = await runCheck(platform);
    expect(session).toMatchObject({ status: 'passed', reason_code: null });
    expect(session.proofs.map(({ type, status }) => [type, status])).toEqual([
      ['phone', 'passed'],
      ['device', 'passed'],
      ['nfc_passport', 'passed'],
    ]);
    const { body } = await call('GET', `/v2/trust-checks/${session.link_session_id}`, {
      token: own.api_key,
    });
    expect(body['claims']).toEqual({
      full_name: 'ANNA MARIA ERIKSSON',
      age_over_18: true,
      document_type: 'passport',
      issuing_country: 'UTO',
    });
  });

  it.each([
    ['nfc_clone', 'nfc_passport', 'aa_signature_invalid', 'proof_failed'],
    ['wrong_code', 'phone', 'code_wrong', 'max_attempts_reached'],
  ] as const)('with %s fail %s with %s', async (fail, proof, reason, decision) => {
    const session = await runCheck(platform, fail);
    expect(session).toMatchObject({ status: 'failed', reason_code: decision });
    expect(session.proofs).toContainEqual(
      expect.objectContaining({ type: proof, status: 'failed', reason_code: reason }),
    );
  });
});

describe('a phone of an account that withholds reasons', () => {
  it.each([
    [undefined, 'passed', ['passed', 'passed', 'passed']],
    // No state shows which proof failed or is no longer required.
    ['nfc_clone', 'failed', ['submitted', 'submitted', 'submitted']],
  ] as const)('with %s continues until the check has %s', async (fail, status, states) => {
    const account = await newAccount(`untold-${process.pid}-${newNumber().slice(1)}`);
    const { account_id } = account;
    const body = { subject_reasons: 'neutral' } as const;
    await clientOf(account.api_key).accounts.update({ account_id, body });
    const session = await runCheck('ios', fail, account);
    expect(session).toMatchObject({ status, reason_code: null });
    expect(session.proofs.map((proof) => proof.status)).toEqual(states);
  });
});

/** Returns the passport evidence of a session as it is exported. */
async function passportFileOf(id: string): Promise<Uint8Array> {
  const path = `/v2/trust-checks/${id}/evidence`;
  const { text } = await call('GET', path, { token: own.api_key });
  return Buffer.from(text.split('\n').find((line) => line.includes('"kind":"emrtd"')) ?? '');
}

describe('the CRL of a passport’s issuing State', () => {
  it.each([
    [undefined, 'ok', 'passed', null],
    ['signer_revoked', 'failed', 'failed', 'dsc_revoked'],
  ] as const)('with %s is %s for the check and for the auditor', async (fail, ...expected) => {
    const [result, verdict, reason_code] = expected;
    const { link_session_id: id } = await runCheck('ios', fail);
    const db = openTestDb(databaseUrl);
    const { rows } = await db.query<{ verdict: { checks: unknown[] } }>(
      `SELECT verdict FROM proof_submissions
       WHERE link_session_id = $1 AND proof = 'nfc_passport'`,
      [id],
    );
    await db.end();
    const revocation = expect.objectContaining({ name: 'revocation', result });
    expect(rows.map((row) => row.verdict.checks)).toEqual([expect.arrayContaining([revocation])]);
    const again = verifyEvidence(readEvidenceFile(await passportFileOf(id)));
    expect(again).toMatchObject({ verdict, reason_code });
    expect(again.checks).toEqual(rows[0]?.verdict.checks);
  });
});

describe('the stored submissions of three proofs', () => {
  it('contain verdicts with the checks of their kind and no plain personal data', async () => {
    const session = await runCheck('ios');
    const db = openTestDb(databaseUrl);
    const { rows } = await db.query(
      `SELECT proof, outcome, verdict, evidence_hash, encode(evidence_sealed, 'escape') AS sealed
       FROM proof_submissions WHERE link_session_id = $1 ORDER BY proof`,
      [session.link_session_id],
    );
    await db.end();
    const checks = Object.fromEntries(
      rows.map((row) => [
        row.proof,
        row.verdict.checks.map((check: { name: string }) => check.name),
      ]),
    );
    expect(checks['device']).toEqual(expect.arrayContaining(['chain', 'nonce', 'receipt']));
    expect(checks['nfc_passport']).toEqual(
      expect.arrayContaining(['sod_signature', 'dg_hashes', 'active_auth']),
    );
    for (const row of rows) {
      expect(row.evidence_hash).toMatch(/^[0-9a-f]{64}$/);
      expect(row.sealed).not.toContain('ERIKSSON');
    }
  });
});
