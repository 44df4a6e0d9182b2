import type { Wrong } from './failures.ts';

/** Failures of the document in front of the camera, or of its photograph. */
export const documentFailures = {
  document_cropped: {
    does: 'half of the document is in the picture',
    reasons: ['cropped'],
  },
  document_dark: {
    does: 'the photograph is taken in the dark',
    reasons: ['too_dark'],
  },
  document_expired: {
    does: 'the document has expired, chip and print',
    reasons: ['document_expired'],
  },
  document_glare: {
    does: 'a lamp is reflected in the photograph',
    reasons: ['glare'],
  },
  document_unreadable: {
    does: 'the photograph of the page is shaken',
    reasons: ['blur'],
  },
  front_back_mismatch: {
    does: 'front and back are of two licenses',
    reasons: ['front_back_mismatch'],
    document: 'driving_licence',
  },
  impossible_dates: {
    does: 'the license expires before it is issued',
    reasons: ['fields_contradict'],
    document: 'driving_licence',
  },
  no_document: {
    does: 'the desk is empty',
    reasons: ['no_document'],
  },
  no_image: {
    does: 'the file is no photograph',
    reasons: ['image_refused'],
  },
  no_print: {
    does: 'the front of the license is blank',
    reasons: ['unreadable'],
    document: 'driving_licence',
  },
  one_side: {
    does: 'only the back of the identity card is photographed',
    reasons: ['side_missing'],
    document: 'identity_card',
  },
  other_name: {
    does: 'the photographed page is another person’s',
    reasons: ['mismatch'],
  },
  unknown_state: {
    does: 'no State of that name issues documents',
    reasons: ['country_unknown'],
    document: 'passport',
  },
  visa: {
    does: 'a visa is in front of the camera',
    reasons: ['type_refused'],
    document: 'passport',
  },
  wrong_digits: {
    does: 'a check digit is wrong, chip and page',
    reasons: ['mrz_checkdigit'],
    document: 'passport',
  },
} as const satisfies Readonly<Record<string, Wrong>>;
