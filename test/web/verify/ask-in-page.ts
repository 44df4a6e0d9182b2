import type { Page } from 'playwright-core';
import type { Answer, Refusal } from '../../../web/verify/judge.ts';

/** Sends many requests to one worker, each as the page sends its single one. */
export async function askInPage(
  page: Page,
  files: readonly (readonly [Buffer, string])[],
  at: Date,
) {
  await page.evaluate(`(async () => {
    const packed = Uint8Array.from(atob(judge.textContent), (char) => char.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    const program = new Blob([await new Response(stream).text()]);
    const worker = new Worker(URL.createObjectURL(program));
    globalThis.ask = (question) => new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(JSON.stringify(data));
      worker.postMessage({ ...question, pdf: new Blob([
        Uint8Array.from(atob(question.pdf), (char) => char.charCodeAt(0))]) });
    });
  })()`);
  const answers: (Answer | Refusal)[] = [];
  for (const [pdf, root] of files) {
    const given = { tsaRoots: [], lists: [], proof: null, logKey: '', evidence: null };
    const besides = { at: at.toISOString(), ...given };
    const question = { pdf: pdf.toString('base64'), root, ...besides };
    answers.push(JSON.parse(await page.evaluate(`ask(${JSON.stringify(question)})`)));
  }
  return answers;
}
