import { z } from 'zod';
import type { DeviceRow } from '../../db/queries/devices.ts';
import { userOwner, type Sealer } from '../../db/sealed.ts';

/** What was judged, as an auditor judges it again. */
export type EvidenceFile = Readonly<Record<string, unknown>>;

/** The context under which the evidence of a device's enrolment is sealed. */
export const enrolmentContext = (deviceId: string): string => `devices|evidence|${deviceId}`;

/** What a device was enrolled by: one file, or several where it was judged by more than its key. */
export async function openEnrolment(
  sealer: Sealer,
  device: Pick<DeviceRow, 'device_id' | 'poly_user_id' | 'evidence_sealed'>,
): Promise<readonly EvidenceFile[]> {
  const owner = userOwner(device.poly_user_id);
  const context = enrolmentContext(device.device_id);
  const opened = await sealer.open(owner, context, device.evidence_sealed);
  const files: EvidenceFile | readonly EvidenceFile[] = JSON.parse(opened.toString());
  return [files].flat();
}

const attested = z.object({
  kind: z.literal('android-key-attestation'),
  input: z.object({ chain: z.array(z.base64()) }),
});

/** The chain an Android phone was enrolled by, DER, leaf first; empty where there is none. */
export function chainOf(files: readonly EvidenceFile[]): Uint8Array[] {
  return files.flatMap((file) => {
    const { data } = attested.safeParse(file);
    return (data?.input.chain ?? []).map((der) => new Uint8Array(Buffer.from(der, 'base64')));
  });
}
