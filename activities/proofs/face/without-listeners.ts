import type { EventEmitter } from 'node:events';

const emitter: EventEmitter = process;
const events = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Runs `load`, which loads a WebAssembly module, and removes the listeners that the module adds to
 * the process. These rethrow unrelated errors and hide where they came from.
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
