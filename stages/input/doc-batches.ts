import { setImmediate } from 'node:timers/promises'
import { waitOutside, WaitLimitError } from '../../base/time/outside-wait.js'
import { ofDoc } from '../../base/time/time-limit.js'
import { isWellFormed } from '../../base/text/visible-text.js'
import type { DraftDoc } from '../../cache/store.js'
import { docId, docNames } from './doc-names.js'
import { draftDoc, heldBytes, type PlacedDoc } from './draft-doc.js'
import type { MediaIntake } from './media/media-intake.js'
import type { PreparedTask } from './prepare-task.js'
import type { Rendered } from './render/renderer.js'
import type { DocRange } from './selection/doc-range.js'
import type { Doc } from './tasks/doc.js'
import type { Task } from './tasks/task.js'

/** Docs in the first commit: few, since no request can be sent before it. Each next commit may hold twice as many. */
const firstDocs = 16
const batchDocs = 500
const batchBytes = 16 * 2 ** 20
/** After this many new media, the part of a batch that is ready is committed. */
const partMedia = 32
/** The maximum number of docs whose media are read and stored at the same time, over all tasks. */
const concurrency = 16

export type DraftOptions = {
  readonly task: Task
  readonly readers?: number | undefined
  /** Computes the digests of media of docs that the run does not have. */
  readonly names?: MediaIntake | undefined
} & Parameters<typeof draftDoc>[2]

/** Fails a doc whose id cannot be stored unchanged. */
function withId(doc: Doc, rendered: Rendered): Rendered {
  const id = docId(doc, 0)
  if (isWellFormed(id)) return rendered
  const reason = `its id ${JSON.stringify(id)} holds half of a character (a lone surrogate), which no text file can hold. Mend the id in the data`
  return { type: 'failed', record: rendered.record, reason }
}

/** The milliseconds of rendering after which the event loop gets a turn. */
const turnMs = 50

/** Renders the docs of a range in batches, so that a bounded number of docs is in memory. */
export async function* batches(
  prepared: PreparedTask,
  range: DocRange,
  mostDocs = batchDocs,
): AsyncGenerator<readonly PlacedDoc[]> {
  let batch: PlacedDoc[] = []
  let bytes = 0
  let most = firstDocs
  let index = -1
  let turnEnd = performance.now() + turnMs
  if (range.start >= range.end) return
  const choose = prepared.examples?.()
  const nameOf = docNames()
  const isNeeded = (at: number): boolean => at >= range.start && at < range.end && range.only?.has(at) !== false
  for await (const doc of prepared.docs(isNeeded)) {
    if (++index >= range.end) break
    const id = nameOf(doc, index)
    // Examples are chosen for skipped docs too, so that a doc has the same examples whatever part of the task is
    // read.
    const examples = choose?.(doc)
    if (index < range.start || range.only?.has(index) === false) continue
    const rendered = withId(
      doc,
      ofDoc({ task: prepared.task, id, limit: prepared.timeLimit }, () => prepared.renderer.render(doc, examples)),
    )
    batch.push({ doc, index, id, rendered })
    bytes += heldBytes(rendered)
    if (performance.now() > turnEnd) {
      await setImmediate()
      turnEnd = performance.now() + turnMs
    }
    if (batch.length >= most || bytes >= batchBytes) {
      yield batch
      most = Math.min(mostDocs, 2 * most)
      batch = []
      bytes = 0
    }
    if (index + 1 >= range.end) break
  }
  if (batch.length > 0) yield batch
}

export async function draftDocs(batch: readonly PlacedDoc[], options: DraftOptions): Promise<readonly DraftDoc[]> {
  const docs: DraftDoc[] = []
  for await (const part of draftParts(batch, options)) docs.push(...part.docs)
  return docs
}

/**
 * Drafts the docs of a batch. If storing the media is slow, the batch is split, so that the model does not wait.
 *
 * @param isOwn whether the run has a doc. For other docs, media digests are computed, but media are not stored. @default every doc
 */
export async function* draftParts(
  batch: readonly PlacedDoc[],
  options: DraftOptions,
  isOwn: (doc: PlacedDoc) => boolean = () => true,
): AsyncGenerator<{ readonly docs: readonly DraftDoc[]; readonly isLast: boolean }> {
  const { task, media, readers = 1 } = options
  const atOnce = Math.max(1, Math.floor(concurrency / readers))
  let docs: DraftDoc[] = []
  let newMedia = media.newMedia()
  if (batch.length === 0) yield { docs, isLast: true }
  for (let from = 0; from < batch.length; from += atOnce) {
    const drafts = batch
      .slice(from, from + atOnce)
      .map(placed => draftDoc(placed, task, isOwn(placed) ? options : { ...options, media: options.names ?? media }))
    // Each promise gets a handler at once, because it may reject while an earlier one is awaited.
    for (const draft of drafts) if (draft instanceof Promise) draft.catch(() => undefined)
    for (const draft of drafts) {
      // Docs before a slow download are committed, so that their requests are sent meanwhile.
      if (draft instanceof Promise && docs.length > 0 && (await isSlow(draft))) {
        yield { docs, isLast: false }
        docs = []
        newMedia = media.newMedia()
      }
      docs.push(draft instanceof Promise ? await draft : draft)
    }
    const isLast = from + atOnce >= batch.length
    if (!isLast && media.newMedia() - newMedia < partMedia) continue
    yield { docs, isLast }
    docs = []
    newMedia = media.newMedia()
  }
}

/** The time that finished docs wait for an unfinished one before them, in milliseconds. */
const slowMs = 1_000

/** Tells whether a promise takes longer than {@link slowMs}. */
const isSlow = (promise: Promise<unknown>): Promise<boolean> =>
  waitOutside(() => promise, { what: 'a doc', limitMs: slowMs }).then(
    () => false,
    (error: unknown) => error instanceof WaitLimitError,
  )
