import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  verifyEmrtd,
  type EmrtdInput,
} from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import { signActiveAuth } from '../../../../../simulator/passport/passport.ts';
import {
  at,
  judged,
  mint,
  nonce,
  outcome,
  withGroup,
} from '../../../../support/fixtures/passports/fixtures.ts';

describe('active authentication', () => {
  const { passport, policy, input } = mint();
  const judge = (activeAuth: EmrtdInput['activeAuth'], require: ('active' | 'chip')[] = []) =>
    verifyEmrtd({ ...policy, require }, { ...input, activeAuth }, at);
  const chip = passport.chipPrivateKey;

  it('fails for a clone, which has the files but not the key', () => {
    const key = mint().passport.chipPrivateKey;
    const signature = key ? signActiveAuth(key, nonce) : Buffer.alloc(0);
    const verdict = judge({ nonce, signature });
    expect(outcome(verdict)).toBe('aa_signature_invalid at active_auth');
    expect(verdict.facts['levels']).toEqual({ passive: 'ok', active: 'failed', chip: 'absent' });
  });

  it('fails for an answer to another challenge, and for a challenge that is too short', () => {
    const answer = (challenge: Buffer) => chip && signActiveAuth(chip, challenge);
    const signature = answer(Buffer.from('8877665544332211', 'hex')) ?? Buffer.alloc(0);
    expect(outcome(judge({ nonce, signature }))).toBe('aa_signature_invalid at active_auth');
    const short = Buffer.from('01');
    const verdict = judge({ nonce: short, signature: answer(short) ?? Buffer.alloc(0) });
    expect(outcome(verdict)).toBe('aa_signature_invalid at active_auth');
  });

  it('is required only by the policy', () => {
    const copied = mint({ chipKey: 'none' });
    expect(judged(copied)).toBe('passed');
    expect(verifyEmrtd(copied.policy, copied.input, at).facts['levels']).toEqual({
      passive: 'ok',
      active: 'absent',
      chip: 'absent',
    });
    expect(outcome(judge(undefined))).toBe('passed');
    expect(outcome(judge(undefined, ['active']))).toBe('aa_missing at active_auth');
    expect(outcome(judge(input.activeAuth, ['active']))).toBe('passed');
    expect(outcome(judge(input.activeAuth, ['chip']))).toBe('chip_auth_missing at chip_auth');
  });

  it('fails with a key that the State did not sign', () => {
    const other = mint();
    const dg15 = other.input.dataGroups['DG15'] ?? Buffer.alloc(0);
    const swapped = { ...withGroup(input, 'DG15', dg15), activeAuth: other.input.activeAuth };
    const verdict = verifyEmrtd(policy, swapped, at);
    expect(outcome(verdict)).toBe('dg_hash_mismatch at dg_hashes');
    expect(verdict.facts['levels']).toMatchObject({ active: 'failed' });
    const { DG15: _, ...dataGroups } = input.dataGroups;
    expect(outcome(verifyEmrtd(policy, { ...input, dataGroups }, at))).toBe(
      'aa_unsupported at active_auth',
    );
  });

  it('is unsupported for kinds of keys that chips do not have', () => {
    const ed25519 = Buffer.from(
      '302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      'hex',
    );
    expect(createPublicKey({ key: ed25519, format: 'der', type: 'spki' }).type).toBe('public');
    const strange = mint({
      chipKey: 'none',
      files: { DG15: Buffer.concat([Buffer.from([0x6f, ed25519.length]), ed25519]) },
    });
    const activeAuth = { nonce, signature: Buffer.alloc(64) };
    const verdict = verifyEmrtd(strange.policy, { ...strange.input, activeAuth }, at);
    expect(outcome(verdict)).toBe('aa_unsupported at active_auth');
  });
});
