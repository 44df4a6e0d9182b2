/**
 * The version of the rules that a document is judged by. Its evidence file names it
 * (`policy.rules`), so that other rules can have another version.
 */
export const documentRules = 1;
