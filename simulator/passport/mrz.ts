/** Data of a simulated document and its holder; dates as `YYYY-MM-DD`. */
export interface MrzFields {
  readonly holder: {
    readonly surname: string;
    readonly givenNames: string;
    readonly dateOfBirth: string;
    readonly sex: 'F' | 'M' | 'X';
    /** Three letters (ICAO 9303-3 §5). */
    readonly nationality: string;
  };
  /** Up to nine letters and digits. */
  readonly documentNumber: string;
  readonly expiresOn: string;
  /** Three letters. Default: Utopia. */
  readonly issuingState?: string | undefined;
}

export type MrzKind = 'TD1' | 'TD2' | 'TD3' | 'MRV-A' | 'MRV-B';

/** Returns the two lines of a passport's MRZ (ICAO 9303-4), with letters without accents. */
export function mrzOf(fields: MrzFields): [string, string] {
  const { number, birth, expiry, sex, nationality } = partsOf(fields);
  const personal = withCheckDigit('<'.repeat(14));
  const composite = checkDigit(number + birth + expiry + personal);
  const second = `${number}${nationality}${birth}${sex}${expiry}${personal}${composite}`;
  return [firstLine('P<', fields, 44), second];
}

/** Returns the lines of an MRZ of any kind (ICAO 9303-4 to -7). */
export function mrzLines(kind: MrzKind, fields: MrzFields): readonly string[] {
  if (kind === 'TD3') return mrzOf(fields);
  const { number, birth, expiry, sex, nationality, state } = partsOf(fields);
  const second = `${number}${nationality}${birth}${sex}${expiry}`;
  if (kind === 'MRV-A') return [firstLine('V<', fields, 44), second.padEnd(44, '<')];
  if (kind === 'MRV-B') return [firstLine('V<', fields, 36), second.padEnd(36, '<')];
  if (kind === 'TD2') {
    const composite = checkDigit(`${number}${birth}${expiry}${'<'.repeat(7)}`);
    return [firstLine('I<', fields, 36), `${second.padEnd(35, '<')}${composite}`];
  }
  const upper = `I<${state}${number}`.padEnd(30, '<');
  const middle = `${birth}${sex}${expiry}${nationality}`.padEnd(29, '<');
  const covered = `${upper.slice(5)}${birth}${expiry}${middle.slice(18)}`;
  return [upper, middle + checkDigit(covered), namesOf(fields).slice(0, 30).padEnd(30, '<')];
}

function partsOf({ holder, documentNumber, expiresOn, issuingState = 'UTO' }: MrzFields) {
  return {
    number: withCheckDigit(latin(documentNumber).slice(0, 9).padEnd(9, '<')),
    birth: withCheckDigit(shortDate(holder.dateOfBirth)),
    expiry: withCheckDigit(shortDate(expiresOn)),
    sex: holder.sex === 'X' ? '<' : holder.sex,
    nationality: holder.nationality.padEnd(3, '<'),
    state: issuingState.padEnd(3, '<'),
  };
}

const namesOf = ({ holder }: MrzFields): string =>
  `${latin(holder.surname)}<<${latin(holder.givenNames)}`;

function firstLine(code: string, fields: MrzFields, length: number): string {
  const { state } = partsOf(fields);
  return `${code}${state}${namesOf(fields)}`.slice(0, length).padEnd(length, '<');
}

const shortDate = (iso: string): string => iso.slice(2).replaceAll('-', '');

const latin = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/[’']/g, '')
    .replaceAll(/[^A-Z0-9]+/g, '<');

const withCheckDigit = (field: string): string => field + checkDigit(field);

/** ICAO 9303-3, check digits: weights 7, 3, 1; letters from 10, fillers 0; modulo 10. */
function checkDigit(field: string): string {
  const weights = [7, 3, 1];
  const sum = [...field].reduce((total, character, index) => {
    const value = character === '<' ? 0 : Number.parseInt(character, 36);
    return total + value * (weights[index % 3] ?? 0);
  }, 0);
  return String(sum % 10);
}
