import type { NewTimestamp } from '../../domain/pki/timestamps/sign-token.ts';
import { statement, type Queryable } from '../client.ts';

const insert = statement<{ serial: string }>(
  'timestamps.insert',
  `INSERT INTO timestamps (serial, tsa_serial, imprint, created_at) SELECT :serial, :tsaSerial,
   :imprint, :at
   WHERE NOT EXISTS (SELECT 1
     FROM certificates WHERE serial = :tsaSerial AND revoked_at IS NOT NULL)
   RETURNING serial`,
);

/**
 * Stores the serial of a time stamp before it is signed.
 * @returns false if the authority's certificate is revoked; then nothing may be signed
 * @throws if the serial is already used
 */
export async function keepTimestamp(
  on: Queryable,
  tsaSerial: string,
  { serial, imprint, at }: NewTimestamp,
): Promise<boolean> {
  return (await insert(on, { serial, tsaSerial, imprint, at })).length > 0;
}
