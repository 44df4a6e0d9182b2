import { marksOf, type Mark } from '../../activities/affidavit/marks.ts';
import type { Page, VerifierFacts } from '../pages.ts';
import { html, type Markup } from './markup.ts';
import { pageOf } from './page.ts';
import { verifierStyle } from './verifier-style.ts';

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
        Your files stay in this browser: they are judged here, and this page can connect to nobody.
      </p>
      ${marks.map(notice)}
      <p id="needs" class="sheet">
        This page judges by JavaScript. Without it: <code>npx trustcheck verify</code>, or the tools
        of others that each affidavit names.
      </p>
      ${question(facts)} ${answer()}
      <p><a id="save" class="button" href="/verify" download="verify.html">Save this page</a></p>
      <p class="soft small">
        A saved copy works without a network, and without us. It is the code of
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
      <summary>What it is held against</summary>
      <label for="root">Trust anchor: the root certificate of the service (PEM)</label>
      <textarea id="root" rows="4" spellcheck="false" autocomplete="off">${root}</textarea>
      <p class="small">The one that came with this page has the SHA-256</p>
      <p><code>${rootSha256}</code></p>
      <p class="notice small">
        Compare it with a copy that you got in another way. A root that came with the page which
        judges by it proves nothing alone: whoever forges the one forges the other.
      </p>
      <label for="root-file">Or from a file</label>
      <input id="root-file" type="file" accept=".pem,.crt,.cer" />
      <label for="tsa-roots">Roots of time-stamp authorities outside, where one stamped it</label>
      <input id="tsa-roots" type="file" accept=".pem,.crt,.cer" multiple />
      <label for="lists">Revocation lists of today, one of each authority</label>
      <input id="lists" type="file" accept=".crl,.pem" multiple />
      <label for="at">At which time (UTC; now when empty)</label>
      <input id="at" type="datetime-local" step="1" />
    </details>
    <details>
      <summary>Its place in the public log, and its evidence</summary>
      <label for="proof">Its <code>.tlog-proof</code></label>
      <input id="proof" type="file" accept=".tlog-proof" />
      <label for="log-key">The key of the log</label>
      <textarea id="log-key" rows="2" spellcheck="false" autocomplete="off">${logKey}</textarea>
      <label for="evidence">The exported evidence of its check</label>
      <input id="evidence" type="file" accept=".json,.jsonl,.ndjson" />
      <p class="soft small">
        The evidence is held against the hashes in the affidavit. Judging it again is for
        <code>trustcheck evidence verify</code>.
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
      <h2>Held against</h2>
      <ul id="anchors" class="plain"></ul>
      <p id="own" class="notice small">
        Compare this SHA-256 with a copy that you got in another way: until then the verdict says
        only that the file and this page fit together.
      </p>
      <div id="map">
        <h2>What is signed</h2>
        <ul id="revisions" class="plain"></ul>
      </div>
      <div id="proves">
        <h2>What it proves, and what not</h2>
        <p>
          That the service whose root you compared sealed this statement at that instant, that
          nothing was changed since, and how the evidence it names was judged.
        </p>
        <p>
          Not that the evidence was true beyond what section 10 of the affidavit says, nor that the
          outcome stands today: a requester may revoke it, which the address in the affidavit shows.
        </p>
      </div>
    </section>`;
}
