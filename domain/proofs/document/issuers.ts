/** The issuer of a card, found by the first six digits of its barcode. */
export interface Issuer {
  /** Postal abbreviation of the State, province or territory. */
  readonly jurisdiction: string;
  readonly country: 'USA' | 'CAN';
}

/** Issuer identification numbers of AAMVA (DL/ID Card Design Standard, annex D). */
const unitedStates = `
  636033AL 636059AK 604427AS 636026AZ 636021AR 636014CA 636020CO 636006CT 636011DE 636043DC
  636010FL 636055GA 636019GU 636047HI 636050ID 636035IL 636037IN 636018IA 636022KS 636046KY
  636007LA 636041ME 636003MD 636002MA 636032MI 636038MN 636051MS 636030MO 636008MT 636054NE
  636049NV 636039NH 636036NJ 636009NM 636001NY 636004NC 636034ND 604430MP 636023OH 636058OK
  636029OR 636025PA 604431PR 636052RI 636005SC 636042SD 636053TN 636015TX 636062VI 636040UT
  636024VT 636000VA 636045WA 636061WV 636031WI 636060WY
`;
const canada = `
  604432AB 636028BC 636048MB 636017NB 636016NL 636013NS 604434NT 604433NU 636012ON 604426PE
  604428QC 636044SK 604429YT
`;

const issuersOf = (text: string, country: Issuer['country']): [string, Issuer][] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 6), { jurisdiction: pair.slice(6), country }]);

const issuers = new Map([...issuersOf(unitedStates, 'USA'), ...issuersOf(canada, 'CAN')]);

/** Returns the issuer of that number; null if no issuer of such cards has it. */
export const issuerOf = (number: string): Issuer | null => issuers.get(number) ?? null;
