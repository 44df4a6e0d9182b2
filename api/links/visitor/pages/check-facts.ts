import type { Message } from '../../../../domain/languages/format.ts';
import type { Language } from '../../../../domain/languages/languages.ts';
import type { Phrase } from '../../../../domain/languages/say.ts';
import type { LinkState } from '../../../../domain/names.ts';
import type { SpecimenName } from './specimens.ts';

/** The phrases of the page: those of the catalog that begin with `check.`. */
export type CheckPhrase = Extract<Phrase, `check.${string}`>;

/** The input of the page of a link, on the server and again in the browser. */
export interface CheckFacts {
  readonly language: Language;
  /** In the language, parsed: the browser has no parser of messages. */
  readonly phrases: Readonly<Record<CheckPhrase, Message>>;
  readonly link_uuid: string;
  readonly app_id: string;
  readonly url: string;
  readonly status: LinkState;
  /** Whether a check can begin now. */
  readonly isActionable: boolean;
  /** Whether the link is for one check of one person. */
  readonly isSingleUse: boolean;
  /** A mailed link needs its token, which is only in the fragment of the full address. */
  readonly isEmailed: boolean;
  readonly title: string | null;
  readonly account: string;
  readonly isVerified: boolean;
  /** How many days the account keeps pictures after the check has ended. */
  readonly imageDays: number;
  readonly app: string;
  /** The path of the logo of the app. */
  readonly logo: string | null;
  /** Opens the app on a phone, or leads to its store; null for an app without `install_url`. */
  readonly appUrl: string | null;
  /** `#rrggbb`; null for the default color. */
  readonly brandColor: string | null;
  /** Where the person gets help with the check. */
  readonly support: { readonly email: string | null; readonly url: string | null };
  /** Whether the redirect of an ended check opens by itself. */
  readonly isRedirected: boolean;
  readonly terms: { readonly url: string | null; readonly version: string };
  readonly proofs: readonly string[];
  readonly claims: readonly string[];
  /** ISO 8601; null for a link that does not expire. */
  readonly expires_at: string | null;
  /** Whether a browser can finish the check: no proof needs the app, and the link allows it. */
  readonly isWebAllowed: boolean;
  /** Whether a person who cannot give a proof may request a review instead. */
  readonly isReviewOffered: boolean;
  /** Whether a picture of a document may come from a file. */
  readonly isFileAllowed: boolean;
  /** The countries of accepted documents, in the language; null for all. */
  readonly acceptedCountries: readonly string[] | null;
  /** Whether a phone requested the page. */
  readonly isPhone: boolean;
  readonly isDevelopment: boolean;
  /** Origins of the pages that may embed this one in a frame. */
  readonly hosts: readonly string[];
  /** The `DPoP-Nonce` for the first call of the page. */
  readonly nonce: string;
  /** Calling codes (ITU-T E.164) by ISO 3166-1 country. */
  readonly callingCodes: Readonly<Record<string, string>>;
}

/** The facts that a specimen takes from app, account, service and viewer. */
export type SpecimenFacts = Pick<
  CheckFacts,
  | 'language'
  | 'phrases'
  | 'app_id'
  | 'app'
  | 'logo'
  | 'account'
  | 'isVerified'
  | 'imageDays'
  | 'brandColor'
  | 'support'
  | 'terms'
  | 'isDevelopment'
  | 'callingCodes'
>;

/** The exports of the build of `web/check` for the server. */
export interface CheckRenderer {
  /** The HTML of the `main` element. */
  readonly renderCheck: (facts: CheckFacts) => string;
  /** Style of this page only. */
  readonly checkStyle: string;
  /** The HTML of the `main` element in a specimen state. */
  readonly renderSpecimen: (name: SpecimenName, facts: SpecimenFacts) => string;
  /** Style of specimens only: the simulated camera image. */
  readonly specimenStyle: string;
}
