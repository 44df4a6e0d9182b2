import { z } from 'zod';
import { MalformedDer } from '../../../pki/read-der.ts';
import { readCertificate, type Certificate } from '../../../pki/x509/certificate.ts';

/** Google's revocation list for attestation keys of phones. */
export interface StatusList {
  /** By serial number, lower-case hex without leading zeros. */
  readonly entries: ReadonlyMap<string, KeyStatus>;
}

export interface KeyStatus {
  /** Published values are `REVOKED` and `SUSPENDED`; any listed key is refused. */
  readonly status: string;
  readonly reason: string | null;
}

/** The list is malformed and cannot be used. */
export class MalformedStatusList extends Error {
  override readonly name = 'MalformedStatusList';
}

const published = z.object({
  entries: z.record(
    z.string().regex(/^[0-9a-fA-F]{1,64}$/),
    z.object({ status: z.string(), reason: z.string().optional() }),
  ),
});

/**
 * Reads the list published at https://android.googleapis.com/attestation/status, parsed from JSON.
 * @throws `MalformedStatusList`, also for a single unknown entry, which it never skips
 */
export function readStatusList(json: unknown): StatusList {
  const parsed = published.safeParse(json);
  if (!parsed.success) throw new MalformedStatusList('not a status list');
  return {
    entries: new Map(
      Object.entries(parsed.data.entries).map(([serial, { status, reason = null }]) => [
        keyOf(serial),
        { status, reason },
      ]),
    ),
  };
}

/** Returns the entry of a certificate; null if it is not listed. */
export function statusOf(list: StatusList, certificate: Certificate): KeyStatus | null {
  return list.entries.get(serialOf(certificate)) ?? null;
}

/**
 * Returns the entries of a list for one chain, in the published form: the part an auditor needs.
 * @param chain DER
 */
export function entriesOf(
  list: StatusList,
  chain: readonly Uint8Array[],
): Record<string, { status: string }> {
  const found = serialsOf(chain).flatMap((serial): [string, { status: string }][] => {
    const entry = list.entries.get(serial);
    return entry ? [[serial, { status: entry.status }]] : [];
  });
  return Object.fromEntries(found);
}

/**
 * Returns the serial numbers of a chain in the form of the list, leaf first. Unreadable
 * certificates are skipped: they are on no list, and the rules refuse them.
 * @param chain DER
 */
export function serialsOf(chain: readonly Uint8Array[]): string[] {
  return chain.flatMap((der) => {
    try {
      return [serialOf(readCertificate(der))];
    } catch (error) {
      if (!(error instanceof MalformedDer)) throw error;
      return [];
    }
  });
}

const serialOf = ({ serial }: Certificate): string => keyOf(serial);

const keyOf = (hex: string): string => hex.toLowerCase().replace(/^0+(?=.)/, '');
