import { z } from 'zod';
import { MalformedDer } from '../../../pki/read-der.ts';
import { readCertificate, type Certificate } from '../../../pki/x509/certificate.ts';

/** The revocation list Google publishes for the keys phones attest with. */
export interface StatusList {
  /** By serial number, hex in lower case without leading zeros. */
  readonly entries: ReadonlyMap<string, KeyStatus>;
}

export interface KeyStatus {
  /** `REVOKED` or `SUSPENDED`, as far as is published; whatever is listed is refused. */
  readonly status: string;
  readonly reason: string | null;
}

/** The list is not one: nothing can be judged by it. */
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
 * Reads the list as it is published at https://android.googleapis.com/attestation/status, parsed
 * from JSON. Throws `MalformedStatusList` rather than pass over an entry it does not understand.
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

/** What the list says of a certificate; null when it is not listed. */
export function statusOf(list: StatusList, certificate: Certificate): KeyStatus | null {
  return list.entries.get(serialOf(certificate)) ?? null;
}

/**
 * The part of a list that speaks of a chain, in the published form: what an auditor needs of it.
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
 * The serial numbers of a chain as a list has them, leaf first. Certificates that cannot be read
 * are on no list; the rules refuse them.
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
