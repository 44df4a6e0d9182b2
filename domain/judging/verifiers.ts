import { verifyLater, verifyNow, type Verifier } from '../evidence/verify.ts';
import {
  verifyAndroidAssertionFile,
  verifyAndroidAttestationFile,
} from '../proofs/device/android/verify-evidence.ts';
import {
  verifyAppleAssertionFile,
  verifyAppleAttestationFile,
  verifyAppleReceiptFile,
} from '../proofs/device/apple/verify-evidence.ts';
import { verifyPlayFile } from '../proofs/device/play/verify-evidence.ts';
import { verifyRecallFile } from '../proofs/device/verify-device-recall.ts';
import { verifyAamvaFile } from '../proofs/document/verify-aamva.ts';
import {
  verifyDocumentFile,
  type DocumentReader,
} from '../proofs/document/verify-document-image.ts';
import { verifyFaceClaimFile } from '../proofs/face/verify-face-claim.ts';
import { verifyFaceFile, type FaceReader } from '../proofs/face/verify-face-match.ts';
import { verifyMrzFile } from '../proofs/mrz/verify-mrz.ts';
import { verifyEmrtdFile } from '../proofs/passport/verify-evidence.ts';
import { verifySmsFile } from '../proofs/phone/verify-sms-code.ts';
import type { Verdict } from '../proofs/verdict.ts';
import type { EvidenceFile } from './files.ts';

/** Reads the images of a file; the same images give the same reading. */
export type ImageReaders = DocumentReader & FaceReader;

type Kind = EvidenceFile['kind'];
type Files = { readonly [Each in Kind]: Extract<EvidenceFile, { kind: Each }> };

/** The verifier of each kind, for live checks and audits. */
const verifiers: { readonly [Each in Kind]: Verifier<Files[Each], ImageReaders> } = {
  'android-key-attestation': { judge: verifyAndroidAttestationFile },
  'android-assertion': { judge: verifyAndroidAssertionFile },
  emrtd: { judge: verifyEmrtdFile, isJudgedWithoutImages: true },
  mrz: { judge: verifyMrzFile },
  'apple-attestation': { judge: verifyAppleAttestationFile },
  'apple-assertion': { judge: verifyAppleAssertionFile },
  'apple-receipt': { judge: verifyAppleReceiptFile },
  'play-integrity': { open: verifyPlayFile },
  'device-recall': { judge: verifyRecallFile },
  'sms-code': { judge: verifySmsFile },
  aamva: { judge: verifyAamvaFile },
  'document-image': { read: verifyDocumentFile },
  'face-claim': { judge: verifyFaceClaimFile },
  'face-match': { read: verifyFaceFile },
};

/** Like `verifyNow`, with the verifier of the file's kind. */
export const verifyEvidence = (file: EvidenceFile): Verdict => verifyKind(file.kind, file);

function verifyKind<Each extends Kind>(kind: Each, file: Files[Each]): Verdict {
  return verifyNow(file, verifiers[kind]);
}

/** Like `verifyLater`, with the verifier of the file's kind. */
export const verifyAnyEvidence = (file: EvidenceFile, readers?: ImageReaders): Promise<Verdict> =>
  verifyAnyKind(file.kind, file, readers);

function verifyAnyKind<Each extends Kind>(
  kind: Each,
  file: Files[Each],
  readers: ImageReaders | undefined,
): Promise<Verdict> {
  return verifyLater(file, verifiers[kind], readers);
}
