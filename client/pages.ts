/** Calls an operation with its parameters. */
type List = (params: Readonly<Record<string, unknown>>) => Promise<unknown>;

interface Page {
  readonly items: readonly unknown[];
  readonly page?: number;
  readonly pages?: number;
  readonly next_cursor?: string | null;
  readonly next_after?: string;
  readonly has_more?: boolean;
}

/** Events one by one; `after` is the cursor to continue from. */
export interface Feed<Item> extends AsyncIterable<Item> {
  /**
   * The cursor to store; starting from it misses no event. It advances after all events of a
   * response are handled. After a restart some events may therefore repeat; detect them by
   * `event_id`.
   */
  readonly after: string;
}

export interface FollowOptions {
  /** Delay between polls after the feed has caught up, in milliseconds. */
  readonly everyMs?: number;
  readonly signal?: AbortSignal;
}

const usualEveryMs = 2_000;

/**
 * Iterates over all items of a list and fetches each page when it is needed. Uses the cursor if the
 * list has one; items added meanwhile then do not shift the pages. A list without a cursor uses
 * page numbers, so items added at its front make others appear twice.
 */
export async function* each(
  list: List,
  params: Readonly<Record<string, unknown>>,
): AsyncGenerator<unknown> {
  let next: Readonly<Record<string, unknown>> | null = params;
  while (next) {
    const page = (await list(next)) as Page;
    yield* page.items;
    next = afterPage(next, page);
  }
}

function afterPage(params: Readonly<Record<string, unknown>>, page: Page) {
  // An empty page ends any list, whatever its cursor says, so that the loop always ends.
  if (page.items.length === 0) return null;
  if (page.next_after !== undefined) {
    return page.has_more ? { ...params, after: page.next_after } : null;
  }
  if (page.next_cursor !== undefined) {
    return page.next_cursor === null ? null : { ...params, cursor: page.next_cursor };
  }
  const number = page.page ?? 1;
  return number < (page.pages ?? 0) ? { ...params, page: number + 1 } : null;
}

/**
 * Iterates over events: first the existing ones, then new ones, until the caller stops. A call that
 * finally fails ends it with that error; `after` is the cursor to continue from.
 */
export function follow(
  list: List,
  params: Readonly<Record<string, unknown>>,
  { everyMs = usualEveryMs, signal }: FollowOptions,
  wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>,
): Feed<unknown> {
  let after = typeof params['after'] === 'number' ? String(params['after']) : '0';
  if (typeof params['after'] === 'string') after = params['after'];
  return {
    get after() {
      return after;
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        signal?.throwIfAborted();
        const page = (await list({ ...params, after })) as Page;
        yield* page.items;
        after = page.next_after ?? after;
        if (!page.has_more) await wait(everyMs, signal);
      }
    },
  };
}
