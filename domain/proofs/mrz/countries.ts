import { states } from 'mrz';

/**
 * Issuing States in an MRZ (ICAO 9303-3 §5, three letters), each followed by its ISO 3166-1 code in
 * the countryName of a certificate (ICAO 9303-12, certificate profiles, two letters).
 */
const iso3166 = `
  ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU
  AUTAT AZEAZ BDIBI BELBE BENBJ BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ
  BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW CAFCF CANCA CCKCC CHECH CHLCL CHNCN CIVCI
  CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE
  DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET FINFI FJIFJ FLKFK
  FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR
  GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN
  IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH
  KIRKI KNAKN KORKR KWTKW LAOLA LBNLB LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV
  MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN
  MNPMP MOZMZ MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI
  NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL
  PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG
  SGSGS SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI
  SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO TTOTT
  TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC VENVE VGBVG
  VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA ZMBZM ZWEZW
`;

/**
 * Codes of ICAO 9303-3 §5 that ISO 3166-1 does not contain, and States whose documents are signed
 * under another State's name. UTO (Utopia) is the State of the specimens in ICAO 9303. No public
 * list contains a CSCA of it, so it is trusted only if an operator pins one.
 */
const special: Readonly<Record<string, readonly string[]>> = {
  D: ['DE'],
  EUE: ['EU'],
  GBD: ['GB'],
  GBN: ['GB'],
  GBO: ['GB'],
  GBP: ['GB'],
  GBS: ['GB'],
  CHN: ['CN', 'HK', 'MO'],
  HKG: ['HK', 'CN'],
  MAC: ['MO', 'CN'],
  RKS: ['KS', 'XK'],
  UNA: ['UN'],
  UNK: ['UN'],
  UNO: ['UN'],
  UTO: ['UT'],
  XXK: ['KS', 'XK'],
};

const alpha2 = new Map(
  iso3166
    .trim()
    .split(/\s+/)
    .map((pair): [string, readonly string[]] => [pair.slice(0, 3), [pair.slice(3)]]),
);
for (const [code, countries] of Object.entries(special)) alpha2.set(code, countries);

/** ISO 3166-1 codes reserved for users. Test PKIs use them to name a State that does not exist. */
const userAssigned = /^(AA|Q[M-Z]|X[A-Z]|ZZ)$/;

/** Whether a certificate's countryName (`DE`) may sign for an MRZ's issuing State (`D`). */
export function signsFor(country: string | null, issuingState: string): boolean {
  if (country === null) return false;
  if (issuingState === 'UTO' && userAssigned.test(country)) return true;
  return alpha2.get(issuingState)?.includes(country) ?? false;
}

/** Whether ICAO 9303-3 §5 allows a code as issuing State or nationality; includes the specimens. */
export function isState(code: string): boolean {
  return alpha2.has(code) || Object.hasOwn(states, code);
}

/** Nationality codes of persons without a defined nationality (ICAO 9303-3 §5, part D). */
const ofPersons: ReadonlySet<string> = new Set(['XXA', 'XXB', 'XXC', 'XXX']);

/** Whether a code issues documents. The stateless and refugees get theirs from a State. */
export const isIssuer = (code: string): boolean => isState(code) && !ofPersons.has(code);

/** Returns the ISO 3166-1 alpha-3 form of an MRZ State code: only `D` differs. */
export const alpha3Of = (code: string): string => (code === 'D' ? 'DEU' : code);

/** Codes of `isState` in the form of claims: three letters, so `DEU` for `D`. */
export const stateCodes: readonly string[] = [
  ...new Set([...alpha2.keys(), ...Object.keys(states)].map(alpha3Of)),
].toSorted();

/** Returns every country of ISO 3166-1 as alpha-2 codes, sorted. */
export const countriesOfStates = (): string[] =>
  iso3166
    .trim()
    .split(/\s+/)
    .map((pair) => pair.slice(3))
    .sort();

/**
 * Returns the names of issuing States in a language, in the order of its alphabet. A code that ISO
 * 3166-1 does not contain gets its English name, or stays as it is.
 */
export function countryNames(codes: readonly string[], language: string): string[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  const nameOf = (code: string): string | undefined =>
    alpha2
      .get(code)
      ?.map((region) => names.of(region))
      .find((name) => name !== undefined);
  const { compare } = new Intl.Collator(language);
  // Some States have several codes.
  return [...new Set(codes.map((code) => nameOf(code) ?? states[code] ?? code))].toSorted(compare);
}
