import { z } from 'zod';
import { takeProofChallenge } from '../../db/queries/evidence.ts';
import { judgeEvidence } from '../evidence/judge.ts';
import type { ProofReason } from '../evidence/reasons.ts';
import type { Verdict } from '../evidence/verdict.ts';
import type { Claims, ProofContext, ProofJudge, ProofResult } from '../trust-checks/proof.ts';
import { portraitOf } from '../face/portrait.ts';
import type { LegacyPolicy } from './algorithms.ts';
import type { Certificate } from './certificate.ts';
import type { CountryCrls } from './country-crls.ts';
import type { HeldTrust } from './held-trust.ts';
import type { CscaStore } from './master-list.ts';
import { readSod } from './sod.ts';

const provider = 'nfc';
const activeAuthGroup = 15;

export interface PassportProofDeps {
  readonly trust: HeldTrust;
  /** Null when nobody gives us CRLs: revocation is then skipped, and says so. */
  readonly crls: CountryCrls | null;
  /** Without a current CRL of its issuer no passport is decided. */
  readonly isCrlRequired: boolean;
  readonly legacyAlgorithms: LegacyPolicy;
}

const handedIn = z.object({
  sod: z.string(),
  data_groups: z.record(z.string().regex(/^DG([1-9]|1[0-6])$/), z.string()),
  active_auth: z.object({ challenge_id: z.string().optional(), signature: z.string() }).optional(),
});
type HandedIn = z.output<typeof handedIn>;

/** Faults of reading a chip, which reading it again can mend; the others are the document's own. */
const readAgain: ReadonlySet<ProofReason | null> = new Set([
  'malformed',
  'dg1_missing',
  'aa_missing',
  'aa_unsupported',
]);

/**
 * Judges a passport read by NFC, by the very file an auditor judges again: what was uploaded, the
 * country's certificates and revocation lists it can be held against, the challenge the chip
 * answered. A chip whose
 * EF.SOD lists an active authentication key has to answer, or a copy of its files would pass.
 */
export function createPassportJudge(deps: PassportProofDeps): ProofJudge {
  return {
    async judge(context) {
      const input = handedIn.safeParse(context.input);
      if (!input.success) return rejected('malformed');
      const files = filesOf(context, input.data);
      if (!files) return rejected('evidence_missing');
      const asksForFace = context.session.proofs.some(({ type }) => type === 'biometric');
      if (asksForFace && !portraitOf(files.dataGroups['DG2'])) return rejected('portrait_missing');
      const nonce = await nonceOf(context, input.data);
      if (nonce === undefined) return rejected('challenge_unknown');
      const file = await evidenceFileOf(deps, context.now, files, nonce);
      return resultOf(file, judgeEvidence(file));
    },
  };
}

interface ChipFiles {
  readonly sod: Uint8Array;
  readonly dataGroups: Readonly<Record<string, Uint8Array>>;
  readonly signature: Uint8Array | null;
}

function filesOf({ files }: ProofContext, input: HandedIn): ChipFiles | null {
  const sod = files.get(input.sod);
  const groups = Object.entries(input.data_groups).map(([name, id]) => [name, files.get(id)]);
  const signature = input.active_auth ? files.get(input.active_auth.signature) : null;
  if (!sod || signature === undefined || groups.some(([, file]) => !file)) return null;
  return { sod, dataGroups: Object.fromEntries(groups), signature };
}

/** The challenge that was answered: null when none was, undefined when there is none to answer. */
async function nonceOf(
  { tx, session, now }: ProofContext,
  input: HandedIn,
): Promise<Buffer | null | undefined> {
  if (!input.active_auth) return null;
  const taken = await takeProofChallenge(tx, {
    sessionId: session.link_session_id,
    proof: 'nfc_passport',
    challengeId: input.active_auth.challenge_id ?? null,
    now,
  });
  return taken?.challenge;
}

async function evidenceFileOf(
  deps: PassportProofDeps,
  now: Date,
  { sod, dataGroups, signature }: ChipFiles,
  nonce: Buffer | null,
) {
  const { csca, links, development, crl, mustAnswer } = await anchorsOf(deps, sod);
  const require = [...(mustAnswer ? ['active'] : []), ...(deps.isCrlRequired ? ['crl'] : [])];
  const groups = Object.entries(dataGroups).map(([name, file]) => [name, base64(file)]);
  return {
    format: 'trustcheck-evidence/1',
    kind: 'emrtd',
    at: now.toISOString(),
    policy: {
      csca: csca.map(base64),
      ...(links.length > 0 ? { csca_links: links.map(base64) } : {}),
      ...(development.length > 0 ? { csca_development: development.map(base64) } : {}),
      ...(crl.length > 0 ? { crl: crl.map(base64) } : {}),
      require,
      legacy_algorithms: deps.legacyAlgorithms,
    },
    input: {
      sod: base64(sod),
      data_groups: Object.fromEntries(groups),
      ...(nonce && signature
        ? { active_auth: { nonce: base64(nonce), signature: base64(signature) } }
        : {}),
    },
  };
}

interface Anchors {
  readonly csca: readonly Uint8Array[];
  readonly links: readonly Uint8Array[];
  readonly development: readonly Uint8Array[];
  readonly crl: readonly Uint8Array[];
  readonly mustAnswer: boolean;
}

/**
 * The few certificates that may have issued this document's signer, the lists that may name it, and
 * who may have signed those: the file stays small, and is judged as the whole store would be. One
 * that was introduced by link certificates comes with all of these, and with who signed the first.
 */
async function anchorsOf({ trust, crls }: PassportProofDeps, bytes: Uint8Array): Promise<Anchors> {
  const sod = readHostileSod(bytes);
  const mustAnswer = sod?.mustAnswer ?? false;
  if (!sod?.signer) return { csca: [], links: [], development: [], crl: [], mustAnswer };
  const lists = (await crls?.listsFor(sod.signer)) ?? [];
  const issued = [sod.signer, ...lists];
  const of = ({ issuersOf }: CscaStore): readonly Certificate[] => [
    ...new Set(issued.flatMap((each) => issuersOf(each))),
  ];
  const { published, linked, development } = await trust.current();
  const paths = of(linked).map((each) => linked.pathOf(each));
  const csca = [...of(published), ...paths.flatMap((path) => path.slice(-1))];
  return {
    csca: dersOf(csca),
    links: dersOf(paths.flatMap((path) => path.slice(0, -1))),
    development: dersOf(of(development)),
    crl: lists.map(({ der }) => der),
    mustAnswer,
  };
}

const dersOf = (certificates: readonly Certificate[]): Uint8Array[] => [
  ...new Map(certificates.map(({ der }) => [base64(der), der])).values(),
];

/** Null for what cannot be read: hostile bytes get their verdict from the rules, not from here. */
function readHostileSod(
  bytes: Uint8Array,
): { signer: Certificate | null; mustAnswer: boolean } | null {
  try {
    const { signer, hashes } = readSod(bytes);
    return { signer, mustAnswer: hashes.has(activeAuthGroup) };
  } catch {
    return null;
  }
}

function resultOf(file: Readonly<Record<string, unknown>>, verdict: Verdict): ProofResult {
  const common = { reason_code: verdict.reason_code, provider, verdict, evidenceFiles: [file] };
  const told = { ...common, retryable: false, claims: claimsOf(verdict.facts) };
  if (verdict.verdict === 'inconclusive') return { ...told, outcome: 'unsure' };
  if (verdict.verdict === 'passed') return { ...told, outcome: 'passed' };
  const retryable = readAgain.has(verdict.reason_code);
  return { ...common, outcome: 'rejected', retryable };
}

function claimsOf(facts: Readonly<Record<string, unknown>>): Claims {
  const person = facts['claims'];
  const named = typeof person === 'object' && person !== null ? { ...person } : {};
  const { issuing_country, document_type, expires_on } = facts;
  const claims = { ...named, issuing_country, document_type, document_expires_on: expires_on };
  return Object.fromEntries(
    Object.entries(claims).filter(([, value]) => typeof value === 'string' && value !== ''),
  );
}

function rejected(reason_code: ProofReason): ProofResult {
  return { outcome: 'rejected', reason_code, retryable: true, provider };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
