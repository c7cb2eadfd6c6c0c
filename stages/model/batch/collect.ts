import { PipelineError } from '../../../base/errors.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import type { Failure } from '../../../cache/records.js'
import type { Lease } from '../../../cache/store.js'
import { AttemptError } from '../define-backend.js'
import type { BatchResult, BatchStatus } from './batch-lane.js'
import { openRequests, patiently, settle, type BatchWork } from './batch-work.js'
import { keyIn } from './custom-id.js'

const pageSize = 200

export interface Collected {
  readonly answered: number
  readonly failed: number
}

/**
 * Makes durable what came back of a batch that has ended, and closes it.
 *
 * Each answer is kept under its key as soon as its page is read, so that after a kill the rest is collected.
 */
export async function collect(work: BatchWork, batch: ProviderBatch, status: BatchStatus): Promise<Collected> {
  const total = { answered: 0, failed: 0 }
  const count = ({ answered, failed }: Collected): void => {
    total.answered += answered
    total.failed += failed
  }
  await patiently(work, () => readResults(work, batch, count))
  for await (const page of openRequests(work, batch)) {
    count(await failAll(work, page, { ...leftOver(status), attempts: 1 }))
  }
  await work.batches.close(batch)
  return total
}

async function readResults(work: BatchWork, batch: ProviderBatch, count: (page: Collected) => void): Promise<void> {
  if (batch.id === undefined) throw new Error('internal error: a batch without the provider’s name was collected')
  let page: BatchResult[] = []
  for await (const result of work.lane.results(batch.id, work.signal)) {
    page.push(result)
    if (page.length < pageSize) continue
    count(await commitPage(work, batch, page))
    page = []
  }
  count(await commitPage(work, batch, page))
}

/** All of a page in one transaction. What was kept already is not open any more, and so is not found. */
async function commitPage(work: BatchWork, batch: ProviderBatch, page: readonly BatchResult[]): Promise<Collected> {
  const results = new Map(page.flatMap(result => entryOf(result, batch)))
  const held = await work.batches.find(batch, work.options.run, [...results.keys()])
  const returned = [...held].flatMap(([key, lease]) => {
    const result = results.get(key)
    return result === undefined ? [] : [{ batch, lease, result }]
  })
  const outcomes = await Promise.all(returned.map(one => commit(work, one)))
  const answered = outcomes.filter(outcome => outcome === 'answered').length
  if (answered > 0) work.options.emit({ type: 'answered', requests: answered })
  work.options.answered.notify()
  return { answered, failed: outcomes.filter(outcome => outcome === 'failed').length }
}

function entryOf(result: BatchResult, { name }: ProviderBatch): readonly (readonly [string, BatchResult])[] {
  const key = keyIn(result.id, name)
  return key === undefined ? [] : [[key, result]]
}

interface Returned {
  readonly batch: ProviderBatch
  readonly lease: Lease
  readonly result: BatchResult
}

async function commit(work: BatchWork, { batch, lease, result }: Returned): Promise<'answered' | 'failed'> {
  const { store, clock, stamp } = work.options
  const { input, generation, sample } = lease
  let answer
  try {
    answer = result.read({ input, generation, sample })
  } catch (error) {
    if (error instanceof PipelineError || !(error instanceof AttemptError)) throw error
    await fail(work, lease, { class: error.class, message: error.message, attempts: 1 })
    return 'failed'
  }
  settle(work, lease.key, { type: 'answered', usage: answer.usage })
  const answeredAt = clock.wallNow()
  await store.commitResponse(lease, answer.body, {
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
    durationMs: Math.max(0, answeredAt - (batch.creatingAt ?? batch.createdAt)),
    attempts: 1,
    answeredAt,
    ...stamp,
    batch: true,
  })
  return 'answered'
}

async function fail(work: BatchWork, lease: Lease, failure: Failure): Promise<void> {
  const { options } = work
  settle(work, lease.key, { type: 'failed', class: failure.class, message: failure.message, isForGood: true })
  await options.store.commitFailure(lease, failure)
  options.emit({ type: 'request-failed', class: failure.class, message: failure.message })
}

async function failAll(work: BatchWork, page: readonly Lease[], failure: Failure): Promise<Collected> {
  await Promise.all(page.map(lease => fail(work, lease, failure)))
  work.options.answered.notify()
  return { answered: 0, failed: page.length }
}

/** Requests that nothing came back for. They were not answered, so the next start asks them again. */
const leftOver = ({ reason, isExpired }: BatchStatus): Pick<Failure, 'class' | 'message'> => ({
  class: isExpired === true ? 'timeout' : 'server',
  message: `the batch ended without this request${reason === undefined ? '' : `: ${reason}`}`,
})
