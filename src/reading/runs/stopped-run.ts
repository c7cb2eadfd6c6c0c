/** Shows why the last session of a run ended before the run was complete. */
import { isComplete } from '../../../cache/facts/run-state.js'
import type { Judgement, Run } from '../../../cache/records.js'
import type { RunCounts, Store } from '../../../cache/store.js'
import { stoppedSession, type StopCode, type StoppedSession } from './session-end.js'
import { dateTime } from '../../../base/text/numbers.js'

/**
 * Reads why the last session of a run ended; undefined for a run that is complete, still running, or left no record. A run
 * is not complete if its judge model was stopped before all docs had a score.
 */
export async function stoppedRun(
  store: Pick<Store, 'runs' | 'values' | 'judgements'>,
  run: Run,
  { counts, judgements }: { readonly counts: RunCounts; readonly judgements: readonly Judgement[] },
): Promise<StoppedSession | undefined> {
  const session = await stoppedSession(store, run)
  const last = judgements.at(-1)
  if (session === undefined || last?.finishedAt === undefined || !isComplete(counts)) return session
  // The counts beside it say already that requests failed.
  if (session.code === 'requests_failed') return undefined
  const { judge_failed: missing = 0 } = await store.judgements.outcomes(last)
  return missing > 0 ? session : undefined
}

/** `2026-11-25 22:33: It was interrupted: Ctrl-C.` */
export const stoppedText = ({ at, message }: StoppedSession): string => `${dateTime(at)}: ${message}`

/** For JSON: the code, the sentence and the time. */
export const stoppedJson = (stopped: StoppedSession | undefined) =>
  stopped === undefined
    ? null
    : { code: stopped.code, message: stopped.message, at: new Date(stopped.at).toISOString() }

/** One or two words for a column of a table; undefined where the numbers beside it say the same. */
export const stopWord = ({ code }: StoppedSession): string | undefined => words[code]

const words: Readonly<Record<StopCode, string | undefined>> = {
  interrupted: 'interrupted',
  time: 'time over',
  budget: 'budget used up',
  too_many_failures: 'too many failures',
  judge_stopped: 'judge stopped',
  model_refused: 'model refused',
  account_exhausted: 'account used up',
  unreachable: 'server unreachable',
  server_busy: 'server busy',
  input_error: 'input error',
  store_full: 'disk full',
  failed: 'error',
  requests_failed: undefined,
  docs_only: undefined,
  requests_left: undefined,
  killed: 'process ended',
}
