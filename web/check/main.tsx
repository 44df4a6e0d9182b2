import { hydrate } from 'preact';
import type { CheckFacts } from '../../api/links/visitor/pages/check-facts.ts';
import { App } from './app.tsx';
import { listenToHost } from './session/host.ts';

const facts = JSON.parse(document.getElementById('facts')?.textContent ?? '{}') as CheckFacts;
// Before the page has loaded, which is when the page around it connects.
listenToHost(facts.hosts);
const main = document.querySelector('main');
// An address that differs in its token alone would not load the page again.
addEventListener('hashchange', () => location.reload());
if (main) hydrate(<App facts={facts} />, main);
