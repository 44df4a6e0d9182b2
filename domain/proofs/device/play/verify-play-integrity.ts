import { z } from 'zod';
import { judge, type Rule, type RuleAnswer, type Verdict } from '../../verdict.ts';
import { isEqual } from '../apple/authenticator-data.ts';
import type { OpenedToken } from './play-token.ts';

/** Requirements for Google Play's verdict about one request. */
export interface PlayPolicy {
  readonly package: string;
  /** SHA-256 of the allowed signing certificates of the app. */
  readonly certificateDigests: readonly Uint8Array[];
  readonly versionMin?: number | undefined;
  /** All of them are required; default: `MEETS_DEVICE_INTEGRITY`. */
  readonly verdicts?: readonly string[] | undefined;
}

/** Our value that the app binds: the hash of a standard request, or the nonce of a classic one. */
export type PlayBinding = { readonly requestHash: string } | { readonly nonce: string };

const names = z.array(z.string().max(200)).max(50);
const digits = z.string().regex(/^\d{1,15}$/);
const number = z.union([digits.transform(Number), z.int().min(0)]);

/** The judged part of the token's payload; other members are ignored. */
const payloadForm = z.object({
  requestDetails: z.object({
    requestPackageName: z.string(),
    requestHash: z.string().optional(),
    nonce: z.string().optional(),
    timestampMillis: number,
  }),
  appIntegrity: z.object({
    appRecognitionVerdict: z.string(),
    packageName: z.string().optional(),
    certificateSha256Digest: names.optional(),
    versionCode: number.optional(),
  }),
  deviceIntegrity: z
    .object({
      deviceRecognitionVerdict: names.optional(),
      recentDeviceActivity: z.object({ deviceActivityLevel: z.string() }).optional(),
    })
    .optional(),
  accountDetails: z.object({ appLicensingVerdict: z.string() }).optional(),
  environmentDetails: z
    .object({
      playProtectVerdict: z.string().optional(),
      appAccessRiskVerdict: z.object({ appsDetected: names.optional() }).optional(),
    })
    .optional(),
  testingDetails: z.object({ isTestingResponse: z.boolean().optional() }).optional(),
});
type Payload = z.output<typeof payloadForm>;

interface Findings {
  readonly policy: PlayPolicy;
  readonly binding: PlayBinding;
  readonly at: Date;
  readonly opened: OpenedToken;
  readonly payload: Payload | null;
}

/** Allowed difference between the vendor's clock and ours, including the token's transport. */
const ageMsMax = 10 * 60_000;

/**
 * Judges Google Play's verdict about one standard or classic request (developer.android.com,
 * "Integrity verdicts"). If the vendor could not evaluate something or reports a risk, the result
 * is inconclusive and never passes. Never throws. The caller checks that the binding is its own and
 * unused.
 */
export function verifyPlayIntegrity(
  policy: PlayPolicy,
  opened: OpenedToken,
  binding: PlayBinding,
  at: Date,
): Verdict {
  const parsed = 'payload' in opened ? payloadForm.safeParse(opened.payload) : null;
  const payload = parsed?.success ? parsed.data : null;
  return judge('play-integrity', rules, { policy, binding, at, opened, payload }, factsOf);
}

const rules: readonly Rule<Findings>[] = [
  { name: 'decode', judge: checkDecode },
  ofPayload('testing', checkTesting),
  ofPayload('package', checkPackage),
  ofPayload('request', checkRequest),
  ofPayload('freshness', checkFreshness),
  ofPayload('app', checkApp),
  ofPayload('device', checkDevice),
  ofPayload('licence', checkLicence),
  ofPayload('risk', checkRisk),
];

function checkDecode({ opened, payload }: Findings): RuleAnswer {
  if ('fault' in opened) return { fault: opened.fault };
  return payload ? { ok: true } : { fault: 'malformed', detail: 'the payload' };
}

/** Test responses that are configured in the Play Console say nothing about the phone. */
function checkTesting({ testingDetails }: Payload): RuleAnswer {
  return testingDetails?.isTestingResponse ? { fault: 'testing_response' } : { ok: true };
}

function checkPackage({ requestDetails }: Payload, { policy }: Findings): RuleAnswer {
  if (requestDetails.requestPackageName === policy.package) return { ok: true };
  return { fault: 'package_mismatch', detail: 'asked for by another package' };
}

/** A standard request binds a hash, a classic one a nonce; they are not interchangeable. */
function checkRequest({ requestDetails }: Payload, { binding }: Findings): RuleAnswer {
  const [stated, ours] =
    'requestHash' in binding
      ? [requestDetails.requestHash, binding.requestHash]
      : [requestDetails.nonce, binding.nonce];
  if (stated === undefined || ours === '') return { fault: 'request_hash_mismatch' };
  const isOurs = isEqual(unpadded(stated), unpadded(ours));
  return isOurs ? { ok: true } : { fault: 'request_hash_mismatch' };
}

function checkFreshness({ requestDetails }: Payload, { at }: Findings): RuleAnswer {
  const ageMs = at.getTime() - requestDetails.timestampMillis;
  if (Math.abs(ageMs) <= ageMsMax) return { ok: true };
  return { fault: 'token_stale', detail: ageMs > 0 ? 'too old' : 'from the future' };
}

/** Checks for the build that Play distributes, signed by one of our keys, and not too old. */
function checkApp({ appIntegrity: app }: Payload, { policy }: Findings): RuleAnswer {
  const { appRecognitionVerdict: verdict, packageName, certificateSha256Digest = [] } = app;
  if (verdict === 'UNEVALUATED') return unevaluated('app');
  if (verdict !== 'PLAY_RECOGNIZED') return { fault: 'app_unrecognized', detail: verdict };
  if (packageName !== policy.package) return { fault: 'package_mismatch' };
  const digests = certificateSha256Digest.map((digest) => Buffer.from(digest, 'base64url'));
  const isSigned = digests.some((digest) =>
    policy.certificateDigests.some((known) => isEqual(digest, known)),
  );
  if (!isSigned) return { fault: 'signature_mismatch' };
  const { versionMin = 0 } = policy;
  if ((app.versionCode ?? 0) >= versionMin) return { ok: true };
  return { fault: 'app_version_low', detail: String(app.versionCode ?? 'absent') };
}

const usual = ['MEETS_DEVICE_INTEGRITY'];
const virtual = 'MEETS_VIRTUAL_INTEGRITY';

/** No verdict means a rooted phone or an emulator; virtual devices pass only if required. */
function checkDevice({ deviceIntegrity }: Payload, { policy }: Findings): RuleAnswer {
  const stated = deviceIntegrity?.deviceRecognitionVerdict ?? [];
  const required = policy.verdicts?.length ? policy.verdicts : usual;
  const detail = stated.join(', ') || 'none';
  const isRefused = stated.includes(virtual) && !required.includes(virtual);
  const isMet = !isRefused && required.every((verdict) => stated.includes(verdict));
  return isMet ? { ok: true, detail } : { fault: 'device_integrity_missing', detail };
}

function checkLicence({ accountDetails }: Payload): RuleAnswer {
  const verdict = accountDetails?.appLicensingVerdict;
  if (verdict === 'LICENSED') return { ok: true };
  return verdict === 'UNLICENSED' ? { fault: 'unlicensed' } : unevaluated('licence');
}

const harmless = ['NO_ISSUES', 'NO_DATA', 'POSSIBLE_RISK', 'MEDIUM_RISK'];
const activities = ['LEVEL_1', 'LEVEL_2', 'LEVEL_3'];

/** Optional signals: absent unless the app requests them. None of them fails a phone alone. */
function checkRisk({ environmentDetails, deviceIntegrity }: Payload): RuleAnswer {
  const protect = environmentDetails?.playProtectVerdict;
  const activity = deviceIntegrity?.recentDeviceActivity?.deviceActivityLevel;
  const access = environmentDetails?.appAccessRiskVerdict;
  const watching = access?.appsDetected?.filter((app) => /_(?:CAPTURING|CONTROLLING)$/.test(app));
  if (protect === 'HIGH_RISK') return risk(`Play Protect: ${protect}`);
  if (watching && watching.length > 0) return risk(watching.join(', '));
  if (activity === 'LEVEL_4') return risk(`activity: ${activity}`);
  if (protect !== undefined && !harmless.includes(protect)) return unevaluated('Play Protect');
  if (activity !== undefined && !activities.includes(activity)) return unevaluated('activity');
  if (access && !access.appsDetected) return unevaluated('access');
  const isAsked = protect !== undefined || activity !== undefined || access !== undefined;
  return isAsked ? { ok: true } : { skipped: 'not asked for' };
}

const risk = (detail: string): RuleAnswer => ({ unknown: 'device_risk', detail });
const unevaluated = (what: string): RuleAnswer => ({
  unknown: 'verdict_unevaluated',
  detail: `${what}: not evaluated`,
});

function ofPayload(
  name: string,
  check: (payload: Payload, findings: Findings) => RuleAnswer,
): Rule<Findings> {
  return {
    name,
    judge: (findings) =>
      findings.payload ? check(findings.payload, findings) : { skipped: 'not decoded' },
  };
}

/** Returns the payload as the vendor wrote it. */
const factsOf = ({ opened, payload }: Findings): Record<string, unknown> =>
  payload && 'payload' in opened ? { ...Object(opened.payload) } : {};

/** Clients may pad base64url or not. */
const unpadded = (text: string): Buffer => Buffer.from(text.replace(/={1,2}$/, ''));
