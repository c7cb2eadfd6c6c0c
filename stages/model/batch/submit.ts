import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import { AttemptError } from '../model.js'
import { EntryError } from './batch-client.js'
import { type BatchWork, draftOf, keyIn, openRequests, patiently, settle, waitAfter } from './batch-work.js'
import { counted } from './batch-errors.js'

/** A batch may come into being this long after the call that makes it, without being seen. Milliseconds. */
const settleMs = 15_000
/** Between two looks for a batch that may come into being. */
const lookMs = 1_000

/**
 * Brings a batch that is whole to the provider.
 *
 * What costs is begun only when it is durable that it was begun, and begun again only when the provider surely has
 * nothing of it: whoever finds the batch after a kill looks for it there first.
 *
 * @returns the batch as it stands then: `creating` where it can't be told yet whether the provider has it, without open
 * requests where none of them can be sent
 * @throws PipelineError where the provider does not take it; AttemptError where it can't be asked whether it has it
 */
export async function submitBatch(work: BatchWork, whole: ProviderBatch): Promise<ProviderBatch> {
  let batch = whole
  for (let attempt = 1; !work.mustEnd(); attempt += 1) {
    if (batch.state === 'creating') {
      const found = await lookFor(work, batch)
      if (found === 'later' || found === 'unsure') return batch
      if (found !== 'none') return submitted(work, batch, found.id)
    }
    if (!work.submits) return free(work, batch)
    try {
      batch = await upload(work, batch)
      const creatingAt = work.options.clock.wallNow()
      batch = await work.batches.advance(batch, { state: 'creating', creatingAt })
      const id = await work.lane.submit(draftOf(work, batch), batch.upload, work.signal)
      return await submitted(work, batch, id)
    } catch (error) {
      batch = await afterFailure(work, { batch, attempt }, error)
      if (batch.open === 0) return batch
    }
  }
  return batch
}

function submitted({ batches, lane }: BatchWork, batch: ProviderBatch, id: string): Promise<ProviderBatch> {
  const cancelling = lane.cancelling?.(id)
  return batches.advance(batch, { state: 'submitted', id, ...(cancelling === undefined ? {} : { cancelling }) })
}

/** Gives back the requests of a batch that the provider has nothing of, or refused, with what was uploaded for it. */
export async function free(work: BatchWork, batch: ProviderBatch): Promise<ProviderBatch> {
  const { batches, lane, options, signal } = work
  for await (const page of openRequests(work, batch)) {
    for (const { key } of page) settle(work, key, { type: 'unsent' })
  }
  await batches.close(batch)
  const { upload } = batch
  try {
    if (upload !== undefined) await lane.discard?.(upload, signal)
  } catch (error) {
    if (signal.aborted) throw error
    const text = `the uploaded requests ${upload} of a batch that was not taken could not be removed: ${messageOf(error)}`
    options.emit({ type: 'note', text })
  }
  return { ...batch, open: 0 }
}

async function upload(work: BatchWork, batch: ProviderBatch): Promise<ProviderBatch> {
  const { lane, batches, signal } = work
  if (lane.upload === undefined || batch.upload !== undefined) return batch
  return batches.advance(batch, { state: 'ready', upload: await lane.upload(draftOf(work, batch), signal) })
}

/** Looks until it is found, or was not to be seen for so long that it will not come. */
async function lookFor(
  work: BatchWork,
  batch: ProviderBatch,
): Promise<{ readonly id: string } | 'unsure' | 'none' | 'later'> {
  const { name, requests, createdAt, creatingAt: since = createdAt } = batch
  const wanted = { name, requests, since, upload: batch.upload }
  const { clock } = work.options
  // The clock of another machine may have begun it.
  const until = clock.wallNow() + Math.min(settleMs, Math.max(0, since + settleMs - clock.wallNow()))
  for (;;) {
    const found = await patiently(work, () => work.lane.find(wanted, work.signal))
    if (found !== 'none' || clock.wallNow() >= until) return found
    await work.pause(lookMs)
    if (work.mustEnd()) return 'later'
  }
}

/** What a failure leaves of a batch, after the wait that it asks for. @throws PipelineError where it can't be handed in. */
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
  const left = isSurelyNone ? await work.batches.advance(batch, { state: 'ready' }) : batch
  await work.pause(waitMs)
  return left
}

/** One request that can't be sent must not keep the others back. */
async function withoutEntry(work: BatchWork, batch: ProviderBatch, { id, cause }: EntryError): Promise<ProviderBatch> {
  const { batches, options } = work
  const key = keyIn(id, batch.name) ?? ''
  const held = (await batches.find(batch, options.run, [key])).get(key)
  if (held === undefined || !(cause instanceof AttemptError)) throw cause
  const left = await batches.reject(batch, held, { class: cause.class, message: cause.message, attempts: 1 })
  settle(work, held.key, { type: 'failed', class: cause.class, message: cause.message, isForGood: true })
  options.emit({ type: 'request-failed', class: cause.class, message: cause.message })
  return batches.advance(left, { state: 'ready' })
}

const notTaken = ({ requests }: ProviderBatch, error: AttemptError, isSurelyNone: boolean): PipelineError =>
  new PipelineError(
    'config',
    [
      `a batch of ${counted(requests)} was not taken: ${error.message}`,
      isSurelyNone
        ? 'Nothing of it was handed in: the same line hands it in again.'
        : 'It may be there all the same: the same line looks for it first, and hands it in only where it is not.',
    ],
    { cause: error },
  )
