/** The strengths of models from games between pairs of them, whatever their order. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { checkGame, type Game } from './elo.js'
import { invertMatrix, solveSystem, type Matrix } from './linear-system.js'

/** Wins of one model over another: the winner's place, the loser's, and their number, which need not be whole. */
export type Wins = readonly [winner: number, loser: number, count: number]

/** Strengths by the Bradley–Terry model: P(i beats j) = 1 / (1 + e^(θ_j − θ_i)). */
export interface BradleyTerry {
  /** θ of each model, with the mean 0. */
  readonly strengths: readonly number[]
  /** θ on the scale of Elo, 400 / ln 10, with the mean 0. */
  readonly elo: readonly number[]
  readonly logLikelihood: number
  /** The models' places from the strongest to the weakest. */
  readonly order: readonly number[]
  /** The covariance matrix of the strengths. Null with a penalty, where it would pretend too much. */
  readonly covariance: Matrix | null
  /** The standard errors of the strengths. */
  readonly stderr: readonly number[] | null
}

/**
 * Fits the Bradley–Terry model by Newton's method. A `penalty` α subtracts α·Σθ² from the log-likelihood, which gives
 * finite strengths to models that never lose.
 *
 * Sources: Bradley & Terry, Biometrika 39 (1952); Hunter, Annals of Statistics 32 (2004); as in choix 0.4.1.
 *
 * @param items the number of models
 * @throws PipelineError if the estimate is infinite: some group of models never loses to the others, or never meets them
 */
export function fitBradleyTerry(items: number, wins: readonly Wins[], penalty = 0): BradleyTerry {
  const table = tabulateWins(items, wins)
  if (!(penalty >= 0 && Number.isFinite(penalty)))
    throw new PipelineError('usage', `The penalty is ${penalty}, and it must be 0 or more.`)
  if (penalty === 0 && !(reachesAll(table, false) && reachesAll(table, true)))
    throw new PipelineError(
      'usage',
      'The games have no finite estimate: some models never lose to the others, or never meet them. Add games or a penalty.',
    )
  let strengths: readonly number[] = table.map(() => 0)
  let value = computeObjective(table, strengths, penalty)
  for (let i = 0; i < 500; i++) {
    const { gradient, information } = computeSlope(table, strengths, penalty)
    const step = solveSystem(addToEach(information, penalty === 0 ? 1 / items : 0), gradient)
    let size = 1
    let next = move(strengths, step, size)
    while (computeObjective(table, next, penalty) < value && size > 1e-10) {
      size /= 2
      next = move(strengths, step, size)
    }
    const nextValue = computeObjective(table, next, penalty)
    strengths = next
    value = nextValue
    if (Math.max(...step.map(Math.abs)) * size < 1e-13) break
  }
  const mean = strengths.reduce((sum, strength) => sum + strength, 0) / items
  const centred = strengths.map(strength => strength - mean)
  const covariance = penalty === 0 ? invertInformation(computeSlope(table, centred, 0).information) : null
  return {
    strengths: centred,
    elo: centred.map(strength => (strength * 400) / Math.LN10),
    logLikelihood: computeObjective(table, centred, 0),
    order: [...centred.keys()].sort((a, b) => (centred[b] ?? 0) - (centred[a] ?? 0)),
    covariance,
    stderr: covariance && covariance.map((row, i) => Math.sqrt(row[i] ?? 0)),
  }
}

/** Computes the standard error of the difference of two models' strengths; null with a penalty. */
export function computeDifferenceStderr({ covariance }: BradleyTerry, a: number, b: number): number | null {
  if (covariance === null) return null
  const at = (i: number, j: number): number => covariance[i]?.[j] ?? Number.NaN
  return Math.sqrt(at(a, a) + at(b, b) - 2 * at(a, b))
}

/** Turns games into wins. A tie is half a win for each. */
export function countWins(games: readonly Game<number>[]): readonly Wins[] {
  return games.flatMap(([a, b, score], i) => {
    checkGame(a, b, score, i)
    return [[a, b, score] as const, [b, a, 1 - score] as const].filter(([, , count]) => count > 0)
  })
}

function tabulateWins(items: number, wins: readonly Wins[]): Matrix {
  if (!(Number.isInteger(items) && items >= 2))
    throw new PipelineError('usage', `There are ${items} models, and a ranking needs at least two.`)
  const table = Array.from({ length: items }, () => Array.from({ length: items }, () => 0))
  for (const [winner, loser, count] of wins) {
    const row = table[winner]
    if (row?.[loser] === undefined || winner === loser || !(count >= 0))
      throw new PipelineError(
        'usage',
        `The wins [${winner}, ${loser}, ${count}] are not of two of the ${items} models, counted from 0.`,
      )
    row[loser] = (row[loser] ?? 0) + count
  }
  return table
}

/** Whether model 0 reaches every model along wins, or along losses. If both hold, the graph of games is strongly connected. */
function reachesAll(table: Matrix, isReversed: boolean): boolean {
  const reached = new Set([0])
  for (const i of reached)
    for (const j of table.keys()) if ((isReversed ? table[j]?.[i] : table[i]?.[j]) ?? 0) reached.add(j)
  return reached.size === table.length
}

function computeObjective(table: Matrix, strengths: readonly number[], penalty: number): number {
  let value = 0
  table.forEach((row, i) => {
    value -= penalty * (strengths[i] ?? 0) ** 2
    row.forEach((count, j) => {
      if (count > 0) value -= count * softplus((strengths[j] ?? 0) - (strengths[i] ?? 0))
    })
  })
  return value
}

/** ln(1 + eˣ) without overflow. */
const softplus = (x: number): number => Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)))

function computeSlope(
  table: Matrix,
  strengths: readonly number[],
  penalty: number,
): { readonly gradient: readonly number[]; readonly information: Matrix } {
  const gradient = strengths.map(strength => -2 * penalty * strength)
  const information = table.map((row, i) => row.map((_, j) => (i === j ? 2 * penalty : 0)))
  const add = (i: number, j: number, amount: number): void => {
    const row = information[i] ?? []
    row[j] = (row[j] ?? 0) + amount
  }
  table.forEach((row, i) => {
    row.forEach((count, j) => {
      if (count === 0) return
      const loss = 1 / (1 + Math.exp((strengths[i] ?? 0) - (strengths[j] ?? 0)))
      gradient[i] = (gradient[i] ?? 0) + count * loss
      gradient[j] = (gradient[j] ?? 0) - count * loss
      const weight = count * loss * (1 - loss)
      add(i, i, weight)
      add(j, j, weight)
      add(i, j, -weight)
      add(j, i, -weight)
    })
  })
  return { gradient, information }
}

/** The pseudo-inverse of the information, whose null space is that of equal strengths. */
function invertInformation(information: Matrix): Matrix {
  const share = 1 / information.length
  return addToEach(invertMatrix(addToEach(information, share)), -share)
}

const addToEach = (matrix: Matrix, amount: number): Matrix => matrix.map(row => row.map(value => value + amount))

const move = (from: readonly number[], step: readonly number[], size: number): readonly number[] =>
  from.map((value, i) => value + size * (step[i] ?? 0))
