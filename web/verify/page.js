// The page of the verifier: takes files, has a worker judge them, and shows what it says. Nothing
// leaves the browser: the policy of the page lets it connect to nobody.

const $ = (id) => document.getElementById(id);
const form = $('question');
const pdf = $('pdf');
const ownRoot = $('root').defaultValue.trim();
const ownLogKey = $('log-key').defaultValue.trim();
/** Our affidavits take a second or two; what takes longer wants to keep a browser busy. */
const limitSeconds = 60;
const textBytesMax = 1024 * 1024;

/** What the page says in its language, by the names of phrases. */
const words = JSON.parse($('words').textContent);

/** A phrase with its values. */
const t = (name, values = {}) =>
  words[`verify.${name}`].replace(/\{(\w+)\}/g, (_, value) => values[value]);

const { lang } = document.documentElement;
const number = (value) => value.toLocaleString(lang);
/** A name from outside, which cannot reorder the sentence around it (UAX #9 §2.4). */
const apart = (text) => `\u2068${text}\u2069`;

/** The program of the worker, unpacked once. */
let program = null;
/** What is judged now, and how often something was: what was asked last counts alone. */
let running = null;
let asked = 0;

async function programOf() {
  const packed = Uint8Array.from(atob($('judge').textContent), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const text = await new Response(stream).text();
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}

/** Asks a worker of its own, which is ended with its answer, by the reader, or when it takes long. */
async function ask(question) {
  let worker;
  try {
    program ??= programOf();
    worker = new Worker(await program);
  } catch {
    program = null;
    return { stuck: t('stuck.browser') };
  }
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const slow = { stuck: t('stuck.slow', { seconds: number(limitSeconds) }) };
  const timer = setTimeout(() => end(slow), limitSeconds * 1000);
  worker.addEventListener('message', ({ data }) => end(data));
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    end({ stuck: t('stuck.crashed') });
  });
  const own = { stop: () => end({ stuck: t('stuck.stopped') }) };
  running = own;
  worker.postMessage(question, []);
  const answer = await ended;
  clearTimeout(timer);
  worker.terminate();
  if (running === own) running = null;
  return answer;
}

async function verify() {
  const [file] = pdf.files;
  if (!file) return;
  running?.stop();
  asked += 1;
  const turn = asked;
  showRunning(true);
  $('answer').hidden = true;
  say('running', t('means.running', { file: apart(file.name) }));
  const root = $('root').value;
  const answer = await ask({
    pdf: file,
    root,
    tsaRoots: [...$('tsa-roots').files],
    at: $('at').value === '' ? '' : `${$('at').value}Z`,
    lists: [...$('lists').files],
    proof: $('proof').files[0] ?? null,
    logKey: $('log-key').value,
    evidence: $('evidence').files[0] ?? null,
  });
  if (turn !== asked) return;
  showRunning(false);
  if (answer.stuck) say('stuck', answer.stuck);
  else if (answer.refused) say('stuck', `${answer.refused}.`, 'en');
  else show(answer, { file, isOwnRoot: root.trim() === ownRoot && ownRoot !== '' });
}

function showRunning(isRunning) {
  $('go').disabled = isRunning;
  $('stop').hidden = !isRunning;
}

/** What the program that judges says is English, as on a terminal. */
function say(state, what, language = lang) {
  const [strong, span] = $('state').children;
  $('state').dataset.state = state;
  strong.textContent = t(`state.${state}`);
  span.textContent = what;
  span.lang = language;
  $('state').hidden = false;
}

function show({ verdict, report, anchors, revisions }, { file, isOwnRoot }) {
  const { result, facts } = verdict;
  say(result, t(`means.${result}`));
  const isWhole = revisions.length > 0;
  fill('end', [english(report.end)]);
  const marks = report.marks.map((mark) => mark.split(':')[0]);
  fill(
    'marks',
    marks.map((name) => `${name}: ${t(`mark.${name}`)}`),
  );
  const { pades_level: level, signer, archived_at: time } = facts;
  fill('about', [
    t('fact.size', { file: apart(file.name), size: number(file.size) }),
    ...(report.about === '' ? [] : [english(report.about)]),
    // What is too large is not read to its end.
    ...(isWhole ? [english(`SHA-256 ${facts.sha256}`)] : []),
    ...(level ? [t('fact.signature', { level, signer: apart(signer) })] : []),
    ...(time ? [t('fact.archived', { time })] : []),
    ...(Object.values(facts.captures ?? {}).includes('browser') ? [t('fact.browser')] : []),
  ]);
  fill('checks', report.checks.map(english));
  for (const [index, line] of [...$('checks').children].entries()) {
    const { name, result: each } = verdict.checks[index];
    line.dataset.result = each;
    const asks = document.createElement('span');
    asks.className = 'soft small';
    asks.textContent = words[`verify.ask.${name}`] ?? '';
    line.append(asks);
  }
  fill('anchors', [
    ...anchors.map((anchor) => (isOwnRoot ? t('from_page', { what: apart(anchor) }) : anchor)),
    ...(anchors.length === 0 ? [t('no_anchor')] : []),
    ...logLine(),
  ]);
  $('own').hidden = !isOwnRoot || anchors.length === 0;
  fill(
    'revisions',
    revisions.map((each) => revisionText(each, file.size)),
  );
  $('map').hidden = !isWhole;
  $('proves').hidden = result !== 'valid' || marks.length > 0;
  $('answer').hidden = false;
  $('state').scrollIntoView({ block: 'nearest' });
}

/** A line of the report, which says the same as a terminal. */
function english(text) {
  const line = document.createElement('bdi');
  line.lang = 'en';
  line.textContent = text;
  return line;
}

function logLine() {
  const key = $('log-key').value.trim();
  if (!$('proof').files[0]) return [];
  const [name = ''] = key.split('+');
  return [t(key === ownLogKey ? 'log_own' : 'log', { name })];
}

function revisionText({ by, endsAt, hole: [from, to] }, size) {
  const values = {
    by: t(by === 'seal' ? 'by.seal' : 'by.stamp'),
    end: number(endsAt),
    hole: `${number(from)}–${number(to)}`,
  };
  return t(endsAt === size ? 'covers.whole' : 'covers.part', values);
}

/** Fills a list with lines, each a text or an element. */
function fill(id, lines) {
  const made = lines.map((line) => {
    const item = document.createElement('li');
    item.append(line);
    return item;
  });
  $(id).replaceChildren(...made);
  $(id).hidden = made.length === 0;
}

/** Each file to the field it is for, by its name; of lists and roots there may be several. */
async function take(files) {
  const fields = [
    [/\.(pem|crt|cer)$/i, null],
    [/\.crl$/i, $('lists')],
    [/\.tlog-proof$/i, $('proof')],
    [/\.(jsonl?|ndjson)$/i, $('evidence')],
    [/./, pdf],
  ];
  const roots = [];
  const lists = new DataTransfer();
  for (const file of files) {
    const [, field] = fields.find(([form]) => form.test(file.name)) ?? [];
    if (!field) roots.push(await pemOf(file.slice(0, textBytesMax)));
    else {
      const holder = field === $('lists') ? lists : new DataTransfer();
      holder.items.add(file);
      field.files = holder.files;
    }
  }
  if (roots.length > 0) $('root').value = roots.join('\n');
  void verify();
}

/** The text of a file with certificates; of one in DER the PEM that it is. */
async function pemOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const pem = new TextDecoder().decode(bytes);
  if (bytes[0] !== 0x30 || pem.includes('-----BEGIN')) return pem;
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void verify();
});
pdf.addEventListener('change', () => void verify());
// A verdict that is shown is of what stands in the form.
form.addEventListener('input', () => {
  $('state').hidden = true;
  $('answer').hidden = true;
});
$('root-file').addEventListener('change', ({ target }) => void take([...target.files]));
$('stop').addEventListener('click', () => running?.stop());
addEventListener('dragover', (event) => {
  event.preventDefault();
  $('drop').dataset.over = 'true';
});
addEventListener('dragleave', () => delete $('drop').dataset.over);
addEventListener('drop', (event) => {
  event.preventDefault();
  delete $('drop').dataset.over;
  void take([...event.dataTransfer.files]);
});
// It was saved already.
$('save').hidden = location.protocol === 'file:';
$('needs').remove();
form.hidden = false;
