/**
 * The version of the rules that judge a document. Its evidence file names it (`policy.rules`), so
 * that later rules can have another version.
 */
export const documentRules = 1;
