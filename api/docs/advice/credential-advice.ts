import type { FailureCode } from '../../../workflows/failures.ts';
import type { Advice } from './advice.ts';

/** Advice on credentials, expansions and versions that are refused. */
export const credentialAdvice = {
  dpop_proof_required: {
    when: 'A check is begun, or called with its check token, without a `DPoP` header.',
    remedy:
      'Sign each call with a P-256 key of the browser or app, the begin too: /docs/reference/dpop-header. The ' +
      'nonce to sign is in the `DPoP-Nonce` header of this answer.',
  },
  invalid_dpop_proof: {
    when:
      'The `DPoP` header was made for another request, by another key than the one of the check ' +
      'token, or was sent before. `rule` names the claim or header member that does not hold.',
    remedy:
      'Sign each request anew, with its own `jti`. A client that has lost its key begins again ' +
      'with its `resume_token`, which binds the new token to the new key. A phone begins with ' +
      'its signing key.',
  },
  use_dpop_nonce: {
    when: 'The proof has no nonce of ours, or one that is older than the last five minutes.',
    remedy: 'Sign again with the nonce in the `DPoP-Nonce` header of this very answer, at once.',
  },
  credential_ambiguous: {
    when: 'Both Authorization and X-API-Key are sent.',
    remedy: 'Send exactly one of them.',
  },
  credential_expired: {
    when: 'The session, check or join token is genuine and has run out.',
    remedy: 'Sign in again, or begin again from the link.',
  },
  credential_invalid: {
    when:
      'The credential is unknown, revoked, has a wrong signature, or is not of a kind the ' +
      'operation takes. A session whose membership or role has ended and an expired API key get ' +
      'the same answer.',
    remedy: 'Send a live credential of a kind the operation names.',
  },
  credential_malformed: {
    when:
      'The `Authorization` header is not `Bearer` with a token, or the token has neither the ' +
      'form of an API key nor that of a JWT.',
    remedy: 'Send the token as it was issued, as `Authorization: Bearer <token>`.',
  },
  credential_missing: {
    when: 'The operation needs a credential and none was sent.',
    remedy:
      'Send `Authorization: Bearer <token>` with a credential of a kind the operation names. An ' +
      'API key may be sent as `X-API-Key`.',
  },
  calendar_not_connected: {
    when:
      'The provider led the browser back and no calendar was connected: consent was denied, took ' +
      'more than ten minutes, or came back in another browser. `cal` is the result of the flow ' +
      'and `cal_reason` the reason of a denial.',
    remedy: 'Begin again at `/cal/oauth/start`, and finish in the same browser.',
  },
  body_unexpected: {
    when: 'The operation has no body, and the request has one that is not empty and not `{}`.',
    remedy:
      'Send no body, and give what it held as parameters where the operation has them. `Prefer: ' +
      'handling=lenient` ignores the body.',
  },
  expand_refused: {
    when:
      'The caller may read the check, but not what `expand` names: `operation` is the operation ' +
      'that it would take.',
    remedy: 'Leave it out of `expand`, or use a credential that may call that operation.',
  },
  unknown_version: {
    when:
      'The `Trustcheck-Version` header names a version that this service does not have; ' +
      '`known_versions` lists those it has.',
    remedy: 'Send one of these, or leave the header out.',
  },
  headers_too_large: {
    when: 'The headers of the request have more than 32 KiB together. No operation has seen it.',
    remedy: 'Send fewer or shorter headers; long values belong in the body.',
  },
} as const satisfies Partial<Record<FailureCode, Advice>>;
