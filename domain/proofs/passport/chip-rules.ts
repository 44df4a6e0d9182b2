import type { Hash } from '../../pki/x509/algorithms.ts';
import type { RuleAnswer } from '../verdict.ts';
import { verifyActiveAuth } from './chip/active-auth.ts';
import { isAnsweredBy } from './chip/chip-auth.ts';
import { chipAuthenticationOf } from './chip/security-infos.ts';
import { activeAuthHashOf, activeAuthKeyOf } from './data/lds.ts';
import { isListed } from './data/sod.ts';
import type { Findings } from './findings.ts';

/**
 * ICAO 9303-11, Active Authentication: the chip has the private key to EF.DG15, which EF.SOD lists,
 * and signed our challenge with it. A copy of its files cannot do that.
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
 * ICAO 9303-11 §6.2, Chip Authentication: the chip has the private key to EF.DG14, which EF.SOD
 * lists, and answered with keys agreed with our ephemeral key. A copy of its files cannot do that.
 * It is a key agreement: the holder of the ephemeral key can forge the answers too. So they prove
 * something only if that key stayed secret until they arrived.
 */
export function checkChipAuth(findings: Findings): RuleAnswer {
  const { chipAuth, dataGroups } = findings.input;
  if (!chipAuth) {
    return findings.policy.require?.includes('chip')
      ? { fault: 'chip_auth_missing' }
      : { skipped: 'not provable by files' };
  }
  findings.chipAuth = 'failed';
  const { DG1: dg1, DG14: dg14 } = dataGroups;
  if (!dg1 || !dg14)
    return { fault: 'chip_auth_unsupported', detail: `no ${dg14 ? 'DG1' : 'DG14'}` };
  if (!authentic(findings, 14)) {
    return { fault: 'chip_auth_invalid', detail: 'DG14 is not the one in SOD' };
  }
  const chip = chipAuthenticationOf(dg14);
  if (!chip) return { fault: 'chip_auth_unsupported', detail: 'no known key in DG14' };
  const { privateKey, responses } = chipAuth;
  if (!isAnsweredBy(chip, privateKey, responses, dg1)) return { fault: 'chip_auth_invalid' };
  findings.chipAuth = 'ok';
  return { ok: true, detail: chip.cipher };
}

function authentic({ sod, input }: Findings, group: number): boolean {
  const file = input.dataGroups[`DG${group}`];
  return sod !== null && file !== undefined && isListed(sod, group, file);
}

function namedHash(findings: Findings): Hash | null {
  const dg14 = findings.input.dataGroups['DG14'];
  return dg14 && authentic(findings, 14) ? activeAuthHashOf(dg14) : null;
}
