import type { Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { BatchOptions, InferOptions } from '../../stages/model/infer-options.js'
import { AttemptError } from '../../stages/model/model.js'
import { inferRun } from '../../stages/model/infer.js'
import { FakeBatchLane } from './fake-batch-lane.js'
import { inferParts } from './infer-run.js'
import { controls } from './infer-store.js'
import { seededRandom } from './seeded.js'
import { question, temporaryFolder, temporaryStore, testRun } from './store.js'
import { virtualClock } from './virtual-clock.js'

const random = seededRandom(7)
export const texts = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `question ${index}`)
export const onceEach = (count: number): Map<string, number> => new Map(texts(count).map(text => [text, 1]))

export async function docsIn(store: Store, docs: number): Promise<Run> {
  const run = await testRun(store)
  await store.docs.commit(
    run,
    0,
    texts(docs).map((_, index) => question(index)),
    true,
  )
  return run
}

/** Starts a process that submits and collects batches. */
export function start(
  { store, run, lane }: { readonly store: Store; readonly run: Run; readonly lane: FakeBatchLane },
  given: Partial<BatchOptions> = {},
  others: Partial<InferOptions> = {},
) {
  const clock = virtualClock()
  const held = controls()
  const direct: string[] = []
  const outcome = inferRun({
    store,
    run,
    openModel: () =>
      Promise.resolve({
        answer: ({ input }) => {
          direct.push(JSON.stringify(input))
          return Promise.resolve({ body: { text: 'direct', finishReason: 'stop' } })
        },
      }),
    batch: {
      store: store.batches,
      open: () => Promise.resolve(lane),
      most: { requests: 1000, bytes: 1_000_000 },
      submits: true,
      waits: true,
      pollMs: 60_000,
      ...given,
    },
    ...inferParts(held, clock),
    upstreamFinished: () => Promise.resolve(true),
    random,
    ...others,
  })
  outcome.catch(() => undefined)
  return { ...held, clock, direct, outcome, end: () => clock.runUntil(outcome) }
}

export async function scene(docs = 5) {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  const run = await docsIn(store, docs)
  return { dir, store, run, lane: new FakeBatchLane() }
}

/** Reopens the store as the next process would. */
export async function nextProcess(here: { readonly dir: string; store: Store }): Promise<void> {
  await here.store.close()
  here.store = await temporaryStore(here.dir)
}

export async function answersOf(store: Store, run: Run): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for await (const { items } of store.judgements.samples(run)) found.push(items[0]?.response?.body.text)
  return found
}

export const dies = (at: string) => (step: string) => {
  if (step === at) throw new Error('killed')
}
export const failing = (name: 'server' | 'rate_limited' | 'invalid_request') =>
  new AttemptError(name, `says ${name}`, { isRetryable: name !== 'invalid_request' })
export const failsOnce = (at: string, error: Error) => {
  let left = 1
  return (step: string) => {
    if (step === at && left-- > 0) throw error
  }
}
