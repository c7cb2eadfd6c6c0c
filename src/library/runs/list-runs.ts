import { runJson, type RunJson } from '../../present/json/run-json.js'
import { modelLabel } from '../../present/text/results/run-header.js'
import { chooseRuns, type RunChoice } from '../../reading/runs/choose-runs.js'
import { waitingBy } from '../../evaluation/with-store.js'
import { makeHooks } from '../library.js'
import type { StoreOption } from './runs.js'
import { withGivenStore } from '../stores.js'

/**
 * Lists the runs of a store, the newest last. Runs of judge models and of rounds are left out without `all`.
 *
 * @example (await listRuns({ task: 'mmmu*', sort: 'score', limit: 5 })).map(({ name }) => name)
 */
export async function listRuns({ store, ...choice }: StoreOption & RunChoice = {}): Promise<readonly RunJson[]> {
  return withGivenStore(await store, { access: 'read', waiting: waitingBy(makeHooks({})) }, async opened => {
    const tags = await opened.runs.tags()
    return (await chooseRuns(opened, choice, modelLabel)).map(run => runJson(run, tags.get(run.ref)))
  })
}
