import { join } from 'node:path'
import { answerTimes } from './answer-times.js'
import { bareRate, startLoopback, type ServerKind } from './loopback.js'
import { note, perSecond, seconds, shareOf, type Figure, type Measurement } from './measurement.js'
import { runProgram } from './program.js'
import { evalLine, trivialTask } from './trivial-task.js'

interface Load {
  readonly what: string
  readonly kind: ServerKind
  readonly requests: number
  readonly slots: number
  /** Share of a minimal client's rate. */
  readonly share: number
  /** Whether to measure from the start of the program to its end, instead of from the first request to the last durable answer. */
  readonly isWhole?: boolean
}

/** Measures requests per second to a server with fixed latency and slots. */
export const throughput: Measurement = {
  name: 'throughput',
  measure: folder =>
    compare(folder, {
      what: '2,000 requests, 200 ms latency, 32 slots',
      kind: { kind: 'steady', latencyMs: 200 },
      requests: 2_000,
      slots: 32,
      share: 0.97,
    }),
}

/** The same with a heavy tail: some answers take twenty times as long as most, and must not delay others. */
export const heavyTail: Measurement = {
  name: 'heavy-tail',
  measure: folder =>
    compare(folder, {
      what: '4,000 requests, lognormal latency (p99 = 20 × median), 64 slots',
      kind: { kind: 'heavy-tail', medianMs: 150 },
      requests: 4_000,
      slots: 64,
      share: 0.95,
    }),
}

/**
 * Measures the maximum speed of the program, with everything durable and scored, including start and end. One server lets a minimal client get some
 * 8,000 answers per second; another, without a limit, only reads and answers.
 */
export const zeroLatency: Measurement = {
  name: 'zero-latency',
  async measure(folder) {
    const load = {
      what: '10,000 requests, no latency, 32 slots, start to end',
      kind: { kind: 'steady', latencyMs: 0, workMs: 0.05 },
      requests: 10_000,
      slots: 32,
      share: 0.25,
      isWhole: true,
    } as const
    const [bounded, ...details] = await compare(join(folder, 'bounded'), load)
    const [idle] = await compare(join(folder, 'idle'), { ...load, kind: { kind: 'steady', latencyMs: 0 } })
    const other = note('  against a server that does nothing else', `${idle?.measured ?? ''} of its bare client's`)
    return [...(bounded === undefined ? [] : [bounded]), ...details, other]
  },
}

async function compare(
  folder: string,
  { what, kind, requests, slots, share, isWhole }: Load,
): Promise<readonly Figure[]> {
  const body = (index: number): string =>
    JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: `What is ${index}?` }], max_tokens: 16 })
  // Each client has its own server, so that both see the same latencies.
  const bare = await withServer(kind, server => bareRate(server, { requests, slots, body }))
  return withServer(kind, async server => {
    const store = join(folder, 'store')
    const task = await trivialTask(folder, requests)
    const model = `model=bench,base_url=${server.origin}/v1,num_concurrent=${slots}`
    const used = await runProgram([...evalLine(task, store), '--model', 'openai', '--model-args', model])
    const { rate } = answerTimes(store)
    return [
      shareOf(what, { value: isWhole === true ? requests / used.wall : rate, reference: bare, share }, perSecond),
      note('  the whole line, with start, judging and sealing', `${seconds(used.wall)}, CPU ${seconds(used.cpu)}`),
      ...(isWhole === true ? [note('  while sending', perSecond(rate))] : []),
    ]
  })
}

async function withServer<T>(
  kind: ServerKind,
  work: (server: Awaited<ReturnType<typeof startLoopback>>) => Promise<T>,
): Promise<T> {
  const server = await startLoopback(kind)
  try {
    return await work(server)
  } finally {
    server.stop()
  }
}
