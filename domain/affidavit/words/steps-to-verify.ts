import type { AffidavitContent } from '../content.ts';

/**
 * Returns the instructions to verify the file, which are printed in it. From `pdfsig` on, the
 * commands need no program of the platform; they are one shell session, in order.
 */
export function stepsToVerify({
  baseUrl,
  affidavitId,
}: {
  readonly baseUrl: string;
  readonly affidavitId: string;
}): AffidavitContent['how_to_verify'] {
  return [
    {
      text:
        'Step 1. Get the root certificate of the service. Compare its SHA-256 value with a copy ' +
        'that you received in another way, for example from the operator by telephone. Do not ' +
        'compare it with section 8, because a forger of the document also forges that value.',
      command:
        `curl -o root.pem ${baseUrl}/pki/trust-bundle.pem\n` +
        'openssl x509 -in root.pem -outform DER | openssl sha256',
    },
    {
      text:
        `Step 2. Open ${baseUrl}/verify in a browser and drop the PDF file on the page. The page ` +
        'uploads nothing. Or run the command below in a clone of this project, after "npm ci". ' +
        'Both verify the seal, the time stamp and the certificates. If their version made the ' +
        'pages, they also draw the pages again from the attached data and compare every byte.',
      command: 'npx trustcheck verify affidavit.pdf --root root.pem',
    },
    {
      text:
        'Step 3. To verify that this file is in the public log, get its log proof. Section 8 has ' +
        'the name and the key of the log. You then need only the file, the SHA-256 value of the ' +
        'root certificate and the log proof, even if the service no longer exists.',
      command:
        `curl -o affidavit.tlog-proof ${baseUrl}/log/proof/${affidavitId}\n` +
        'npx trustcheck verify affidavit.pdf --root root.pem --proof affidavit.tlog-proof',
    },
    ...stepsWithoutUs,
  ];
}

const stepsWithoutUs: AffidavitContent['how_to_verify'] = [
  {
    text:
      'Step 4. You can also verify the file without any program of this service. The seal is a ' +
      'PAdES signature (ETSI EN 319 142-1). Any PDF validator can verify it with the root ' +
      'certificate, for example the EU DSS demonstration or a PDF reader. With sh, poppler and ' +
      'OpenSSL 3, verify the time stamp of the seal first. If another authority issued the ' +
      'time stamp, use the root certificate of that authority.',
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
      'Step 5. Verify the seal itself. Its certificate is valid for two years, so verify it at ' +
      'the time of the time stamp (-attime). The option "-d" needs GNU date. If the seal has no ' +
      'time stamp, leave -attime out.',
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
      'Step 6. Make and read sealed.pdf. It is the sealed file without any later addition. The ' +
      'attached file affidavit.json has the same content for computers.',
    command: [
      'head -c $(($3+$4)) affidavit.pdf > sealed.pdf',
      'pdfdetach -save 1 -o affidavit.json sealed.pdf',
    ].join('\n'),
  },
];
