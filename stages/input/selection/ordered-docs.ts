/** Reads the docs of a task in a seeded order, in batches, until the stop condition has enough docs. */
import { ofIndices, type DocRange } from './doc-range.js'
import { rankDocs } from './rank-docs.js'

/** Decides how far the docs of a task are read. */
export interface DocOrder {
  /** Lists the numbers of docs after which to decide. @param docs the number of all docs, which is the last one */
  readonly listLooks: (docs: number) => readonly number[]
  /**
   * Waits for the scores of the first docs of the order, and decides whether they are enough.
   *
   * @returns whether to read on; `interrupted` if no more scores will come
   */
  readonly decide: (first: readonly number[]) => Promise<'enough' | 'more' | 'interrupted'>
}

/**
 * Reads docs until a check finds enough of them. Docs of the run are not read again, except docs after `progress`, because a repair has dropped a
 * part of them.
 *
 * @param docs the indices of all docs
 */
export async function readInOrder(
  docs: readonly number[],
  {
    order,
    seed,
    progress,
    stored,
    drain,
    read,
    finish,
  }: {
    readonly order: DocOrder
    readonly seed: number
    readonly progress: number
    readonly stored: readonly number[]
    readonly drain: AbortSignal
    /** Commits the docs of a range. */
    readonly read: (range: DocRange) => Promise<void>
    /** Notes that all docs are committed. */
    readonly finish: () => Promise<void>
  },
): Promise<void> {
  const ordered = rankDocs(docs, seed)
  const damaged = stored.filter(index => index >= progress)
  if (damaged.length > 0) await read(ofIndices(damaged))
  const storedIndices = new Set(stored)
  let from = 0
  for (const look of order.listLooks(ordered.length)) {
    const next = ordered.slice(from, look).filter(index => !storedIndices.has(index))
    from = look
    if (next.length > 0) await read(ofIndices(next.sort((a, b) => a - b)))
    if (drain.aborted) return
    const decision = look === ordered.length ? 'enough' : await order.decide(ordered.slice(0, look))
    if (decision === 'enough') break
    if (decision === 'interrupted') return
  }
  await finish()
}
