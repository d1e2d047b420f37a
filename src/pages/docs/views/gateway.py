# Sends every batch of the folder `outbox`, oldest name first, and ends when none is left.
import base64, gzip, json, os, random, re, socket, sys, time
from contextlib import closing
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

if not all(os.environ.get(name) for name in ('BASE', 'CLIENT_ID', 'CLIENT_SECRET')):
    sys.exit('Set BASE, CLIENT_ID and CLIENT_SECRET in the environment')
BASE = os.environ['BASE'].rstrip('/')
SECRET = f"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}"
PAUSE_SECONDS_MAX = float(os.environ.get('PAUSE_SECONDS_MAX', 60))
token = ''
failures = 0  # in a row
CUT = 0  # instead of a status: the line did not take the whole body, or no answer came in time


# One pause for all failures: doubled up to a limit, and never the same for two gateways.
def pause(why, retry_after=None):
    global failures
    failures += 1
    seconds = min(PAUSE_SECONDS_MAX, 2 ** failures) * random.uniform(0.5, 1)
    if retry_after and retry_after.isdigit():
        seconds = int(retry_after) + random.random()
    print(f'{why}: waiting {seconds:.3f} s', file=sys.stderr)
    time.sleep(seconds)


def post(path, headers, body):
    url = urlsplit(BASE + path)
    connection = HTTPConnection if url.scheme == 'http' else HTTPSConnection
    with closing(connection(url.netloc, timeout=40)) as line:
        line.connect()
        is_sent = False
        try:
            line.request('POST', url.path, body, headers)
            is_sent = True
            answer = line.getresponse()
            text = answer.read()
        except OSError as cut:
            if is_sent and not isinstance(cut, socket.timeout):
                raise
            return CUT, {}, {'message': repr(cut)}
        return answer.status, answer.headers, json.loads(text) if text.startswith(b'{') else {}


# What has no message does not come from the service: from a proxy in between, for instance.
def reason_of(status, problem):
    message = problem.get('message', 'not an answer of the service')
    if status == CUT:
        return f'cut off: {message}'
    return f"status {status}: {message} (request {problem.get('requestId', 'unknown')})"


def new_token():
    basic = base64.b64encode(SECRET.encode()).decode()
    headers = {'Authorization': f'Basic {basic}', 'Content-Type': 'application/x-www-form-urlencoded'}
    status, answered, problem = post('/oauth/token', headers, b'grant_type=client_credentials')
    if 'access_token' not in problem:
        pause(f'no token, {reason_of(status, problem)}', answered.get('Retry-After'))
    return problem.get('access_token', '')


# Renamed at the end, so that a crash leaves the old batch or the new one, never half of it.
def write(file, batch):
    part = file.with_suffix('.part')
    part.write_text(json.dumps(batch))
    part.rename(file)


# 408: the line is too slow for so much. 413: too many bytes. 400 at `snapshots`: more than 10,000 rows.
def is_too_much(status, problem):
    if status in (CUT, 408, 413) or is_unreadable(status, problem):
        return True
    return any(one['code'] == 'too_big' and one['field'] == 'snapshots' for one in problem.get('errors', []))


# 400 at no field: of the body as a whole, such as too many keys.
def is_unreadable(status, problem):
    return status == 400 and any(one['field'] == '' for one in problem.get('errors', []))


# None: what no answer could mend, such as half a file, is moved out of the way.
def read(file):
    try:
        batch = json.loads(file.read_bytes())
        json.dumps(batch, allow_nan=False)  # NaN is no JSON, though Python reads it
        if isinstance(batch['snapshots'], list):
            return batch
        why = 'snapshots is no list'
    except (ValueError, KeyError, TypeError) as error:
        why = repr(error)
    file.rename(aside(file))
    print(f'{file.name}: refused, not a batch: {why}', flush=True)


def aside(file):
    return Path('refused') / f'{time.time_ns()}-{file.name}'


def send(file):
    global token, failures
    batch = read(file)
    if batch is None:
        return
    rows = batch['snapshots']
    token = token or new_token()
    if not token:
        return
    headers = {'Authorization': f'Bearer {token}', 'Content-Type': 'application/json',
               'Content-Encoding': 'gzip', 'X-API-Version': '2026-09-08.gauss'}
    status, answered, problem = post('/asset-snapshots', headers, gzip.compress(json.dumps(batch).encode()))
    fields = [one['field'] for one in problem.get('errors', [])]
    if status == 401 and failures == 0:
        failures = 1  # it ran out: the next one is asked for at once
        token = ''
    elif problem.get('object') == 'asset_snapshot_batch':
        file.unlink()
        failures = 0
        print(f'{file.name}: {len(rows)} rows sent', flush=True)
    elif is_too_much(status, problem) and len(rows) > 1:
        half = (len(rows) + 1) // 2
        write(file.with_name(f'{file.stem}_1.json'), {**batch, 'snapshots': rows[:half]})
        write(file.with_name(f'{file.stem}_2.json'), {**batch, 'snapshots': rows[half:]})
        file.unlink()
        print(f"{file.name}: too much at once ({status or 'cut off'}), divided", flush=True)
        if status == CUT:
            pause(reason_of(status, problem))
    elif (status == 413 or is_unreadable(status, problem)
          or any(re.match('household|snapshots', field) for field in fields)):
        # The batch is wrong. Without such a field it is the setup: another version, address or key.
        named = [re.match(r'snapshots\.(\d+)', field) for field in fields]
        bad = {int(one[1]) for one in named if one} or set(range(len(rows)))
        refused = [row for index, row in enumerate(rows) if index in bad]
        write(aside(file), {**batch, 'snapshots': refused, 'problem': problem})
        good = [row for index, row in enumerate(rows) if index not in bad]
        if good:
            write(file, {**batch, 'snapshots': good})
        else:
            file.unlink()
        print(f'{file.name}: {len(refused)} of {len(rows)} rows refused with {status}', flush=True)
    else:
        if status == 401:
            token = ''
        pause(reason_of(status, problem), answered.get('Retry-After'))


for folder in ('outbox', 'refused'):
    Path(folder).mkdir(exist_ok=True)
while batches := sorted(Path('outbox').glob('*.json')):
    try:
        send(batches[0])
    except Exception as error:
        pause(repr(error))
