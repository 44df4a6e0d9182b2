import { platformOwner, type Sealer } from '../../db/sealing/sealed.ts';

const contextOf = (sid: string): string => `sessions|device_label|${sid}`;

/** Seals a person's name for a device, as a value of the session that it opens. */
export async function sealDeviceLabel(
  sealer: Sealer,
  sid: string,
  label: string | undefined,
): Promise<Buffer | null> {
  return label === undefined ? null : sealer.seal(platformOwner, contextOf(sid), label);
}

/** Opens what `sealDeviceLabel` sealed; null for a session without a label. */
export async function openDeviceLabel(
  sealer: Sealer,
  sid: string | null,
  sealed: Buffer | null,
): Promise<string | null> {
  if (sid === null || sealed === null) return null;
  return (await sealer.open(platformOwner, contextOf(sid), sealed)).toString();
}
