import { present } from '../../../../base/values/present.js'
import { shellWord } from '../../../../base/text/shell-word.js'
import type { Run } from '../../../../cache/records.js'
import type { FailedItem, Store } from '../../../../cache/store.js'
import { stoppedSession } from '../../../reading/runs/session-end.js'
import { howToGoOn, missingParts } from '../../text/results/incomplete-run.js'
import { stoppedJson, stoppedRun } from '../../../reading/runs/stopped-run.js'
import type { RunState, RunView } from '../data/index.js'

interface StoppedRun {
  readonly run: Run
  readonly state: RunState
  readonly failures: readonly FailedItem[]
}

/** Describes why a run stopped, what it lacks, and the command that continues it; null for a run that is complete or in progress. */
export async function describeUnfinished(
  store: Store,
  { run, state, failures }: StoppedRun,
): Promise<RunView['unfinished']> {
  const reference = `${run.name} --store ${shellWord(store.location)}`
  if (state !== 'incomplete' && state !== 'not judged') return describeUnjudged(store, run, reference)
  const stopped = stoppedJson(await stoppedSession(store, run))
  if (state === 'not judged')
    return { stopped, missing: ['everything is answered, and not judged yet'], command: `pipeline judge ${reference}` }
  const counts = await store.runs.counts(run)
  const { command, advice } = howToGoOn(reference, failures, counts)
  return { stopped, missing: missingParts({ counts, failures }), ...present({ command, advice }) }
}

/** Describes why the judge of an answered run stopped; null if it did not. */
async function describeUnjudged(store: Store, run: Run, reference: string): Promise<RunView['unfinished']> {
  const [counts, judgements] = [await store.runs.counts(run), await store.judgements.list(run)]
  const stopped = await stoppedRun(store, run, { counts, judgements })
  if (stopped === undefined) return null
  const missing = ['everything is answered, and the judge did not score every doc']
  return { stopped: stoppedJson(stopped), missing, command: `pipeline judge ${reference}` }
}
