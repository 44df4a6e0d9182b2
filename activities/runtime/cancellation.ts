import { AsyncLocalStorage } from 'node:async_hooks';

/** Whether what runs now is still wanted: the signal of the activity it runs in, if in one. */
export const cancellation = new AsyncLocalStorage<AbortSignal>();
