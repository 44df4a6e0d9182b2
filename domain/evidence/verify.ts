import { verifyAndroidAssertion } from '../proofs/device/android/verify-android-assertion.ts';
import { verifyAndroidKeyAttestation } from '../proofs/device/android/verify-android-key-attestation.ts';
import type { AppleApp, CategoryPolicy, ClientData } from '../proofs/device/apple/apple-app.ts';
import { verifyAppleAssertion } from '../proofs/device/apple/verify-apple-assertion.ts';
import { verifyAppleAttestation } from '../proofs/device/apple/verify-apple-attestation.ts';
import { verifyAppleReceipt } from '../proofs/device/apple/verify-apple-receipt.ts';
import { openPlayToken } from '../proofs/device/play/play-token.ts';
import { verifyPlayIntegrity } from '../proofs/device/play/verify-play-integrity.ts';
import { verifyDeviceRecall } from '../proofs/device/verify-device-recall.ts';
import type { DocumentImages, DocumentReading } from '../proofs/document/reading.ts';
import { verifyAamva } from '../proofs/document/verify-aamva.ts';
import { verifyDocumentImage } from '../proofs/document/verify-document-image.ts';
import type { FaceImages, FaceReading } from '../proofs/face/reading.ts';
import { verifyFaceClaim } from '../proofs/face/verify-face-claim.ts';
import { verifyFaceMatch } from '../proofs/face/verify-face-match.ts';
import { verifyMrz } from '../proofs/mrz/verify-mrz.ts';
import { verifyEmrtd, type ChipAnswer } from '../proofs/passport/verify-emrtd.ts';
import { verifySmsCode } from '../proofs/phone/verify-sms-code.ts';
import type { Verdict } from '../proofs/verdict.ts';
import type { BindingFault } from './binding.ts';
import type { EvidenceFile } from './file.ts';
import { wasRemoved } from './image-kinds.ts';

/** What reads the images of a file: the same images give the same reading. */
export interface ImageReaders {
  readDocument(images: DocumentImages): Promise<DocumentReading>;
  readFaces(images: FaceImages): Promise<FaceReading>;
}

/**
 * Judges any evidence file by the functions of a live check, at the instant the file names. Opens a
 * token first, and reads images first, which takes seconds.
 * @throws TypeError for a file of images where no `readers` are given
 */
export async function verifyAnyEvidence(
  file: EvidenceFile,
  readers?: ImageReaders,
): Promise<Verdict> {
  if (file.fault) return refuse(file.kind, file.fault);
  if (file.kind === 'play-integrity') return verifyPlay(file);
  if (!readers || wasRemoved(file)) return verifyEvidence(file);
  if (file.kind === 'face-match') return verifyFaces(file, readers);
  if (file.kind !== 'document-image') return verifyEvidence(file);
  const { document_types: documentTypes, rules: _rules, ...policy } = file.policy;
  const { front = new Uint8Array(), back } = file.input;
  const reading = await readers.readDocument({ front, back });
  return verifyDocumentImage({ documentTypes, ...policy }, reading, file.at);
}

async function verifyFaces(
  { policy, input, at }: FileOf<'face-match'>,
  { readFaces }: ImageReaders,
): Promise<Verdict> {
  const { portrait, frames, challenge, repeats } = input;
  const images = frames.flatMap(({ image }) => (image ? [image] : []));
  if (!portrait || images.length < frames.length) throw new TypeError('images are missing');
  const reading = await readFaces({ portrait, frames: images });
  const given = {
    frames: frames.map(({ at_ms: atMs, action }) => ({ atMs, action })),
    challenge: {
      actions: challenge.actions,
      issuedAt: challenge.issued_at,
      expiresAt: challenge.expires_at,
    },
    repeats,
  };
  return verifyFaceMatch(policy, given, reading, at);
}

async function verifyPlay({ policy, input, at }: FileOf<'play-integrity'>): Promise<Verdict> {
  const { token, payload, request_hash: requestHash, nonce = '' } = input;
  const keys = { decryptionKey: policy.decryption_key, verificationKey: policy.verification_key };
  const opened = token === undefined ? { payload } : await openPlayToken(token, keys);
  return verifyPlayIntegrity(
    {
      package: policy.package,
      certificateDigests: policy.certificate_digests,
      versionMin: policy.version_min,
      verdicts: policy.verdicts,
    },
    opened,
    requestHash === undefined ? { nonce } : { requestHash },
    at,
  );
}

/** Judges a file at once. Tokens and images it cannot: a `TypeError` says who can. */
export function verifyEvidence(file: EvidenceFile): Verdict {
  if (file.fault) return refuse(file.kind, file.fault);
  return wasRemoved(file) ? verifyRest(file) : verifyWhole(file);
}

/** What does not hold what it lists is not what was judged, whatever it would come to. */
const refuse = (kind: string, { reason, path }: BindingFault): Verdict => ({
  format: 'trustcheck-verdict/1',
  kind,
  verdict: 'failed',
  reason_code: reason,
  checks: [{ name: 'images', result: 'failed', detail: path }],
  facts: {},
});

/**
 * What is left of a file whose images are not kept any more: the data of a chip is judged as it
 * stands, a photographed document cannot be. What holds is at best inconclusive, for it is not
 * what was judged.
 */
function verifyRest(file: EvidenceFile): Verdict {
  const detail = `${file.removed?.length ?? 0} removed`;
  const images = { name: 'images', result: 'skipped', detail } as const;
  if (file.kind !== 'emrtd') {
    return {
      format: 'trustcheck-verdict/1',
      kind: file.kind,
      verdict: 'inconclusive',
      reason_code: 'evidence_removed',
      checks: [images],
      facts: {},
    };
  }
  const rest = verifyPassport(file);
  const checks = [...rest.checks, images];
  if (rest.verdict === 'failed') return { ...rest, checks };
  return { ...rest, verdict: 'inconclusive', reason_code: 'evidence_removed', checks };
}

function verifyWhole(file: EvidenceFile): Verdict {
  if (file.kind === 'mrz') return verifyMrz(file.input, file.at, file.policy);
  if (file.kind === 'android-key-attestation') return verifyAndroid(file);
  if (file.kind === 'android-assertion') return verifyRequest(file);
  if (file.kind === 'apple-attestation') return verifyAttestation(file);
  if (file.kind === 'apple-assertion') return verifyAssertion(file);
  if (file.kind === 'apple-receipt') return verifyReceipt(file);
  if (file.kind === 'device-recall') {
    return verifyDeviceRecall(file.input.platform, file.input.answer);
  }
  if (file.kind === 'sms-code') return verifyRecord(file);
  if (file.kind === 'aamva') return verifyAamva(file.input.text, file.at);
  if (file.kind === 'face-claim') return verifyClaim(file);
  if (
    file.kind === 'document-image' ||
    file.kind === 'face-match' ||
    file.kind === 'play-integrity'
  ) {
    throw new TypeError('images and tokens are for verifyAnyEvidence');
  }
  return verifyPassport(file);
}

function verifyClaim({ policy, input, at }: FileOf<'face-claim'>): Verdict {
  const { expires_at: expiresAt, ...given } = input;
  return verifyFaceClaim(
    {
      confidencePercentMin: policy.confidence_percent_min,
      similarityPercentMin: policy.similarity_percent_min,
      similarityPercentReview: policy.similarity_percent_review,
    },
    { ...given, expiresAt },
    at,
  );
}

function verifyRecord({ input }: FileOf<'sms-code'>): Verdict {
  const { link_session_id: linkSessionId, phone_number: phoneNumber } = input;
  return verifySmsCode({ linkSessionId, phoneNumber });
}

function verifyPassport({ policy, input, at }: FileOf<'emrtd'>): Verdict {
  return verifyEmrtd(
    {
      ...(policy.master_list ? { masterList: policy.master_list } : {}),
      ...(policy.master_list_root ? { masterListRoot: policy.master_list_root } : {}),
      ...(policy.csca ? { csca: policy.csca } : {}),
      cscaLinks: policy.csca_links,
      ...(policy.csca_development ? { cscaDevelopment: policy.csca_development } : {}),
      ...(policy.crl ? { crl: policy.crl } : {}),
      ...(policy.require ? { require: policy.require } : {}),
      legacyAlgorithms: policy.legacy_algorithms,
      ...(policy.age_over === undefined ? {} : { ageOver: policy.age_over }),
    },
    {
      sod: input.sod,
      dataGroups: input.data_groups,
      ...(input.active_auth ? { activeAuth: input.active_auth } : {}),
      ...(input.chip_auth ? { chipAuth: chipAnswerOf(input.chip_auth) } : {}),
    },
    at,
  );
}

const chipAnswerOf = ({
  private_key: privateKey,
  responses,
}: NonNullable<FileOf<'emrtd'>['input']['chip_auth']>): ChipAnswer => ({ privateKey, responses });

function verifyAndroid(file: Extract<EvidenceFile, { kind: 'android-key-attestation' }>): Verdict {
  const { policy = {}, input, at } = file;
  return verifyAndroidKeyAttestation(
    {
      securityLevelMin: policy.security_level_min,
      requireLocked: policy.require_locked,
      packages: policy.packages,
      signatureDigests: policy.signature_digests,
      patchLevelMin: policy.patch_level_min,
      revocation: policy.revocation,
      rootPems: policy.root_pems,
    },
    input,
    at,
  );
}

function verifyRequest({ input }: FileOf<'android-assertion'>): Verdict {
  const { signature, public_key_spki: publicKeySpki, client_data: clientData } = input;
  return verifyAndroidAssertion({ signature, publicKeySpki, clientData });
}

type FileOf<Kind extends EvidenceFile['kind']> = Extract<EvidenceFile, { kind: Kind }>;

function verifyAttestation({ policy, input, at }: FileOf<'apple-attestation'>): Verdict {
  return verifyAppleAttestation(
    {
      ...appOf(policy),
      ...categoryPolicyOf(policy),
      environment: policy.environment,
      rootPem: policy.root_pem,
    },
    { attestation: input.attestation, keyId: input.key_id, ...clientDataOf(input) },
    at,
  );
}

function verifyAssertion({ policy, input, at }: FileOf<'apple-assertion'>): Verdict {
  return verifyAppleAssertion(
    { ...appOf(policy), ...categoryPolicyOf(policy), counterLast: policy.counter_last },
    {
      assertion: input.assertion,
      publicKeySpki: input.public_key_spki,
      ...clientDataOf(input),
    },
    at,
  );
}

function verifyReceipt({ policy, input, at }: FileOf<'apple-receipt'>): Verdict {
  return verifyAppleReceipt(
    {
      ...appOf(policy),
      publicKeySpki: policy.public_key_spki,
      rootPem: policy.root_pem,
      riskMetricMax: policy.risk_metric_max,
    },
    input,
    at,
  );
}

const appOf = (policy: FileOf<'apple-receipt'>['policy']): AppleApp => ({
  teamId: policy.team_id,
  bundleId: policy.bundle_id,
});

const categoryPolicyOf = (
  policy: FileOf<'apple-assertion' | 'apple-attestation'>['policy'],
): CategoryPolicy => ({
  environment: policy.environment,
  categories: policy.categories,
  requireCategory: policy.require_category,
  bundleVersions: policy.bundle_versions,
});

const clientDataOf = (
  input: FileOf<'apple-assertion' | 'apple-attestation'>['input'],
): ClientData => ({
  clientData: input.client_data,
  clientDataHash: input.client_data_hash,
});
