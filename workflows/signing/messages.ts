/** What the API asks the workers to sign. The worker makes what it signs from these fields. */
export type SigningRequest =
  | {
      readonly kind: 'user_certificate';
      readonly poly_user_id: string;
      /** The key of the device, on P-256. */
      readonly public_jwk: {
        readonly kty: string;
        readonly crv: string;
        readonly x: string;
        readonly y: string;
      };
    }
  | {
      readonly kind: 'time_stamp';
      /** TimeStampReq (RFC 3161 §2.4.1), DER in base64. */
      readonly query: string;
    }
  | {
      readonly kind: 'revocation_list';
      /** The CA. */
      readonly issuer_kid: string;
    }
  | {
      readonly kind: 'ocsp_responder';
      /** The CA that delegates its OCSP answers. */
      readonly issuer_kid: string;
      /** The key of the responder, SubjectPublicKeyInfo, DER in base64. */
      readonly spki: string;
    };

export interface SigningAnswer {
  /** DER in base64; null for a revocation list, which is in the database. */
  readonly der: string | null;
}
