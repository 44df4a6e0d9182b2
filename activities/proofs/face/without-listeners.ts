import type { EventEmitter } from 'node:events';

const emitter: EventEmitter = process;
const events = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Does what loads a WebAssembly module and takes away the listeners that it leaves on the process:
 * they rethrow what is not theirs, from a place that hides where it came from.
 */
export async function withoutListeners<Value>(load: () => Promise<Value>): Promise<Value> {
  const before = events.map((event) => new Set<unknown>(emitter.listeners(event)));
  try {
    return await load();
  } finally {
    for (const [index, event] of events.entries()) {
      const left = emitter.listeners(event).filter((listener) => !before[index]?.has(listener));
      for (const listener of left)
        Reflect.apply(emitter.removeListener, emitter, [event, listener]);
    }
  }
}
