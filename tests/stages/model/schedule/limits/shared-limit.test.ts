import { expect, test } from 'vitest'
import { fixedWindow, slidingWindow, tokenBucket } from '../../../../../bench/server-models.js'
import { LimitShare } from '../../../../../stages/model/schedule/limits/limit-share.js'
import { shareLimit, type SharedLimit } from '../../../../../stages/model/schedule/limits/shared-limit.js'
import { seededRandom } from '../../../../support/seeded.js'
import { simulate } from '../../../../support/traffic-simulation.js'

const limit = 100
const minute = 60_000

type Make = (latency: () => number) => ReturnType<typeof fixedWindow>

const servers: readonly (readonly [name: string, make: Make])[] = [
  ['in fixed windows', latency => fixedWindow({ latency, retryAfter: 'seconds', limit: () => limit, windowMs: 1_000 })],
  ['in sliding windows', latency => slidingWindow({ latency, retryAfter: 'seconds', limit, windowMs: 1_000 })],
  ['by tokens', latency => tokenBucket({ latency, retryAfter: 'seconds', rate: () => limit, burst: 20 })],
]

const run = (make: Make, processes: number, isShared: boolean) => {
  const random = seededRandom(5)
  const concurrency = { start: 16, min: 1, max: 256 }
  const server = make(() => 50 + 150 * random())
  return simulate(server, { ...{ concurrency, random, processes, isShared }, ms: 3 * minute })
}

test.each(servers.flatMap(([name, make]) => [2, 4, 16].map(processes => ({ name, make, processes }))))(
  '$processes processes use 93 % of a limit $name together, with few rate limits',
  ({ make, processes }) => {
    const sent = run(make, processes, true)
    expect(sent.rate(minute, 3 * minute)).toBeGreaterThan(0.93 * limit)
    expect(sent.throttledShare(minute, 3 * minute)).toBeLessThan(0.01)
  },
)

test.each([0, 500])('16 processes that begin %i ms after one another use the limit from the start', startMs => {
  const random = seededRandom(5)
  const server = servers[2]![1](() => 50 + 150 * random())
  const concurrency = { start: 16, min: 1, max: 256 }
  const sent = simulate(server, { ...{ concurrency, random, processes: 16, isShared: true, startMs }, ms: 80_000 })
  expect(sent.rate(0, 80_000)).toBeGreaterThan(0.93 * limit)
  expect(sent.throttledShare(0, 80_000)).toBeLessThan(0.01)
})

test('without sharing, the same processes are rate limited all the time', () => {
  const sent = run(servers[0]![1], 16, false)
  expect(sent.throttledShare(minute, 3 * minute)).toBeGreaterThan(0.1)
})

test('a single process searches by itself', () => {
  const [alone, unshared] = [true, false].map(isShared => run(servers[0]![1], 1, isShared))
  expect(alone!.rate(0, 3 * minute)).toBeGreaterThan(0.93 * limit)
  expect(alone!.attempts.length / unshared!.attempts.length).toBeCloseTo(1)
})

const report = { accepted: 0, isHungry: true, isExceeded: false }

test('processes that start together share a learned rate and never exceed it', () => {
  let known: SharedLimit | undefined
  const tell = (member: string, now: number, more: object = {}) => {
    const told = shareLimit(known, { member, ...report, ...more }, now)
    known = told.limit
    return told.grant
  }
  expect(tell('a', 0, { learned: 90 })).toEqual({ members: 1, phase: 0, rate: 90 })
  // The first still sends at the full rate, so that the second gets a small share.
  expect(tell('b', 500)).toEqual({ members: 2, phase: 0.5, rate: 4.5 })
  expect(tell('a', 1_000, { accepted: 90 })).toEqual({ members: 2, phase: 0, rate: 45 })
  expect(tell('b', 1_500, { accepted: 4 })).toEqual({ members: 2, phase: 0.5, rate: 45 })
  // The other gets what one does not need.
  expect(tell('a', 2_000, { accepted: 10, isHungry: false }).rate).toBeCloseTo(12.5)
  expect(tell('b', 2_500, { accepted: 45 }).rate).toBeCloseTo(77.5)
  // A killed process is forgotten.
  expect(tell('b', 9_000, { accepted: 77 })).toEqual({ members: 1, phase: 0, rate: 90 })
})

test('the first rate is what all accepted over two seconds, and one refusal that several meet lowers it once', () => {
  let known: SharedLimit | undefined
  const tell = (member: string, now: number, accepted: number, isExceeded = false) => {
    known = shareLimit(known, { member, ...report, accepted, isExceeded }, now).limit
    return known.rate
  }
  tell('a', 0, 0)
  tell('b', 100, 0)
  // A refusal comes with the burst at the start, before most answers.
  expect(tell('a', 1_000, 10, true)).toBeUndefined()
  expect(tell('b', 1_100, 50, true)).toBeUndefined()
  expect(tell('a', 2_000, 50)).toBeUndefined()
  const rate = tell('b', 2_100, 50)
  expect(rate).toBeCloseTo((10 + 50 + 50 + 50) / 2)
  expect(tell('a', 3_000, 40, true)).toBe(rate)
  expect(tell('a', 5_200, 40, true)).toBeCloseTo(0.96 * rate!)
  expect(tell('b', 5_300, 40, true)).toBeCloseTo(0.96 * rate!)
})

test('nothing is sent before the others are known, nor again after the process left', () => {
  const share = new LimitShare()
  expect(share.isAwaited).toBe(true)
  share.grant(0, { members: 4, phase: 0.5 })
  expect([share.isAwaited, share.searching]).toEqual([false, 4])
  share.leave()
  expect(share.isAwaited).toBe(true)
})

test('processes that wait for the same time send one after the other then', () => {
  const opened = [0, 0.25, 0.5, 0.75].map(phase => {
    const share = new LimitShare()
    share.grant(0, { members: 4, phase, rate: 5 })
    share.pause(1_000)
    return share.opensAt(1_000)
  })
  expect(opened).toEqual([1_000, 1_050, 1_100, 1_150])
})

test('a rate learned far below the limit rises to it within a minute', () => {
  const members = Array.from({ length: 16 }, (_, index) => `m${index}`)
  const parts = new Map(members.map(member => [member, 50 / members.length]))
  let known: SharedLimit = { rate: 50, step: 0.015, changedAt: 0, restMs: 15_000, members: {} }
  const rates: number[] = []
  for (let now = 0; now < 60_000; now += 1_000) {
    const sent = [...parts.values()].reduce((sum, part) => sum + part, 0)
    for (const member of members) {
      const accepted = ((parts.get(member) ?? 0) * Math.min(sent, limit)) / sent
      const report = { member, accepted, isHungry: true, isExceeded: sent > limit }
      const { limit: next, grant } = shareLimit(known, report, now)
      known = next
      parts.set(member, grant.rate ?? 0)
    }
    rates.push(known.rate ?? 0)
  }
  expect(Math.min(...rates)).toBeGreaterThanOrEqual(48)
  expect(known.rate).toBeGreaterThanOrEqual(0.93 * limit)
})
