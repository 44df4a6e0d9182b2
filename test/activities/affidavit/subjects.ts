import type { AffidavitContent } from '../../../domain/affidavit/content.ts';

type Subject = AffidavitContent['subject'];

const tinyJpeg = [
  '/9j/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1x',
  'eXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj',
  'Y2NjY2NjY2NjY2NjY2P/wAARCAAKAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAUEAEA',
  'AAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAA//EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAM',
  'AwEAAhEDEQA/ALgFG//Z',
].join('');

/** A photo of 8 by 10 pixels in one color. */
export const tinyPhoto = { width: 8, height: 10, jpeg: tinyJpeg };

/** A person of whom nothing is known. */
export const emptySubject: Subject = {
  poly_user_id: null,
  claims: {},
  photo: null,
  absent_claims: {},
};

/** A person whose every text is `text`. */
export const subjectNamed = (text: string, claims: Subject['claims']): Subject => ({
  ...emptySubject,
  poly_user_id: text,
  claims,
  absent_claims: { [text]: 'not_consented' },
});
