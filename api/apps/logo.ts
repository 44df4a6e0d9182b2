import { keepLogo, removeLogo } from '../../db/queries/app-logos.ts';
import type { AppRow } from '../../db/queries/credentials.ts';
import { Failure } from '../../workflows/failures.ts';
import type { LogoRefusal } from '../../workflows/logo-fetch/messages.ts';
import type { logoFetch } from '../../workflows/logo-fetch/workflow.ts';
import { flowKindKey } from '../../workflows/search-attributes.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import type { AccountTransaction } from '../accounts/access/account-transaction.ts';
import type { Deps } from '../deps.ts';
import { checkTarget } from '../http/fields/check-target.ts';

export type LogoDeps = Pick<Deps, 'ids' | 'outside' | 'settings' | 'temporal'>;

/** The download takes at most 5 seconds. The rest is for a busy or starting thread. */
const waitMsMin = 15_000;
const loc = ['body', 'logo_url'];

const details: Readonly<Record<Exclude<LogoRefusal, 'forbidden'>, string>> = {
  redirected: 'The address leads to another one; give the address of the image itself',
  too_large: 'The image is larger than 1 MiB; give a smaller one',
  unreachable: 'The address did not answer 200 with an image within 5 seconds; check it',
  unreadable: 'The image is damaged or has more than 16 million pixels; give another one',
  wrong_type: 'The file is no PNG, JPEG or WebP image; SVG is not taken, since it can hold scripts',
};

/**
 * Fetches the image of a `logo_url` in a worker.
 * @returns PNG of at most 256 pixels a side
 * @throws Failure `forbidden_target`, `logo_refused`, `dependency_unavailable`
 */
export async function fetchLogo(deps: LogoDeps, accountId: number, url: string): Promise<Buffer> {
  await checkTarget(deps, url, 'logo_url');
  const answer = await deps.temporal.run<typeof logoFetch>(
    'logoFetch',
    {
      workflowId: `logo-fetch/${deps.ids.uuid()}`,
      taskQueue: taskQueues.core,
      staticSummary: `Logo for account ${accountId}`,
      typedSearchAttributes: [{ key: flowKindKey, value: 'logoFetch' }],
      args: [{ account_id: accountId, url }],
    },
    waitMsMin,
  );
  if ('png' in answer) return Buffer.from(answer.png, 'base64');
  // The name resolves to a private address now, but did not at the check above.
  if (answer.refusal === 'forbidden') throw new Failure('forbidden_target', { extra: { loc } });
  throw new Failure('logo_refused', { detail: details[answer.refusal], extra: { loc } });
}

/**
 * Updates the stored image for the `logo_url` of an app, in the transaction that writes the app.
 * @param image of that address, if it was fetched
 * @throws Failure `invalid_state` if a concurrent call has changed the address
 */
export async function saveLogo(
  administered: Pick<AccountTransaction, 'tx'>,
  before: AppRow,
  { logo_url: url }: AppRow,
  image: Buffer | null,
  now: Date,
): Promise<void> {
  const { tx } = administered;
  if (url === null) return removeLogo(tx, before.app_id);
  if (image) return keepLogo(tx, before, image, now);
  if (before.logo_url === url) return;
  throw new Failure('invalid_state', {
    detail: 'Another call changed logo_url at the same time; repeat this call',
  });
}
