import { leaderboardJson, type LeaderboardJson } from '../../present/json/leaderboard-json.js'
import { listedModel } from '../../present/text/results/run-header.js'
import { readLeaderboard, type LeaderboardChoice } from '../../reading/leaderboard/read-leaderboard.js'
import { waitingBy } from '../../evaluation/with-store.js'
import { makeHooks } from '../library.js'
import { withGivenStore } from '../stores.js'
import { checkOptions, fields, storeField, type OptionFields } from '../options/check-options.js'
import type { StoreOption } from './runs.js'

const leaderboardFields = {
  ...storeField,
  tag: fields.text,
  task: fields.text,
  model: fields.text,
} satisfies OptionFields<StoreOption & LeaderboardChoice>

/**
 * Reads the table of models and tasks of a store: each model's score with its interval, and by the paired comparison the best and what may be as good.
 *
 * @example const { models, rows } = await leaderboard({ tag: 'nightly', task: 'mm*' })
 */
export async function leaderboard(options: StoreOption & LeaderboardChoice = {}): Promise<LeaderboardJson> {
  checkOptions(options, leaderboardFields)
  const { store, ...choice } = options
  return withGivenStore(await store, { access: 'read', waiting: waitingBy(makeHooks({})) }, async opened =>
    leaderboardJson(await readLeaderboard(opened, choice, listedModel)),
  )
}
