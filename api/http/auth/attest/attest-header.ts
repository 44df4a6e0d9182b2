import { z } from 'zod';
import { evidenceMessageOf } from '../../../../domain/evidence/validation-messages.ts';
import { devicePlatforms, type DevicePlatform } from '../../../../domain/names.ts';
import { playTokenLengthMax } from '../../../../domain/proofs/device/play/play-token.ts';
import { Failure } from '../../../../workflows/failures.ts';
import { parseJson } from '../../json.ts';
import { InvalidRequest } from '../../problem/problem.ts';

/** The `attest` header, parsed but not verified. */
export interface AttestHeader {
  readonly platform: DevicePlatform;
  readonly deviceId: string;
  readonly assertion: Uint8Array;
  /** The signed bytes, as received. */
  readonly clientData: Uint8Array;
  readonly nonce: string;
  readonly method: string;
  readonly path: string;
  /** SHA-256 of the raw body, hex in lower case. */
  readonly bodySha256: string;
  readonly issuedAt: Date;
  /** Google's integrity token of the phone, as received; null if absent. */
  readonly playToken: string | null;
}

const headerBytesMax = 16 * 1024;
/** For a token inside the header, which base64url makes longer by a third. */
const playTokenMax = 8 * 1024;
const base64urlForm = /^[A-Za-z0-9_-]*$/;

/** An integrity token in the form in which Google Play returns it to an app. */
export const playToken = z
  .string()
  .max(playTokenLengthMax)
  .regex(/^[A-Za-z0-9._=-]+$/, 'must be a token of Google Play');

const base64url = z
  .string()
  .regex(base64urlForm)
  .transform((text) => new Uint8Array(Buffer.from(text, 'base64url')));

const outer = z.object({
  v: z.literal(1),
  platform: z.enum(devicePlatforms),
  device_id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  assertion: base64url,
  client_data: base64url,
  play_token: playToken.max(playTokenMax).optional(),
});

const inner = z.object({
  nonce: z.string().max(200),
  method: z.string().max(10),
  path: z.string().max(4096),
  body_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  iat: z.int().min(0).max(99_999_999_999),
});

/**
 * Parses `base64url(JSON)` of `{v, platform, device_id, assertion, client_data, play_token?}`,
 * where `client_data` is base64url of `{nonce, method, path, body_sha256, iat}`.
 * @throws Failure `attest_malformed`
 */
export function readAttestHeader(header: string): AttestHeader {
  if (header.length > headerBytesMax) throw malformed('the header: over 16 KiB');
  const attest = parsed(outer, fromBase64url(header), []);
  const data = parsed(inner, attest.client_data, ['client_data']);
  return {
    platform: attest.platform,
    deviceId: attest.device_id,
    assertion: attest.assertion,
    clientData: attest.client_data,
    nonce: data.nonce,
    method: data.method,
    path: data.path,
    bodySha256: data.body_sha256,
    issuedAt: new Date(data.iat * 1000),
    playToken: attest.play_token ?? null,
  };
}

function fromBase64url(text: string): Uint8Array {
  if (!base64urlForm.test(text)) throw malformed('the header: not base64url');
  return Buffer.from(text, 'base64url');
}

/** @param at path within the header, for the message */
function parsed<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
  at: readonly string[],
): z.output<Schema> {
  const result = schema.safeParse(jsonOf(bytes, at), { error: evidenceMessageOf });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw malformed(`${placeOf([...at, ...(issue?.path ?? [])])}: ${issue?.message ?? 'wrong'}`);
}

function jsonOf(bytes: Uint8Array, at: readonly string[]): unknown {
  try {
    return parseJson(Buffer.from(bytes));
  } catch (error) {
    if (error instanceof InvalidRequest) throw malformed(`${placeOf(at)}: not JSON`);
    throw error;
  }
}

const placeOf = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? 'the header' : path.map(String).join('.');

const malformed = (detail: string): Failure =>
  new Failure('attest_malformed', { detail, extra: { loc: ['header', 'attest'] } });
