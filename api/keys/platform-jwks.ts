import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { jsonType, keyContracts } from './contract.ts';
import { presentKey, presentRetired } from './present.ts';
import { revalidate } from './revalidate.ts';

/** Root and issuing CAs, the token key with its CA, the next key of each, and retired ones. */
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
      ...keys.next.filter(isInSet).map(({ certificate }) => presentKey(certificate)),
      ...[...keys.retired, ...keys.retiredTokens].map(presentRetired),
    ],
  };
  const file = { type: jsonType, content: JSON.stringify(set) };
  return revalidate(file, input.headers['if-none-match']);
});

/** Seals and timestamps carry their own chains, so the set has only CAs and token keys. */
const isInSet = ({ name }: Deps['keys']['next'][number]): boolean =>
  name !== 'seal' && name !== 'tsa';
