import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clusteredMean } from '../../../../../stages/judge/statistics/clusters/clustered-mean.js'
import { computeLmmsClusteredStderr } from '../../../../../stages/judge/statistics/clusters/lmms-clustered-stderr.js'
import { testMean, tInterval, zInterval } from '../../../../../stages/judge/statistics/intervals/mean.js'
import { listMisses, readVectors } from '../../../../support/golden-vectors.js'

interface Input {
  readonly x: number[]
  readonly cluster: (string | null)[]
}

test('clustered means equal the reference at every golden row', () => {
  const rows = readVectors('clustered', ['clustered'])
  const wrong = rows.flatMap(row => {
    const { x, cluster } = row.input as Input
    const { alpha } = row.params as { alpha: number }
    const found = clusteredMean(x, cluster)
    if ('none' in found) return [`${row.id}: ${found.none}`]
    const { mean, cr1, plainStderr, designEffect } = found
    const df = found.clusters - 1
    const lmmsClustered = computeLmmsClusteredStderr(found)
    const { t, p } = testMean({ mean, stderr: cr1, df })
    return listMisses(row, {
      ...found,
      ...{ df, dfSatterthwaite: found.df, seNaive: plainStderr, effectiveN: found.n / designEffect },
      ciCr1T: tInterval({ mean, stderr: cr1 }, df, 1 - alpha),
      ciCr1Z: zInterval({ mean, stderr: cr1 }, 1 - alpha),
      ...{ tCr1: t, pCr1T: p, lmmsClustered, lmmsOverCr1: lmmsClustered / cr1 },
    })
  })
  expect(wrong).toEqual([])
  expect(rows).not.toHaveLength(0)
})

test('rejects values without usable clusters with a reason, as in the golden rows', () => {
  const reasons = readVectors('clustered', ['clustered-error']).map(row => {
    const { x, cluster } = row.input as Input
    const found = clusteredMean(x, cluster)
    return [row.id, 'none' in found ? found.none : found]
  })
  expect(Object.fromEntries(reasons)).toEqual({
    'clustered-error/one-cluster': 'fewer than 2 clusters',
    'clustered-error/one-doc': 'fewer than 2 clusters',
    'clustered-error/length-mismatch': 'values and cluster ids differ in number',
    'clustered-error/missing-id': 'a value has no cluster id',
  })
})

const values = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 2, maxLength: 40 })

test('values in clusters of one have the plain standard error', () => {
  fc.assert(
    fc.property(values, x => {
      const found = clusteredMean(
        x,
        x.map((_, at) => String(at)),
      )
      if ('none' in found) throw new Error(found.none)
      expect(found.cr1).toBeCloseTo(found.plainStderr, 9)
      expect(found.cr2).toBeCloseTo(found.plainStderr, 9)
      expect(found.df).toBeCloseTo(x.length - 1, 6)
    }),
  )
})

test('the order of docs and the names of clusters do not matter', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 2, max: 6 }), (x, size) => {
      const ids = x.map((_, at) => at % size)
      const there = clusteredMean(x, ids.map(String))
      const back = clusteredMean(
        x.toReversed(),
        ids.toReversed().map(id => `cluster ${id}`),
      )
      if ('none' in there || 'none' in back) return 'none' in there && 'none' in back
      return Math.abs(there.cr2 - back.cr2) <= 1e-9 && Math.abs(there.df - back.df) <= 1e-9 * there.df
    }),
  )
})
