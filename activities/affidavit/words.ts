import type { AffidavitContent } from './content.ts';

export const affidavitTitle = 'Identity verification affidavit';

type Words = Pick<AffidavitContent, 'statement' | 'how_to_verify' | 'limitations'>;

/**
 * The sentences of an affidavit. They are part of its content, so that other words need no other
 * renderer, and an old affidavit keeps its own.
 */
export function wordsOf(about: {
  readonly baseUrl: string;
  readonly linkSessionId: string;
  readonly outcome: string;
  readonly proofTypes: readonly string[];
  readonly hasConsent: boolean;
  readonly isDevelopment: boolean;
}): Words {
  return {
    statement: [
      ...(about.isDevelopment ? [developmentStatement] : []),
      `This is a statement of the system that ran trust check ${about.linkSessionId}. It states ` +
        'that each proof listed below was judged by the rules named here and ended as shown, ' +
        `${consentWords[about.hasConsent ? 'given' : 'none']}, and that the check was decided as ` +
        `"${about.outcome}" at the time shown.`,
      'It is not a sworn statement of a person. It does not state what is not listed: not that ' +
        'the person acted freely, not that a genuine document was lawfully held, and nothing ' +
        'about the time after the decision.',
    ],
    how_to_verify: howToVerify(about.baseUrl),
    limitations: [
      ...about.proofTypes.flatMap((type) => limitOf[type] ?? []),
      'Names and other texts are shown as they were given or read. A character that has no glyph ' +
        'here stands as its code point, as in [U+0BA4]; the attachment has it as it is.',
      'No image of a person or of a document is part of this file. The evidence is named by its ' +
        'SHA-256; it is kept and erased by the retention rules of the requesting account, and ' +
        'the hash stays verifiable for whoever holds the evidence.',
      'Times are those of the platform’s clock, in UTC. The time of the seal is that of its time ' +
        'stamp (RFC 3161).',
      'Who asked for the check is named under "Requester" and answers for its purpose; the ' +
        `service that ran it is at ${about.baseUrl}, and says at the address on the first page ` +
        'whether the outcome still stands.',
    ],
  };
}

const developmentStatement =
  'This is a document of development. Simulated phones and documents were taken by the platform ' +
  'that ran this check: nothing in it is evidence about a person.';

const consentWords = {
  given: 'that the person had consented before anything was collected',
  none: 'that no consent is on record',
} as const;

const limitOf: Readonly<Record<string, string>> = {
  phone:
    'A code sent by SMS shows control of a phone number at one moment. It is not evidence of an ' +
    'identity.',
  device:
    'A device attestation shows that an unmodified app on a genuine device held the key. It does ' +
    'not show who held the device.',
  biometric:
    'A face was compared with the portrait of the document by a program, and did what it was ' +
    'asked to do before a camera. The program is not certified: it can be deceived by who takes ' +
    'pains to, and takes some people for others.',
  document:
    'A photographed document was read and is consistent and in date. Nothing printed is ' +
    'signed, a barcode as little as the rest: it does not show that the document is genuine.',
  nfc_passport:
    'A passport read by its chip shows that the issuing State signed its data, and, where active ' +
    'or chip authentication is "ok", that the chip was present. It does not show whose hand held ' +
    'it.',
};

function howToVerify(baseUrl: string): AffidavitContent['how_to_verify'] {
  return [
    {
      text:
        'Get the root certificate, and its SHA-256 from elsewhere: a forger prints his under ' +
        '"Keys". Everything below rests on it.',
      command:
        `curl -o root.pem ${baseUrl}/pki/trust-bundle.pem\n` +
        'openssl x509 -in root.pem -outform DER | openssl sha256',
    },
    {
      text:
        'With the program of this platform, in a clone of its project where "npm ci" was run, ' +
        'offline: it checks the seal, the time stamp and the certificates, and lays the pages ' +
        'out again from the attached JSON to compare every byte.',
      command: 'npx trustcheck verify affidavit.pdf --root root.pem',
    },
    {
      text:
        'Without any program of this platform: the seal is PAdES (ETSI EN 319 142-1, baseline ' +
        'B-LTA; B-T where the file ends with the seal, B-B where it has no time stamp). Any PDF ' +
        'validator that is given the root certificate can check it, such as the EU DSS ' +
        'demonstration or a PDF reader. In sh, with poppler and OpenSSL 3: first, when it ' +
        'was sealed. That is what its time stamp says; where an authority outside gave it, with ' +
        'the root of that one.',
      command: [
        'pdfsig -dump affidavit.pdf',
        'seal="openssl asn1parse -inform DER -in affidavit.pdf.sig0"',
        "set -- $($seal | sed -n '/timeStampToken/,$p' | cut -d : -f 1)",
        '$seal -strparse $3 -noout -out token.der',
        "set -- $($seal | sed '/timeStampToken/q' | grep OCTET | cut -d : -f 1 | tail -n 1)",
        '$seal -strparse $1 -noout -out value.bin',
        'openssl ts -verify -token_in -in token.der -data value.bin -CAfile root.pem',
        "sealed=$(openssl ts -reply -token_in -in token.der -text | sed -n 's/^Time stamp: //p')",
      ].join('\n'),
    },
    {
      text:
        'Then that the seal is of this service and over these bytes. Its certificate ends after ' +
        'two years, so that it is judged at the time of the time stamp (-attime, in seconds ' +
        'since 1970; "date -d" is of GNU). Of a file that has none, without -attime.',
      command: [
        "set -- $(grep -a -o -m 1 'ByteRange *\\[[ 0-9]*' affidavit.pdf | grep -o '[0-9]*')",
        '(head -c $2 affidavit.pdf; tail -c +$(($3+1)) affidavit.pdf | head -c $4) > signed.bin',
        'openssl cms -verify -cades -binary -inform DER -in affidavit.pdf.sig0 \\',
        '  -content signed.bin -CAfile root.pem -purpose smimesign \\',
        '  -attime $(date -u -d "$sealed" +%s) -out /dev/null',
      ].join('\n'),
    },
    {
      text:
        'What was sealed, and nothing that was put behind it, is sealed.pdf. Its attachment is ' +
        'for machines.',
      command: [
        'head -c $(($3+$4)) affidavit.pdf > sealed.pdf',
        'pdfdetach -save 1 -o affidavit.json sealed.pdf',
      ].join('\n'),
    },
  ];
}
