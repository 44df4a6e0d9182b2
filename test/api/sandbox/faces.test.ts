import { beforeAll, expect, test } from 'vitest';
import type { SandboxSubject } from '../../../domain/names.ts';
import { framesOf, upload } from '../../support/checks/frames.ts';
import { call, collecting, type Session } from '../../support/http/client.ts';
import { newTrialAccount } from '../../support/people/accounts.ts';
import { outcome } from '../../support/people/sms.ts';

type Account = Awaited<ReturnType<typeof newTrialAccount>>;
interface Proof {
  readonly type: string;
  readonly status: string;
}
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

/** Returns the state of the face in each event from consent to the decision. */
async function statesIn({ id }: Session): Promise<unknown[]> {
  const path = `/v2/trust-checks/${id}/events?limit=100`;
  const { body } = await call('GET', path, { token: account.test_key });
  const items = body['items'] as { type: string; data: { object: { proofs?: Proof[] } } }[];
  const told = items.map(({ type, data }) => [
    type,
    data.object.proofs?.find((proof) => proof.type === 'biometric')?.status,
  ]);
  const begun = told.findIndex(([type]) => type === 'trust_check.consented');
  return told.slice(begun).filter(([type]) => !type?.startsWith('affidavit'));
}

test('a preset face requires a portrait first, and can be a mismatch', async () => {
  const ended = (['pass', 'face_mismatch'] as const).map(async (subject) => {
    const session = await collectingAs(subject);
    const shown = { challenge_id: `ch_${'0'.repeat(26)}`, frames: await framesOf(session) };
    const early = await session.step('proofs/biometric', shown);
    expect(outcome(early)).toEqual([409, 'invalid_state']);
    await readChip(session);
    await session.lead('proofs/biometric', shown);
    const { body } = await session.get();
    return { ...body, states: await statesIn(session) };
  });
  expect(await Promise.all(ended)).toMatchObject([
    {
      status: 'passed',
      reason_code: null,
      // States of the face in each event: `ready` tells when it can be submitted.
      states: [
        ['trust_check.consented', 'waiting_for_prerequisite'],
        ['proof.updated', 'waiting_for_prerequisite'],
        ['proof.updated', 'ready'],
        ['proof.updated', 'passed'],
        ['trust_check.processing', 'passed'],
        ['trust_check.passed', 'passed'],
      ],
    },
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
