export * from './accounts.ts';
export * from './affidavits.ts';
export * from './devices.ts';
export * from './events.ts';
export * from './links.ts';
export * from './outbox.ts';
export * from './sessions.ts';
export * from './trust-checks.ts';
