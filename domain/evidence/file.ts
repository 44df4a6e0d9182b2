import { z } from 'zod';
import { devicePlatforms } from '../names.ts';
import { readStatusList } from '../proofs/device/android/status-list.ts';
import { isEncrypted } from '../proofs/device/play/play-token.ts';
import { bindingFaultOf, type BindingFault } from './binding.ts';
import { faultWords } from './fault-words.ts';
import { documentImage, faceClaim, faceMatch, hasFaces, hasFront } from './image-kinds.ts';
import type { File } from './images.ts';
import { bytes, common, list, table } from './members.ts';
import { scanStructure } from './scan-structure.ts';

/** The file is not one of ours: the command answers 2 with this one line. */
export class EvidenceFileError extends Error {
  override readonly name = 'EvidenceFileError';
}

const pem = z.string().max(64 * 1024);

/** What Google publishes of revoked keys, as it stands there. */
const statusList = z
  .object({ entries: table(z.string(), z.unknown(), 40_000) })
  .transform((json, context) => {
    try {
      return readStatusList(json);
    } catch {
      context.addIssue({ code: 'custom', message: 'not a status list as it is published' });
      return z.NEVER;
    }
  });

const emrtd = z.object({
  ...common,
  kind: z.literal('emrtd'),
  policy: z
    .object({
      master_list: bytes.optional(),
      master_list_root: bytes.optional(),
      csca: list(bytes, 10_000).optional(),
      csca_links: list(bytes, 100).optional(),
      csca_development: list(bytes, 100).optional(),
      crl: list(bytes, 1000).optional(),
      require: list(z.enum(['active', 'chip', 'crl']), 10).optional(),
      legacy_algorithms: z.enum(['flag', 'refuse']).optional(),
      age_over: z.int().min(0).max(150).optional(),
    })
    .refine(({ csca, master_list, master_list_root }) => {
      return csca !== undefined || (master_list !== undefined && master_list_root !== undefined);
    }, 'neither csca nor master_list with master_list_root'),
  input: z.object({
    sod: bytes,
    data_groups: table(z.string().regex(/^DG([1-9]|1[0-6])$/), bytes, 16),
    active_auth: z.object({ nonce: bytes, signature: bytes }).optional(),
    chip_auth: z.object({ private_key: bytes, responses: list(bytes, 10) }).optional(),
  }),
});

const android = z.object({
  ...common,
  kind: z.literal('android-key-attestation'),
  policy: z
    .object({
      security_level_min: z.enum(['SOFTWARE', 'TRUSTED_ENVIRONMENT', 'STRONG_BOX']).optional(),
      require_locked: z.boolean().optional(),
      packages: list(z.string(), 1000).optional(),
      signature_digests: list(bytes, 1000).optional(),
      patch_level_min: z.int().min(200_001).optional(),
      revocation: statusList.optional(),
      root_pems: list(pem, 20).optional(),
    })
    .optional(),
  input: z.object({ chain: list(bytes, 1000), challenge: bytes }),
});

/** What a phone signed of one request, by the key that its attestation names. */
const androidAssertion = z.object({
  ...common,
  kind: z.literal('android-assertion'),
  input: z.object({ signature: bytes, public_key_spki: bytes, client_data: bytes }),
});

const mrz = z.object({
  ...common,
  kind: z.literal('mrz'),
  policy: z.object({ development: z.boolean().optional() }).optional(),
  input: z.object({ lines: list(z.string(), 1000) }),
});

const aamva = z.object({
  ...common,
  kind: z.literal('aamva'),
  policy: z.object({}).optional(),
  input: z.object({ text: z.string() }),
});

const appleApp = { team_id: z.string(), bundle_id: z.string() };
const categoryPolicy = {
  categories: list(z.int().min(0), 1000).optional(),
  require_category: z.boolean().optional(),
  bundle_versions: list(z.string(), 1000).optional(),
};
const clientData = { client_data: bytes.optional(), client_data_hash: bytes.optional() };
const hasClientData = (input: { client_data?: unknown; client_data_hash?: unknown }): boolean =>
  input.client_data !== undefined || input.client_data_hash !== undefined;
const clientDataMissing = 'neither client_data nor client_data_hash';

const appleAttestation = z.object({
  ...common,
  kind: z.literal('apple-attestation'),
  policy: z.object({
    ...appleApp,
    ...categoryPolicy,
    environment: z.enum(['production', 'development']),
    root_pem: pem.optional(),
  }),
  input: z
    .object({ attestation: bytes, key_id: bytes, ...clientData })
    .refine(hasClientData, clientDataMissing),
});

const appleAssertion = z.object({
  ...common,
  kind: z.literal('apple-assertion'),
  policy: z.object({
    ...appleApp,
    ...categoryPolicy,
    environment: z.enum(['production', 'development']).optional(),
    counter_last: z.int().min(0),
  }),
  input: z
    .object({ assertion: bytes, public_key_spki: bytes, ...clientData })
    .refine(hasClientData, clientDataMissing),
});

const appleReceipt = z.object({
  ...common,
  kind: z.literal('apple-receipt'),
  policy: z.object({
    ...appleApp,
    public_key_spki: bytes.optional(),
    risk_metric_max: z.int().min(0).optional(),
    root_pem: pem.optional(),
  }),
  input: z.object({ receipt: bytes }),
});

const playIntegrity = z.object({
  ...common,
  kind: z.literal('play-integrity'),
  policy: z.object({
    package: z.string(),
    certificate_digests: list(bytes, 1000),
    version_min: z.int().min(0).optional(),
    verdicts: list(z.string(), 100).optional(),
    decryption_key: bytes.optional(),
    verification_key: bytes.optional(),
  }),
  input: z
    .object({
      token: z.string().optional(),
      payload: z.unknown().optional(),
      request_hash: z.string().optional(),
      nonce: z.string().optional(),
    })
    .refine((input) => (input.token === undefined) !== (input.payload === undefined), {
      message: 'neither token nor payload, or both',
    })
    .refine((input) => (input.request_hash === undefined) !== (input.nonce === undefined), {
      message: 'neither request_hash nor nonce, or both',
    }),
});
type PlayFile = z.output<typeof playIntegrity>;

/** What a vendor recalled of a phone, as it said it. */
const deviceRecall = z.object({
  ...common,
  kind: z.literal('device-recall'),
  input: z.object({ platform: z.enum(devicePlatforms), answer: z.string() }),
});

/** The keys a token takes: a signed one, out of its encryption, is judged without the secret. */
function hasKeys({ policy, input: { token } }: PlayFile): boolean {
  if (token === undefined) return true;
  if (isEncrypted(token) && !policy.decryption_key) return false;
  return policy.verification_key !== undefined;
}

/** The record of a typed code: what its hash is computed over, and nothing to judge again. */
const smsCode = z.object({
  ...common,
  kind: z.literal('sms-code'),
  input: z.object({ link_session_id: z.string(), phone_number: z.string(), salt: bytes }),
});

const evidenceFile = z.discriminatedUnion('kind', [
  android,
  androidAssertion,
  emrtd,
  mrz,
  appleAttestation,
  appleAssertion,
  appleReceipt,
  playIntegrity.refine(hasKeys, { message: 'decryption_key or verification_key: missing' }),
  deviceRecall,
  smsCode,
  aamva,
  documentImage.refine(hasFront, { path: ['input', 'front'], message: 'missing' }),
  faceClaim,
  faceMatch.refine(hasFaces, { path: ['input'], message: 'portrait or image: missing' }),
]);
export type EvidenceFile = z.output<typeof evidenceFile> & {
  /** As it was given. */
  readonly source: File;
  /** Where it does not hold what it lists; null where it does. */
  readonly fault: BindingFault | null;
};

/** What a file can be of. */
export const evidenceKinds: ReadonlySet<unknown> = new Set(
  evidenceFile.options.map(({ shape }) => shape.kind.value),
);

const mebibyte = 1024 * 1024;
/** Of one evidence file. */
export const fileBytesMax = 32 * mebibyte;
/** Of all names and texts together; the rest of a file is room for its punctuation. */
const textLengthMax = 31 * mebibyte;

/** Reads an evidence file. Throws `EvidenceFileError` with one clear line. */
export function readEvidenceFile(content: Uint8Array): EvidenceFile {
  if (content.length > fileBytesMax) throw new EvidenceFileError('the file is over 32 MiB');
  const { fault, members } = scanStructure(content);
  if (fault) throw new EvidenceFileError(`the file is no evidence: ${fault}`);
  const { buffer, byteOffset, byteLength } = content;
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
  } catch {
    throw new EvidenceFileError('the file is not JSON');
  }
  // I-JSON (RFC 7493 §2.3): two readers of a name that stands twice may see two files.
  if (membersOf(value) < members) throw new EvidenceFileError('the file has a name twice');
  return parseEvidence(value);
}

/** Walks without recursion, as below. */
function membersOf(value: unknown): number {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const found = Object.values(next);
    if (!Array.isArray(next)) count += found.length;
    for (const member of found) left.push(member);
  }
  return count;
}

/** Understands what an evidence file holds. Throws `EvidenceFileError` with one clear line. */
export function parseEvidence(value: unknown): EvidenceFile {
  if (textLengthOf(value) > textLengthMax) throw new EvidenceFileError('the file is over 31 MiB');
  const parsed = evidenceFile.safeParse(value, { error: faultWords });
  if (parsed.success) return bound(parsed.data, { ...Object(value) });
  const [issue] = parsed.error.issues;
  const place = issue && issue.path.length > 0 ? issue.path.join('.') : 'the file';
  throw new EvidenceFileError(`${place}: ${issue?.message ?? 'not understood'}`);
}

function bound(file: z.output<typeof evidenceFile>, source: File): EvidenceFile {
  const fault = bindingFaultOf(source, file.images, file.removed ?? []);
  return { ...file, source, fault };
}

/** Walks without recursion: strangers choose the depth. */
function textLengthOf(value: unknown): number {
  let length = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') length += next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, member] of Object.entries(next)) {
      length += name.length;
      left.push(member);
    }
  }
  return length;
}
