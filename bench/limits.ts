import { join } from 'node:path'
import { startLoopback, type ServerKind } from './loopback.js'
import { atMost, note, percent, shareOf, perSecond, seconds, type Figure, type Measurement } from './measurement.js'
import { runProgram } from './program.js'
import { evalLine, trivialTask } from './trivial-task.js'

type Log = readonly (readonly [at: number, status: number])[]

const limit = 100

/** Measures a server that shows its rate limit only by status 429, with a program that is not told the limit. */
export const rateLimit: Measurement = {
  name: 'rate-limit',
  async measure(folder) {
    const { log, wall } = await send(folder, { kind: 'rate-limit', perSecond: limit }, 6_000)
    const end = Math.max(...log.map(([at]) => at))
    const late = log.filter(([at]) => at >= 30_000)
    const throttled = late.filter(([, status]) => status === 429).length / late.length
    return [
      shareOf(
        `6,000 requests at a limit of ${limit}/s that is not known`,
        { value: rateIn(log, 0, end), reference: limit, share: 0.93 },
        perSecond,
      ),
      atMost('  requests rate limited after 30 s', throttled, 0.01, percent),
      note('  the whole line', seconds(wall)),
    ]
  },
}

const slots = [32, 16, 32] as const
const eachMs = 35_000
const latencyMs = 200
const settledMs = 20_000

/** Measures a server whose capacity halves for a while, and how much of it is used 20 s after each change. */
export const capacity: Measurement = {
  name: 'capacity',
  async measure(folder) {
    const all = slots.reduce((sum, count) => sum + (count * eachMs) / latencyMs, 0)
    const { log } = await send(folder, { kind: 'capacity', latencyMs, slots, eachMs }, Math.round(0.93 * all))
    return slots.map((count, phase): Figure => {
      const from = phase * eachMs + settledMs
      const to =
        phase === slots.length - 1 ? Math.min(from + 8_000, Math.max(...log.map(([at]) => at))) : (phase + 1) * eachMs
      return shareOf(
        `${count} slots, 20 s after the ${phase === 0 ? 'start' : 'change'}`,
        { value: rateIn(log, from, to), reference: (1_000 * count) / latencyMs, share: 0.9 },
        perSecond,
      )
    })
  },
}

/** @throws Error if an item has no answer */
async function send(folder: string, kind: ServerKind, requests: number): Promise<{ log: Log; wall: number }> {
  const server = await startLoopback(kind)
  try {
    const task = await trivialTask(folder, requests)
    const model = `model=bench,base_url=${server.origin}/v1`
    const used = await runProgram([
      ...evalLine(task, join(folder, 'store')),
      ...['--model', 'openai', '--model-args', model],
    ])
    return { log: await server.log(), wall: used.wall }
  } finally {
    server.stop()
  }
}

/** Answers per second between two times in milliseconds. */
const rateIn = (log: Log, from: number, to: number): number =>
  (1_000 * log.filter(([at, status]) => status === 200 && at >= from && at < to).length) / (to - from)
