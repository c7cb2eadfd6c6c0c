import { describe, expect, test } from 'vitest'
import {
  busySlots,
  fixedWindow,
  slidingWindow,
  tokenBucket,
  waitingLine,
  type RetryAfter,
  type SimulatedServer,
} from '../../../../../bench/server-models.js'
import { AdaptiveLimiter } from '../../../../../stages/model/schedule/limits/adaptive-limiter.js'
import { seededRandom } from '../../../../support/seeded.js'
import { simulate } from '../../../../support/traffic-simulation.js'

const bounds = { start: 16, min: 1, max: 256 }
const seeds = [1, 2, 3]

type Make = (random: () => number) => SimulatedServer
const anyLatency = (random: () => number) => () => 50 + 150 * random()

const run = (make: Make, ms: number, seed: number) => {
  const random = seededRandom(seed)
  return simulate(make(random), { concurrency: bounds, ms, random, lateMs: 2 })
}

describe('an undocumented limit of requests per time', () => {
  const limited: [string, number, RetryAfter, Make][] = [100, 20].flatMap(limit =>
    (['seconds', 'exact', 'none'] as const).flatMap((retryAfter): [string, number, RetryAfter, Make][] => [
      [
        'windows of a second',
        limit,
        retryAfter,
        random =>
          fixedWindow({
            latency: anyLatency(random),
            retryAfter,
            limit: () => limit,
            windowMs: 1_000,
            phase: 1_000 * random(),
          }),
      ],
      [
        'a bucket',
        limit,
        retryAfter,
        random => tokenBucket({ latency: anyLatency(random), retryAfter, rate: () => limit, burst: limit }),
      ],
      [
        'any second',
        limit,
        retryAfter,
        random => slidingWindow({ latency: anyLatency(random), retryAfter, limit, windowMs: 1_000 }),
      ],
    ]),
  )

  test.each(limited)('%s, %d/s, retry-after %s: is nearly used up, with hardly any rate limits', (...given) => {
    const [, limit, , make] = given
    for (const seed of seeds) {
      const found = run(make, 120_000, seed)
      expect(found.rate(30_000, 120_000) / limit).toBeGreaterThan(0.88)
      expect(found.throttledShare(30_000, 120_000)).toBeLessThan(limit === 100 ? 0.01 : 0.02)
      expect(found.rate(0, 60_000) / limit).toBeGreaterThan(0.85)
    }
  })

  test.each(['seconds', 'none'] as const)('in windows of a minute is used up, retry-after %s', retryAfter => {
    const make: Make = random =>
      fixedWindow({ latency: anyLatency(random), retryAfter, limit: () => 1_200, windowMs: 60_000 })
    const found = run(make, 240_000, 1)
    expect(found.rate(60_000, 240_000) / 20).toBeGreaterThan(0.9)
    expect(found.throttledShare(60_000, 240_000)).toBeLessThan(0.02)
  })
})

describe('a limit of concurrent requests', () => {
  const halved = (slots: number) => (now: number) => (now >= 40_000 && now < 80_000 ? slots / 2 : slots)

  test.each(
    [8, 32, 100].flatMap(slots => (['seconds', 'none'] as const).map(retryAfter => [slots, retryAfter] as const)),
  )('of %d slots is used again 20 s after it was halved and doubled, retry-after %s', (slots, retryAfter) => {
    for (const seed of seeds) {
      const make: Make = random => busySlots({ latency: anyLatency(random), retryAfter, slots: halved(slots) })
      const found = run(make, 120_000, seed)
      for (const [from, to] of [
        [20_000, 40_000],
        [60_000, 80_000],
        [100_000, 120_000],
      ] as const) {
        const most = (1_000 * halved(slots)(from)) / 125
        expect(found.rate(from, to) / most, `from ${from}, seed ${seed}`).toBeGreaterThan(0.88)
      }
    }
  })

  test('is found although the process notices answers late and requests overtake each other', () => {
    for (const seed of seeds) {
      const random = seededRandom(seed)
      const slots = halved(32)
      const server = busySlots({ latency: () => 160 + 80 * random(), retryAfter: 'seconds', slots })
      const busy = { lateMs: 2, stallMs: 15, commitMs: 6, jitterMs: 3 }
      const found = simulate(server, { concurrency: bounds, ms: 120_000, random, ...busy })
      expect(found.rate(20_000, 40_000) / 160).toBeGreaterThan(0.9)
      expect(found.rate(60_000, 80_000) / 80).toBeGreaterThan(0.85)
      expect(found.rate(100_000, 120_000) / 160).toBeGreaterThan(0.9)
    }
  })

  test('is not exceeded much if it is doubled at once', () => {
    const random = seededRandom(1)
    const server = busySlots({ latency: () => 200, retryAfter: 'seconds', slots: () => 48 })
    const found = simulate(server, { concurrency: bounds, ms: 10_000, random, wayMs: 1, commitMs: 6 })
    expect(found.attempts.filter(({ reply }) => reply === 'rate_limited').length).toBeLessThan(8)
  })

  test('in a queueing server is not exceeded without end, and a faster server is found', () => {
    const make: Make = () => waitingLine({ latency: () => 200, slots: now => (now < 40_000 ? 16 : 32) })
    const found = run(make, 80_000, 1)
    expect(Math.max(...found.limits.slice(50, 390))).toBeLessThanOrEqual(64)
    expect(found.rate(10_000, 40_000) / 80).toBeGreaterThan(0.97)
    expect(found.rate(60_000, 80_000) / 160).toBeGreaterThan(0.9)
  })

  test('server errors delay growth and reduce nothing', () => {
    const make: Make = () => busySlots({ latency: () => 200, retryAfter: 'none', slots: () => 24, rejectsAs: 'failed' })
    const { limits } = run(make, 30_000, 1)
    expect(Math.min(...limits)).toBe(16)
    expect(Math.max(...limits)).toBe(32)
  })
})

test.each([10, 5])('does not mistake a token bucket of size %d for slots', burst => {
  for (const seed of seeds) {
    const make: Make = random =>
      tokenBucket({ latency: anyLatency(random), retryAfter: 'seconds', rate: () => 100, burst })
    const found = run(make, 120_000, seed)
    expect(found.rate(30_000, 120_000)).toBeGreaterThan(85)
    expect(found.throttledShare(30_000, 120_000)).toBeLessThan(0.01)
  }
})

test('finds the pace of a server that admits one request at a time', () => {
  const rates = seeds.map(seed => {
    const make: Make = random =>
      tokenBucket({ latency: anyLatency(random), retryAfter: 'seconds', rate: () => 100, burst: 1 })
    return run(make, 60_000, seed).rate(30_000, 60_000)
  })
  expect(Math.min(...rates)).toBeGreaterThan(65)
})

test.each(['seconds', 'exact', 'none'] as const)(
  'slows many slots to a low limit, however much was accepted at first, retry-after %s',
  retryAfter => {
    for (const slots of [8, 32, 100]) {
      const server = tokenBucket({ latency: () => 5, retryAfter, rate: () => 20, burst: 100 })
      const found = simulate(server, { concurrency: slots, ms: 60_000, random: seededRandom(1), lateMs: 2 })
      expect(found.rate(30_000, 60_000)).toBeGreaterThan(19)
      expect(found.throttledShare(30_000, 60_000), `${slots} slots`).toBeLessThan(0.015)
    }
  },
)

test('sends a hundred requests a second after just a hundred were accepted in the first second', () => {
  for (const seed of seeds) {
    const started = (random: () => number): SimulatedServer =>
      fixedWindow({ latency: anyLatency(random), retryAfter: 'seconds', limit: () => 100, windowMs: 1_000 })
    const found = run(started, 61_000, seed)
    expect(found.rate(0, 61_000)).toBeGreaterThan(95.5)
    expect(found.throttledShare(30_000, 61_000)).toBe(0)
  }
})

test('six thousand requests at a hundred a second take little more than a minute', () => {
  const rates = Array.from({ length: 10 }, (_, index) => {
    const make: Make = random =>
      fixedWindow({ latency: anyLatency(random), retryAfter: 'seconds', limit: () => 100, windowMs: 1_000 })
    return run(make, 64_500, index + 1).rate(0, 64_500)
  })
  expect(rates.reduce((sum, rate) => sum + rate, 0) / rates.length).toBeGreaterThan(92)
})

test('uses a limit again within twenty seconds after it was halved and doubled', () => {
  for (const seed of seeds) {
    const random = seededRandom(seed)
    const limit = (now: number): number => (now >= 40_000 && now < 80_000 ? 50 : 100)
    const server = tokenBucket({ latency: anyLatency(random), retryAfter: 'seconds', rate: limit, burst: 100 })
    const found = simulate(server, { concurrency: bounds, ms: 120_000, random, lateMs: 2 })
    expect(found.rate(60_000, 80_000) / 50).toBeGreaterThan(0.9)
    expect(found.rate(100_000, 120_000) / 100).toBeGreaterThan(0.9)
  }
})

test('continues from the stored state of a server', () => {
  const make: Make = random =>
    fixedWindow({ latency: anyLatency(random), retryAfter: 'seconds', limit: () => 100, windowMs: 1_000 })
  const random = seededRandom(1)
  const from = { concurrency: { value: 24 }, pace: { value: 97, ceiling: 101 } }
  const found = simulate(make(random), { concurrency: bounds, from, ms: 10_000, random })
  expect(found.rate(1_000, 10_000)).toBeGreaterThan(85)
})

test('waits for rate limits that do not depend on the rate, without a lasting slowdown', () => {
  for (const seed of seeds) {
    const random = seededRandom(seed)
    const server: SimulatedServer = network =>
      random() < 0.1
        ? network.reply(2, { type: 'rate_limited', retryAfter: 1_000 })
        : network.reply(150, { type: 'answered' })
    const found = simulate(server, { concurrency: 8, ms: 180_000, random })
    // Ten requests are answered for each pause of a second.
    expect(found.rate(60_000, 180_000)).toBeGreaterThan(5)
  }
})

test.each([0.1, 0.3])(
  'if %d of all requests are rate limited at random, the others are not delayed for long',
  share => {
    const rates = seeds.map(seed => {
      const random = seededRandom(seed)
      const server: SimulatedServer = network =>
        random() < share
          ? network.reply(2, { type: 'rate_limited', retryAfter: 1_000 })
          : network.reply(150, { type: 'answered' })
      return simulate(server, { concurrency: 8, ms: 120_000, random, lateMs: 2 }).rate(60_000, 120_000)
    })
    expect(Math.min(...rates)).toBeGreaterThan(30)
  },
)

test('keeps a fixed concurrency and limits the pace', () => {
  const random = seededRandom(1)
  const server = fixedWindow({ latency: anyLatency(random), retryAfter: 'exact', limit: () => 50, windowMs: 1_000 })
  const found = simulate(server, { concurrency: 32, ms: 60_000, random })
  expect(found.rate(30_000, 60_000)).toBeGreaterThan(46)
  expect(found.throttledShare(30_000, 60_000)).toBeLessThan(0.01)
})

describe('two processes that share a server', () => {
  const clock = { now: () => 0 }

  test('get equal shares of the slots while both need them', () => {
    const traffic = new AdaptiveLimiter({ concurrency: 8, clock })
    const [first, second] = [traffic.join(() => undefined), traffic.join(() => undefined)]
    while (first.waitMs === 0) first.enter()
    expect(first.inFlight).toBe(8)
    expect(second.waitMs).toBe(Infinity)
    for (let ended = 0; ended < 6; ended++) {
      first.leave()
      while (second.waitMs === 0) second.enter()
      while (first.waitMs === 0) first.enter()
    }
    expect([first.inFlight, second.inFlight]).toEqual([4, 4])
  })

  test('a client that leaves makes room for the others', () => {
    const traffic = new AdaptiveLimiter({ concurrency: 1, clock })
    let told = 0
    const first = traffic.join(() => undefined)
    const second = traffic.join(() => void (told += 1))
    first.enter()
    expect(second.waitMs).toBe(Infinity)
    first.quit()
    expect([told, second.waitMs]).toEqual([1, 0])
  })
})

test('follows the stated limit of a server before a request is rejected', () => {
  let now = 0
  const traffic = new AdaptiveLimiter({ concurrency: 100, clock: { now: () => now } })
  const send = traffic.enter()
  now = 100
  traffic.learn(send, { requests: { limit: 60, remaining: 10, resetMs: 10_000 } })
  traffic.end(send, { type: 'answered' })
  let sent = 0
  while (now < 10_000) {
    if (traffic.waitMs === 0) {
      traffic.enter()
      sent += 1
    }
    now += 10
  }
  expect(sent).toBeGreaterThanOrEqual(9)
  expect(sent).toBeLessThanOrEqual(11)
})

test('sends nothing before the time that a rate limit names', () => {
  let now = 0
  const traffic = new AdaptiveLimiter({ concurrency: 4, clock: { now: () => now } })
  const sends = [traffic.enter(), traffic.enter()]
  for (const send of sends) {
    traffic.end(send, { type: 'rate_limited', retryAfter: 7_000 })
    traffic.leave()
  }
  expect(traffic.waitMs).toBe(7_000)
  now = 7_000
  expect(traffic.waitMs).toBe(0)
})

test('sends another probe five seconds after one that hangs', () => {
  let now = 0
  const traffic = new AdaptiveLimiter({ concurrency: 4, clock: { now: () => now } })
  for (let limited = 0; limited < 3; limited++) {
    expect(traffic.waitMs).toBe(0)
    now += 1
    traffic.end(traffic.enter(), { type: 'rate_limited' })
    traffic.leave()
    now += 5_000
  }
  expect(traffic.waitMs).toBe(0)
  traffic.enter()
  expect(traffic.waitMs).toBe(5_000)
  now += 5_000
  expect(traffic.waitMs).toBe(0)
  traffic.enter()
  expect(traffic.waitMs).toBe(5_000)
})

test('closes a server that rejects everything for 90 seconds, until it answers', () => {
  let now = 0
  const traffic = new AdaptiveLimiter({ concurrency: 4, clock: { now: () => now } })
  const attempt = (type: 'rate_limited' | 'answered'): void => {
    const send = traffic.enter()
    traffic.end(send, { type })
    traffic.leave()
  }
  for (let limited = 0; limited < 6; limited++) {
    attempt('rate_limited')
    expect(traffic.isClosed).toBe(false)
    now += 17_500
  }
  attempt('rate_limited')
  expect(traffic.isClosed).toBe(true)
  attempt('answered')
  expect(traffic.isClosed).toBe(false)
})

test('closes a server at the sixth rate limit in 90 seconds, not at the fifth', () => {
  let now = 0
  const traffic = new AdaptiveLimiter({ concurrency: 4, clock: { now: () => now } })
  const reject = (): void => {
    traffic.end(traffic.enter(), { type: 'rate_limited' })
    traffic.leave()
  }
  for (const at of [0, 20_000, 40_000, 60_000, 90_000]) {
    now = at
    reject()
  }
  expect(traffic.isClosed).toBe(false)
  reject()
  expect(traffic.isClosed).toBe(true)
})

test('six rate limits within less than 90 seconds close no server', () => {
  let now = 0
  const traffic = new AdaptiveLimiter({ concurrency: 4, clock: { now: () => now } })
  for (let limited = 0; limited < 6; limited += 1) {
    traffic.end(traffic.enter(), { type: 'rate_limited' })
    traffic.leave()
  }
  now = 89_999
  expect(traffic.isClosed).toBe(false)
  now = 90_000
  expect(traffic.isClosed).toBe(true)
})

test('any reply except a timeout shows that the server admits requests', () => {
  let now = 0
  const traffic = new AdaptiveLimiter({ concurrency: 4, clock: { now: () => now } })
  const attempt = (
    type: 'timeout' | 'server' | 'other' | 'answered' | 'rate_limited' | 'broken-off',
  ): number | undefined => {
    now += 100
    traffic.end(traffic.enter(), { type })
    traffic.leave()
    return traffic.admittedAt
  }
  expect([attempt('timeout'), attempt('rate_limited'), attempt('broken-off')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect([attempt('server'), attempt('timeout'), attempt('other'), attempt('answered')]).toEqual([400, 400, 600, 700])
})

test('the rate limit of one odd request delays no other request', () => {
  const limited = (isOdd: boolean): number => {
    const traffic = new AdaptiveLimiter({ concurrency: 4, clock: { now: () => 0 } })
    traffic.end(traffic.enter(), { type: 'rate_limited', isOdd })
    traffic.leave()
    return traffic.waitMs
  }
  expect([limited(true), limited(false)]).toEqual([0, 250])
})
