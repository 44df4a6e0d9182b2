/** Calls an operation with what it takes. */
type List = (params: Readonly<Record<string, unknown>>) => Promise<unknown>;

interface Page {
  readonly items: readonly unknown[];
  readonly page?: number;
  readonly pages?: number;
  readonly next_cursor?: string | null;
  readonly next_after?: string;
  readonly has_more?: boolean;
}

/** Events one by one; `after` is where to go on from. */
export interface Feed<Item> extends AsyncIterable<Item> {
  /**
   * The cursor to keep: whoever begins with it misses nothing. It moves once all events of an
   * answer were handled, so that those of one answer may come again; `event_id` tells.
   */
  readonly after: string;
}

export interface FollowOptions {
  /** How long it waits before it asks again, once it has caught up. */
  readonly everyMs?: number;
  readonly signal?: AbortSignal;
}

const usualEveryMs = 2_000;

/**
 * Every item of a list, page by page, each page asked for when it is needed. Where the list gives a
 * cursor it is read by it: what is added meanwhile moves nothing. A list without one goes by page
 * numbers, and items that are added at its front show some again.
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
  // An empty page is the end of any list, whatever else it says: none is asked for ever.
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
 * Events as they happen: those there are, then those that come, for as long as it is read. A call
 * that fails for good ends it with that error; `after` says where to go on.
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
