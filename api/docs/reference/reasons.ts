import { issueReasons, verifyReasons } from '../../../domain/affidavit/reasons.ts';
import { proofReasons } from '../../../domain/proofs/reasons.ts';
import { checkReasons } from '../../../domain/trust-checks/reasons.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import { inline } from './descriptions.ts';

interface Group {
  readonly id: string;
  readonly title: string;
  readonly reasons: Readonly<Record<string, string>>;
  /** Stands before a code in its anchor, where another group has the same code. */
  readonly prefix?: string;
}

const groups: readonly Group[] = [
  { id: 'reasons-check', title: 'A check', reasons: checkReasons },
  { id: 'reasons-any', title: 'Every proof', reasons: proofReasons.any },
  { id: 'reasons-biometric', title: 'The proof biometric', reasons: proofReasons.biometric },
  { id: 'reasons-device', title: 'The proof device', reasons: proofReasons.device },
  { id: 'reasons-document', title: 'The proof document', reasons: proofReasons.document },
  {
    id: 'reasons-nfc_passport',
    title: 'The proof nfc_passport',
    reasons: proofReasons.nfc_passport,
  },
  { id: 'reasons-phone', title: 'The proof phone', reasons: proofReasons.phone },
  { id: 'reasons-affidavit', title: 'An affidavit that was not issued', reasons: issueReasons },
  {
    id: 'reasons-verify',
    title: 'An affidavit that does not verify',
    reasons: verifyReasons,
    prefix: 'verify-',
  },
];

/** Every reason code with its sentence, each under an anchor `#reason-…`. */
export function reasonSection(): Markup {
  return html`<section aria-labelledby="reasons">
    <h1 id="reasons">Reason codes</h1>
    <p>
      These are the values of <code>reason_code</code> of a check, of its proofs and of its
      affidavit; it is null without a reason. <code>trustcheck evidence verify</code> also returns
      the codes of proofs. The error of a refused <code>attest</code> header or enrollment has a
      code of the proof device, or else one of the
      <a href="/docs/reference/failure-codes">failure codes</a>. <code>trustcheck verify</code>
      returns the codes of the last group.
    </p>
    ${groups.map(groupTable)}
  </section>`;
}

function groupTable({ id, title, reasons, prefix = '' }: Group): Markup {
  return html`<h2 id="${id}">${title}</h2>
    <table aria-labelledby="${id}">
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Meaning and remedy</th>
        </tr>
      </thead>
      <tbody>
        ${Object.entries(reasons).map(
          ([code, sentence]) =>
            html`<tr>
              <td>
                <a id="reason-${prefix}${code}" href="#reason-${prefix}${code}"
                  ><code>${code}</code></a
                >
              </td>
              <td>${inline(sentence)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}
