/**
 * Signing request from the API to the workers. The worker builds the signed data from these fields.
 */
export type SigningRequest =
  | {
      readonly kind: 'user_certificate';
      readonly poly_user_id: string;
      /** Public key of the device, on P-256. */
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
      /** Key id of the CA. */
      readonly issuer_kid: string;
    }
  | {
      readonly kind: 'ocsp_responder';
      /** Key id of the CA that delegates its OCSP responses. */
      readonly issuer_kid: string;
      /** Public key of the responder: SubjectPublicKeyInfo, DER in base64. */
      readonly spki: string;
    };

export interface SigningAnswer {
  /** DER in base64. Null for a revocation list, which is stored in the database. */
  readonly der: string | null;
}
