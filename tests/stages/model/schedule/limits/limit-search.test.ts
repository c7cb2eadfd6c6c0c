import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slotSearch } from '../../../../../stages/model/schedule/limits/constants.js'
import { LimitSearch } from '../../../../../stages/model/schedule/limits/limit-search.js'

const rules = { ...slotSearch, min: 1, max: 1_000 }

/** Returns the values tried in rounds of a second against a server with `limit`. */
function search(limit: (second: number) => number, seconds: number, start = 16): number[] {
  const found = new LimitSearch(rules, { value: start }, true)
  const tried: number[] = []
  let borne = 1
  for (let second = 0; second < seconds; second++) {
    const now = 1_000 * second
    const value = Math.floor(found.value)
    tried.push(value)
    if (value > limit(second)) {
      found.cut(now, { at: value, keep: Math.min(borne, limit(second), value - 1) })
      borne = Math.floor(found.value)
    } else {
      borne = value
      found.grow(now)
    }
  }
  return tried
}

test('doubles until a rejection, and then stays close below that limit', () => {
  const tried = search(() => 50, 20)
  expect(tried.slice(0, 3)).toEqual([16, 32, 64])
  expect(tried.slice(12).every(value => value > 45 && value <= 50)).toBe(true)
})

test('tests a constant limit less and less often', () => {
  const tried = search(() => 50, 400).map((value, second) => ({ value, second }))
  const rejected = tried.filter(({ value, second }) => value > 50 && second > 20).map(({ second }) => second)
  const gaps = rejected.slice(1).map((second, index) => second - rejected[index]!)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(12)
  expect(gaps.at(-1)).toBeGreaterThanOrEqual(48)
})

test('finds a doubled limit within twenty seconds, and a halved one within five', () => {
  fc.assert(
    fc.property(fc.integer({ min: 8, max: 200 }), fc.integer({ min: 40, max: 60 }), (limit, change) => {
      const tried = search(
        second => (second >= change && second < 2 * change ? Math.floor(limit / 2) : limit),
        3 * change,
      )
      const halved = tried.slice(change + 5, change + 10)
      const doubled = tried.slice(2 * change + 20, 2 * change + 27)
      const held = doubled.filter(value => value >= 0.8 * limit && value <= limit)
      // One of them may test whether the limit was only temporary.
      expect(halved.filter(value => value > limit / 2 + 1).length).toBeLessThanOrEqual(1)
      expect(held.length).toBeGreaterThanOrEqual(1)
    }),
  )
})

test('returns at once to a limit that was known before', () => {
  const tried = search(second => (second >= 40 && second < 70 ? 20 : 60), 100)
  const first = tried.findIndex((value, second) => second >= 70 && value > 20)
  expect(first).toBeLessThan(70 + 17)
  expect(Math.max(...tried.slice(first, first + 4))).toBeGreaterThanOrEqual(55)
})

test('pauses as long as a rejected attempt costs', () => {
  const found = new LimitSearch(rules, { value: 40 }, false)
  found.cut(0, { at: 41, keep: 40, until: 1_000 })
  found.grow(13_001)
  expect(found.value).toBeGreaterThan(40)
  found.cut(14_000, { at: 41, keep: 40, until: 15_000 })
  found.grow(64_000)
  expect(found.value).toBe(40)
  found.grow(66_000)
  expect(found.value).toBeGreaterThan(40)
})

test('stays within its bounds', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 2_000 }))), steps => {
      const found = new LimitSearch(rules, { value: 16 }, true)
      steps.forEach(([isRateLimited, keep], index) => {
        if (isRateLimited) found.cut(1_000 * index, { at: found.value, keep })
        else found.grow(1_000 * index)
        expect(found.value).toBeGreaterThanOrEqual(1)
        expect(found.value).toBeLessThanOrEqual(1_000)
      })
    }),
  )
})

test('a search from a stored state does not double, and remembers what was rejected', () => {
  const found = new LimitSearch(rules, { value: 40, ceiling: 44 }, false)
  found.grow(0)
  expect(found.value).toBe(42)
  expect(found.state).toEqual({ value: 42, ceiling: 44 })
})

test.each([
  ['within two minutes goes back at once', 119_000, 60],
  ['after two minutes is looked for step by step', 121_000, 23.1],
])('a limit that was higher %s', (_when, later, expected) => {
  const found = new LimitSearch(rules, { value: 60 }, false)
  found.grow(0)
  found.cut(1_000, { at: 21, keep: 20 })
  for (const at of [later, later + 500]) found.grow(at)
  expect(found.value).toBeCloseTo(expected)
})

test('a copy continues like its original, whenever it is made', () => {
  const step = fc.record({
    isRateLimited: fc.boolean(),
    keep: fc.integer({ min: 1, max: 100 }),
    pauseMs: fc.constantFrom(0, 1_000, 5_000),
    trust: fc.constantFrom('guess' as const, 'likely' as const, 'sure' as const),
    waitMs: fc.constantFrom(1_000, 13_000, 70_000),
  })
  const steps = fc.array(step, { maxLength: 12 })
  fc.assert(
    fc.property(steps, steps, (before, after) => {
      const found = new LimitSearch(rules, { value: 60 }, false)
      let now = 0
      const apply = (search: LimitSearch, { isRateLimited, keep, pauseMs, trust }: (typeof before)[number]): void => {
        if (isRateLimited) search.cut(now, { at: search.value, keep, until: now + pauseMs, trust })
        else search.grow(now)
      }
      for (const one of before) {
        apply(found, one)
        now += one.waitMs
      }
      const copy = found.copy()
      for (const one of after) {
        for (const search of [found, copy]) apply(search, one)
        expect(copy.state).toEqual(found.state)
        now += one.waitMs
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a copy near a limit that was rejected twice pauses as long as its original', () => {
  const found = new LimitSearch(rules, { value: 40 }, false)
  found.cut(0, { at: 41, keep: 40 })
  found.cut(20_000, { at: 50, keep: 30 })
  const copy = found.copy()
  for (let now = 21_000; now < 70_000; now += 1_000) {
    for (const search of [found, copy]) search.grow(now)
    expect(copy.state).toEqual(found.state)
  }
})

test('a rejection within two minutes of another doubles the pause, a later one does not', () => {
  const restAfter = (second: number): number => {
    const found = new LimitSearch(rules, { value: 40 }, false)
    for (const now of [0, second]) found.cut(now, { at: 41, keep: 40 })
    let now = second
    for (; found.value === 40; now += 1_000) found.grow(now)
    return now - 1_000 - second
  }
  expect([restAfter(119_000), restAfter(120_000)]).toEqual([24_000, 12_000])
})
