// The page a mail leads to: nothing happens before its reader says so, since scanners open links.

const form = document.querySelector('[data-part=login]');
const attachForm = document.querySelector('[data-part=attach]');
const line = document.querySelector('[role=status]');
const codeField = document.querySelector('[name=code]');
const codePart = document.querySelector('[data-part=code]');
const fragment = new URLSearchParams(location.hash.slice(1));
const token = fragment.get('t') ?? '';
/** What the page says in its language, by the code of a fault or by a name of its own. */
const words = document.querySelector('#script').dataset;
// The token is in no history and no address bar that somebody looks at later.
history.replaceState(null, '', location.pathname + location.search);

if (token === '') say(words.incomplete);
else if (fragment.get('p') === 'attach') attachForm.hidden = false;
else form.hidden = false;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void signIn();
});

attachForm.addEventListener('submit', (event) => {
  event.preventDefault();
  showToken();
});

/**
 * Attaching takes the session of whoever asked, which this page does not have. The token goes on by
 * its reader’s own hand, and to no page of whoever asked.
 */
function showToken() {
  attachForm.hidden = true;
  const shown = document.querySelector('[data-part=token]');
  shown.hidden = false;
  shown.querySelector('output').textContent = token;
}

async function signIn() {
  const button = form.querySelector('button');
  button.disabled = true;
  say(words.busy);
  const code = codeField.value.trim();
  try {
    const response = await fetch('/v2/email/login/verify', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...(code === '' ? {} : { code }) }),
    });
    const body = await response.json();
    if (response.ok) return signedIn(body);
    if (body.code === 'email_code_required') {
      codePart.hidden = false;
      codeField.focus();
    }
    say(words[body.code] ?? words.other);
  } catch {
    say(words.unanswered);
  }
  button.disabled = false;
}

function signedIn({ session_token: sessionToken, expires_at: expiresAt }) {
  sessionStorage.setItem('trustcheck-session', sessionToken);
  form.hidden = true;
  const until = new Date(expiresAt).toLocaleString(document.documentElement.lang);
  say(words.signed_in.replace('{until}', () => until));
}

function say(text) {
  line.textContent = text;
}
