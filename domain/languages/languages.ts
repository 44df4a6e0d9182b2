/** The languages of the product, each with a catalog; the first one is the default. */
export const languages = [
  'en',
  'ar',
  'de',
  'es',
  'fr',
  'he',
  'it',
  'ja',
  'nl',
  'pl',
  'pt',
  'tr',
] as const;
export type Language = (typeof languages)[number];

const fromRight: ReadonlySet<string> = new Set<Language>(['ar', 'he']);

/** Returns the writing direction of a language. */
export const directionOf = (language: Language): 'ltr' | 'rtl' =>
  fromRight.has(language) ? 'rtl' : 'ltr';
