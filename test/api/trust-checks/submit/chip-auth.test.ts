import { describe, expect, it } from 'vitest';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { verifyEvidence } from '../../../../domain/judging/verifiers.ts';
import {
  answersOf,
  insertChip,
  type Chip,
  type ChipChallenge,
} from '../../../../simulator/passport/chip.ts';
import {
  devTrust,
  enrolledPhone,
  pairedSession,
  signedCall,
} from '../../../support/checks/phone.ts';
import { call, newLink, type Answer, type Session } from '../../../support/http/client.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();

/** Returns a phone with a chip, the files of which are uploaded. */
async function atChip(fail?: 'nfc_clone') {
  const device = await enrolledPhone();
  const link = await newLink({ required_proofs: ['nfc_passport'], max_attempts: 6 });
  const session = await pairedSession(device, link);
  const chip = insertChip(await devTrust(), new Date(), fail);
  const upload = uploadTo(session);
  const ids: Record<string, string> = {};
  for (const [name, file] of Object.entries(chip.dataGroups)) ids[name] = await upload(name, file);
  const files = { sod: await upload('SOD', chip.sod), data_groups: ids };
  const submit = (body: object): Promise<Answer> =>
    signedCall(device, 'POST', `/v2/trust-checks/${session.id}/proofs/nfc_passport`, {
      token: session.token,
      body: { ...files, ...body },
    });
  const ask = (dg14 = ids['DG14']): Promise<Answer> =>
    session.step('challenges', { proof: 'nfc_passport', dg14 });
  return { session, chip, files, upload, submit, ask, dg14: ids['DG14'] };
}

const uploadTo = (session: Session) => async (name: string, bytes: Uint8Array) => {
  const { body } = await call('PUT', `/v2/trust-checks/${session.id}/evidence/${name}`, {
    token: session.token,
    raw: bytes,
    headers: { 'content-type': 'application/octet-stream' },
  });
  return String(body['evidence_id']);
};

/** Returns the chip's answers by chip authentication alone. */
async function agreed(
  { chip, upload }: { chip: Chip; upload: ReturnType<typeof uploadTo> },
  given: Answer,
) {
  const { chip_auth } = await answersOf(chip, given.body as unknown as ChipChallenge, upload);
  if (!chip_auth) throw new Error('the chip was not asked');
  return chip_auth;
}

describe('proofs.challenge with a DG14', () => {
  it('returns chip commands, the same for a repeated request', async () => {
    const { session, ask, upload, dg14 } = await atChip();
    const given = await ask();
    expect(given.status).toBe(201);
    expect(given.body['chip_auth']).toEqual({
      agreement: [expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/)],
      reading: [expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/)],
    });
    const other = await ask();
    expect(other.body['chip_auth']).not.toEqual(given.body['chip_auth']);
    const without = await session.step('challenges', { proof: 'nfc_passport' });
    expect([without.status, without.body['chip_auth']]).toEqual([201, null]);
    const odd = await ask(await upload('odd', Buffer.from('no DG14')));
    expect([odd.status, odd.body['chip_auth']]).toEqual([201, null]);
    const repeat = () =>
      call('POST', `/v2/trust-checks/${session.id}/challenges`, {
        token: session.token,
        headers: { 'idempotency-key': `chip-${session.id}` },
        body: { proof: 'nfc_passport', dg14 },
      });
    const [first, again] = [await repeat(), await repeat()];
    expect(first.body['chip_auth']).not.toBeNull();
    expect(again.body).toEqual(first.body);
  });

  it('returns commands twenty times; challenges without commands remain available', async () => {
    const { session, ask } = await atChip();
    for (let drawn = 0; drawn < 20; drawn += 1) expect((await ask()).status).toBe(201);
    const over = await ask();
    expect([over.status, over.body['code']]).toEqual([409, 'attempts_exhausted']);
    expect((await session.step('challenges', { proof: 'nfc_passport' })).status).toBe(201);
  });

  it('returns 422 for a file of another session and for one that is too large', async () => {
    const { ask, upload } = await atChip();
    const elsewhere = await atChip();
    const foreign = await elsewhere.upload('DG14', Buffer.from('theirs'));
    const large = await upload('large', Buffer.alloc(64 * 1024 + 1));
    for (const id of [foreign, large, `ev_${'0'.repeat(26)}`]) {
      const refused = await ask(id);
      expect([refused.status, refused.text]).toEqual([
        422,
        expect.stringContaining('evidence_unknown'),
      ]);
    }
    expect((await ask('DG14')).status).toBe(422);
  });
});

describe('a passport read with chip authentication', () => {
  it('passes without active authentication and is verified again from its evidence', async () => {
    const phone = await atChip();
    const chip_auth = await agreed(phone, await phone.ask());
    const passed = await phone.submit({ chip_auth });
    expect(passed.body).toMatchObject({ status: 'passed', provider: 'nfc' });
    const path = `/v2/trust-checks/${phone.session.id}/evidence`;
    const { text } = await call('GET', path, { token: own.api_key });
    const line = text.split('\n').find((each) => each.includes('"kind":"emrtd"')) ?? '';
    const again = verifyEvidence(readEvidenceFile(Buffer.from(line)));
    expect(again).toMatchObject({
      verdict: 'passed',
      facts: { levels: { passive: 'ok', active: 'absent', chip: 'ok' }, clonable: false },
    });
    expect(JSON.parse(line)).toMatchObject({ policy: { require: ['chip'] } });
  });

  it('fails if the chip is a clone, which agrees on other keys', async () => {
    const phone = await atChip('nfc_clone');
    const chip_auth = await agreed(phone, await phone.ask());
    const judged = await phone.submit({ chip_auth });
    expect(judged.body).toMatchObject({ status: 'failed', reason_code: 'chip_auth_invalid' });
  });

  it('is refused if the master-secret version of its challenge was compromised', async () => {
    const phone = await atChip();
    const drawn = await phone.ask();
    const chip_auth = await agreed(phone, drawn);
    const db = openTestDb(databaseUrl);
    await db.query('UPDATE proof_challenges SET secret_version = 0 WHERE challenge_id = $1', [
      drawn.body['challenge_id'],
    ]);
    await db.end();
    const refused = await phone.submit({ chip_auth });
    expect(refused.body['reason_code']).toBe('challenge_unknown');
    // The phone requests another challenge and reads the chip again to answer it.
    const next = await phone.ask();
    expect([next.status, next.body['chip_auth']]).toEqual([201, expect.any(Object)]);
  });

  it('is accepted once, before the expiry, for the challenge it names', async () => {
    const phone = await atChip();
    const reason = async (body: object) => (await phone.submit(body)).body['reason_code'];
    const first = await phone.ask();
    const chip_auth = await agreed(phone, first);
    const other = await phone.ask();
    const signature = await phone.upload('AA', Buffer.from('any'));
    const active_auth = { challenge_id: other.body['challenge_id'], signature };
    expect(await reason({ chip_auth, active_auth })).toBe('challenge_unknown');
    expect(await reason({})).toBe('aa_missing');
    const late = await phone.ask();
    const db = openTestDb(databaseUrl);
    const past = "expires_at = now() - interval '1 second'";
    const named = [late.body['challenge_id']];
    await db.query(`UPDATE proof_challenges SET ${past} WHERE challenge_id = $1`, named);
    await db.end();
    expect(await reason({ chip_auth: { ...chip_auth, challenge_id: named[0] } })).toBe(
      'challenge_unknown',
    );
    const { DG14: _, ...data_groups } = phone.files.data_groups;
    const third = await agreed(phone, await phone.ask());
    expect(await reason({ data_groups, chip_auth: third })).toBe('chip_auth_unsupported');
    // A malformed answer spends the challenge, so it cannot be used again.
    const spent = { ...chip_auth, responses: chip_auth.responses.slice(0, 1) };
    expect(await reason({ chip_auth: spent })).toBe('malformed');
    expect(await reason({ chip_auth })).toBe('challenge_unknown');
  });

  it('returns 422 for responses that were not uploaded or are too many', async () => {
    const phone = await atChip();
    const challenge_id = (await phone.ask()).body['challenge_id'];
    const unknown = await phone.submit({
      chip_auth: { challenge_id, responses: [`ev_${'0'.repeat(26)}`] },
    });
    expect([unknown.status, unknown.text]).toEqual([
      422,
      expect.stringContaining('evidence_unknown'),
    ]);
    const id = await phone.upload('one', Buffer.from('one'));
    for (const responses of [[], [id, id, id], id]) {
      expect((await phone.submit({ chip_auth: { challenge_id, responses } })).status).toBe(422);
    }
    expect((await phone.submit({ chip_auth: { responses: [id] } })).status).toBe(422);
  });
});
