import { realClock } from '../../clock.js'
import { readSince } from '../../config/values/since.js'
import { waitingBy } from '../../evaluation/with-store.js'
import { freedJson, type FreedJson } from '../../present/json/freed-json.js'
import { modelLabel } from '../../present/text/results/run-header.js'
import { findFreed, freeStore } from '../../upkeep/free-store.js'
import { runStates, type RunChoice } from '../../reading/runs/choose-runs.js'
import { makeHooks } from '../library.js'
import { withGivenStore } from '../stores.js'
import { checkOptions, fields, storeField, type OptionFields } from '../options/check-options.js'
import type { StoreOption } from './runs.js'

/** Options of {@link collectGarbage}. Without a choice of runs, no run is removed. */
export interface GarbageOptions extends StoreOption, Pick<RunChoice, 'model' | 'task' | 'state' | 'tag' | 'all'> {
  /** Runs to remove first: names, ends of ids, and patterns of names such as `nightly/*`. */
  readonly runs?: readonly string[]
  /** Removes only runs that were made before: an age such as `30d`, or a date such as `2026-11-20`. */
  readonly olderThan?: string
  /** True to only report what would be freed. @default false */
  readonly dryRun?: boolean
}

const garbageFields = {
  ...storeField,
  model: fields.text,
  task: fields.text,
  state: fields.choice(runStates),
  tag: fields.text,
  all: fields.flag,
  runs: fields.texts('names and patterns of runs'),
  olderThan: fields.text,
  dryRun: fields.flag,
} satisfies OptionFields<GarbageOptions>

/**
 * Removes the chosen runs, and frees the requests, answers, scores, media and sealed tables that no run refers to then. Labels stay. Runs that another
 * process works on stay, and so do media while another process has the store open.
 *
 * @example await collectGarbage({ olderThan: '30d', tag: 'draft', dryRun: true })
 * @returns what was freed, or would be
 * @throws PipelineError (usage) if a name fits no run, or an age cannot be read
 */
export async function collectGarbage(options: GarbageOptions = {}): Promise<FreedJson> {
  checkOptions(options, garbageFields)
  const { store, runs = [], olderThan, dryRun = false, ...filters } = options
  const before = olderThan === undefined ? undefined : readSince('olderThan', olderThan, realClock.wallNow())
  const choice = { references: runs, ...filters, before }
  const access = dryRun ? 'read' : 'change'
  return withGivenStore(await store, { access, waiting: waitingBy(makeHooks({})) }, async opened => {
    const plan = await findFreed(opened, choice, modelLabel)
    if (dryRun) return freedJson(plan)
    return freedJson(await freeStore(opened, plan.runs, () => undefined))
  })
}
