import type { Judgement, Run } from '../../../../cache/records.js'
import type { OpenedRun, Store } from '../../../../cache/store.js'
import { readRunAbout } from '../../../reading/runs/run-about.js'
import { runOverview } from '../../../reading/progress/run-overview.js'
import { listedModel } from '../../text/results/run-header.js'
import type { RunRow } from '../data/index.js'

type Tags = Awaited<ReturnType<Store['runs']['tags']>>

/**
 * Builds a run's row in the list of runs, with the scores of its newest finished judgement.
 *
 * @param tags the tags of all runs, if the caller has read them
 */
export async function runRow(store: Store, run: Run, tags?: Tags): Promise<RunRow> {
  const { state, docs, requests, answered, failed, scored, scores } = await runOverview(store, run)
  return {
    id: run.id,
    name: run.name,
    created: new Date(run.createdAt).toISOString(),
    model: listedModel(run),
    tasks: run.asked.tasks.map(({ name }) => name),
    tags: (tags ?? (await store.runs.tags())).get(run.ref) ?? [],
    ...readRunAbout(run),
    state,
    progress: { docs, requests, answered, failed, scored },
    scores,
  }
}

/** The row of a run with the scores of the judgement that was opened. */
export async function openedRow(store: Store, { run, judgement }: OpenedRun): Promise<RunRow> {
  return { ...(await runRow(store, run)), scores: wholeScores(judgement) }
}

const wholeScores = (judgement: Judgement | undefined): RunRow['scores'] =>
  (judgement?.aggregates ?? []).filter(({ group }) => group === undefined)
