/** The data of the page that shows models and tasks. */
import type { LeaderboardJson } from '../../json/leaderboard-json.js'

export type { LeaderboardCellJson, LeaderboardModelJson, LeaderboardRowJson } from '../../json/leaderboard-json.js'

/** Selects the runs and rows of the leaderboard. */
export interface LeaderboardQuery {
  readonly tag?: string
  /** A pattern, or a part of the name of a task or group. */
  readonly task?: string
  /** A pattern, or a part of the label of a model. */
  readonly model?: string
}

/** A leaderboard, and the tags that its runs may be selected by. */
export interface LeaderboardView extends LeaderboardJson {
  readonly tags: readonly string[]
}
