import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { AndroidIdentity } from '../../../../domain/identity/app-identities.ts';
import { judgeAnyEvidence } from '../../../../domain/judging/judge.ts';
import { sha256 } from '../../../../domain/proofs/device/apple/authenticator-data.ts';
import { decryptPlayToken } from '../../../../domain/proofs/device/play/play-token.ts';
import type { Verdict } from '../../../../domain/proofs/verdict.ts';
import { base64OfHex } from '../judge-enrollment.ts';
import { createPlayDecoder, serviceAccount, type PlayDecoder } from './play-decoder.ts';

/** Settings of Play Integrity. */
export const playConfig = z.object({
  PLAY_INTEGRITY_KEYS: z
    .string()
    .optional()
    .describe(
      'Path of a JSON file with Play Integrity keys of your apps, to decrypt classic ' +
        'tokens: `{"PACKAGE": {"decryption_key": "…", "verification_key": "…"}}`.',
    ),
  PLAY_INTEGRITY_ACCOUNT: z
    .string()
    .optional()
    .describe(
      'Path of the key file of a Google service account, for tokens that Google decodes. ' +
        'Without it and `PLAY_INTEGRITY_KEYS`, Android phones enroll by key attestation ' +
        'alone.',
    ),
  PLAY_INTEGRITY_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://playintegrity.googleapis.com')
    .describe('URL of the Play Integrity API.'),
});

/**
 * Reads the service account of the settings; null if absent.
 * @throws Error with one line for a missing or invalid file
 */
export const readPlayAccount = (
  config: Pick<z.output<typeof playConfig>, 'PLAY_INTEGRITY_ACCOUNT'>,
): z.output<typeof serviceAccount> | null => read('PLAY_INTEGRITY_ACCOUNT', config, serviceAccount);

/** A token that an app received from Play, and the kind of request it was for. */
export interface IntegrityToken {
  readonly token: string;
  readonly request: 'standard' | 'classic';
}

/** What a token is bound to: a challenge of ours, valid once, and the attested key. */
export interface BoundTo {
  readonly challenge: Uint8Array;
  /** DER: the key's certificate at enrollment, its SubjectPublicKeyInfo afterwards. */
  readonly key: Uint8Array;
}

export interface JudgedIntegrity {
  readonly file: Readonly<Record<string, unknown>>;
  readonly verdict: Verdict;
}

/** Google's verdict on the app and the device, besides the hardware's attestation of its key. */
export interface PlayIntegrity {
  /** Reports whether a device with this app must submit a token. */
  isAskedOf(app: AndroidIdentity): boolean;
  /**
   * Judges a token over our challenge and the attested key, and returns the evidence file.
   * @throws Failure `dependency_unavailable` when Google must decode the token and does not answer
   */
  judge(
    app: AndroidIdentity,
    integrity: IntegrityToken,
    bound: BoundTo,
    now: Date,
  ): Promise<JudgedIntegrity>;
}

/** Result for a device that must submit a token and submits none. */
export const withoutToken = { reason_code: 'integrity_missing' } as const;

const keyFile = z.record(
  z.string(),
  z.object({ decryption_key: z.base64().length(44), verification_key: z.base64().max(200) }),
);
type KeysByPackage = z.output<typeof keyFile>;

/**
 * Returns the request hash or nonce that a token must contain. It covers the attested key, so that
 * a token of another device cannot be submitted with this key.
 */
export const bindingOf = (challenge: Uint8Array, key: Uint8Array): string =>
  sha256(challenge, key).toString('base64url');

/**
 * Creates the Play Integrity judge from the settings. Tokens of apps with self-managed keys are
 * decoded here, all others by Google if there is a service account.
 * @throws Error with one line for a missing or invalid file
 */
export function createPlayIntegrity(
  config: z.output<typeof playConfig>,
  clock: () => Date,
): PlayIntegrity {
  const keys = new Map(Object.entries(read('PLAY_INTEGRITY_KEYS', config, keyFile) ?? {}));
  const account = readPlayAccount(config);
  const decoder = account && createPlayDecoder({ account, url: config.PLAY_INTEGRITY_URL, clock });
  return {
    isAskedOf: (app) => keys.has(app.package) || decoder !== null,
    async judge(app, integrity, { challenge, key }, now) {
      // Google issues keys for classic requests, and decodes tokens of standard ones itself.
      const isGoogles = integrity.request === 'standard' && decoder !== null;
      const own = isGoogles ? undefined : keys.get(app.package);
      const opened = await open(own, decoder, app.package, integrity.token);
      const binding = bindingOf(challenge, key);
      const file = {
        format: 'trustcheck-evidence/1',
        kind: 'play-integrity',
        at: now.toISOString(),
        policy: {
          ...playPolicyOf(app),
          ...opened.policy,
        },
        input: {
          ...opened.input,
          ...(integrity.request === 'classic' ? { nonce: binding } : { request_hash: binding }),
        },
      };
      return { file, verdict: await judgeAnyEvidence(file) };
    },
  };
}

/** Returns the Play policy of an app in the form of its evidence. */
export const playPolicyOf = (app: AndroidIdentity) => ({
  package: app.package,
  certificate_digests: app.signature_digests.map(base64OfHex),
  ...(app.version_min === undefined ? {} : { version_min: app.version_min }),
  ...(app.integrity_min === 'strong'
    ? { verdicts: ['MEETS_DEVICE_INTEGRITY', 'MEETS_STRONG_INTEGRITY'] }
    : {}),
});

/** A token that does not decrypt is stored as an empty string, which is malformed. */
async function open(
  keys: KeysByPackage[string] | undefined,
  decoder: PlayDecoder | null,
  packageName: string,
  token: string,
) {
  if (!keys) return { policy: {}, input: { payload: await decoder?.decode(packageName, token) } };
  const { decryption_key, verification_key } = keys;
  const signed = await decryptPlayToken(token, Buffer.from(decryption_key, 'base64'));
  return { policy: { verification_key }, input: { token: signed ?? '' } };
}

function read<Form extends z.ZodType>(
  name: 'PLAY_INTEGRITY_ACCOUNT' | 'PLAY_INTEGRITY_KEYS',
  config: Readonly<Partial<Record<string, string>>>,
  form: Form,
): z.output<Form> | null {
  const path = config[name];
  if (path === undefined) return null;
  try {
    return form.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new Error(`wrong settings: ${name}: no such file, or not of its form`);
  }
}
