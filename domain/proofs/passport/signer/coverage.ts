import { nameOf, refusalOf, schemeOf, type Scheme } from '../../../pki/x509/algorithms.ts';
import { countriesOfStates } from '../../mrz/countries.ts';
import { countryDateFaultOf, type CountryCertificate } from './certificate.ts';
import type { CscaStore } from './master-list.ts';

/** The CSCAs of one State with the same signature algorithm. */
export interface CoverageRow {
  /** ISO 3166-1 alpha-2, from the certificates; `??` if they name none. */
  readonly country: string;
  /**
   * `ecdsa-sha384 brainpoolP384r1`, `rsa-pss-sha256 4096`, or the identifier of an unknown one;
   * `link ecdsa brainpoolP384r1` if the previous key introduces the key.
   */
  readonly algorithm: string;
  readonly certificates: number;
  /** How many of those are within their validity. */
  readonly valid: number;
  /** Years since the newest was issued, one decimal. */
  readonly newest_age_years: number;
  readonly oldest_age_years: number;
  /** When the last of them expires. */
  readonly expires_on: string;
  /** How the rules treat their signatures: `taken`, `sha1` (by policy) or `refused`. */
  readonly signatures: 'taken' | 'sha1' | 'refused';
}

export interface Coverage {
  readonly at: string;
  readonly certificates: number;
  readonly unreadable: number;
  readonly countries: number;
  readonly rows: readonly CoverageRow[];
  /** States and territories of ISO 3166-1 without a certificate here. */
  readonly missing: readonly string[];
}

const yearMs = 365.25 * 24 * 3600_000;

/**
 * Reports which passports can be verified: for each State, the algorithms of its CSCAs and their
 * age. If a State's newest CSCA is older than about five years, a CSCA that is missing here signs
 * its current documents (ICAO 9303-12, key usage and validity: a CSCA key signs for three to five
 * years).
 */
export function coverageOf({ certificates, unreadable }: CscaStore, at: Date): Coverage {
  const groups = Map.groupBy(certificates, (each) => `${countryOf(each)} ${algorithmOf(each)}`);
  const rows = [...groups.values()].map((group) => rowOf(group, at));
  const countries = new Set(rows.map(({ country }) => country));
  return {
    at: at.toISOString(),
    certificates: certificates.length,
    unreadable,
    countries: countries.size,
    rows: rows.sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1)),
    missing: countriesOfStates().filter((country) => !countries.has(country)),
  };
}

const sortKey = ({ country, algorithm }: CoverageRow): string => `${country} ${algorithm}`;

const countryOf = ({ subject }: CountryCertificate): string => subject.country ?? '??';

function rowOf(group: readonly CountryCertificate[], at: Date): CoverageRow {
  const ages = group.map((each) => at.getTime() - each.x509().validFromDate.getTime());
  const ends = group.map((each) => each.x509().validToDate.getTime());
  const answers = new Set(group.map(answerOf));
  const [first] = group;
  return {
    country: first ? countryOf(first) : '??',
    algorithm: first ? algorithmOf(first) : '',
    certificates: group.length,
    valid: group.filter((each) => !countryDateFaultOf(each, at)).length,
    newest_age_years: yearsOf(Math.min(...ages)),
    oldest_age_years: yearsOf(Math.max(...ages)),
    expires_on: new Date(Math.max(...ends)).toISOString().slice(0, 10),
    signatures: answers.has('taken') ? 'taken' : answers.has('sha1') ? 'sha1' : 'refused',
  };
}

const yearsOf = (ms: number): number => Math.round((ms / yearMs) * 10) / 10;

/**
 * Returns the scheme of a certificate's own key. The previous key signed a link certificate, so
 * only the kind of its own key is known.
 */
function schemeBy(certificate: CountryCertificate): Scheme | null {
  const scheme = schemeOf(certificate.signatureAlgorithm, null);
  if (!isLink(certificate)) return scheme;
  const family = certificate.publicKey()?.asymmetricKeyType === 'ec' ? 'ecdsa' : 'rsa';
  return scheme && { family, hash: scheme.hash === 'sha1' ? 'sha256' : scheme.hash };
}

const isLink = ({ authorityKeyId, subjectKeyId, issuer, subject }: CountryCertificate): boolean =>
  authorityKeyId ? authorityKeyId !== subjectKeyId : issuer.key !== subject.key;

function algorithmOf(certificate: CountryCertificate): string {
  const scheme = schemeBy(certificate);
  const { namedCurve, modulusLength } = certificate.publicKey()?.asymmetricKeyDetails ?? {};
  const key = namedCurve ?? modulusLength ?? 'unknown key';
  if (!scheme) return `${certificate.signatureAlgorithm.oid} ${key}`;
  return isLink(certificate) ? `link ${scheme.family} ${key}` : `${nameOf(scheme)} ${key}`;
}

function answerOf(certificate: CountryCertificate): CoverageRow['signatures'] {
  const scheme = schemeBy(certificate);
  if (!scheme || refusalOf(scheme, certificate.publicKey(), 'flag')) return 'refused';
  return scheme.hash === 'sha1' ? 'sha1' : 'taken';
}
