import { createHash, type X509Certificate } from 'node:crypto';
import type { PDFDocument } from 'pdf-lib';
import type { ReadCms } from '../../pki/cms/read-cms.ts';
import type { Check } from '../../proofs/verdict.ts';
import type { Capture } from '../../names.ts';
import { canonicalJson, type AffidavitContent } from '../content.ts';
import type { VerifyReason } from '../reasons.ts';

/** Level of a signature (EN 319 142-1 §6). */
export type PadesLevel = 'PAdES-B-B' | 'PAdES-B-T' | 'PAdES-B-LTA';

export interface AffidavitVerdict {
  readonly result: 'valid' | 'invalid' | 'indeterminate';
  /** The reason code of the first check that failed; null when valid. */
  readonly reason_code: VerifyReason | null;
  readonly checks: readonly Check[];
  readonly facts: {
    readonly affidavit_id?: string;
    readonly outcome?: string;
    readonly livemode?: boolean;
    /**
     * Whether the issuing service accepts simulated evidence: then it proves nothing about a
     * person.
     */
    readonly development?: boolean;
    /**
     * The renderer that the affidavit names. With that renderer, a verifier can compare the pages.
     */
    readonly renderer?: string;
    readonly sealed_at?: string;
    /**
     * For a seal without a time stamp: time of its entry in the public log. Present only if a log
     * proof was verified.
     */
    readonly logged_at?: string;
    /** Level of its signature (EN 319 142-1 §6). */
    readonly pades_level?: PadesLevel;
    /** Time of the last time stamp over the whole file. */
    readonly archived_at?: string;
    /**
     * SHA-256 in hex of the file before each archive that was added. The public log has one of them
     * if the file was archived later.
     */
    readonly earlier_sha256?: readonly string[];
    /** When the first certificate of its last time stamp expires. */
    readonly proven_until?: string;
    readonly signer?: string;
    readonly root_sha256?: string;
    /** The key of the public log in the attachment, as a C2SP `name+id+key`. */
    readonly log_key?: string;
    /** Of the attachment. */
    readonly json_sha256?: string;
    /** Evidence hash of each proof. */
    readonly evidence?: Readonly<Record<string, string>>;
    /** The client that captured each attempted proof. */
    readonly captures?: Readonly<Record<string, Capture>>;
    /** Of the issued file, without a line end that was appended to it. */
    readonly sha256: string;
  };
}

/** A hole in a file, angle brackets included. */
export interface SignatureGap {
  readonly start: number;
  readonly end: number;
}

/** Revisions after the seal that end in a document time stamp, with the data read from them. */
export interface Archive {
  /** End of the previous revision: the seal's own, or that of the previous archive. */
  readonly from: number;
  /** End of the time stamp's revision. */
  readonly endsAt: number;
  readonly hole: SignatureGap;
  token: ReadCms | null;
  stampedAt: Date | null;
  /** The pinned root of its time stamp. */
  root: X509Certificate | null;
}

/** What earlier checks found in a file. */
export interface State {
  pdf: Buffer;
  /** Current CRLs that were given with the file, DER. */
  readonly lists: readonly Uint8Array[];
  hole: SignatureGap | null;
  seal: ReadCms | null;
  token: ReadCms | null;
  /**
   * Time at which the seal existed: from its own time stamp, else from the first over the whole
   * file; null if neither proves it.
   */
  sealedAt: Date | null;
  /** Whether the seal has no time stamp, because no authority answered. */
  isUnstamped: boolean;
  /** The revisions after the seal, each over everything before it; empty if there are none. */
  archives: readonly Archive[];
  /** The sealed revision after parsing; null before. */
  document: PDFDocument | null;
  /** When the first certificate of the last time stamp's chain expires. */
  stampEndsAt: Date | null;
  root: X509Certificate | null;
  /** Roots of outside authorities, only for the time stamp of the seal. */
  readonly tsaRoots: readonly X509Certificate[];
  /** Root of the outside authority that stamped the seal; null if ours did, or none. */
  stampRoot: X509Certificate | null;
  renderer: string | null;
  content: AffidavitContent | null;
}

/** Answer of one check. */
export type Answer =
  | 'ok'
  /** Passed, with a remark for the reader. */
  | { readonly remark: string }
  | { readonly skipped: string }
  | { readonly fault: VerifyReason; readonly isUnknown?: boolean };
/** An earlier check failed, so the data for this one is missing. */
export const notRead = { skipped: 'not checked, because an earlier check failed' } as const;
export type Rule = (
  state: State,
  roots: readonly X509Certificate[],
  at: Date,
) => Answer | Promise<Answer>;

/** Returns the facts of a file next to its verdict. */
export function factsOf(state: State): AffidavitVerdict['facts'] {
  const { content, renderer, sealedAt, seal, root, archives, pdf } = state;
  const [archivedAt, endsAt] = [archives.at(-1)?.stampedAt, state.stampEndsAt];
  const level = levelOf(state);
  return {
    sha256: hashOf(pdf),
    ...(content
      ? {
          affidavit_id: content.affidavit_id,
          outcome: content.decision.outcome,
          livemode: content.livemode,
          development: content.development,
          log_key: content.log.key,
          json_sha256: createHash('sha256').update(canonicalJson(content)).digest('hex'),
          evidence: Object.fromEntries(
            content.proofs.flatMap(({ type, evidence_sha256: hash }) =>
              hash ? [[type, hash]] : [],
            ),
          ),
          captures: Object.fromEntries(
            content.proofs.flatMap(({ type, capture }) => (capture ? [[type, capture]] : [])),
          ),
        }
      : {}),
    ...(renderer ? { renderer } : {}),
    ...(sealedAt ? { sealed_at: sealedAt.toISOString() } : {}),
    ...(level ? { pades_level: level } : {}),
    ...(archivedAt ? { archived_at: archivedAt.toISOString() } : {}),
    ...(archivedAt
      ? { earlier_sha256: archives.map(({ from }) => hashOf(pdf.subarray(0, from))) }
      : {}),
    ...(endsAt ? { proven_until: endsAt.toISOString() } : {}),
    ...(seal ? { signer: seal.signer.subject } : {}),
    ...(root ? { root_sha256: createHash('sha256').update(root.raw).digest('hex') } : {}),
  };
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Returns null if the time stamps of the level are not valid. */
function levelOf({ token, archives, isUnstamped }: State): PadesLevel | null {
  const isArchived = archives.length > 0;
  if (isUnstamped && !isArchived) return 'PAdES-B-B';
  if (!(token || isUnstamped) || archives.some((archive) => !archive.token)) return null;
  return isArchived ? 'PAdES-B-LTA' : 'PAdES-B-T';
}
