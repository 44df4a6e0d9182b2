import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { jsonType, keyContracts } from './contract.ts';
import { presentKey, presentRetired } from './present.ts';
import { revalidate } from './revalidate.ts';

/** Root and issuing CAs, the key of the platform's own tokens with its CA, and retired ones. */
export const platformJwks = handler(keyContracts.platformJwks)(async (
  input,
  { keys }: Pick<Deps, 'keys'>,
) => {
  const set = {
    keys: [
      presentKey(keys.root.certificate),
      presentKey(keys.peopleCa.certificate),
      presentKey(keys.servicesCa.certificate),
      presentKey(keys.tokens.certificate, [keys.servicesCa.certificate]),
      ...[...keys.retired, ...keys.retiredTokens].map(presentRetired),
    ],
  };
  const file = { type: jsonType, content: JSON.stringify(set) };
  return revalidate(file, input.headers['if-none-match']);
});
