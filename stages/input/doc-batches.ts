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
/** Docs whose media are read and stored at once, over all tasks that are read. */
const concurrency = 16

export type DraftOptions = {
  readonly task: Task
  readonly readers?: number | undefined
  /** Names the media of docs that the run does not have. */
  readonly names?: MediaIntake | undefined
} & Parameters<typeof draftDoc>[2]

/** Fails a doc whose id cannot be stored unchanged: under another id nobody would find it. */
function withId(doc: Doc, rendered: Rendered): Rendered {
  const id = docId(doc, 0)
  if (isWellFormed(id)) return rendered
  const reason = `its id ${JSON.stringify(id)} holds half of a character (a lone surrogate), which no text file can hold. Mend the id in the data`
  return { type: 'failed', record: rendered.record, reason }
}

/** Milliseconds of rendering after which other work of the process has its turn. */
const turnMs = 50

/** Renders the docs of a range in batches, so that a bounded number is in memory. */
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
 * Drafts the docs of a batch. A batch is split where storing its media takes so long that the model would wait.
 *
 * @param isOwn whether the run has a doc. The media of other docs are named, and not stored. @default every doc
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
    // Handling each at once leaves no rejection unhandled, while an earlier one is awaited.
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

/** Docs that are ready wait for this time for the one before them. */
const slowMs = 1_000

/** Returns whether a promise takes longer than that. */
const isSlow = (promise: Promise<unknown>): Promise<boolean> =>
  waitOutside(() => promise, { what: 'a doc', limitMs: slowMs }).then(
    () => false,
    (error: unknown) => error instanceof WaitLimitError,
  )
