/** Patterns that appear only when an answer leaks internals. */
const leaks: Readonly<Record<string, RegExp>> = {
  'a stack': /\bat [\w.<>[\] ]+ \(?(?:file:|node:|\/)[^\s)]+:\d+:\d+/,
  'a line of source': /\.(?:ts|js|mjs|cjs):\d+(?::\d+)?\b/,
  'a path of files':
    /(?:\/node_modules\/|(?<![\w:/.%-])\/(?:home|root|tmp|var|usr|opt|proc|work)\/[\w.-]+)/,
  SQL: /\b(?:select\b[^<>]{1,200}\bfrom\b\s+\w+\s+(?:where|limit|join|order)|insert into \w+ ?\(|update \w+ set \w+ ?=|delete from \w+ where)/i,
  'a message of PostgreSQL':
    /syntax error at or near|violates (?:foreign key|unique|check|not-null|exclusion)|duplicate key value|relation "\w+" does not|column "\w+"|invalid input syntax for|out of range for type|invalid byte sequence|current transaction is aborted|could not serialize/i,
  'an error of the runtime':
    /\b(?:Type|Range|Reference|Syntax|URI)Error\b|ZodError|DatabaseError|AggregateError|ECONNREFUSED|ECONNRESET|ENOENT|EACCES|Cannot read propert|is not a function|is not iterable/,
  'an error of the workflow server':
    // Four letters alone occur in tokens by chance.
    /WorkflowNotFound|workflow execution already|(?<![\w-])grpc\b|DEADLINE_EXCEEDED|UNAVAILABLE:|temporal\.api/i,
};

/** Returns the names of the leaks in a text. */
export function leaksIn(text: string): string[] {
  return Object.entries(leaks)
    .filter(([, sign]) => sign.test(text))
    .map(([name]) => name);
}
