import { AsyncLocalStorage } from 'node:async_hooks';

/** Which attempt at an activity it is that runs now, from 1 on, if one does. */
export const attempt = new AsyncLocalStorage<number>();
