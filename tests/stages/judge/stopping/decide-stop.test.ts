import { describe, expect, test } from 'vitest'
import {
  computeAnytimeInterval,
  excludesZero,
  isNarrow,
  listLooks,
  type IntervalAim,
} from '../../../../stages/judge/stopping/decide-stop.js'
import type { Interval } from '../../../../stages/judge/statistics/intervals/interval.js'
import { seededRandom } from '../../../support/seeded.js'

/** Finds the first look with a narrow enough interval, as an evaluation does. */
function findStop(
  scores: readonly number[],
  range: Interval,
  { aim, isEnough }: { readonly aim: IntervalAim; readonly isEnough: (interval: Interval) => boolean },
): { readonly docs: number; readonly interval: Interval | undefined; readonly isMet: boolean } {
  for (const docs of listLooks(scores.length)) {
    const interval = computeAnytimeInterval(scores.slice(0, docs), range, aim)
    if (interval !== undefined && isEnough(interval)) return { docs, interval, isMet: true }
  }
  return { docs: scores.length, interval: computeAnytimeInterval(scores, range, aim), isMet: false }
}

describe('listLooks', () => {
  test('begins at 50 docs, grows by a fifth and ends with all docs', () => {
    expect(listLooks(200)).toEqual([50, 60, 72, 87, 105, 126, 152, 183, 200])
  })

  test('has one look if there are few docs', () => {
    expect(listLooks(7)).toEqual([7])
    expect(listLooks(50)).toEqual([50])
  })
})

describe('computeAnytimeInterval', () => {
  test('counts a doc without a score as the lowest and as the highest value', () => {
    const scores = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? 0 : 1))
    const whole = computeAnytimeInterval(scores, [0, 1], { halfWidth: 0.1 })
    const part = computeAnytimeInterval(
      scores.map((score, i) => (i === 30 || i === 31 ? undefined : score)),
      [0, 1],
      { halfWidth: 0.1 },
    )
    expect(part?.[0]).toBeLessThan(whole?.[0] ?? 0)
    expect(part?.[1]).toBeGreaterThan(whole?.[1] ?? 1)
  })

  test('scales values from their range', () => {
    const scores = Array.from({ length: 80 }, (_, i) => (i % 4) / 3)
    const [low, high] = computeAnytimeInterval(scores, [0, 1], { halfWidth: 0.1 }) ?? [0, 0]
    const scaled = computeAnytimeInterval(
      scores.map(score => 1 + 4 * score),
      [1, 5],
      { halfWidth: 0.4 },
    )
    expect(scaled?.[0]).toBeCloseTo(1 + 4 * low, 8)
    expect(scaled?.[1]).toBeCloseTo(1 + 4 * high, 8)
  })

  test('is undefined without docs', () => {
    expect(computeAnytimeInterval([], [0, 1], { docs: 1 })).toBeUndefined()
  })
})

describe('the first look at which an interval is narrow enough', () => {
  test('misses the true mean in at most 5 % of 10,000 runs that stop at a half-width', () => {
    const random = seededRandom(7)
    let missed = 0
    const stops = new Set<number>()
    for (let run = 0; run < 10_000; run++) {
      const scores = Array.from({ length: 88 }, () => (random() < 0.9 ? 1 : 0))
      const { docs, interval: [low, high] = [0, 1] } = findStop(scores, [0, 1], {
        aim: { halfWidth: 0.1 },
        isEnough: found => isNarrow(found, 0.1),
      })
      stops.add(docs)
      if (low > 0.9 || high < 0.9) missed++
    }
    expect(stops.size).toBeGreaterThan(2)
    expect(missed / 10_000).toBeLessThanOrEqual(0.05)
  })

  test('finds a difference that does not exist in at most 5 % of 10,000 runs', () => {
    const random = seededRandom(8)
    let decided = 0
    for (let run = 0; run < 10_000; run++) {
      const differences = Array.from({ length: 88 }, () => Math.floor(random() * 3) - 1)
      if (findStop(differences, [-1, 1], { aim: { docs: 88 }, isEnough: excludesZero }).isMet) decided++
    }
    expect(decided / 10_000).toBeLessThanOrEqual(0.05)
  })

  test('estimates an accuracy of 0.85 to within 0.02 after fewer than 3,200 docs', () => {
    const random = seededRandom(3)
    const scores = Array.from({ length: 10_000 }, () => (random() < 0.85 ? 1 : 0))
    const { docs, isMet } = findStop(scores, [0, 1], {
      aim: { halfWidth: 0.02 },
      isEnough: found => isNarrow(found, 0.02),
    })
    expect(isMet).toBe(true)
    expect(docs).toBeLessThan(3_200)
  })

  test('comes earlier if the difference is clearer', () => {
    const differ = (every: number) => Array.from({ length: 2_000 }, (_, i) => (i % every === 0 ? 1 : 0))
    const [clear, faint] = [2, 20].map(every =>
      findStop(differ(every), [-1, 1], { aim: { docs: 2_000 }, isEnough: excludesZero }),
    )
    expect(clear?.isMet).toBe(true)
    expect(clear?.docs).toBeLessThan(faint?.docs ?? 0)
  })
})
