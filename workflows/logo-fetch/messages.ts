export interface LogoRequest {
  readonly account_id: number;
  /** URL of the image, as an ADMIN entered it. */
  readonly url: string;
}

/** Why an image is refused as a logo. */
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
  /** Base64. */
  { readonly png: string } | { readonly refusal: LogoRefusal };
