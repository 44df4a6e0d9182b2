/** The longest life of a session: 72 hours unopened, then 24 hours. */
export const checkTokenLifeMs = (72 + 24) * 3600_000;
