/** When failures close the door to further attempts. */
export interface AttemptRule {
  /** Names what is counted, in keys: `client`. */
  name: string;
  /** Failures within the window; the last of them closes the door. */
  failuresMax: number;
  windowSeconds: number;
  /** How long the door stays closed the first time; each later failure doubles it. 0: it is only counted. */
  closedSeconds: number;
  closedSecondsMax: number;
}

/** Beyond this many doublings every closing is the longest. */
const DOUBLINGS_MAX = 30;

/** Redis forgets a little late: the instants in the text decide, by the clock of the service. */
const SPARE_MILLISECONDS = 60_000;

/** After so long without a failure nothing of the earlier ones counts. */
export const QUIET_SECONDS = 3_600;

/** What is known of one subject. All instants are milliseconds of the service's clock. */
export interface AttemptState {
  failures: number;
  sinceMilliseconds: number;
  /** The door is closed until here; 0: it was never closed. */
  closedUntilMilliseconds: number;
}

/**
 * The state after one more failure. A subject that has reached the limit keeps its count until it was quiet for an hour:
 * whoever goes on guessing gets one guess per closing, and the closings grow.
 */
export function afterFailure(
  before: AttemptState | undefined,
  rule: AttemptRule,
  nowMilliseconds: number,
): AttemptState {
  const lives = before !== undefined && nowMilliseconds < livesUntil(before, rule);
  const failures = lives ? before.failures + 1 : 1;
  const sinceMilliseconds = lives ? before.sinceMilliseconds : nowMilliseconds;
  if (failures < rule.failuresMax) return { failures, sinceMilliseconds, closedUntilMilliseconds: 0 };
  const doublings = Math.min(failures - rule.failuresMax, DOUBLINGS_MAX);
  const seconds = Math.min(rule.closedSeconds * 2 ** doublings, rule.closedSecondsMax);
  return { failures, sinceMilliseconds, closedUntilMilliseconds: nowMilliseconds + seconds * 1000 };
}

/** From here on the subject is as good as new. */
export function livesUntil(state: AttemptState, rule: AttemptRule): number {
  return state.failures < rule.failuresMax
    ? state.sinceMilliseconds + rule.windowSeconds * 1000
    : state.closedUntilMilliseconds + QUIET_SECONDS * 1000;
}

/**
 * The same in Redis, so that simultaneous failures in several processes are all counted. KEYS: one for each rule; ARGV:
 * now, then for each rule failures, window, closing and longest closing in milliseconds. Answers the counts.
 */
export const COUNT_FAILURES_SCRIPT = `
local now = tonumber(ARGV[1])
local quiet = ${QUIET_SECONDS * 1000}
local counts = {}
for i, key in ipairs(KEYS) do
  local max = tonumber(ARGV[4 * i - 2])
  local window = tonumber(ARGV[4 * i - 1])
  local failures, since, closed_until = 0, now, 0
  local known = redis.call('GET', key)
  if known then
    local a, b, c = string.match(known, '^(%d+) (%d+) (%d+)$')
    local lives_until = tonumber(a) < max and b + window or c + quiet
    if now < lives_until then failures, since = tonumber(a), tonumber(b) end
  end
  failures = failures + 1
  local lives_until = since + window
  if failures >= max then
    closed_until = now + math.min(ARGV[4 * i] * 2 ^ math.min(failures - max, ${DOUBLINGS_MAX}), tonumber(ARGV[4 * i + 1]))
    lives_until = closed_until + quiet
  end
  redis.call('SET', key, string.format('%.0f %.0f %.0f', failures, since, closed_until),
    'PX', string.format('%.0f', math.max(0, lives_until - now) + ${SPARE_MILLISECONDS}))
  counts[i] = failures
end
return counts
`;

/** What the script keeps under a key. */
export function parseAttemptState(text: string): AttemptState {
  const [failures = 0, sinceMilliseconds = 0, closedUntilMilliseconds = 0] = text.split(' ').map(Number);
  return { failures, sinceMilliseconds, closedUntilMilliseconds };
}
