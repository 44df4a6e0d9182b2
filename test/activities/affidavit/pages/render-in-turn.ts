import { createHash } from 'node:crypto';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import { lightContent } from '../../../support/fixtures/affidavits/contents.ts';

/** Renders an affidavit for each account name in the arguments, and prints the digests. */
for (const account_name of process.argv.slice(2)) {
  const requester = { ...lightContent.requester, account_name };
  const pages = await renderAffidavit({ ...lightContent, requester });
  process.stdout.write(`${createHash('sha256').update(pages).digest('hex')}\n`);
}
