import { PipelineError } from '../../../../base/errors/errors.js'

/** A game: the two models, and the first one's score, which is 1 for a win, 0 for a loss and ½ for a tie. */
export type Game<Item> = readonly [a: Item, b: Item, score: number]

/** The settings of Elo ratings. */
export interface EloSettings {
  /** The most that a game changes a rating. @default 32 */
  readonly step?: number | undefined
  /** @default 1000 */
  readonly initial?: number | undefined
  /** A difference of `scale` means odds of `base` to 1. @default 400 */
  readonly scale?: number | undefined
  /** @default 10 */
  readonly base?: number | undefined
}

/** Ratings after a replay of games. */
export interface EloReplay {
  /** The last rating of each model. */
  readonly ratings: ReadonlyMap<string, number>
  /** The ratings of both models after each game. */
  readonly afterEach: readonly (readonly [number, number])[]
}

/**
 * Replays games in their order and returns the Elo ratings. They depend on the order; `fitBradleyTerry` does not.
 *
 * Source: Elo, "The Rating of Chessplayers" (1978): E = 1 / (1 + 10^((R_b − R_a) / 400)), R += K · (S − E).
 */
export function replayElo(
  games: readonly Game<string>[],
  { step = 32, initial = 1000, scale = 400, base = 10 }: EloSettings = {},
): EloReplay {
  const ratings = new Map<string, number>()
  const afterEach = games.map(([a, b, score], i) => {
    checkGame(a, b, score, i)
    const [ratingA, ratingB] = [ratings.get(a) ?? initial, ratings.get(b) ?? initial]
    const expected = 1 / (1 + base ** ((ratingB - ratingA) / scale))
    const change = step * (score - expected)
    ratings.set(a, ratingA + change)
    ratings.set(b, ratingB - change)
    return [ratingA + change, ratingB - change] as const
  })
  return { ratings, afterEach }
}

/** Refuses a game of a model with itself, or with a score outside [0, 1]. */
export function checkGame(a: string | number, b: string | number, score: number, index: number): void {
  if (a === b) throw new PipelineError('usage', `Game ${index + 1} is of ${a} with itself. A game needs two models.`)
  if (!(score >= 0 && score <= 1))
    throw new PipelineError('usage', `The score of game ${index + 1} is ${score}. It must be 1, 0 or, for a tie, ½.`)
}
