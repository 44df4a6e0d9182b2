import { beforeAll, expect, test } from 'vitest';
import type { SandboxSubject } from '../../../db/names.ts';
import { newTrialAccount } from '../../accounts.ts';
import { call, collecting, type Session } from '../../client.ts';
import { framesOf, upload } from '../../frames.ts';
import { outcome } from '../../sms.ts';

type Account = Awaited<ReturnType<typeof newTrialAccount>>;
const required_proofs = ['nfc_passport', 'biometric'];

let account: Account;
beforeAll(async () => {
  account = await newTrialAccount(`faces-${process.pid}`);
});

async function collectingAs(sandbox_subject: SandboxSubject): Promise<Session> {
  const body = { required_proofs, policy: { min_level: 'high' } };
  const made = await call('PUT', `/v2/link/${account.app_id}`, { token: account.test_key, body });
  return collecting(String(made.body['link_uuid']), 'web', undefined, { sandbox_subject });
}

const readChip = async (session: Session) => {
  const sod = await upload(session, 'sod', 'anything');
  return session.lead('proofs/nfc_passport', { sod, data_groups: { DG1: sod } });
};

test('a face is shown once there is a portrait, and may be that of another', async () => {
  const ended = (['pass', 'face_mismatch'] as const).map(async (subject) => {
    const session = await collectingAs(subject);
    const shown = { challenge_id: `ch_${'0'.repeat(26)}`, frames: await framesOf(session) };
    const early = await session.step('proofs/biometric', shown);
    expect(outcome(early)).toEqual([409, 'invalid_state']);
    await readChip(session);
    await session.lead('proofs/biometric', shown);
    return (await session.get()).body;
  });
  expect(await Promise.all(ended)).toMatchObject([
    { status: 'passed', reason_code: null },
    {
      status: 'failed',
      reason_code: 'mismatch',
      proofs: [
        { type: 'biometric', status: 'failed', reason_code: 'face_mismatch', attempt: 1 },
        { type: 'nfc_passport', status: 'passed' },
      ],
    },
  ]);
});
