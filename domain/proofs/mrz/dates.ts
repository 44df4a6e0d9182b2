/** A six-digit MRZ date completed to `YYYY-MM-DD`, or less if the document states less. */
export interface MrzDate {
  /** `YYYY-MM-DD`, `YYYY-MM` or `YYYY`; null if the document does not state it. */
  readonly text: string | null;
  readonly complete: boolean;
}

/** No travel document is valid for more years. Later dates belong to the previous century. */
const expiryYearsAhead = 30;

/**
 * Reads a date of birth (`YYMMDD`, `<<` where unknown: ICAO 9303-3, dates in the MRZ). An MRZ has
 * no century: the latest one that does not put the birth after `at` applies. A person over a
 * hundred is therefore read as a child, which can fail an age limit but never pass one. Returns
 * null if the field is not a date.
 */
export function birthDateOf(field: string, at: Date): MrzDate | null {
  return readDate(field, at);
}

/** Reads a date of expiry: the latest century that puts it at most 30 years after `at`. */
export function expiryDateOf(field: string, at: Date): MrzDate | null {
  const latest = new Date(at);
  latest.setUTCFullYear(at.getUTCFullYear() + expiryYearsAhead);
  return readDate(field, latest);
}

/** Whether a document has expired. It is valid through the whole day of expiry, in UTC. */
export function isExpired(expiry: MrzDate, at: Date): boolean {
  return expiry.text === null || expiry.text < dayOf(at);
}

/**
 * Whether a person born on `birth` has completed `years` at `at` (UTC). Missing parts of the date
 * count against the holder. A person born on 29 February comes of age on 1 March.
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
