import { runJson, type RunJson } from '../../present/json/run-json.js'
import { modelLabel } from '../../present/text/results/run-header.js'
import { waitingBy } from '../../evaluation/with-store.js'
import { chooseRuns, runSorts, runStates, type RunChoice } from '../../reading/runs/choose-runs.js'
import { makeHooks } from '../library.js'
import { withGivenStore } from '../stores.js'
import { checkOptions, fields, storeField, type OptionFields } from '../options/check-options.js'
import type { StoreOption } from './runs.js'

const listFields = {
  ...storeField,
  model: fields.text,
  task: fields.text,
  state: fields.choice(runStates),
  since: fields.number,
  before: fields.number,
  tag: fields.text,
  sort: fields.choice(runSorts),
  all: fields.flag,
  limit: fields.number,
} satisfies OptionFields<StoreOption & RunChoice>

/**
 * Lists the runs of a store, the newest last. Runs of judge models and of rounds are left out without `all`.
 *
 * @example (await listRuns({ task: 'mmmu*', sort: 'score', limit: 5 })).map(({ name }) => name)
 */
export async function listRuns(options: StoreOption & RunChoice = {}): Promise<readonly RunJson[]> {
  checkOptions(options, listFields)
  const { store, ...choice } = options
  return withGivenStore(await store, { access: 'read', waiting: waitingBy(makeHooks({})) }, async opened => {
    const tags = await opened.runs.tags()
    return (await chooseRuns(opened, choice, modelLabel)).map(run => runJson(run, tags.get(run.ref)))
  })
}
