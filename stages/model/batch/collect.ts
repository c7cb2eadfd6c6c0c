import { PipelineError } from '../../../base/errors/errors.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import { sha256 } from '../../../cache/digest.js'
import type { Failure } from '../../../cache/records.js'
import type { Lease } from '../../../cache/store.js'
import { makeModelRequest } from '../model-request.js'
import { AttemptError } from '../model.js'
import type { BatchResult, BatchStatus } from './batch-client.js'
import { type BatchWork, keyIn, openRequests, patiently, settle } from './batch-work.js'
import { formatRequestCount } from './batch-errors.js'

const pageSize = 200

export interface Collected {
  readonly answered: number
  readonly failed: number
}

/**
 * Stores the results of a batch that has ended, and closes it.
 *
 * Each page of results is committed as soon as it is read, so after a kill only the rest is collected.
 */
export async function collect(work: BatchWork, batch: ProviderBatch, status: BatchStatus): Promise<Collected> {
  const total = { answered: 0, failed: 0 }
  const count = ({ answered, failed }: Collected): void => {
    total.answered += answered
    total.failed += failed
  }
  const conflicts = await patiently(work, () => readResults(work, { batch, status }, count))
  if (conflicts.length > 0) work.options.emit({ type: 'note', text: conflictNote(batch, conflicts) })
  for await (const page of openRequests(work, batch)) {
    count(await failAll(work, page, { ...leftOver(status), attempts: 1 }))
  }
  await work.batches.close(batch)
  return total
}

/**
 * Reads all results. A download may end early without an error, between two lines. It is therefore repeated while fewer
 * results arrive than the provider counts.
 *
 * @returns the ids of requests with two different results
 */
async function readResults(
  work: BatchWork,
  { batch, status }: { readonly batch: ProviderBatch; readonly status: BatchStatus },
  count: (page: Collected) => void,
): Promise<readonly string[]> {
  if (batch.id === undefined) throw new Error('internal error: a batch without the provider’s name was collected')
  let page: BatchResult[] = []
  const digestsById = new Map<string, string>()
  const conflicts = new Set<string>()
  for await (const result of work.client.results(batch.id, work.signal)) {
    if (keyIn(result.id, batch.name) === undefined) continue
    const [digest, before] = [sha256(result.said ?? ''), digestsById.get(result.id)]
    if (before !== undefined) {
      if (before !== digest) conflicts.add(result.id)
      continue
    }
    digestsById.set(result.id, digest)
    page.push(result)
    if (page.length < pageSize) continue
    count(await commitPage(work, batch, page))
    page = []
  }
  count(await commitPage(work, batch, page))
  const expected = expectedResults(batch, status)
  if (digestsById.size < expected) throw new MissingResultsError(digestsById.size, expected)
  return [...conflicts]
}

/** Returns how many results to expect. Without counts, a batch that ended normally has a result for each request. */
const expectedResults = ({ requests }: ProviderBatch, { done, reason }: BatchStatus): number =>
  done > 0 || reason !== undefined ? done : requests

/** The error for a download with fewer results than expected. */
export class MissingResultsError extends AttemptError {
  constructor(came: number, expected: number) {
    super('server', `${came} results came, and the provider counts ${expected}`, { isRetryable: true })
  }
}

function conflictNote({ id = '' }: ProviderBatch, conflicts: readonly string[]): string {
  const most = 3
  const more = conflicts.length > most ? ` and ${conflicts.length - most} more` : ''
  return `batch ${id} has two different results for ${formatRequestCount(conflicts.length)} (${conflicts.slice(0, most).join(', ')}${more}): the first of each is kept`
}

/** Commits a page of results in one transaction. Requests that are no longer open were stored before, and are skipped. */
async function commitPage(work: BatchWork, batch: ProviderBatch, page: readonly BatchResult[]): Promise<Collected> {
  const results = new Map(page.flatMap(result => listKeyedResults(result, batch)))
  const leases = await work.batches.find(batch, work.options.run, [...results.keys()])
  const returned = [...leases].flatMap(([key, lease]) => {
    const result = results.get(key)
    return result === undefined ? [] : [{ batch, lease, result }]
  })
  const outcomes = await Promise.all(returned.map(returnedRequest => commit(work, returnedRequest)))
  const answered = outcomes.filter(outcome => outcome === 'answered').length
  if (answered > 0) work.options.emit({ type: 'answered', requests: answered })
  work.options.answered.notify()
  return { answered, failed: outcomes.filter(outcome => outcome === 'failed').length }
}

function listKeyedResults(result: BatchResult, { name }: ProviderBatch): readonly (readonly [string, BatchResult])[] {
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
  let answer
  try {
    const read = result.read(makeModelRequest(lease))
    answer = await (result.keep?.(read) ?? read)
  } catch (error) {
    if (error instanceof PipelineError || !(error instanceof AttemptError)) throw error
    await fail(work, lease, { class: error.class, message: error.message, attempts: 1 })
    return 'failed'
  }
  settle(work, lease.key, { type: 'answered', usage: answer.usage })
  const answeredAt = clock.wallNow()
  await store.requests.commitResponse(lease, answer.body, {
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
    ...(answer.served === undefined ? {} : { served: answer.served }),
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
  await options.store.requests.commitFailure(lease, failure)
  options.emit({ type: 'request-failed', class: failure.class, message: failure.message, task: lease.item.task })
}

async function failAll(work: BatchWork, page: readonly Lease[], failure: Failure): Promise<Collected> {
  await Promise.all(page.map(lease => fail(work, lease, failure)))
  work.options.answered.notify()
  return { answered: 0, failed: page.length }
}

/** The failure of requests without a result. They were not answered, so the next start sends them again. */
const leftOver = ({ reason, isExpired }: BatchStatus): Pick<Failure, 'class' | 'message'> => ({
  class: isExpired === true ? 'timeout' : 'server',
  message: `the batch ended without this request${reason === undefined ? '' : `: ${reason}`}`,
})
