import { z } from 'zod';
import type { DeviceRow } from '../../../db/queries/devices.ts';
import { userOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import type { AppleIdentity } from '../../../domain/identity/app-identities.ts';
import type { DevicePlatform } from '../../../domain/names.ts';
import { readAttestation } from '../../../domain/proofs/device/apple/apple-attestation.ts';

/** What was judged, as an auditor judges it again. */
export type EvidenceFile = Readonly<Record<string, unknown>>;

/** The context under which the evidence of a device's enrollment is sealed. */
export const enrollmentContext = (deviceId: string): string => `devices|evidence|${deviceId}`;

/** What a device was enrolled by: one file, or several where it was judged by more than its key. */
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

/** The context under which the last receipt of a device is sealed. */
export const receiptContext = (deviceId: string): string => `devices|receipt|${deviceId}`;

/** The last renewed receipt of an iPhone as it was judged; null where none was renewed yet. */
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

/** The receipt in the first file that has one; null where none has. */
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

/** The team and the app an iPhone was enrolled with; null where it is none. */
export function identityOf(files: readonly EvidenceFile[]): AppleIdentity | null {
  const policy = applePolicyOf(files);
  return policy && { team_id: policy.team_id, bundle_id: policy.bundle_id };
}

/** `production` or `development`, as the iPhone was enrolled; null where it is none. */
export const environmentOf = (files: readonly EvidenceFile[]): string | null =>
  applePolicyOf(files)?.environment ?? null;

/** The context under which the tokens are sealed that name a phone to its vendor. */
export const tokensContext = (deviceId: string): string => `devices|tokens|${deviceId}`;

/** The context under which is sealed what a phone's vendor recalled of it. */
export const recallContext = (deviceId: string): string => `devices|recall|${deviceId}`;

/** What a vendor recalled of a phone as an auditor judges it. */
export const recallFile = (platform: DevicePlatform, answer: string, at: Date): EvidenceFile => ({
  format: 'trustcheck-evidence/1',
  kind: 'device-recall',
  at: at.toISOString(),
  input: { platform, answer },
});

/** What the vendor recalled of a phone as it was judged; null where it was not asked. */
export async function openRecall(
  sealer: Sealer,
  device: Pick<DeviceRow, 'device_id' | 'poly_user_id' | 'recall_sealed'>,
): Promise<EvidenceFile | null> {
  const { device_id: deviceId, recall_sealed: sealed } = device;
  if (!sealed) return null;
  const owner = userOwner(device.poly_user_id);
  return JSON.parse((await sealer.open(owner, recallContext(deviceId), sealed)).toString());
}
