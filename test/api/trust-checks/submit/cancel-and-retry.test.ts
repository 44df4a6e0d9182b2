import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { imageReaders } from '../../../../activities/proofs/image-readers.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../../../domain/judging/verifiers.ts';
import { createDevice } from '../../../../simulator/device/device.ts';
import { phoneCheck } from '../../../../simulator/session/check.ts';
import { devTrust } from '../../../support/checks/phone.ts';
import { commandHere } from '../../../support/commands/command-here.ts';
import {
  call,
  collecting,
  newLink,
  newNumber,
  passedSession,
  withAffidavit,
} from '../../../support/http/client.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, foreign, databaseUrl, baseUrl } = ownPlatform();
const admin = own.api_key;

const guide = readFileSync(
  new URL('../../../../docs/protocols/evidence.md', import.meta.url),
  'utf8',
);

/** The platform under test trusts the simulator’s Google Play. */
const ofDevice = { ios: 'device, ios', android: 'device, android with Play Integrity' } as const;

const at = (id: string, what: string): string => `/v2/trust-checks/${id}/${what}`;

async function threeProofs(platform: 'ios' | 'android' = 'ios') {
  const trust = await devTrust();
  const link = await newLink({ required_proofs: ['device', 'nfc_passport', 'phone'] });
  const device = createDevice({ platform, trust, now: () => new Date() });
  const session = await phoneCheck({
    link: `${baseUrl}/v2/${link}`,
    number: newNumber(),
    trust,
    device,
    say: () => undefined,
  });
  return { id: session.link_session_id, device };
}

/** Makes the evidence of a proof unreadable, as a broken disk does. */
async function damage(id: string, proof: string): Promise<void> {
  const db = openTestDb(databaseUrl);
  await db.query(
    `UPDATE proof_submissions
     SET evidence_sealed = substring(evidence_sealed from 2), evidence_hash = NULL
     WHERE link_session_id = $1 AND proof = $2`,
    [id, proof],
  );
  await db.end();
}

/** Runs `trustcheck evidence export`; returns its output and exit code. */
async function exported(id: string): Promise<{ code: number | null; text: string; fault: string }> {
  const flags = ['evidence', 'export', id, '--url', baseUrl, '--token', admin];
  const { code, stdout, stderr } = await commandHere('/nowhere', flags);
  return { code, text: stdout, fault: stderr };
}

async function issued(id: string): Promise<void> {
  await eventually('the affidavit', async () => {
    const { body } = await call('GET', `/v2/trust-checks/${id}`, { token: admin });
    return (body['affidavit'] as { status: string }).status === 'available';
  });
}

describe('trust-checks.evidence', () => {
  it.each(['ios', 'android'] as const)(
    'from an %s phone is verified again to the same verdicts',
    async (platform) => {
      const { id } = await threeProofs(platform);
      const answer = await call('GET', at(id, 'evidence'), { token: admin });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
      const lines = answer.text.trimEnd().split('\n');
      const verdicts = await Promise.all(
        lines.map(async (line) => {
          const file = readEvidenceFile(Buffer.from(line));
          const { kind, verdict } = await verifyAnyEvidence(file, imageReaders);
          return [kind, verdict];
        }),
      );
      expect(verdicts).toEqual([
        ...(platform === 'ios'
          ? [
              ['apple-attestation', 'passed'],
              ['apple-assertion', 'passed'],
            ]
          : [
              ['android-key-attestation', 'passed'],
              ['play-integrity', 'passed'],
              ['android-assertion', 'passed'],
            ]),
        ['emrtd', 'passed'],
        ['sms-code', 'inconclusive'],
      ]);
    },
  );

  it.each(['ios', 'android'] as const)(
    'from an %s phone has the hashes of the affidavit, computed as in docs/protocols/evidence.md',
    async (platform) => {
      const { id } = await threeProofs(platform);
      const directory = mkdtempSync(join(tmpdir(), 'trustcheck-hashes-'));
      writeFileSync(join(directory, 'evidence.ndjson'), (await exported(id)).text);
      const hashOf = (proof: string): string => {
        const command = new RegExp(`^\\| \`${proof}\` \\|.*\\| \`([^\`]+)\` \\|$`, 'm').exec(
          guide,
        )?.[1];
        const script = (command ?? 'false')
          .replaceAll('\\|', '|')
          .replace('docs/', new URL('../../../../docs/', import.meta.url).pathname);
        return execFileSync('sh', ['-c', script], { cwd: directory, encoding: 'utf8' }).slice(
          0,
          64,
        );
      };
      const { body } = await call('GET', `/v2/trust-checks/${id}`, { token: admin });
      const proofs = body['proofs'] as { type: string; evidence_hash: string }[];
      expect(proofs).toHaveLength(3);
      for (const { type, evidence_hash } of proofs) {
        const proof = type === 'device' ? ofDevice[platform] : type;
        expect(hashOf(proof), proof).toBe(evidence_hash);
      }
      const ended = commandHere('/nowhere', [
        'evidence',
        'verify',
        join(directory, 'evidence.ndjson'),
        ...proofs.flatMap(({ evidence_hash }) => ['--hash', evidence_hash]),
      ]);
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
      rmSync(directory, { recursive: true });
    },
  );

  it('streams submission by submission and aborts at one that cannot be decrypted', async () => {
    const { id } = await threeProofs();
    const whole = await call('GET', at(id, 'evidence'), { token: admin });
    expect(whole.headers.get('content-length')).toBeNull();
    expect((await exported(id)).text).toBe(whole.text);
    await damage(id, 'nfc_passport');
    const [first = ''] = whole.text.split(/(?<=\n)(?=\{[^\n]*"kind":"emrtd")/);
    const headers = { authorization: `Bearer ${admin}` };
    const response = await fetch(`${baseUrl}${at(id, 'evidence')}`, { headers });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    expect(await exported(id)).toEqual({
      code: 1,
      text: first,
      fault: 'broken off: what was printed is not all of it\n',
    });
    await damage(id, 'device');
    const refused = await exported(id);
    expect([refused.code, refused.fault]).toEqual([
      1,
      'refused: 500 unexpected: Unexpected error\n',
    ]);
  });

  it('is allowed for admins of the account and for the subject', async () => {
    const { id } = await passedSession();
    const { text } = await call('GET', at(id, 'evidence'), { token: admin });
    expect(JSON.parse(text)).toMatchObject({ kind: 'sms-code', input: { link_session_id: id } });
    expect(JSON.parse(text).input.salt).toMatch(/^[\w+/]{22}==$/);
    const low = await call('GET', at(id, 'evidence'), { token: own.member.session_token });
    expect([low.status, low.body['code']]).toEqual([403, 'role_required']);
    for (const token of [foreign.api_key, foreign.admin.session_token, own.subject.session_token]) {
      expect((await call('GET', at(id, 'evidence'), { token })).status).toBe(404);
    }
    expect((await call('GET', at(id, 'evidence'))).status).toBe(401);
    const unknown = await call('GET', at(`tc_${'0'.repeat(26)}`, 'evidence'), { token: admin });
    expect(unknown.status).toBe(404);
  });
});

describe('trust-checks.revoke', () => {
  it('revokes a passed outcome once and emits one event', async () => {
    const session = await passedSession();
    const revoked = await call('POST', at(session.id, 'revoke'), { token: admin });
    expect([revoked.status, revoked.body['outcome_validity']]).toEqual([200, 'revoked']);
    expect(revoked.body['status']).toBe('passed');
    await call('POST', at(session.id, 'revoke'), { token: admin });
    const { body } = await call('GET', `${at(session.id, 'events')}?limit=500`, { token: admin });
    const types = (body['items'] as { type: string }[]).map(({ type }) => type);
    expect(types.filter((type) => type === 'trust_check.revoked')).toHaveLength(1);
  });

  it('returns 409 for a check that has not passed', async () => {
    const session = await collecting(await newLink());
    const early = await call('POST', at(session.id, 'revoke'), { token: admin });
    expect([early.status, early.body['code']]).toEqual([409, 'invalid_state']);
  });
});

describe('trust-checks.redact', () => {
  it('removes personal data and keeps the affidavit', async () => {
    const { id } = await threeProofs();
    await issued(id);
    const redacted = await call('POST', at(id, 'redact'), { token: admin });
    expect([redacted.status, redacted.body['redaction_status']]).toEqual([200, 'redacted']);
    expect(redacted.body['claims']).toEqual({});
    expect((await call('POST', at(id, 'redact'), { token: admin })).status).toBe(200);
    const gone = await call('GET', at(id, 'evidence'), { token: admin });
    expect([gone.status, gone.body['code']]).toEqual([410, 'gone']);
    const path = `/v2/affidavits/${own.app_id}/${id}/download`;
    const download = await call('GET', path, { token: admin });
    expect(download.status).toBe(302);
    expect((await fetch(download.headers.get('location') ?? '')).status).toBe(200);
    const db = openTestDb(databaseUrl);
    const left = await db.query(
      `SELECT (SELECT count(*)::int FROM evidence WHERE link_session_id = $1 AND removed_at IS NULL)
            + (SELECT count(*)::int FROM proof_submissions WHERE link_session_id = $1
                 AND (input_sealed IS NOT NULL OR evidence_sealed IS NOT NULL))
            + (SELECT count(*)::int FROM phone_codes WHERE link_session_id = $1)
            + (SELECT count(*)::int FROM trust_checks WHERE link_session_id = $1
                 AND (claims_sealed IS NOT NULL OR begun_from IS NOT NULL)) AS count`,
      [id],
    );
    await db.end();
    expect(left.rows).toEqual([{ count: 0 }]);
  });

  it('returns 409 until the check has ended', async () => {
    const session = await collecting(await newLink());
    const early = await call('POST', at(session.id, 'redact'), { token: admin });
    expect([early.status, early.body['code']]).toEqual([409, 'invalid_state']);
  });
});

describe.each(['revoke', 'redact'])('trust-checks.%s', (verb) => {
  it('is allowed only for admins of the account', async () => {
    const session = await passedSession();
    await withAffidavit(session);
    const low = await call('POST', at(session.id, verb), { token: own.member.session_token });
    expect([low.status, low.body['code']]).toEqual([403, 'role_required']);
    expect((await call('POST', at(session.id, verb), { token: foreign.api_key })).status).toBe(404);
    expect((await call('POST', at(session.id, verb), { token: session.token })).status).toBe(401);
    expect((await call('POST', at(session.id, verb))).status).toBe(401);
  });
});
