/** Called when a step has begun and, later, when it is done. */
export type OnStep = (step: string) => void;

/**
 * Wraps an object and reports each call twice: when the request is sent, and when the answer has
 * arrived. Also wraps the connections that it returns.
 * @param kind prefix of the step's name
 */
export function watched<Target extends object>(
  target: Target,
  kind: string,
  onStep: OnStep,
): Target {
  return new Proxy(target, {
    get(on, name) {
      const value: unknown = Reflect.get(on, name, on);
      if (typeof value !== 'function') return value;
      if (!asks.has(String(name))) return value.bind(on);
      return (...given: unknown[]) => {
        const answer: unknown = value.apply(on, given);
        if (!(answer instanceof Promise)) return answer;
        if (name === 'connect') return answer.then((client) => watched(client, kind, onStep));
        const step = `${kind} ${labelOf(String(name), given[0])}`;
        onStep(`${step} begun`);
        return answer.then((result) => {
          onStep(`${step} done`);
          return result;
        });
      };
    },
  });
}

/** Methods that call another system or take long. */
const asks = new Set([
  'connect',
  'query',
  'get',
  'put',
  'sign',
  'renderAffidavit',
  'verifyAffidavit',
]);

/** Labels a prepared statement by its name, and any other by its first word. */
function labelOf(call: string, given: unknown): string {
  if (call !== 'query') return call;
  const { name, text } = Object(typeof given === 'string' ? { text: given } : given);
  return String(name ?? String(text).split(' ')[0]);
}
