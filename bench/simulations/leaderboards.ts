/** Tables of models on the same docs, by seeded simulation: how often a model is called worse than the best one. */
import { normalQuantile } from '../../stages/judge/statistics/distributions/normal.js'
import { findWorse } from '../../stages/judge/statistics/multiplicity/find-worse.js'
import { comparePaired } from '../../stages/judge/statistics/paired/compare-paired.js'
import { makeDraws } from './draws.js'

/** Models whose scores of a doc correlate by ½. */
export interface SimulatedTable {
  /** The number of equal models. */
  readonly models: number
  readonly docs: number
  /** The share of right answers of 0/1 scores. Normal scores if it is absent. */
  readonly p?: number
  /** The number of docs that share a cluster, half of whose deviation they have in common. @default 1 */
  readonly clusterSize?: number
  /** One further model that is worse by this many standard deviations of a score. */
  readonly worseBy?: number
  readonly repetitions: number
  readonly seed: number
}

export interface TableRates {
  /** The share of tables in which an equal model is called worse than the best. */
  readonly wrong: number
  /** The share of tables in which the worse model is called so. */
  readonly found: number
}

export function simulateTables(table: SimulatedTable): TableRates {
  const { models, docs, p, clusterSize = 1, worseBy, repetitions, seed } = table
  const { normal } = makeDraws(seed)
  const shifts = [...new Array<number>(models).fill(0), ...(worseBy === undefined ? [] : [worseBy])]
  const limit = p === undefined ? undefined : normalQuantile(p)
  let [wrong, found] = [0, 0]
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const scores = shifts.map(() => new Float64Array(docs))
    let together: number[] = []
    for (let doc = 0; doc < docs; doc++) {
      if (doc % clusterSize === 0) together = shifts.map(() => normal())
      const difficulty = normal()
      for (const [model, shift] of shifts.entries()) {
        const own = clusterSize === 1 ? normal() : Math.SQRT1_2 * (normal() + (together[model] ?? 0))
        const score = Math.SQRT1_2 * (difficulty + own) - shift
        const column = scores[model]
        if (column !== undefined) column[doc] = limit === undefined ? score : Number(score > -limit)
      }
    }
    const sums = scores.map(column => column.reduce((sum, score) => sum + score, 0))
    const best = sums.indexOf(Math.max(...sums))
    const others = shifts.flatMap((_, model) => (model === best ? [] : [model]))
    const comparisons = others.map(model => {
      const compared = comparePaired({
        pairs: Array.from({ length: docs }, (_, doc) => ({
          id: '',
          a: scores[model]?.[doc] ?? 0,
          b: scores[best]?.[doc] ?? 0,
          ...(clusterSize > 1 && { cluster: String(Math.floor(doc / clusterSize)) }),
        })),
      })
      return { p: compared.p, isBelow: compared.difference > 0 }
    })
    const [worse = []] = findWorse([comparisons])
    const called = others.filter((_, at) => worse[at] === true)
    wrong += Number(called.some(model => model < models))
    found += Number(called.includes(models))
  }
  return { wrong: wrong / repetitions, found: found / repetitions }
}
