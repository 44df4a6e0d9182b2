/** Where a check continues: in this browser, or on another device. */
export type Place = 'here' | 'elsewhere';

/** The data that a browser stores to resume its session. */
export interface StoredSession {
  /** The idempotency key of a begin without an answer yet. */
  readonly key?: string;
  /** The token of the session that this begin joins. */
  readonly pairToken?: string;
  readonly session?: Session;
}

export interface Session {
  readonly id: string;
  readonly token: string;
  readonly resume: string | null;
  readonly stream: string;
  readonly place: Place;
  /** The sequence of the check when this page last offered it to another device. */
  readonly offered?: number | undefined;
}

export interface Store {
  read(): StoredSession | null;
  write(kept: StoredSession): void;
  /** Keeps the session in this tab only, so that a reload shows its outcome again. */
  end(session: Session): void;
  /** Removes a session, but not a later one that another tab has begun. */
  forget(session: Session): void;
}

/**
 * Stores the session of a link in this browser across reloads. Where storage is denied, as in a
 * private window or a frame of another site, it is kept in memory.
 */
export function storeOf(linkUuid: string): Store {
  const name = `check/${linkUuid}`;
  let inMemory: string | null = null;
  const attempt = <T>(act: () => T): T | null => {
    try {
      return act();
    } catch {
      return null;
    }
  };
  return {
    read() {
      const text =
        attempt(() => localStorage.getItem(name) ?? sessionStorage.getItem(name)) ?? inMemory;
      return text === null ? null : attempt(() => JSON.parse(text) as StoredSession);
    },
    write(kept) {
      inMemory = JSON.stringify(kept);
      attempt(() => localStorage.setItem(name, inMemory ?? ''));
    },
    end(session) {
      this.forget(session);
      attempt(() =>
        sessionStorage.setItem(name, JSON.stringify({ session } satisfies StoredSession)),
      );
    },
    forget({ id }) {
      for (const storage of [() => localStorage, () => sessionStorage]) {
        attempt(() => {
          const { session } = JSON.parse(storage().getItem(name) ?? '{}') as StoredSession;
          if (session?.id === id) storage().removeItem(name);
        });
      }
      inMemory = null;
    },
  };
}
