import type { ClaimName } from '../names.ts';

/** What is known of a person through the proofs of one check. Kept sealed, never in an event. */
export interface Claims {
  full_name?: string;
  /** The parts of `full_name`, where the proof has them apart. */
  surname?: string;
  given_names?: string;
  /** `YYYY-MM-DD`, or `YYYY-MM` or `YYYY` where the document says no more. */
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
  /** Address of the portrait in the chip, under `GET /v2/photo`. */
  photo?: string;
}

/** The claims of a check as they are sealed. */
export interface StoredClaims extends Claims {
  /** Those of proofs that wait for a reviewer: proven only once that one has passed the check. */
  readonly unsure?: Claims;
}

/** What is released of a person to who asked: claims by the names of the interface. */
export type ReleasedClaims = {
  readonly [Name in Exclude<ClaimName, 'age_over_18'>]?: string;
} & { readonly age_over_18?: boolean };
