import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import { AttemptError } from '../model.js'
import { EntryError } from './batch-client.js'
import { type BatchWork, makeBatchDraft, keyIn, openRequests, patiently, settle, waitAfter } from './batch-work.js'
import { formatRequestCount } from './batch-errors.js'

/** The time after the call for which a new batch may still be missing from the provider's list, in milliseconds. */
const settleMs = 15_000
/** The interval of searches for a batch, in milliseconds. */
const lookMs = 1_000

/**
 * Submits a full batch to the provider.
 *
 * A step that costs money is committed before it begins, and repeated only if the provider certainly does not have the batch. After a kill, a process
 * therefore first searches for the batch at the provider.
 *
 * @returns the batch: `creating` if it is still unknown whether the provider has it, without open requests if none can
 *   be sent
 * @throws PipelineError if the provider rejects it, AttemptError if the provider cannot be asked whether it has it
 */
export async function submitBatch(work: BatchWork, whole: ProviderBatch): Promise<ProviderBatch> {
  let batch = whole
  for (let attempt = 1; !work.mustEnd(); attempt += 1) {
    if (batch.state === 'creating') {
      const lookup = await lookFor(work, batch)
      if (lookup === 'later' || lookup === 'unsure') return batch
      if (lookup !== 'none') return recordSubmission(work, batch, lookup.id)
    }
    if (!work.submits) return free(work, batch)
    try {
      batch = await upload(work, batch)
      const creatingAt = work.options.clock.wallNow()
      batch = await work.batches.advance(batch, { state: 'creating', creatingAt })
      const id = await work.client.submit(makeBatchDraft(work, batch), batch.upload, work.signal)
      return await recordSubmission(work, batch, id)
    } catch (error) {
      batch = await afterFailure(work, { batch, attempt }, error)
      if (batch.open === 0) return batch
    }
  }
  return batch
}

function recordSubmission({ batches, client }: BatchWork, batch: ProviderBatch, id: string): Promise<ProviderBatch> {
  const cancelling = client.cancelling?.(id)
  return batches.advance(batch, { state: 'submitted', id, ...(cancelling === undefined ? {} : { cancelling }) })
}

/** Releases the requests of a batch that the provider does not have or refused, and deletes its upload. */
export async function free(work: BatchWork, batch: ProviderBatch): Promise<ProviderBatch> {
  const { batches, client, options, signal } = work
  for await (const page of openRequests(work, batch)) {
    for (const { key } of page) settle(work, key, { type: 'unsent' })
  }
  await batches.close(batch)
  const { upload } = batch
  try {
    if (upload !== undefined) await client.discard?.(upload, signal)
  } catch (error) {
    if (signal.aborted) throw error
    const text = `the uploaded requests ${upload} of a batch that was not taken could not be removed: ${messageOf(error)}`
    options.emit({ type: 'note', text })
  }
  return { ...batch, open: 0 }
}

async function upload(work: BatchWork, batch: ProviderBatch): Promise<ProviderBatch> {
  const { client, batches, signal } = work
  if (client.upload === undefined || batch.upload !== undefined) return batch
  return batches.advance(batch, { state: 'ready', upload: await client.upload(makeBatchDraft(work, batch), signal) })
}

/** Searches for a batch until it is found, or until it is too late for it to appear. */
async function lookFor(
  work: BatchWork,
  batch: ProviderBatch,
): Promise<{ readonly id: string } | 'unsure' | 'none' | 'later'> {
  const { name, requests, createdAt, creatingAt: since = createdAt } = batch
  const wanted = { name, requests, since, upload: batch.upload }
  const { clock } = work.options
  // Another machine with another clock may have begun it.
  const until = clock.wallNow() + Math.min(settleMs, Math.max(0, since + settleMs - clock.wallNow()))
  for (;;) {
    const lookup = await patiently(work, () => work.client.find(wanted, work.signal))
    if (lookup !== 'none' || clock.wallNow() >= until) return lookup
    await work.pause(lookMs)
    if (work.mustEnd()) return 'later'
  }
}

/** Handles a failure, and waits as long as it asks for. @throws PipelineError if the batch cannot be submitted */
async function afterFailure(
  work: BatchWork,
  { batch, attempt }: { readonly batch: ProviderBatch; readonly attempt: number },
  error: unknown,
): Promise<ProviderBatch> {
  if (error instanceof EntryError) return withoutEntry(work, batch, error)
  if (!(error instanceof AttemptError) || work.signal.aborted) throw error
  const waitMs = waitAfter(work.options, error, attempt)
  const isSurelyNone = batch.state !== 'creating' || !['server', 'timeout'].includes(error.class)
  if (waitMs === undefined) {
    if (isSurelyNone) await free(work, batch)
    throw notTaken(batch, error, isSurelyNone)
  }
  work.options.emit({ type: 'request-retried', class: error.class, waitMs })
  const nextBatch = isSurelyNone ? await work.batches.advance(batch, { state: 'ready' }) : batch
  await work.pause(waitMs)
  return nextBatch
}

/** Removes a request that cannot be sent, so that the others can be. */
async function withoutEntry(work: BatchWork, batch: ProviderBatch, { id, cause }: EntryError): Promise<ProviderBatch> {
  const { batches, options } = work
  const key = keyIn(id, batch.name) ?? ''
  const lease = (await batches.find(batch, options.run, [key])).get(key)
  if (lease === undefined || !(cause instanceof AttemptError)) throw cause
  const remainingBatch = await batches.reject(batch, lease, { class: cause.class, message: cause.message, attempts: 1 })
  settle(work, lease.key, { type: 'failed', class: cause.class, message: cause.message, isForGood: true })
  options.emit({ type: 'request-failed', class: cause.class, message: cause.message })
  return batches.advance(remainingBatch, { state: 'ready' })
}

const notTaken = ({ requests }: ProviderBatch, error: AttemptError, isSurelyNone: boolean): PipelineError =>
  new PipelineError(
    'config',
    [
      `a batch of ${formatRequestCount(requests)} was not taken: ${error.message}`,
      isSurelyNone
        ? 'None of it was submitted. Start the run again to submit it.'
        : 'The provider may have it all the same. Start the run again: it looks for the batch first, and submits it only if it is missing.',
    ],
    { cause: error },
  )
