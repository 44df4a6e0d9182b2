import { marksOf } from '../../../domain/pdf/layout/marks.ts';
import { html, nothing } from '../../http/html/markup.ts';
import { pageOf, type Page } from '../../http/html/page.ts';
import type { AffidavitFacts } from '../contract.ts';

/**
 * What the QR code of an affidavit leads to: which file is meant, and how to verify it without us.
 */
export function affidavitPage(facts: AffidavitFacts, baseUrl: string): Page {
  const title = 'About this affidavit';
  const { livemode, development } = facts;
  const marks = marksOf({ livemode, development: development === true });
  const rows: [string, string][] = [
    ['Affidavit', facts.affidavit_id],
    ['SHA-256 of the file', facts.sha256],
    ['Sealed', `${facts.sealed_at} (UTC)`],
    ['Signature', facts.pades_level],
    [
      'Outcome today',
      facts.outcome_validity === 'revoked' ? 'revoked by the requester' : 'not revoked',
    ],
    ['Public log', facts.log_origin],
    ['Key of the log', facts.log_key],
  ];
  const body = html`<main>
    <div class="sheet">
      <h1>${title}</h1>
      ${marks.map(({ name, words }) => html`<p><strong>${name}</strong>: ${words}.</p>`)}
      <p>
        This service issued an affidavit with this number. To know whether your file is that
        affidavit, unchanged, compare its SHA-256 or verify its signature. An older copy, without
        the latest archive time stamp, has another SHA-256 and is equally good. Verify the signature
        of such a copy. ${development === null ? notOnRecord : nothing}
      </p>
      <dl>
        ${rows.map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd><code>${value}</code></dd>`,
        )}
      </dl>
      <p><a class="button main" href="/verify">Verify it in this browser</a></p>
      <p>
        The file stays in this browser: the page uploads nothing. You can save the page and use it
        without a network. Get the proof of its log entry:
        <a href="/log/proof/${facts.affidavit_id}" download="affidavit.tlog-proof"
          >affidavit.tlog-proof</a
        >.
      </p>
      <p>
        Every verification starts with the trust anchor of this service,
        <a href="/pki/trust-bundle.pem" download="root.pem">root.pem</a>:
      </p>
      <pre><code>curl -o root.pem ${baseUrl}/pki/trust-bundle.pem
openssl x509 -in root.pem -outform DER | openssl sha256</code></pre>
      <p>With tools of others (the affidavit says how to verify the seal with OpenSSL):</p>
      <pre><code>sha256sum affidavit.pdf
pdfsig affidavit.pdf</code></pre>
      <p>With our command, in a clone of the project, after <code>npm ci</code>:</p>
      <pre><code>npx trustcheck verify affidavit.pdf --root root.pem</code></pre>
      <p>Compare the key of the log, like the trust anchor, with a copy from another source.</p>
    </div>
  </main>`;
  return pageOf({ title, body, style });
}

const notOnRecord = html`This service has no record of whether the evidence was simulated.`;

const style =
  'main{max-width:44rem;padding-block-start:8vh}dt{margin-block-start:.6rem}dd{margin:0}' +
  'code{overflow-wrap:anywhere}pre{white-space:pre-wrap}';
