import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { command } from '../../base/errors/option-words.js'
import { formatQuantity } from '../../base/text/numbers.js'
import type { MediaDigest } from '../digest.js'
import { DamagedMediumError } from '../media/medium-errors.js'
import type { Run } from '../records.js'
import type { MediaStore, Store } from '../store.js'
import { listRunMedia } from './media.js'
import type { ExportedRun, ImportOutcome, OnConflict, PortableStore } from './portable.js'

/** The outcome of copying one run. */
export interface CopiedRun {
  readonly outcome: ImportOutcome
  /** The number of media that the other store did not have. */
  readonly media: number
  /** Media that the first store does not have either, for example after an import without media. */
  readonly missing: readonly MediaDigest[]
}

type AnyStore = Store & PortableStore

/**
 * Copies all runs of a store into another one, with answers, scores, labels, tags and media. Existing runs get what they lack, so an interrupted copy
 * can be continued.
 *
 * @throws PipelineError (store) if requests of the store are at a provider, because nobody could collect them from the other store
 */
export async function* copyStore(
  from: AnyStore,
  to: AnyStore,
  { onConflict }: { readonly onConflict: OnConflict },
): AsyncGenerator<CopiedRun> {
  const batches = await from.batches.open()
  if (batches.length > 0)
    throw new PipelineError(
      'store',
      `a provider works on ${formatQuantity(batches.length, 'batch', 'batches')} of the store ${from.location}. Collect them before the store is copied. They are listed by: ${command('cache batches')}`,
    )
  // The oldest comes first, so that `last` means the same run in both stores.
  for (const run of await from.runs.list()) yield await copyRun(from, to, run, onConflict)
}

async function copyRun(from: AnyStore, to: AnyStore, run: Run, onConflict: OnConflict): Promise<CopiedRun> {
  const exported = await from.exportRun(run)
  // Media are copied first, so that a copied run has the media of its requests.
  const { media, missing } = await copyMedia(from.media, to.media, exported)
  return { outcome: await to.importRun(exported, onConflict), media, missing }
}

async function copyMedia(
  from: MediaStore,
  to: MediaStore,
  run: ExportedRun,
): Promise<{ readonly media: number; readonly missing: readonly MediaDigest[] }> {
  const missing: MediaDigest[] = []
  let media = 0
  for (const digest of await listRunMedia(run)) {
    if (await to.has(digest)) continue
    const copied = await copyMedium(from, to, digest)
    if (copied === undefined) missing.push(digest)
    else media += 1
  }
  return { media, missing }
}

/** @returns undefined if the medium is missing */
async function copyMedium(from: MediaStore, to: MediaStore, digest: MediaDigest): Promise<true | undefined> {
  let damaged = new DamagedMediumError(digest, 'on disk')
  try {
    await using file = await from.openFile(digest)
    const info = await to.addFile(file.path)
    if (info.digest === digest) return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    if (!(error instanceof DamagedMediumError)) throw error
    damaged = error
  }
  throw new PipelineError('store', damaged.message, { reason: 'medium-damaged', data: { digest } })
}
