import type { LinkState } from '../../../../domain/names.ts';

/** What each proof is to the person who gives it: its name, and what it takes. */
export const proofWords: Readonly<Record<string, { name: string; what: string }>> = {
  biometric: { name: 'Your face', what: 'a short look into the camera' },
  device: { name: 'Your phone', what: 'it shows that it is genuine; there is nothing to do' },
  document: { name: 'Your document', what: 'a photo of it' },
  nfc_passport: { name: 'The chip of your passport', what: 'hold the passport to the phone' },
  phone: { name: 'Your phone number', what: 'a code that is sent to it as a text message' },
};

export const claimWords: Readonly<Record<string, string>> = {
  age_over_18: 'whether you are over 18',
  date_of_birth: 'your date of birth',
  document_number: 'the number of your document',
  document_type: 'the kind of your document',
  expires_on: 'the day your document expires',
  full_name: 'your full name',
  issuing_country: 'the country that issued your document',
  nationality: 'your nationality',
  phone_number: 'your phone number',
  place_of_birth: 'your place of birth',
  photo: 'your photo',
  region: 'the region you live in',
};

/** Why a link cannot be used, for the states in which it cannot. */
export const linkWords: Readonly<Partial<Record<LinkState, { title: string; what: string }>>> = {
  scheduled: { title: 'This link does not work yet', what: 'Come back at the time you were told.' },
  paused: { title: 'This link is paused', what: 'Try again later, or ask whoever sent it to you.' },
  consumed: {
    title: 'This link has been used',
    what: 'It works once. If that was not you, tell whoever sent it to you.',
  },
  expired: { title: 'This link has expired', what: 'Ask whoever sent it to you for a new one.' },
};
