import { readFileSync } from 'node:fs';
import type { HeldTrust, PassportTrust } from '../../../activities/proofs/passport/held-trust.ts';
import { linkedStore } from '../../../domain/proofs/passport/signer/links.ts';
import {
  createCscaStore,
  parseMasterList,
  type CscaStore,
} from '../../../domain/proofs/passport/signer/master-list.ts';
import {
  verifyEmrtd,
  type EmrtdInput,
  type EmrtdPolicy,
} from '../../../domain/proofs/passport/verify-emrtd.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import { integer, sequence, setOf } from '../../../simulator/der.ts';
import { signContent } from '../../../simulator/passport/cms.ts';
import {
  mintPassport,
  signActiveAuth,
  type PassportRequest,
} from '../../../simulator/passport/passport.ts';
import { createDevCsca, issueSigner, type DevCsca } from '../../../simulator/roots/passport.ts';

const vectors = new URL('../../vectors/', import.meta.url);

export const vector = (name: string): Buffer => readFileSync(new URL(name, vectors));
export const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

/** The day the vectors were gathered; every real signer certificate among them is valid then. */
export const at = new Date('2026-11-21T00:00:00Z');
export const nonce = Buffer.from('0102030405060708', 'hex');

/** The holder of ICAO's own specimen (9303-4, Appendix A). */
export const holder = {
  surname: 'Eriksson',
  givenNames: 'Anna Maria',
  dateOfBirth: '1974-08-12',
  sex: 'F',
  nationality: 'UTO',
} as const;

export const csca = createDevCsca(at);

export const masterList = vector('nfc-masterlist-DE-2026-05-28.ml');
export const masterListRoot = vector('nfc-csca-DE-root.cer');
let germanStore: CscaStore | null = null;
/** The German master list, loaded once for all files of one run. */
export const germanList = (): CscaStore =>
  (germanStore ??= parseMasterList(masterList, masterListRoot));

export interface Minted {
  readonly policy: EmrtdPolicy;
  readonly input: EmrtdInput;
}

/** A synthetic passport with the chip's answer to `nonce`, and a policy that trusts its State. */
export function mint(
  changes: Partial<PassportRequest> = {},
  issuer: DevCsca = changes.csca ?? csca,
): Minted & { passport: ReturnType<typeof mintPassport> } {
  const passport = mintPassport({
    csca: issuer,
    now: at,
    holder,
    documentNumber: 'L898902C3',
    expiresOn: '2032-04-15',
    ...changes,
  });
  const { sod, dataGroups, chipPrivateKey } = passport;
  const signature = chipPrivateKey && signActiveAuth(chipPrivateKey, nonce);
  return {
    passport,
    policy: { csca: [issuer.certificate] },
    input: { sod, dataGroups, ...(signature ? { activeAuth: { nonce, signature } } : {}) },
  };
}

/** The outcome in one line: `passed`, or the reason and the first check that failed. */
export function outcome({ verdict, reason_code, checks }: Verdict): string {
  const failed = checks.find(({ result }) => result === 'failed');
  return verdict === 'passed' ? 'passed' : `${reason_code} at ${failed?.name ?? 'none'}`;
}

export const results = ({ checks }: Verdict): Record<string, string> =>
  Object.fromEntries(checks.map(({ name, result }) => [name, result]));

export const judged = ({ policy, input }: Minted, when = at): string =>
  outcome(verifyEmrtd(policy, input, when));

/** The bytes with one bit turned over. */
export function flipped(original: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(original);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

/** The input with one more file, or another in its place. */
export const withGroup = (input: EmrtdInput, name: string, file: Uint8Array): EmrtdInput => ({
  ...input,
  dataGroups: { ...input.dataGroups, [name]: file },
});

/** What passports are held against, as it is and stays. */
export function heldTrust(trust: Partial<PassportTrust>): HeldTrust {
  const none = createCscaStore([]);
  const published = trust.published ?? none;
  const held = { linked: linkedStore(published, []), development: none, ...trust, published };
  return { current: async () => held, renew: async () => undefined };
}

/** A signed master list of Utopia (ICAO 9303-12, CSCA master list). */
export function mintMasterList(
  root: DevCsca,
  certificates: readonly Uint8Array[],
  signedAt: Date,
): Buffer {
  const signer = issueSigner(root, at, undefined, '2.23.136.1.1.3');
  const content = sequence(integer(0), setOf(...certificates));
  return signContent({ contentType: '2.23.136.1.1.2', content, issuer: root, signer, signedAt });
}
