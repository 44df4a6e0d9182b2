import type { RuleAnswer } from '../evidence/verdict.ts';
import { verifyActiveAuth } from './active-auth.ts';
import type { Hash } from './algorithms.ts';
import type { Findings } from './findings.ts';
import { activeAuthHashOf, activeAuthKeyOf } from './lds.ts';
import { isListed } from './sod.ts';

/**
 * ICAO 9303-11, Active Authentication: the chip holds the private key to EF.DG15, which EF.SOD
 * lists, and signed our challenge with it; a copy of its files cannot.
 */
export function checkActiveAuth(findings: Findings): RuleAnswer {
  const { activeAuth } = findings.input;
  if (!activeAuth) {
    return findings.policy.require?.includes('active')
      ? { fault: 'aa_missing' }
      : { skipped: 'not asked of the chip' };
  }
  findings.activeAuth = 'failed';
  const dg15 = findings.input.dataGroups['DG15'];
  if (!dg15) return { fault: 'aa_unsupported', detail: 'no DG15' };
  if (!authentic(findings, 15)) {
    return { fault: 'aa_signature_invalid', detail: 'DG15 is not the one in SOD' };
  }
  const key = activeAuthKeyOf(dg15);
  if (!key) return { fault: 'aa_unsupported', detail: 'unknown key' };
  const { nonce, signature } = activeAuth;
  const hash = key.asymmetricKeyType === 'ec' ? namedHash(findings) : null;
  switch (verifyActiveAuth(key, nonce, signature, hash)) {
    case 'unsupported':
      return { fault: 'aa_unsupported', detail: `${key.asymmetricKeyType ?? 'unknown'} key` };
    case 'invalid':
      return { fault: 'aa_signature_invalid' };
    case 'ok':
      findings.activeAuth = 'ok';
      return { ok: true };
  }
}

/**
 * ICAO 9303-11, Chip Authentication is a key agreement: whoever holds the terminal's key can make
 * up the whole exchange, so what an app uploads proves nothing and none is taken.
 */
export function checkChipAuth({ policy }: Findings): RuleAnswer {
  return policy.require?.includes('chip')
    ? { fault: 'chip_auth_missing' }
    : { skipped: 'not provable by files' };
}

function authentic({ sod, input }: Findings, group: number): boolean {
  const file = input.dataGroups[`DG${group}`];
  return sod !== null && file !== undefined && isListed(sod, group, file);
}

function namedHash(findings: Findings): Hash | null {
  const dg14 = findings.input.dataGroups['DG14'];
  return dg14 && authentic(findings, 14) ? activeAuthHashOf(dg14) : null;
}
