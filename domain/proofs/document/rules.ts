/**
 * The version of the rules that judge a document. Its evidence file names it (`policy.rules`), so
 * that later rules can have another version. Version 1 means the current rules until the first
 * release.
 */
export const documentRules = 1;
