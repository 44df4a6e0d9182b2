/** Returns the tokens in the fragment of a link: `t` from a mail, `p` from a waiting page. */
export function linkTokens({ hash }: URL): { link_token?: string; pair_token?: string } {
  const tokens = new URLSearchParams(hash.slice(1));
  const [mailed, shown] = [tokens.get('t'), tokens.get('p')];
  return {
    ...(mailed === null ? {} : { link_token: mailed }),
    ...(shown === null ? {} : { pair_token: shown }),
  };
}
