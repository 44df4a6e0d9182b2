/**
 * Which rules a document is judged by, as its evidence file says (`policy.rules`). Evidence is
 * judged by those of its day, whatever is asked of documents since:
 * 1. four fields of a barcode have to be found in print, names of three letters or more among them;
 * 2. so has the first name, and a short name as a word of its own; sex, State and nationality agree
 *    where they are read twice; names are no longer than AAMVA has them; what print says is told;
 * 3. a front without a code, whose photograph is what a face is held against, says in print at
 *    least two things of the zone on the back, and one of the person alone, or there is a doubt.
 */
export type DocumentRules = 1 | 2 | 3;

/** Of files that say none. */
export const firstRules: DocumentRules = 1;
/** What a live check is judged by. */
export const documentRules: DocumentRules = 3;
