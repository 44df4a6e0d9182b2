import type { FailureCode } from '../../../workflows/failures.ts';
import type { Advice } from './advice.ts';

/** Advice on credentials, expansions and versions that are refused. */
export const credentialAdvice = {
  dpop_proof_required: {
    when: 'A check is begun, or called with its check token, without a `DPoP` header.',
    remedy:
      'Sign each call with a P-256 key of the browser or app, the begin included: ' +
      '/docs/reference/dpop-header. The nonce to sign is in the `DPoP-Nonce` header of this ' +
      'answer.',
  },
  invalid_dpop_proof: {
    when:
      'The `DPoP` header was created for another request, was signed by another key than the ' +
      'one of the check token, or was sent before. `rule` names the claim or header member ' +
      'that is wrong.',
    remedy:
      'Sign each request again, with its own `jti`. A client that lost its key begins again ' +
      'with its `resume_token`, which binds the new token to the new key. A phone begins with ' +
      'its signing key.',
  },
  use_dpop_nonce: {
    when: 'The proof has no nonce of this service, or one older than five minutes.',
    remedy: 'Sign again with the nonce in the `DPoP-Nonce` header of this answer, without delay.',
  },
  credential_ambiguous: {
    when: 'The request has both `Authorization` and `X-API-Key`.',
    remedy: 'Send exactly one of them.',
  },
  credential_expired: {
    when: 'The session, check or join token is genuine and has expired.',
    remedy: 'Sign in again, or begin again from the link.',
  },
  credential_invalid: {
    when:
      'The credential is unknown, revoked, has a wrong signature, or is of a kind that the ' +
      'operation does not accept. An ended membership and an expired API key get the same ' +
      'answer.',
    remedy: 'Send a valid credential of a kind that the operation lists.',
  },
  credential_malformed: {
    when:
      'The `Authorization` header is not `Bearer` with a token, or the token is neither an ' +
      'API key nor a JWT.',
    remedy: 'Send the token as it was issued, as `Authorization: Bearer <token>`.',
  },
  credential_missing: {
    when: 'The operation needs a credential, and the request has none.',
    remedy:
      'Send `Authorization: Bearer <token>` with a credential of a kind that the operation ' +
      'lists. You can send an API key as `X-API-Key`.',
  },
  calendar_not_connected: {
    when:
      'The provider sent the browser back, and the calendar is not connected: consent was ' +
      'denied, took longer than ten minutes, or came back in another browser. `cal` is the ' +
      'result, `cal_reason` the reason of a denial.',
    remedy: 'Begin again at `/cal/oauth/start`, and finish in the same browser.',
  },
  body_unexpected: {
    when: 'The operation has no body, and the request has one other than `{}`.',
    remedy:
      'Send no body. Send its values as parameters if the operation has them. `Prefer: ' +
      'handling=lenient` ignores the body.',
  },
  expand_refused: {
    when:
      'The caller may read the check, but not the object that `expand` names. `operation` is ' +
      'the operation that returns it.',
    remedy: 'Omit it from `expand`, or use a credential that may call that operation.',
  },
  unknown_version: {
    when:
      'The service does not have the version in the `Trustcheck-Version` header. ' +
      '`known_versions` lists its versions.',
    remedy: 'Send one of these, or omit the header.',
  },
  headers_too_large: {
    when:
      'The headers of the request have more than 32 KiB together. The request reached no ' +
      'operation.',
    remedy: 'Send fewer or shorter headers. Put long values into the body.',
  },
} as const satisfies Partial<Record<FailureCode, Advice>>;
