// The page of a link: begins a session, waits for the phone, and tells each state as it comes.
import { begin } from '/assets/begin.js';
import { follow } from '/assets/follow.js';
import { eventWords, proofWords, stateWords } from '/assets/words.js';

const facts = document.getElementById('script').dataset;
const names = { asker: facts.asker, app: facts.appName };
const $ = (id) => document.getElementById(id);
const title = document.title;
const hash = new URLSearchParams(location.hash.slice(1));
const token = hash.get('t');
/** What the phone is led to: the link, and once a session waits for it, that session of it. */
let address = `${facts.url}${token ? `#t=${token}` : ''}`;
const ended = new Set(['passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled']);
const canRepeat = new Set(['expired', 'abandoned', 'canceled']);
const beforePhone = new Set(['created', 'opened']);

/** Says what goes on; said twice it is said once, so that nothing is read out again. */
function say(state, [heading, what]) {
  const [strong, span] = $('state').children;
  $('state').dataset.state = state;
  if (strong.textContent === heading && span.textContent === what) return;
  strong.textContent = heading;
  span.textContent = what;
  document.title = beforePhone.has(state) ? title : `${heading} · ${title}`;
}

function showSession(session) {
  say(session.status, stateWords(session, names));
  $('scan').hidden = !beforePhone.has(session.status);
  $('ahead').hidden = ended.has(session.status);
  $('unexpected').hidden = ended.has(session.status);
  for (const proof of session.proofs) showProof(proof);
}

function showProof(proof) {
  const row = document.querySelector(`[data-proof="${proof.type}"]`);
  if (!row) return;
  row.dataset.verdict = proof.status;
  row.querySelector('.verdict').textContent = proofWords(proof);
}

function nameOf(type) {
  return document.querySelector(`[data-proof="${type}"] .name`)?.textContent ?? type;
}

/** The zone of this device at an instant, as in UTC+02:00. */
function zoneAt(at) {
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'longOffset' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName').value.replace('GMT', 'UTC');
}

function remember(event) {
  const words = eventWords(event, nameOf);
  if (!words) return;
  const at = new Date(event.created_at);
  const time = document.createElement('time');
  time.dateTime = event.created_at;
  time.textContent = at.toLocaleTimeString(undefined, { timeStyle: 'medium' });
  const zone = zoneAt(at);
  time.title = `${at.toLocaleString()} ${zone}`;
  $('zone').hidden = false;
  $('zone').querySelector('span').textContent = zone;
  const line = document.createElement('li');
  line.append(time, words);
  $('history').append(line);
}

/** An event says what happened then: its own proof, or the state; never what came after it. */
function show(event) {
  const { object } = event.data;
  remember(event);
  if (event.type === 'proof.updated') {
    const proof = object.proofs.find((candidate) => candidate.type === object.proof);
    if (proof) showProof({ ...proof, status: object.proof_status });
  } else if (event.type.startsWith('trust_check.')) showSession(object);
}

/** The one thing that can be done next; taken back before it is done. */
function offer(words, act) {
  const button = $('go').cloneNode();
  button.textContent = words;
  button.hidden = false;
  button.addEventListener('click', () => {
    button.hidden = true;
    act();
  });
  $('go').replaceWith(button);
}

/** The session this page was opened with, once: what is begun after it is another. */
function takeShown() {
  const shown = hash.get('p');
  if (!shown) return null;
  hash.delete('p');
  const rest = String(hash);
  history.replaceState(null, '', `${location.pathname}${location.search}${rest && `#${rest}`}`);
  return shown;
}

async function run() {
  const link = { link_uuid: facts.link, app_id: facts.app, token, shown: takeShown() };
  const begun = await begin(link, onLine);
  if (begun.fault) return giveUp(begun.fault);
  address = `${facts.url}${begun.session.pair}`;
  $('app').hash = begun.session.pair;
  void drawCode();
  $('history').replaceChildren();
  $('reference').hidden = false;
  $('reference').querySelector('code').textContent = begun.session.id;
  const line = follow(begun.session, {
    onLine,
    onEvent(event) {
      show(event);
      const { status, affidavit } = event.data.object;
      if (!ended.has(status) || event.type === 'proof.updated') return;
      begun.forget();
      const isAwaited = affidavit.status === 'pending' || affidavit.status === 'signing';
      if (!isAwaited) line.stop();
      if (canRepeat.has(status)) offer('Begin again', () => void run());
    },
    onGone() {
      begun.forget();
      say('stuck', ['This check can be followed no longer', 'Your phone tells you how it ends.']);
      offer('Begin again', () => void run());
    },
  });
}

function onLine(isThere) {
  $('line').hidden = isThere;
  $('line').textContent = isThere ? '' : 'The connection is lost; trying again…';
}

function giveUp(fault) {
  $('scan').hidden = true;
  const words = {
    already_begun: [
      'This link is in use',
      'Go on in the browser or on the phone where you opened it first. ' +
        'If that was not you, ask the sender for a new link.',
    ],
    link_not_active: [
      'This link cannot be used now',
      'Ask the sender for a new link, or try again later.',
    ],
    session_limit: ['Too many people are using this link', 'Please try again in some minutes.'],
    already_paired: [
      'Another phone has this check',
      'Go on there. If that is not yours, tell whoever sent you the link.',
    ],
    link_token_required: [
      'Part of the address is missing',
      'This link is personal. Open it from the message, or copy its whole address.',
    ],
    not_found: ['This link is gone', 'Ask whoever sent it to you for a new one.'],
  };
  const other = ['This does not work right now', 'Please try again in a while.'];
  say('stuck', words[fault] ?? other);
  if (!words[fault] || fault === 'session_limit') offer('Try again', () => void run());
}

/** Drawn here: the token behind the address is nothing the service is told by it. */
async function drawCode() {
  const { renderSVG } = await import('/assets/qr.js');
  const source = renderSVG(address, { border: 2 });
  const drawn = new DOMParser().parseFromString(source, 'image/svg+xml').documentElement;
  drawn.setAttribute('role', 'img');
  drawn.setAttribute('aria-label', 'The code to scan with your phone');
  $('code').replaceChildren(drawn);
}

function offerCopy() {
  if (!navigator.clipboard) return;
  const button = $('copy');
  button.hidden = false;
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(address).then(
      () => void (button.textContent = 'Copied'),
      () => void (button.hidden = true),
    );
  });
}

/** Opening an emailed link changes nothing: mail scanners open them, with scripts, too. */
function start() {
  if (facts.emailed !== 'true') {
    offerCopy();
    return void run();
  }
  $('scan').hidden = true;
  if (!token) return giveUp('link_token_required');
  offer('Go on', () => {
    $('here').hidden = false;
    $('scan').hidden = false;
    offerCopy();
    void run();
  });
}

start();
