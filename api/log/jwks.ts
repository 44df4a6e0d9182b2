import { encodeNoteKey } from '../../domain/transparency/note.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { jsonType } from '../keys/contract.ts';
import { revalidate } from '../keys/revalidate.ts';
import { publicLogContracts } from './contract.ts';

/**
 * Returns only the key of the log (RFC 8037). It is separate from the token keys, so that clients
 * cannot confuse them. A verifier that pins it must get it from a trusted source.
 */
export const jwks = handler(publicLogContracts.jwks)(async (
  input,
  { files }: Pick<Deps, 'files'>,
) => {
  const { key, kid } = files.publicLog;
  const jwk = {
    kty: 'OKP',
    crv: 'Ed25519',
    x: key.publicKey.toString('base64url'),
    kid,
    use: 'sig',
    alg: 'EdDSA',
    note_key: encodeNoteKey(key),
  };
  const file = { type: jsonType, content: JSON.stringify({ keys: [jwk] }) };
  return revalidate(file, input.headers['if-none-match']);
});
