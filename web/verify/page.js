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

const headings = {
  valid: 'Valid',
  invalid: 'Invalid',
  indeterminate: 'Indeterminate',
};
const meanings = {
  valid: 'The seal leads to the trust anchor below, and the sealed bytes are unchanged.',
  invalid:
    'A check failed: the file was changed, its seal is invalid, or the other files do not match ' +
    'it. Do not rely on it.',
  indeterminate:
    'No check found a change. But the trust anchor, the time or the other files do not suffice ' +
    'for a verdict. The file proves nothing yet.',
};

/** What each check asks, in plain words. */
const asks = {
  form: 'is it a sealed affidavit, without data after its last signature?',
  signature: 'are the sealed bytes unchanged?',
  timestamp: 'does the time stamp prove the time of the seal?',
  document_timestamp: 'do the archive time stamps cover the whole file?',
  chains: 'do the seal and the time stamps lead to the trust anchor?',
  revocation: 'do the lists in the file show no revoked certificate?',
  attachment: 'is the attached data present and complete?',
  revisions: 'is everything after the seal archive data?',
  pages: 'do the pages match the attached data exactly?',
  in_force: 'are the certificates of the last time stamp still valid?',
  standing: 'do current revocation lists leave every signature valid?',
  evidence: 'does this evidence match the hashes in the affidavit?',
  log: 'is the affidavit in the public log?',
};

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
    return { refused: 'This browser cannot run the verifier. Use a newer browser' };
  }
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const timer = setTimeout(
    () =>
      end({
        refused: `Verification took longer than ${limitSeconds} seconds, which no affidavit needs`,
      }),
    limitSeconds * 1000,
  );
  worker.addEventListener('message', ({ data }) => end(data));
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    end({ refused: 'This browser could not process the file' });
  });
  const own = { stop: () => end({ refused: 'You stopped the verification' }) };
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
  const number = asked;
  showRunning(true);
  $('answer').hidden = true;
  say('running', 'In progress', `This page verifies ${file.name} …`);
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
  if (number !== asked) return;
  showRunning(false);
  if (answer.refused) say('stuck', 'No verdict', `${answer.refused}.`);
  else show(answer, { file, isOwnRoot: root.trim() === ownRoot && ownRoot !== '' });
}

function showRunning(isRunning) {
  $('go').disabled = isRunning;
  $('stop').hidden = !isRunning;
}

function say(state, heading, what) {
  const [strong, span] = $('state').children;
  $('state').dataset.state = state;
  strong.textContent = heading;
  span.textContent = what;
  $('state').hidden = false;
}

function show({ verdict, report, anchors, revisions }, { file, isOwnRoot }) {
  const { result, facts } = verdict;
  say(result, headings[result], meanings[result]);
  const isWhole = revisions.length > 0;
  fill('end', [report.end]);
  fill('marks', report.marks);
  fill('about', [
    `${file.name}, ${file.size.toLocaleString('en')} bytes`,
    ...(report.about === '' ? [] : [report.about]),
    // What is too large is not read to its end.
    ...(isWhole ? [`SHA-256 ${facts.sha256}`] : []),
    ...(facts.pades_level ? [`signature ${facts.pades_level}, by ${facts.signer}`] : []),
    ...(facts.archived_at ? [`last time stamp ${facts.archived_at}`] : []),
  ]);
  fill('checks', report.checks);
  for (const [index, line] of [...$('checks').children].entries()) {
    const { name, result: each } = verdict.checks[index];
    line.dataset.result = each;
    const words = document.createElement('span');
    words.className = 'soft small';
    words.textContent = asks[name] ?? '';
    line.append(words);
  }
  fill('anchors', [
    ...anchors.map((anchor) => `${anchor}${isOwnRoot ? ' (from this page)' : ''}`),
    ...(anchors.length === 0 ? ['no trust anchor'] : []),
    ...logLine(),
  ]);
  $('own').hidden = !isOwnRoot || anchors.length === 0;
  fill(
    'revisions',
    revisions.map((each) => revisionText(each, file.size)),
  );
  $('map').hidden = !isWhole;
  $('proves').hidden = result !== 'valid' || report.marks.length > 0;
  $('answer').hidden = false;
  $('state').scrollIntoView({ block: 'nearest' });
}

function logLine() {
  const key = $('log-key').value.trim();
  if (!$('proof').files[0]) return [];
  const [name = ''] = key.split('+');
  return [`log: ${name}${key === ownLogKey ? ' (its key is from this page)' : ''}`];
}

function revisionText({ by, endsAt, hole: [from, to] }, size) {
  const number = (value) => value.toLocaleString('en');
  const rest = endsAt === size ? 'the end of the file' : `byte ${number(endsAt)}`;
  return `${by}: covers everything up to ${rest}, except its own value at ${number(from)}–${number(to)}`;
}

function fill(id, lines) {
  const made = lines.map((line) => {
    const item = document.createElement('li');
    item.dir = 'auto';
    item.textContent = line;
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
