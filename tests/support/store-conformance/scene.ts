import type { Run, TaskJudging } from '../../../cache/records.js'
import type { DraftDoc, Lease, LeaseQuery, Store } from '../../../cache/store.js'
import { answer, question, testCode, testRun } from '../store.js'

export const wholeRun: LeaseQuery = { after: 0, limit: 100, retryFailed: false }
export const rules: TaskJudging = { config: { metric_list: [] }, scorer: testCode }
export const judgeStart = { item: 0, response: 0 }

export const refusal = { class: 'refused', message: 'no', attempts: 1 } as const
export const timeout = { class: 'timeout', message: 'no answer in 60 s', attempts: 3 } as const

export async function allOf<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const seen: T[] = []
  for await (const value of values) seen.push(value)
  return seen
}

export const questions = (count: number, from = 0): readonly DraftDoc[] =>
  Array.from({ length: count }, (_, index) => question(from + index))

/** Creates a run whose docs are all read. */
export async function askedRun(store: Store, docs: number | readonly DraftDoc[]): Promise<Run> {
  const run = await testRun(store)
  await store.docs.commit(run, 0, typeof docs === 'number' ? questions(docs) : docs, true)
  return run
}

export async function leaseAll(store: Store, run: Run, query: Partial<LeaseQuery> = {}): Promise<readonly Lease[]> {
  return (await store.requests.lease(run, { ...wholeRun, ...query })).leases
}

/** Answers each pending request of a run with its doc's id. */
export async function answerAll(store: Store, run: Run): Promise<void> {
  for (const lease of await leaseAll(store, run)) await answer(store, lease, lease.item.doc)
}

export const textsOf = async (store: Store, run: Run): Promise<readonly unknown[]> =>
  (await allOf(store.judgements.samples(run))).flatMap(({ items }) => items.map(item => item.response?.body.text))
