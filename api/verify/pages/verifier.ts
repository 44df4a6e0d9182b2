import { marksOf, type Mark } from '../../../domain/pdf/layout/marks.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import { pageOf, type Page } from '../../http/html/page.ts';
import { verifierStyle } from './verifier-style.ts';

/** The parts of the verifier's page. */
export interface VerifierFacts {
  /** The program that judges, compressed, as base64. */
  readonly judge: string;
  /** The script of the page itself. */
  readonly page: string;
  /** The platform's root, PEM. */
  readonly root: string;
  readonly rootSha256: string;
  /** The key of the platform's public log, as verifiers of notes take it. */
  readonly logKey: string;
}

/**
 * The verifier of affidavits, one file that works wherever it is opened: what it judges by is in
 * it, and it may connect to nobody.
 */
export function verifierPage(facts: VerifierFacts, isDevelopment: boolean): Page {
  const title = 'Verify an affidavit';
  const marks = marksOf({ livemode: true, development: isDevelopment });
  // Base64 has nothing that could end the element.
  const judge: Markup = {
    markup: `<script type="application/gzip" id="judge">${facts.judge}</script>`,
  };
  const body = html`<main>
      <h1>${title}</h1>
      <p class="lead">
        Your files stay in this browser. This page verifies them here and cannot connect to any
        server.
      </p>
      ${marks.map(notice)}
      <p id="needs" class="sheet">
        This page needs JavaScript. Without JavaScript, use <code>npx trustcheck verify</code> or
        the tools of others that each affidavit names.
      </p>
      ${question(facts)} ${answer()}
      <p><a id="save" class="button" href="/verify" download="verify.html">Save this page</a></p>
      <p class="soft small">
        A saved copy works without a network and without this service. It runs the code of
        <code>trustcheck verify</code>: the same checks, in the same words.
      </p>
    </main>
    ${judge}`;
  return pageOf({
    title,
    body,
    style: verifierStyle,
    inline: facts.page,
    headers: { 'Cache-Control': 'public, max-age=300', 'Referrer-Policy': 'no-referrer' },
  });
}

const notice = ({ name, words }: Mark): Markup =>
  html`<p class="notice">Roots of a ${name} platform: ${words}.</p>`;

function question({ root, rootSha256, logKey }: VerifierFacts): Markup {
  return html`<form id="question" class="sheet" hidden>
    <div id="drop">
      <label for="pdf">The affidavit, a PDF</label>
      <input id="pdf" type="file" accept=".pdf,application/pdf" />
      <p class="soft small">Choose it, or drop it anywhere on this page.</p>
    </div>
    <details open>
      <summary>Trust anchor, revocation lists and time</summary>
      <label for="root">Trust anchor: the root certificate of the service (PEM)</label>
      <textarea id="root" rows="4" spellcheck="false" autocomplete="off">${root}</textarea>
      <p class="small">The root certificate of this page has the SHA-256</p>
      <p><code>${rootSha256}</code></p>
      <p class="notice small">
        Compare it with a copy that you received in another way. A root certificate from this page
        proves nothing alone, because a forger of the page also forges the root.
      </p>
      <label for="root-file">Or from a file</label>
      <input id="root-file" type="file" accept=".pem,.crt,.cer" />
      <label for="tsa-roots"
        >Roots of outside time stamp authorities, if one stamped the seal</label
      >
      <input id="tsa-roots" type="file" accept=".pem,.crt,.cer" multiple />
      <label for="lists">Current revocation lists, one of each authority</label>
      <input id="lists" type="file" accept=".crl,.pem" multiple />
      <label for="at">Time of verification (UTC; empty means now)</label>
      <input id="at" type="datetime-local" step="1" />
    </details>
    <details>
      <summary>Public log and evidence</summary>
      <label for="proof">The log proof (<code>.tlog-proof</code>)</label>
      <input id="proof" type="file" accept=".tlog-proof" />
      <label for="log-key">The key of the log</label>
      <textarea id="log-key" rows="2" spellcheck="false" autocomplete="off">${logKey}</textarea>
      <label for="evidence">The exported evidence of the check</label>
      <input id="evidence" type="file" accept=".json,.jsonl,.ndjson" />
      <p class="soft small">
        This page compares the evidence with the hashes in the affidavit. To verify the evidence
        itself, use <code>trustcheck evidence verify</code>.
      </p>
    </details>
    <p class="do">
      <button id="go" type="submit" class="main">Verify</button>
      <button id="stop" type="button" hidden>Stop</button>
    </p>
  </form>`;
}

function answer(): Markup {
  return html`<p id="state" role="status" aria-atomic="true" hidden>
      <strong></strong> <span></span>
    </p>
    <section id="answer" class="sheet" aria-label="The verdict" hidden>
      <ul id="marks" class="plain notice"></ul>
      <ul id="about" class="plain"></ul>
      <h2>Checks</h2>
      <ul id="checks" class="plain"></ul>
      <ul id="end" class="plain"></ul>
      <h2>Trust anchors</h2>
      <ul id="anchors" class="plain"></ul>
      <p id="own" class="notice small">
        Compare this SHA-256 with a copy that you received in another way. Until then, the verdict
        says only that the file matches this page.
      </p>
      <div id="map">
        <h2>What is signed</h2>
        <ul id="revisions" class="plain"></ul>
      </div>
      <div id="proves">
        <h2>What this verdict proves</h2>
        <p>
          The service whose root you compared sealed this statement, at the time shown above if
          there is one. The statement is unchanged since then. It says how the service judged the
          evidence.
        </p>
        <p>
          The verdict does not prove that the evidence is true. Section 10 of the affidavit says
          what each proof shows. The verdict does not prove that the outcome is still valid, because
          the requester can revoke it. The address in the affidavit shows a revocation.
        </p>
      </div>
    </section>`;
}
