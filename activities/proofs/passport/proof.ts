import { z } from 'zod';
import { takeProofChallenge, type ProofChallengeRow } from '../../../db/queries/evidence.ts';
import { judgeEvidence } from '../../../domain/judging/judge.ts';
import { MalformedDer } from '../../../domain/pki/read-der.ts';
import type { LegacyPolicy } from '../../../domain/pki/x509/algorithms.ts';
import {
  ephemeralKeyOf,
  responsesMax,
  type ChipChallenge,
} from '../../../domain/proofs/passport/chip/chip-auth.ts';
import {
  chipAuthenticationOf,
  type ChipAuthentication,
} from '../../../domain/proofs/passport/chip/security-infos.ts';
import { claimsOf } from '../../../domain/proofs/passport/claims.ts';
import { portraitOf } from '../../../domain/proofs/passport/data/portrait.ts';
import { readSod } from '../../../domain/proofs/passport/data/sod.ts';
import type { CountryCertificate } from '../../../domain/proofs/passport/signer/certificate.ts';
import type { CscaStore } from '../../../domain/proofs/passport/signer/master-list.ts';
import type { ProofReason } from '../../../domain/proofs/reasons.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import type { MasterSecrets } from '../../keys/directory/master-secrets.ts';
import type { PreparedProofJudge, ProofContext, ProofJudge, ProofResult } from '../judge.ts';
import type { CountryCrls } from './country-crls.ts';
import type { PassportTrustCache } from './passport-trust-cache.ts';

const provider = 'nfc';
const activeAuthGroup = 15;
const securityGroup = 14;

export interface PassportProofDeps {
  readonly trust: PassportTrustCache;
  /** Null when no CRLs are configured. Revocation is then reported as skipped. */
  readonly crls: CountryCrls | null;
  /** Whether a passport needs a current CRL of its issuer to be decided. */
  readonly isCrlRequired: boolean;
  readonly legacyAlgorithms: LegacyPolicy;
  /** Secrets from which our keys for chip authentication are derived. */
  readonly keys: Pick<MasterSecrets, 'secretOf'>;
}

const submissionSchema = z.object({
  sod: z.string(),
  data_groups: z.record(z.string().regex(/^DG([1-9]|1[0-6])$/), z.string()),
  active_auth: z.object({ challenge_id: z.string().optional(), signature: z.string() }).optional(),
  chip_auth: z
    .object({ challenge_id: z.string(), responses: z.array(z.string()).max(responsesMax) })
    .optional(),
});
type PassportSubmission = z.output<typeof submissionSchema>;

/** Faults of reading a chip, which another reading can fix. Other faults are the document's own. */
const readAgain: ReadonlySet<ProofReason | null> = new Set([
  'malformed',
  'dg1_missing',
  'aa_missing',
  'aa_unsupported',
  'chip_auth_missing',
  'chip_auth_unsupported',
]);

/**
 * Judges a passport read by NFC, on the evidence file that an auditor judges again: the uploads,
 * the State's certificates and CRLs, and the challenge that the chip answered. A chip with a key
 * must answer, or a copy of its files would pass: by active authentication where EF.SOD lists DG15,
 * else by chip authentication where DG14, which must be uploaded, has a key for it. Certificates
 * and CRLs come over the network, and therefore before the transaction.
 */
export function createPassportJudge(deps: PassportProofDeps): PreparedProofJudge {
  return {
    async prepare({ session, input: given, files: uploaded }) {
      const input = submissionSchema.safeParse(given);
      if (!input.success) return decided('malformed');
      const files = filesOf(uploaded, input.data);
      if (!files) return decided('evidence_missing');
      const asksForFace = session.proofs.some(({ type }) => type === 'biometric');
      if (asksForFace && !portraitOf(files.dataGroups['DG2'])) return decided('portrait_missing');
      const policy = policyOf(deps, files, await anchorsOf(deps, files.sod));
      return {
        async judge(context) {
          const taken = await challengeOf(deps, context, input.data);
          if (taken === undefined) return rejected('challenge_unknown');
          const answers = answersOf(deps, files, taken);
          const file = evidenceFileOf(policy, context.now, files, answers);
          return resultOf(file, judgeEvidence(file), files.dataGroups);
        },
      };
    },
  };
}

const decided = (reason: ProofReason): ProofJudge => ({ judge: async () => rejected(reason) });

interface ChipFiles {
  readonly sod: Uint8Array;
  readonly dataGroups: Readonly<Record<string, Uint8Array>>;
  readonly signature: Uint8Array | null;
  readonly responses: readonly Uint8Array[] | null;
}

function filesOf(files: ProofContext['files'], input: PassportSubmission): ChipFiles | null {
  const sod = files.get(input.sod);
  const groups = Object.entries(input.data_groups).map(([name, id]) => [name, files.get(id)]);
  const signature = input.active_auth ? files.get(input.active_auth.signature) : null;
  const named = input.chip_auth?.responses ?? [];
  const found = named.map((id) => files.get(id)).filter((file) => file !== undefined);
  if (!sod || signature === undefined || groups.some(([, file]) => !file)) return null;
  if (found.length < named.length) return null;
  const responses = input.chip_auth ? found : null;
  return { sod, dataGroups: Object.fromEntries(groups), signature, responses };
}

/**
 * Takes the challenge that was answered, by one method or by both. Returns null when none was
 * answered. Returns undefined when no such challenge exists, or when its chip key was derived from
 * a stolen secret.
 */
async function challengeOf(
  { keys }: PassportProofDeps,
  { tx, session, now }: ProofContext,
  { active_auth: active, chip_auth: chip }: PassportSubmission,
): Promise<ProofChallengeRow | null | undefined> {
  if (!active && !chip) return null;
  const named = active?.challenge_id;
  if (chip && named !== undefined && named !== chip.challenge_id) return undefined;
  const taken = await takeProofChallenge(tx, {
    sessionId: session.link_session_id,
    proof: 'nfc_passport',
    challengeId: chip?.challenge_id ?? named ?? null,
    now,
  });
  if (!taken || (chip && !keys.secretOf('chip-auth', taken.secret_version))) return undefined;
  return taken;
}

/** Returns the chip's answers with their challenges, in the form of the evidence file. */
function answersOf(
  { keys }: PassportProofDeps,
  { dataGroups, signature, responses }: ChipFiles,
  taken: ProofChallengeRow | null,
) {
  const challenge = taken && {
    linkSessionId: taken.link_session_id,
    challengeId: taken.challenge_id,
  };
  const secret = taken && keys.secretOf('chip-auth', taken.secret_version);
  const key = challenge && responses && secret && keyFor(secret, challenge, dataGroups['DG14']);
  return {
    ...(taken && signature
      ? { active_auth: { nonce: base64(taken.challenge), signature: base64(signature) } }
      : {}),
    ...(key && responses
      ? { chip_auth: { private_key: base64(key), responses: responses.map(base64) } }
      : {}),
  };
}

/** Returns an empty key where DG14 has no chip authentication. The rules then report it. */
function keyFor(
  secret: Uint8Array,
  challenge: ChipChallenge,
  dg14: Uint8Array | undefined,
): Uint8Array {
  const chip = dg14 && chipOf(dg14);
  return chip ? ephemeralKeyOf(secret, challenge, dg14, chip) : new Uint8Array();
}

/** Returns how a chip authenticates itself; null where DG14 does not say or cannot be read. */
function chipOf(dg14: Uint8Array): ChipAuthentication | null {
  try {
    return chipAuthenticationOf(dg14);
  } catch (error) {
    if (error instanceof MalformedDer) return null;
    throw error;
  }
}

/** Returns the policy of the evidence file. */
function policyOf(
  { isCrlRequired, legacyAlgorithms }: PassportProofDeps,
  files: ChipFiles,
  { csca, links, development, crl, listed }: Anchors,
) {
  return {
    csca: csca.map(base64),
    ...(links.length > 0 ? { csca_links: links.map(base64) } : {}),
    ...(development.length > 0 ? { csca_development: development.map(base64) } : {}),
    ...(crl.length > 0 ? { crl: crl.map(base64) } : {}),
    require: [...answersDue(files, listed), ...(isCrlRequired ? ['crl'] : [])],
    legacy_algorithms: legacyAlgorithms,
  };
}

/**
 * Returns the answers that the chip must give. A clone has the files, but omits what it cannot
 * answer.
 */
function answersDue(
  { dataGroups: { DG14: dg14 }, responses }: ChipFiles,
  listed: ReadonlySet<number>,
): ('active' | 'chip')[] {
  if (listed.has(activeAuthGroup)) return [responses ? 'chip' : 'active'];
  if (!listed.has(securityGroup)) return [];
  return !dg14 || chipOf(dg14) ? ['chip'] : [];
}

function evidenceFileOf(
  policy: ReturnType<typeof policyOf>,
  now: Date,
  { sod, dataGroups }: ChipFiles,
  answers: ReturnType<typeof answersOf>,
) {
  const groups = Object.entries(dataGroups).map(([name, file]) => [name, base64(file)]);
  return {
    format: 'trustcheck-evidence/1',
    kind: 'emrtd',
    at: now.toISOString(),
    policy,
    input: {
      sod: base64(sod),
      data_groups: Object.fromEntries(groups),
      ...answers,
    },
  };
}

interface Anchors {
  readonly csca: readonly Uint8Array[];
  readonly links: readonly Uint8Array[];
  readonly development: readonly Uint8Array[];
  readonly crl: readonly Uint8Array[];
  /** The data groups that EF.SOD lists. */
  readonly listed: ReadonlySet<number>;
}

/**
 * Selects the possible issuers of this document's signer, the CRLs that may list the signer or
 * these issuers, and the possible signers of those CRLs. The file stays small, and gives the same
 * verdict as the whole store. A certificate that link certificates introduced comes with that
 * chain, and with the signer of its first link.
 */
async function anchorsOf({ trust, crls }: PassportProofDeps, bytes: Uint8Array): Promise<Anchors> {
  const sod = readHostileSod(bytes);
  const listed = sod?.listed ?? new Set();
  if (!sod?.signer) return { csca: [], links: [], development: [], crl: [], listed };
  const { published, linked, development } = await trust.current();
  const above = linked.issuersOf(sod.signer).flatMap((each) => linked.pathOf(each));
  const listsFor = async (one: CountryCertificate) => (await crls?.listsFor(one)) ?? [];
  const found = await Promise.all([sod.signer, ...above].map(listsFor));
  const lists = [...new Set(found.flat())];
  const issued = [sod.signer, ...lists];
  const of = ({ issuersOf }: CscaStore): readonly CountryCertificate[] => [
    ...new Set(issued.flatMap((each) => issuersOf(each))),
  ];
  const paths = of(linked).map((each) => linked.pathOf(each));
  const csca = [...of(published), ...paths.flatMap((path) => path.slice(-1))];
  return {
    csca: dersOf(csca),
    links: dersOf(paths.flatMap((path) => path.slice(0, -1))),
    development: dersOf(of(development)),
    crl: lists.map(({ der }) => der),
    listed,
  };
}

const dersOf = (certificates: readonly CountryCertificate[]): Uint8Array[] => [
  ...new Map(certificates.map(({ der }) => [base64(der), der])).values(),
];

/** Returns null for unreadable bytes: the rules give hostile bytes their verdict. */
function readHostileSod(
  bytes: Uint8Array,
): { signer: CountryCertificate | null; listed: ReadonlySet<number> } | null {
  try {
    const { signer, hashes } = readSod(bytes);
    return { signer, listed: new Set(hashes.keys()) };
  } catch {
    return null;
  }
}

function resultOf(
  file: Readonly<Record<string, unknown>>,
  verdict: Verdict,
  dataGroups: ChipFiles['dataGroups'],
): ProofResult {
  const common = { reason_code: verdict.reason_code, provider, verdict, evidenceFiles: [file] };
  if (verdict.verdict === 'failed') {
    return { ...common, outcome: 'rejected', retryable: readAgain.has(verdict.reason_code) };
  }
  const outcome = verdict.verdict === 'passed' ? 'passed' : 'unsure';
  return { ...common, outcome, retryable: false, claims: claimsOf(verdict, dataGroups) };
}

function rejected(reason_code: ProofReason): ProofResult {
  return { outcome: 'rejected', reason_code, retryable: true, provider };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
