import type { Run } from '../../cache/records.js'
import type { DraftDoc, Store } from '../../cache/store.js'

/** Links are committed together, because each commit waits for the disk. */
const batchSize = 500

interface LinkParts {
  readonly store: Pick<Store, 'docs'>
  /** Finds the run that holds the calls. */
  readonly findRun: () => Promise<Run | undefined>
  /** Finds that run, or makes it. */
  readonly openRun: () => Promise<Run>
}

/**
 * Links judge calls with stored replies, because another run or doc had sent the same request. Each becomes an item of this run's calls, so that
 * samples show it and bundles include it.
 */
export class CallLinks {
  readonly #parts: LinkParts
  #known: Promise<Set<number>> | undefined
  #drafts: DraftDoc[] = []

  constructor(parts: LinkParts) {
    this.#parts = parts
  }

  /** Adds an answered call, unless the run has it. */
  async add(draft: DraftDoc): Promise<void> {
    const indices = await (this.#known ??= this.#readKnown())
    if (indices.has(draft.index)) return
    indices.add(draft.index)
    this.#drafts.push(draft)
    if (this.#drafts.length >= batchSize) await this.commit()
  }

  /** Stores the calls that were noted. */
  async commit(): Promise<void> {
    if (this.#drafts.length === 0) return
    const drafts = this.#drafts
    this.#drafts = []
    await this.#parts.store.docs.commit(await this.#parts.openRun(), 0, drafts, true)
  }

  async #readKnown(): Promise<Set<number>> {
    const run = await this.#parts.findRun()
    return new Set(run === undefined ? [] : await this.#parts.store.docs.indices(run, 0))
  }
}
