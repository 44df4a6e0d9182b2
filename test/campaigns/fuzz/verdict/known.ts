/** How many things of a name are kept: the newest. */
const keptMax = 40;

/** What one and the same thing is called elsewhere. */
const aliases: Readonly<Record<string, string>> = {
  id: 'link_session_id',
  trust_check_session_id: 'link_session_id',
};
const nameOf = (name: string): string => aliases[name] ?? name;

/** Real objects, by the names under which answers and paths have them. */
export class Known {
  readonly #kept = new Map<string, (string | number)[]>();

  add(name: string, value: string | number): void {
    const kept = this.#kept.get(nameOf(name)) ?? [];
    if (kept.includes(value)) return;
    kept.push(value);
    if (kept.length > keptMax) kept.shift();
    this.#kept.set(nameOf(name), kept);
  }

  lookUp(name: string, pick: number): string | number | undefined {
    const kept = this.#kept.get(nameOf(name)) ?? [];
    return kept[pick % Math.max(1, kept.length)];
  }

  /** Keeps every id and token in an answer. */
  learn(value: unknown, name = ''): void {
    if (Array.isArray(value)) for (const each of value.slice(0, 3)) this.learn(each, name);
    else if (typeof value === 'object' && value !== null) {
      for (const [member, inner] of Object.entries(value)) this.learn(inner, member);
    } else if (/(_id|_uuid|token|jwt|challenge)$/.test(name) && name !== 'key_id') {
      if (typeof value === 'string' || typeof value === 'number') this.add(name, value);
    }
  }
}
