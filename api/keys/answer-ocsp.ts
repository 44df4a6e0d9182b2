import {
  createOcspResponder,
  type OcspResponder,
} from '../../activities/keys/certificates/ocsp-responder.ts';
import { ocspRequestBytesMax } from '../../domain/pki/revocation/ocsp-request.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { assertContentType } from '../http/parse/raw-type.ts';
import { certifyResponder, type SigningDeps } from '../signing.ts';
import { keyContracts, ocspType } from './contract.ts';
import { revalidate, strongTag } from './revalidate.ts';

type OcspDeps = Pick<Deps, 'db' | 'keys'> & SigningDeps;

/** One responder for each loading of the keys, because it has its own keys. */
const responders = new WeakMap<Deps['keys']['root'], OcspResponder>();

function responderOf(deps: OcspDeps): OcspResponder {
  const { db, keys } = deps;
  const known = responders.get(keys.root);
  if (known) return known;
  const made = createOcspResponder({
    db,
    keys,
    certify: (issuerKid, spki) => certifyResponder(deps, issuerKid, spki),
  });
  responders.set(keys.root, made);
  return made;
}

/** OCSP by POST (RFC 6960 A.1). Returns the nonce of the request (RFC 9654). */
export const ocsp = handler(keyContracts.ocsp)(async (input, deps: OcspDeps) => {
  assertContentType(input.call, 'application/ocsp-request');
  const { der } = await responderOf(deps).answer(input.body, input.call.now, true);
  const headers = { 'Cache-Control': 'no-store' };
  return { status: 200, type: ocspType, content: der, headers };
});

/**
 * OCSP by GET, with the request as base64 in the path. It omits the nonce, so that caches can store
 * the response (RFC 5019 §6). Refusals are not cached.
 */
export const ocspByGet = handler(keyContracts.ocspByGet)(async (input, deps: OcspDeps) => {
  const { der, said } = await responderOf(deps).answer(
    bytesOf(input.path.request),
    input.call.now,
    false,
  );
  const type = ocspType;
  if (!said) return { status: 200, type, content: der, headers: { 'Cache-Control': 'no-store' } };
  // Signatures differ each time, so the tag is over the signed content.
  const etag = `W/${strongTag(said.singles)}`;
  const headers = { 'Last-Modified': said.thisUpdate.toUTCString() };
  return revalidate({ type, content: der, headers }, input.headers['if-none-match'], etag);
});

/** Returns no bytes for text that is not base64, which are refused as malformed. */
function bytesOf(base64: string): Buffer {
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
  return Buffer.from(isBase64 ? base64 : '', 'base64').subarray(0, ocspRequestBytesMax + 1);
}
