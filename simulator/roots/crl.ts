import { createPublicKey } from 'node:crypto';
import { element, extension, integer, sequence, time } from '../der.ts';
import { algorithmOf, keyIdOf, signed, subjectOf, type DevCsca } from './passport.ts';

const crlLifeMs = 90 * 24 * 3600_000;

/** Overrides that distinguish a list from a State's usual one. */
export interface CrlOptions {
  /** Null: the field is omitted. */
  readonly nextUpdate?: Date | null;
  readonly extensions?: readonly Uint8Array[];
  /** Extensions of each entry. */
  readonly entryExtensions?: readonly Uint8Array[];
}

/** Issues a CRL of the CSCA (RFC 5280 §5.1) with these serial numbers, valid for ninety days. */
export function issueCrl(
  csca: DevCsca,
  revoked: readonly Uint8Array[],
  now: Date,
  options: CrlOptions = {},
): Uint8Array {
  const { nextUpdate = new Date(now.getTime() + crlLifeMs), extensions = [] } = options;
  const ofEntry = options.entryExtensions ? [sequence(...options.entryExtensions)] : [];
  const entries = revoked.map((serial) => sequence(integer(serial), time(now), ...ofEntry));
  const authorityKeyId = extension(
    '2.5.29.35',
    sequence(element(0x80, keyIdOf(createPublicKey(csca.key)))),
  );
  const tbs = sequence(
    integer(1),
    algorithmOf(csca.profile),
    subjectOf(csca),
    time(now),
    ...(nextUpdate ? [time(nextUpdate)] : []),
    ...(entries.length > 0 ? [sequence(...entries)] : []),
    element(0xa0, sequence(authorityKeyId, extension('2.5.29.20', integer(1)), ...extensions)),
  );
  return signed(csca.profile, csca.key, tbs);
}
