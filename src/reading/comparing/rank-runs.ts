/** An order of several runs by the docs that each wins against each other one. */
import { PipelineError } from '../../../base/errors/errors.js'
import {
  fitBradleyTerry,
  type BradleyTerry,
  type Wins,
} from '../../../stages/judge/statistics/agreement/bradley-terry.js'
import type { RunComparison } from './compare-runs.js'

/** A run with its strength. */
export interface RankedRun {
  readonly run: string
  /** The strength on the scale of Elo, with the mean 0: 400 more are odds of 10 to 1 to be better on a doc. */
  readonly elo: number
  /** Half the width of the 95 % interval. Docs count as independent games, also across pairs. */
  readonly halfWidth: number
}

/** The order of runs by a metric, the strongest first. */
export interface RunRanking {
  readonly task: string
  readonly metric: string
  readonly runs: readonly RankedRun[]
}

const fromNormal = 1.959964
const eloScale = 400 / Math.LN10

/**
 * Ranks three or more runs by the Bradley–Terry model. A doc on which a run has the better score is a win, and an equal score is half a win for both.
 * A metric is left out if it has no finite estimate, for instance because two runs have no doc in common.
 *
 * @param comparisons each pair of the runs, as `compareAll` returns them
 */
export function rankRuns(comparisons: readonly RunComparison[]): readonly RunRanking[] {
  const games = comparisons.flatMap(({ a, b, metrics }) => metrics.map(metric => ({ a, b, metric })))
  const keys = new Map(games.map(({ metric }) => [JSON.stringify([metric.task, metric.metric]), metric]))
  return [...keys].flatMap(([key, { task, metric }]) => {
    const own = games.filter(game => JSON.stringify([game.metric.task, game.metric.metric]) === key)
    const names = [...new Set(own.flatMap(({ a, b }) => [a, b]))]
    const fitted = names.length < 3 ? undefined : fitGames(names, own)
    if (fitted === undefined) return []
    const { order, elo, stderr } = fitted
    const runs = order.map(index => ({
      run: names[index] ?? '',
      elo: elo[index] ?? 0,
      halfWidth: (stderr?.[index] ?? 0) * eloScale * fromNormal,
    }))
    return [{ task, metric, runs }]
  })
}

interface Game {
  readonly a: string
  readonly b: string
  readonly metric: RunComparison['metrics'][number]
}

function fitGames(names: readonly string[], games: readonly Game[]): BradleyTerry | undefined {
  const wins = games.flatMap(({ a, b, metric: { n, improved, worsened } }): readonly Wins[] => {
    const [first, second] = [names.indexOf(a), names.indexOf(b)]
    const tied = (n - improved.length - worsened.length) / 2
    return [
      [second, first, improved.length + tied],
      [first, second, worsened.length + tied],
    ]
  })
  try {
    return fitBradleyTerry(
      names.length,
      wins.filter(([, , count]) => count > 0),
    )
  } catch (error) {
    if (error instanceof PipelineError) return undefined
    throw error
  }
}
