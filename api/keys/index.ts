import type { Deps } from '../deps.ts';
import { family, handler } from '../http/contract.ts';
import { ocsp, ocspByGet } from './answer-ocsp.ts';
import { iosAssociation, assetLinks } from './app-association.ts';
import { authorityFile } from './authority-file.ts';
import { keyContracts } from './contract.ts';
import { platformJwks } from './platform-jwks.ts';
import { userJwks } from './user-jwks.ts';

const trustBundle = handler(keyContracts.trustBundle)(async (_input, deps: Pick<Deps, 'keys'>) => ({
  status: 200,
  type: 'application/x-pem-file; charset=utf-8',
  content: deps.keys.trustBundlePem,
  headers: { 'Cache-Control': 'public, max-age=300' },
}));

export const keys = family('keys', keyContracts, {
  platformJwks,
  userJwks,
  iosAssociation,
  iosAssociationAtRoot: iosAssociation,
  vendorAssociation: iosAssociation,
  vendorAssociationAtRoot: iosAssociation,
  assetLinks,
  trustBundle,
  authorityFile,
  ocsp,
  ocspByGet,
});
