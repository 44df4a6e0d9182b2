/** Returns a `fetch` that sends each request to another process that serves the same API. */
export const sentTo =
  (origin: string): typeof fetch =>
  (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    return fetch(new URL(pathname + search, origin), init);
  };
