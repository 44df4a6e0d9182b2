/** A six-digit MRZ date made whole: `YYYY-MM-DD`, or less where the document says less. */
export interface MrzDate {
  /** `YYYY-MM-DD`, `YYYY-MM` or `YYYY`; null when the document does not state it at all. */
  readonly text: string | null;
  readonly complete: boolean;
}

/** No travel document is issued for longer than this; dates beyond lie in the century before. */
const expiryYearsAhead = 30;

/**
 * A date of birth (`YYMMDD`, `<<` where unknown: ICAO 9303-3, dates in the MRZ). An MRZ has no
 * century: it is the latest that does not put the birth after `at`. The holder of a hundred years
 * is therefore read as a child, which can refuse an age limit but never grant one. Null when the
 * field is no date.
 */
export function birthDateOf(field: string, at: Date): MrzDate | null {
  return readDate(field, at);
}

/** A date of expiry: the latest century that ends within thirty years of `at`. */
export function expiryDateOf(field: string, at: Date): MrzDate | null {
  const latest = new Date(at);
  latest.setUTCFullYear(at.getUTCFullYear() + expiryYearsAhead);
  return readDate(field, latest);
}

/** A document is good through the whole day it expires on, counted in UTC. */
export function isExpired(expiry: MrzDate, at: Date): boolean {
  return expiry.text === null || expiry.text < dayOf(at);
}

/**
 * True when somebody born on `birth` has completed `years` at `at` (UTC). What a document leaves
 * out counts against the holder; who was born on 29 February comes of age on 1 March.
 */
export function isOfAge(birth: MrzDate, years: number, at: Date): boolean {
  if (birth.text === null) return false;
  const [year = '', month = '12', day = '31'] = birth.text.split('-');
  const reached = `${String(Number(year) + years).padStart(4, '0')}-${month}-${day}`;
  return reached <= dayOf(at);
}

function readDate(field: string, latest: Date): MrzDate | null {
  const [, year, month, day] = /^(\d\d|<<)(\d\d|<<)(\d\d|<<)$/.exec(field) ?? [];
  if (!year || !month || !day) return null;
  if (year === '<<') return { text: null, complete: false };
  const known = [month, day].filter((part) => part !== '<<');
  if (month === '<<' && known.length > 0) return null;
  const limit = dayOf(latest);
  for (let century = Number(limit.slice(0, 2)); century >= 0; century -= 1) {
    const text = [`${String(century).padStart(2, '0')}${year}`, ...known].join('-');
    if (text <= limit) return isDay(text) ? { text, complete: known.length === 2 } : null;
  }
  return null;
}

function isDay(text: string): boolean {
  const [year = '', month = '01', day = '01'] = text.split('-');
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return dayOf(date) === `${year}-${month}-${day}`;
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
