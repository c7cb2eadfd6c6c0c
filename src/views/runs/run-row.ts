import { isComplete, isSettled } from '../../../cache/run-state.js'
import type { Judgement, Run } from '../../../cache/records.js'
import type { RunCounts, Store } from '../../../cache/store.js'
import type { OpenedRun } from '../../evaluation/run-reference.js'
import { modelLabel } from '../../report/results/run-header.js'
import type { RunProgress, RunRow, RunState } from '../page-data/index.js'

/** What the list of runs shows of a run, with the scores of its newest finished judgement. */
export async function runRow(store: Store, run: Run): Promise<RunRow> {
  const judgements = await store.judgements.list(run)
  const judgement = judgements.findLast(({ finishedAt }) => finishedAt !== undefined)
  return rowOf(store, { run, ...(judgement && { judgement }) }, judgements)
}

/** The row of a run whose judgement was named, or is the newest. */
export async function openedRow(store: Store, opened: OpenedRun): Promise<RunRow> {
  return rowOf(store, opened, await store.judgements.list(opened.run))
}

async function rowOf(store: Store, { run, judgement }: OpenedRun, judgements: readonly Judgement[]): Promise<RunRow> {
  const counts = await store.runs.counts(run)
  const scoring = judgement?.finishedAt === undefined ? (judgements.at(-1) ?? judgement) : judgement
  const scored = scoring === undefined ? 0 : await scoredDocs(store, scoring)
  const isRunning = await store.runs.isWorkedOnElsewhere(run)
  return {
    id: run.id,
    name: run.name,
    created: new Date(run.createdAt).toISOString(),
    model: modelLabel(run),
    tasks: run.asked.tasks.map(({ name }) => name),
    tags: tagsOf(run),
    state: stateOf(counts, { isRunning, isJudged: judgement?.finishedAt !== undefined }),
    progress: progressOf(counts, scored),
    scores: (judgement?.aggregates ?? []).filter(({ group }) => group === undefined),
  }
}

async function scoredDocs(store: Store, judgement: Judgement): Promise<number> {
  const { scored = 0, unparsed = 0 } = await store.judgements.outcomes(judgement)
  return scored + unparsed
}

function stateOf(
  counts: RunCounts,
  { isRunning, isJudged }: { readonly isRunning: boolean; readonly isJudged: boolean },
): RunState {
  if (isRunning) return 'running'
  if (isJudged) return isComplete(counts) ? 'complete' : 'incomplete'
  return isSettled(counts) ? 'not judged' : 'incomplete'
}

const progressOf = (counts: RunCounts, scored: number): RunProgress => ({
  docs: counts.docs,
  requests: counts.items,
  answered: counts.answered,
  failed: Object.values(counts.failed).reduce((sum, count) => sum + count, 0),
  scored,
})

/** Names of groups and tags of tasks, as they were given to the command, such as `mmlu`. */
function tagsOf({ asked, provenance }: Run): readonly string[] {
  const tasks = new Set(asked.tasks.map(({ name }) => name))
  return (provenance.config.tasks ?? []).filter(name => !tasks.has(name) && /^[\w-]+$/.test(name))
}
