import type { AffidavitFacts, Page } from '../pages.ts';
import { html, nothing } from './markup.ts';
import { pageOf } from './page.ts';

/**
 * What the QR code of an affidavit leads to: which file is meant, and how to verify it without us.
 */
export function affidavitPage(facts: AffidavitFacts): Page {
  const title = 'About this affidavit';
  const rows: [string, string][] = [
    ['Affidavit', facts.affidavitId],
    ['SHA-256 of the file', facts.sha256],
    ['Sealed', `${facts.sealedAt.toISOString()} (UTC)`],
    ['Signature', facts.padesLevel],
    ['Outcome today', facts.isRevoked ? 'revoked by the requester' : 'not revoked'],
  ];
  const body = html`<main>
    <div class="sheet">
      <h1>${title}</h1>
      <p>
        An affidavit with this number was issued here. Whether the file in front of you is that one,
        and unchanged, the file itself can prove: compare its SHA-256, or verify its signature.
      </p>
      <dl>
        ${rows.map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd><code>${value}</code></dd>`,
        )}
      </dl>
      <p>With tools that are not ours:</p>
      <pre><code>sha256sum affidavit.pdf
pdfsig affidavit.pdf</code></pre>
      <p>
        With ours, against the <a href="/pki/trust-bundle.pem">trust anchor</a> of this service:
      </p>
      <pre><code>npx trustcheck verify affidavit.pdf --root trust-bundle.pem</code></pre>
      ${facts.isLive ? nothing : html`<p><strong>Issued in test mode.</strong></p>`}
    </div>
  </main>`;
  return pageOf({ title, body, style });
}

const style =
  'main{max-width:44rem;padding-block-start:8vh}dt{margin-block-start:.6rem}dd{margin:0}' +
  'code{overflow-wrap:anywhere}pre{white-space:pre-wrap}';
