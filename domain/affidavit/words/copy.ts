import type { AffidavitContent } from '../content.ts';
import { describeProof, resultOf, type StatedProof } from './proof-results.ts';
import { stepsToVerify } from './steps-to-verify.ts';

export const affidavitTitle = 'Identity verification affidavit';

type Words = Pick<AffidavitContent, 'statement' | 'how_to_verify' | 'limitations'>;

/**
 * Returns the sentences of an affidavit. They are part of its content, so changing them does not
 * need another renderer.
 */
export function wordsOf(about: {
  readonly baseUrl: string;
  readonly affidavitId: string;
  readonly linkSessionId: string;
  readonly outcome: string;
  readonly proofs: readonly StatedProof[];
  readonly hasConsent: boolean;
  readonly isDevelopment: boolean;
}): Words {
  const areAllGood = about.proofs.every((proof) =>
    ['passed', 'accepted'].includes(resultOf(proof)),
  );
  return {
    statement: [
      ...(about.isDevelopment ? [developmentStatement] : []),
      `The service at ${about.baseUrl} made this document. It states the result of trust check ` +
        `${about.linkSessionId}. Section 4 lists each requested proof and its result. ` +
        `The outcome of the check is "${about.outcome}". ` +
        (about.hasConsent
          ? 'The person gave consent at the time shown in section 3.'
          : 'No consent of the person is on record.'),
      'This is a statement of a computer system and not a sworn statement of a person. It does ' +
        'not say that the person acted freely or owns the document. It says nothing about the ' +
        'time after the decision.',
      'A printed copy proves nothing by itself, because anyone can print the same words. You can ' +
        'verify only the PDF file. Section 9 says how.',
    ],
    how_to_verify: stepsToVerify(about),
    limitations: [
      ...about.proofs.map(describeProof),
      ...(areAllGood ? [] : [blamelessWords]),
      'The service did not check the names of the account and the app, the purpose and the ' +
        'reference in section 3. They are the requester’s own words. The requester is ' +
        'responsible for the purpose of the check.',
      'The pages show names and other texts as the service received or read them. If the fonts ' +
        'have no letter for a character, the page shows the number of the character, for ' +
        'example [U+0BA4]. The attached file affidavit.json has the original text.',
      'The evidence is not part of this file. Its SHA-256 value identifies it. The requester ' +
        'decides how long the service keeps the evidence. Anyone who has the evidence can ' +
        'compare it with this value later.',
      'All times are in UTC and come from the clock of the service, except the time of the seal. ' +
        'That time comes from the time stamp of the seal (RFC 3161), if it has one.',
      'The requester can revoke the outcome later. The address on page 1 shows whether the ' +
        'requester revoked it.',
    ],
  };
}

const developmentStatement =
  'The service made this document for development. It accepts simulated devices and documents, ' +
  'so nothing in this document is evidence about a person.';

const blamelessWords =
  'A proof that failed or was not checked does not show that the person did anything wrong.';
