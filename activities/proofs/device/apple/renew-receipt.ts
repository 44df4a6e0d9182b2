import type { Logger } from 'pino';
import type { Db } from '../../../../db/client.ts';
import { findReceipt, keepReceipt, type ReceiptRow } from '../../../../db/queries/receipts.ts';
import { userOwner, type Sealer } from '../../../../db/sealing/sealed.ts';
import type { AppleIdentity } from '../../../../domain/identity/app-identities.ts';
import { judgeEvidence } from '../../../../domain/judging/judge.ts';
import { readReceipt, type Receipt } from '../../../../domain/proofs/device/apple/receipt.ts';
import type { ReceiptStep } from '../../../../workflows/device-receipt/messages.ts';
import { Failure } from '../../../../workflows/failures.ts';
import type { ReceiptActivities } from '../activities.ts';
import {
  identityOf,
  openEnrollment,
  openReceipt,
  receiptContext,
  receiptOf,
} from '../enrollment.ts';
import type { ReceiptService } from './receipt-service.ts';

export interface ReceiptDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly service: ReceiptService;
  readonly clock: () => Date;
  /** PEM of development roots that are trusted besides the vendor's, or null. */
  readonly developmentRootsPem: string | null;
  readonly riskMetricMax: number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Called each time Apple rejects our key: no receipt is renewed until an operator fixes it. */
  readonly countRefusal: () => void;
}

const daySeconds = 24 * 3600;
/** Apple keeps its data of a key for thirty days after the last attestation. */
const idleSeconds = 7 * daySeconds;

/**
 * Renews the receipt of an enrolled iPhone, and returns the wait until the next renewal. A new
 * receipt is stored only if it verifies like the first one. With any other response the last
 * receipt stays in force.
 * @throws Failure `platform_not_configured` when Apple rejects our key, which is counted and
 * logged, and `dependency_unavailable`
 */
export function createReceiptActivities(deps: ReceiptDeps): ReceiptActivities {
  return {
    async renewReceipt({ device_id: deviceId }) {
      const device = await findReceipt(deps.db, deviceId);
      if (!device) return { outcome: 'over', wait_seconds: 0 };
      // An operator may remove the app's identity and set it again, so its devices are not given
      // up.
      if (!device.apple) return { outcome: 'waiting', wait_seconds: daySeconds };
      const held = await storedReceiptOf(deps, device);
      const now = deps.clock();
      const earlySeconds = secondsUntil(held.notBefore, now);
      if (earlySeconds > 0) return { outcome: 'waiting', wait_seconds: earlySeconds };
      if (now > new Date(held.expiresAt)) return { outcome: 'expired', wait_seconds: 0 };
      const answer = await ask(deps, held);
      if (answer.outcome === 'too_early') return { ...answer, wait_seconds: daySeconds };
      if (answer.outcome !== 'renewed') return { ...answer, wait_seconds: idleSeconds };
      return keep(deps, device, held, answer.receipt);
    },
  };
}

interface StoredReceipt extends Receipt {
  readonly bytes: Uint8Array;
  /** The app identity at enrollment, even if the app has another one now. */
  readonly identity: AppleIdentity;
}

/** Returns the last receipt, or the one from the attestation. */
async function storedReceiptOf(
  { sealer }: ReceiptDeps,
  device: ReceiptRow,
): Promise<StoredReceipt> {
  const [later, enrolled] = [
    await openReceipt(sealer, device),
    await openEnrollment(sealer, device),
  ];
  const bytes = receiptOf(later ? [later] : enrolled);
  const identity = identityOf(enrolled);
  if (!bytes || !identity) throw new Error('an iPhone was enrolled without a receipt');
  return { bytes, identity, ...readReceipt(bytes) };
}

async function ask({ service, countRefusal, log }: ReceiptDeps, held: StoredReceipt) {
  const { team_id: teamId } = held.identity;
  try {
    return await service.renew(teamId, held.environment, held.bytes);
  } catch (error) {
    if (error instanceof Failure && error.code === 'platform_not_configured') {
      countRefusal();
      log.error({ team_id: teamId }, 'Apple refuses the key of a team: no receipt is renewed');
    }
    throw error;
  }
}

async function keep(
  deps: ReceiptDeps,
  device: ReceiptRow,
  held: StoredReceipt,
  receipt: Uint8Array,
): Promise<ReceiptStep> {
  const now = deps.clock();
  const file = fileOf(deps, { device, held }, receipt, now);
  const { verdict, reason_code, facts } = judgeEvidence(file);
  const isOfKind = facts['type'] === 'RECEIPT' && facts['environment'] === held.environment;
  const isLater = String(facts['created_at']) > held.createdAt;
  if (verdict === 'failed' || !isOfKind || !isLater) {
    deps.log.warn({ device_id: device.device_id, reason_code }, 'a renewed receipt does not hold');
    return { outcome: 'unverified', wait_seconds: daySeconds };
  }
  const owner = userOwner(device.poly_user_id);
  const context = receiptContext(device.device_id);
  const sealed = await deps.sealer.seal(owner, context, JSON.stringify(file));
  const metric = facts['risk_metric'];
  const values = [
    device.device_id,
    sealed,
    now,
    typeof metric === 'number' ? metric : null,
  ] as const;
  await keepReceipt(deps.db, values);
  const { notBefore } = readReceipt(receipt);
  return { outcome: 'renewed', wait_seconds: Math.max(secondsUntil(notBefore, now), daySeconds) };
}

function fileOf(
  deps: ReceiptDeps,
  { device, held }: { readonly device: ReceiptRow; readonly held: StoredReceipt },
  receipt: Uint8Array,
  now: Date,
) {
  const { developmentRootsPem: roots, riskMetricMax } = deps;
  const { team_id, bundle_id } = held.identity;
  return {
    format: 'trustcheck-evidence/1',
    kind: 'apple-receipt',
    at: now.toISOString(),
    policy: {
      team_id,
      bundle_id,
      public_key_spki: base64(device.public_key_spki),
      risk_metric_max: riskMetricMax,
      ...(roots === null ? {} : { root_pem: roots }),
    },
    input: { receipt: base64(receipt) },
  };
}

/** Returns whole seconds; 0 for a past instant or null. */
const secondsUntil = (instant: string | null, now: Date): number =>
  instant === null ? 0 : Math.max(0, Math.ceil((Date.parse(instant) - now.getTime()) / 1000));

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
