import { hydrate } from 'preact';
import type { CheckFacts } from '../../api/links/visitor/pages/check-facts.ts';
import { App } from './app.tsx';
import { listenToHost } from './session/host.ts';

const facts = JSON.parse(document.getElementById('facts')?.textContent ?? '{}') as CheckFacts;
// Runs before the load event, because the embedding page connects at that event.
listenToHost(facts.hosts);
const main = document.querySelector('main');
// A browser does not reload the page if only the token in the address changes.
addEventListener('hashchange', () => location.reload());
if (main) hydrate(<App facts={facts} />, main);
