/** Sends requests to another process that serves the same API, by the addresses of the first one. */
export const sentTo =
  (origin: string): typeof fetch =>
  (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    return fetch(new URL(pathname + search, origin), init);
  };
