import type { ClaimName } from '../names.ts';

/** Claims that the proofs of one check established. Stored encrypted, never in an event. */
export interface Claims {
  full_name?: string;
  /** The parts of `full_name`, if the proof states them separately. */
  surname?: string;
  given_names?: string;
  /** `YYYY-MM-DD`; `YYYY-MM` or `YYYY` if the document does not state more. */
  date_of_birth?: string;
  place_of_birth?: string;
  /** ISO 3166-1 alpha-3, or one of ICAO's codes (9303-3 §5). */
  nationality?: string;
  /** ISO 3166-2 of the holder's address. */
  region?: string;
  sex?: string;
  document_type?: string;
  document_number?: string;
  issuing_country?: string;
  /** `YYYY-MM-DD`. */
  expires_on?: string;
  phone_number?: string;
  /** Address of the portrait from the chip, under `GET /v2/photo`. */
  photo?: string;
}

/** The claims of a check in the form that is stored encrypted. */
export interface StoredClaims extends Claims {
  /** Claims of proofs that wait for a review. They count only after a reviewer passes the check. */
  readonly unsure?: Claims;
}

/** The claims released to the requester, by their names in the interface. */
export type ReleasedClaims = {
  readonly [Name in Exclude<ClaimName, 'age_over_18'>]?: string;
} & { readonly age_over_18?: boolean };
