import { describe, expect, it } from 'vitest';
import { imageReaders } from '../../../../activities/proofs/image-readers.ts';
import { evidenceHashOf } from '../../../../domain/evidence/binding.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../../../domain/judging/verifiers.ts';
import type { DevicePlatform } from '../../../../domain/names.ts';
import { createDevice } from '../../../../simulator/device/device.ts';
import type { PhoneFailure } from '../../../../simulator/failures/failures.ts';
import { phoneCheck } from '../../../../simulator/session/check.ts';
import { devTrust } from '../../../support/checks/phone.ts';
import { call, newNumber } from '../../../support/http/client.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own } = ownPlatform();

async function runCheck(
  required_proofs: readonly string[],
  platform: DevicePlatform,
  fail?: PhoneFailure,
) {
  const link = await call('PUT', `/v2/link/${own.app_id}`, {
    token: own.api_key,
    body: { required_proofs, max_attempts: 1 },
  });
  const trust = await devTrust();
  const session = await phoneCheck({
    link: String(link.body['url']),
    number: newNumber(),
    trust,
    device: createDevice({ platform, trust, now: () => new Date() }),
    fail,
    say: () => undefined,
  });
  const id = session.link_session_id;
  return (await call('GET', `/v2/trust-checks/${id}`, { token: own.api_key })).body;
}

async function filesOf(id: unknown): Promise<string[]> {
  const path = `/v2/trust-checks/${String(id)}/evidence`;
  const { text } = await call('GET', path, { token: own.api_key });
  return text.split('\n').filter(Boolean);
}

describe('a face', () => {
  it('is compared with the chip portrait, raises the level, and is verified again', async () => {
    const checked = await runCheck(['device', 'biometric', 'nfc_passport'], 'ios');
    expect(checked).toMatchObject({
      status: 'passed',
      decision: { outcome: 'pass', level: 'high' },
      proofs: [
        { type: 'biometric', status: 'passed', reason_code: null, provider: 'frames' },
        { type: 'device', status: 'passed' },
        { type: 'nfc_passport', status: 'passed' },
      ],
    });
    const files = await filesOf(checked['link_session_id']);
    const chip = files.find((line) => line.includes('"kind":"emrtd"')) ?? '';
    const face = files.find((line) => line.includes('"kind":"face-match"')) ?? '';
    const again = await verifyAnyEvidence(readEvidenceFile(Buffer.from(face)), imageReaders);
    expect([again.verdict, again.reason_code]).toEqual(['passed', null]);
    const { input } = JSON.parse(face);
    expect(input.portrait_of).toBe(evidenceHashOf([JSON.parse(chip)]));
    expect([3, 4]).toContain(input.challenge.actions.length);
    expect(input.frames).toHaveLength(1 + 3 * input.challenge.actions.length);
  });

  it('of another person fails as a mismatch, not as a liveness fault', async () => {
    const checked = await runCheck(['document', 'biometric'], 'android', 'face');
    expect(checked).toMatchObject({
      status: 'failed',
      reason_code: 'mismatch',
      decision: { outcome: 'fail' },
      proofs: [
        { type: 'biometric', status: 'failed', reason_code: 'face_mismatch' },
        { type: 'document', status: 'passed' },
      ],
    });
  });
});
