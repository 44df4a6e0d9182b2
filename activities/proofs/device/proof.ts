import { z } from 'zod';
import type { Tx } from '../../../db/client.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import { findDevice, type DeviceRow } from '../../../db/queries/devices.ts';
import type { Sealer } from '../../../db/sealing/sealed.ts';
import type { AndroidIdentity } from '../../../domain/identity/app-identities.ts';
import { judgeAnyEvidence, judgeEvidence } from '../../../domain/judging/judge.ts';
import type { ProofReason } from '../../../domain/proofs/reasons.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import type { ProofJudge, ProofResult } from '../judge.ts';
import { openEnrollment, openRecall, openReceipt, type EvidenceFile } from './enrollment.ts';
import { reportedFlagOf, keepReportedFlag } from './reported-flag.ts';
import { bindToCurrentApp } from './app-binding.ts';

/** Data that the API adds to a submission with an accepted `attest` header. */
const submissionSchema = z.object({
  attest: z.object({
    device_id: z.string(),
    /** Evidence of the signature over this request. */
    evidence: z.record(z.string(), z.unknown()),
    /** Google Play's verdict on the device for this request; absent where none was required. */
    integrity: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
});

const receiptLifeMs = 90 * 24 * 3600_000;

/**
 * Judges the paired device. The device must still be enrolled. Its stored attestation must pass
 * again, as of its own time and under the app's current policy. The attested key must sign this
 * request.
 */
export function createDeviceJudge(deps: { readonly sealer: Sealer }): ProofJudge {
  return {
    async judge(context) {
      const input = submissionSchema.safeParse(context.input);
      if (!input.success) return rejected('attest_missing', true, null);
      const { device_id, evidence, integrity = [] } = input.data.attest;
      const device = await findDevice(context.tx, device_id);
      if (!device || device_id !== context.session.device_id) {
        return rejected('device_not_paired', false, null);
      }
      // A device that was revoked for a vendor's flag is judged, and fails by that evidence.
      const isFlagged = device.revoked_for === 'device_flagged';
      if (device.revoked_at && !isFlagged)
        return rejected('device_revoked', false, providerOf(device));
      const android = await androidOf(context.tx, device);
      if (device.platform === 'android' && !android) {
        return rejected('app_id_mismatch', false, providerOf(device));
      }
      if (integrity.length === 0 && android?.play_token === 'required') {
        return rejected('integrity_missing', true, providerOf(device));
      }
      const opened = await openEnrollment(deps.sealer, device);
      const enrolled = android ? bindToCurrentApp(opened, android) : opened;
      // Play's verdict on this request replaces the one from the enrollment.
      const enrollment = enrolled.filter(
        ({ kind }) => integrity.length === 0 || kind !== 'play-integrity',
      );
      const receipt = await receiptInForce(deps.sealer, device, context.now);
      const recall = await openRecall(deps.sealer, device);
      const files = [...enrollment, ...receipt, recall, ...integrity, evidence].filter(isThere);
      const judged = await judgeFiles(device, files);
      const file = reportedFlagOf(integrity, judged.verdicts);
      if (!file) return judged;
      const isKnown = judgeEvidence(file).facts['reinstall_detected'] === true;
      const flagged = { device, file, isKnown };
      return {
        ...judged,
        keeps: (tx) => keepReportedFlag(tx, deps.sealer, flagged, context.now),
      };
    },
  };
}

/**
 * Returns the current Android settings of the app; null for an iPhone, and if they were removed.
 */
async function androidOf(tx: Tx, device: DeviceRow): Promise<AndroidIdentity | null> {
  if (device.platform !== 'android') return null;
  return (await findApp(tx, device.app_id))?.android ?? null;
}

const isThere = (file: EvidenceFile | null): file is EvidenceFile => file !== null;

/** Returns the evidence of the last receipt, unless it is over 90 days old. */
async function receiptInForce(
  sealer: Sealer,
  device: DeviceRow,
  now: Date,
): Promise<readonly EvidenceFile[]> {
  const ageMs = now.getTime() - (device.receipt_at?.getTime() ?? 0);
  const receipt = ageMs <= receiptLifeMs ? await openReceipt(sealer, device) : null;
  return receipt ? [receipt] : [];
}

async function judgeFiles(
  device: DeviceRow,
  files: readonly EvidenceFile[],
): Promise<ProofResult & Required<Pick<ProofResult, 'verdicts'>>> {
  const verdicts = await Promise.all(files.map((file) => judgeAnyEvidence(file)));
  const [enrollment] = verdicts;
  const failed = verdicts.find(({ verdict }) => verdict === 'failed');
  const bad = failed ?? verdicts.find(({ verdict }) => verdict !== 'passed');
  const verdict = bad ?? enrollment;
  const reportTimes = files.flatMap((file, index) => vendorReportedAt(file, verdicts[index]) ?? []);
  const ages = {
    attested_at: device.created_at.toISOString(),
    ...(reportTimes.length > 0 ? { integrity_at: reportTimes.at(-1) } : {}),
  };
  return {
    outcome: failed ? 'rejected' : bad ? 'unsure' : 'passed',
    reason_code: bad?.reason_code ?? null,
    retryable: false,
    provider: providerOf(device),
    evidenceFiles: files,
    verdicts,
    ...(verdict ? { verdict: { ...verdict, facts: { ...verdict.facts, ...ages } } } : {}),
  };
}

/**
 * Returns when a vendor made the report in a file, ISO 8601. For a token of Google Play that is the
 * submission. For a receipt it is Apple's creation time (field 12), but not after its arrival. Null
 * for other files.
 */
function vendorReportedAt({ kind, at }: EvidenceFile, verdict?: Verdict): string | null {
  if (kind === 'play-integrity') return String(at);
  const createdAt = verdict?.facts['created_at'];
  if (kind !== 'apple-receipt' || typeof createdAt !== 'string') return null;
  const [made, came] = [createdAt, String(at)].map((instant) => Date.parse(instant));
  return new Date(Math.min(made ?? NaN, came ?? NaN)).toISOString();
}

const providerOf = ({ platform }: DeviceRow): string =>
  platform === 'ios' ? 'app_attest' : 'key_attestation';

function rejected(
  reason_code: ProofReason,
  retryable: boolean,
  provider: string | null,
): ProofResult {
  return { outcome: 'rejected', reason_code, retryable, provider };
}
