import { AsyncLocalStorage } from 'node:async_hooks';

/** Threads that what runs now has lost, in this attempt at its activity and in those before. */
export interface Losses {
  /** Counts one more; gives how many they are. */
  add(): number;
}

/** The losses of the activity that runs now, if one does. */
export const losses = new AsyncLocalStorage<Losses>();
