import { z } from 'zod';
import type { DeviceRow } from '../../../db/queries/devices.ts';
import { userOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import type { AppleIdentity } from '../../../domain/identity/app-identities.ts';
import type { DevicePlatform } from '../../../domain/names.ts';
import { readAttestation } from '../../../domain/proofs/device/apple/apple-attestation.ts';

/** An evidence file: the input of a verdict, which an auditor can judge again. */
export type EvidenceFile = Readonly<Record<string, unknown>>;

/** Returns the sealing context of the evidence of a device's enrollment. */
export const enrollmentContext = (deviceId: string): string => `devices|evidence|${deviceId}`;

/**
 * Returns the evidence that a device was enrolled with: several files if more than its key was
 * judged.
 */
export async function openEnrollment(
  sealer: Sealer,
  device: Pick<DeviceRow, 'device_id' | 'poly_user_id' | 'evidence_sealed'>,
): Promise<readonly EvidenceFile[]> {
  const owner = userOwner(device.poly_user_id);
  const context = enrollmentContext(device.device_id);
  const opened = await sealer.open(owner, context, device.evidence_sealed);
  const files: EvidenceFile | readonly EvidenceFile[] = JSON.parse(opened.toString());
  return [files].flat();
}

/** Returns the sealing context of the last receipt of a device. */
export const receiptContext = (deviceId: string): string => `devices|receipt|${deviceId}`;

/** Returns the evidence of an iPhone's last renewed receipt; null where none was renewed yet. */
export async function openReceipt(
  sealer: Sealer,
  device: Pick<DeviceRow, 'device_id' | 'poly_user_id' | 'receipt_sealed'>,
): Promise<EvidenceFile | null> {
  const { device_id: deviceId, receipt_sealed: sealed } = device;
  if (!sealed) return null;
  const owner = userOwner(device.poly_user_id);
  return JSON.parse((await sealer.open(owner, receiptContext(deviceId), sealed)).toString());
}

const attestedByApple = z.object({
  kind: z.literal('apple-attestation'),
  policy: z.object({ team_id: z.string(), bundle_id: z.string(), environment: z.string() }),
  input: z.object({ attestation: z.base64() }),
});
const renewed = z.object({
  kind: z.literal('apple-receipt'),
  input: z.object({ receipt: z.base64() }),
});

/** Returns the receipt in the first file that has one; null where none has. */
export function receiptOf(files: readonly EvidenceFile[]): Uint8Array | null {
  for (const file of files) {
    const first = attestedByApple.safeParse(file).data?.input.attestation;
    if (first !== undefined) return readAttestation(Buffer.from(first, 'base64')).receipt;
    const later = renewed.safeParse(file).data?.input.receipt;
    if (later !== undefined) return Buffer.from(later, 'base64');
  }
  return null;
}

const applePolicyOf = (files: readonly EvidenceFile[]) =>
  files
    .map((file) => attestedByApple.safeParse(file).data?.policy)
    .find((policy) => policy !== undefined) ?? null;

/** Returns the team and the app that an iPhone was enrolled with; null for other devices. */
export function identityOf(files: readonly EvidenceFile[]): AppleIdentity | null {
  const policy = applePolicyOf(files);
  return policy && { team_id: policy.team_id, bundle_id: policy.bundle_id };
}

/** Returns `production` or `development`, as the iPhone was enrolled; null for other devices. */
export const environmentOf = (files: readonly EvidenceFile[]): string | null =>
  applePolicyOf(files)?.environment ?? null;

/** Returns the sealing context of the tokens that identify a device to its vendor. */
export const tokensContext = (deviceId: string): string => `devices|tokens|${deviceId}`;

/** Returns the sealing context of a vendor's recall of a device. */
export const recallContext = (deviceId: string): string => `devices|recall|${deviceId}`;

/** Returns the evidence file of a vendor's recall of a device. */
export const recallFile = (platform: DevicePlatform, answer: string, at: Date): EvidenceFile => ({
  format: 'trustcheck-evidence/1',
  kind: 'device-recall',
  at: at.toISOString(),
  input: { platform, answer },
});

/** Returns the evidence of a vendor's recall of a device; null where there is none. */
export async function openRecall(
  sealer: Sealer,
  device: Pick<DeviceRow, 'device_id' | 'poly_user_id' | 'recall_sealed'>,
): Promise<EvidenceFile | null> {
  const { device_id: deviceId, recall_sealed: sealed } = device;
  if (!sealed) return null;
  const owner = userOwner(device.poly_user_id);
  return JSON.parse((await sealer.open(owner, recallContext(deviceId), sealed)).toString());
}
