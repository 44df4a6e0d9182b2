export interface LogoRequest {
  readonly account_id: number;
  /** Where the image is, as an ADMIN gave it. */
  readonly url: string;
}

/** Why an image cannot be a logo. */
export const logoRefusals = [
  'forbidden',
  'redirected',
  'too_large',
  'unreachable',
  'unreadable',
  'wrong_type',
] as const;
export type LogoRefusal = (typeof logoRefusals)[number];

export type LogoAnswer =
  /** In base64. */
  { readonly png: string } | { readonly refusal: LogoRefusal };
