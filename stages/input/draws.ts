/**
 * Numbers the draws of sampled answers. A request gets draw n if n earlier requests of the run equal it, in the order of task, doc, choice and
 * sample. See `docs/decisions/draws-by-doc.md`.
 */
import { DigestCounts } from '../../base/collections/digest-counts.js'
import { sha256, type ConfigKey, type InputKey } from '../../cache/digest.js'
import { inputKey } from '../../cache/keys.js'
import type { Input, Run } from '../../cache/records.js'
import { requestKeys } from '../../cache/request-keys.js'
import type { CommittedRequest, DraftDoc, Store } from '../../cache/store.js'

/** The draws of one task. Their numbers follow those of the earlier sampled tasks. */
export interface TaskDraws {
  /** Resolves when the tasks before it have been read. */
  readonly turn: Promise<void>
  /** Allows the next task to number its draws. */
  end(): void
  /** Draws of all docs, in runs that read a part of them. They are counted while the docs are read, in every process. */
  readonly counted?: DigestCounts
  /** Resolves to true if a finished task must be read again, because the draws of a later task follow it. */
  isNeeded(): Promise<boolean>
}

/** Gives each sampled task its turn. */
export class RunDraws {
  readonly #store: Pick<Store, 'docs'>
  readonly #run: Run
  /** Indices of the sampled tasks. */
  readonly #tasks: readonly number[]
  readonly #counted: DigestCounts | undefined
  #turn = Promise.resolve()

  constructor(parts: {
    readonly store: Pick<Store, 'docs'>
    readonly run: Run
    readonly tasks: readonly number[]
    /** True if the run reads a part of the selected docs. */
    readonly isSharded: boolean
  }) {
    this.#store = parts.store
    this.#run = parts.run
    this.#tasks = parts.tasks
    this.#counted = parts.isSharded ? new DigestCounts() : undefined
  }

  /** Returns the draws of a task, if it is sampled. Call it in the order of tasks, and call `end` in any case. */
  next(task: number): TaskDraws | undefined {
    if (!this.#tasks.includes(task)) return undefined
    const turn = this.#turn
    let end = (): void => undefined
    this.#turn = new Promise(resolve => (end = resolve))
    const counted = this.#counted
    return { turn, end, ...(counted && { counted }), isNeeded: () => this.#isNeeded(task) }
  }

  async #isNeeded(task: number): Promise<boolean> {
    if (this.#counted === undefined) return false
    for (const later of this.#tasks)
      if (later > task && !(await this.#store.docs.progress(this.#run, later)).finished) return true
    return false
  }
}

/** Counts equal requests, and numbers the requests of docs by it. */
export class DrawCounter {
  readonly #first: number
  readonly #counts: DigestCounts
  readonly #keysOf: ReturnType<typeof requestKeys>
  readonly #isFollowed: boolean

  /**
   * @param isFollowed whether a function of the task continues conversations. The doc is then part of the input's key, because the function gets it,
   * but not part of the prompt
   */
  constructor(
    run: Run,
    {
      isFollowed,
      counts = new DigestCounts(),
    }: { readonly isFollowed: boolean; readonly counts?: DigestCounts | undefined },
  ) {
    this.#first = run.asked.selection.firstSample ?? 0
    this.#counts = counts
    this.#keysOf = requestKeys(run.asked)
    this.#isFollowed = isFollowed
  }

  /** Counts the requests of the run's docs before one. */
  async countBefore(
    store: Pick<Store, 'docs'>,
    run: Run,
    before: { readonly task: number; readonly doc: number },
  ): Promise<void> {
    for await (const page of store.docs.requests(run, before, this.#isFollowed))
      for (const request of page) this.#counts.add(computeIdentity(request), 1)
  }

  /** Makes draws follow all that the run has. Docs without a request may have left gaps, or none where others follow. */
  async skipUsed(store: Pick<Store, 'docs'>, run: Run): Promise<void> {
    for await (const page of store.docs.requests(run, undefined, this.#isFollowed))
      for (const request of page) this.#counts.raise(computeIdentity(request), request.draw - this.#first + 1)
  }

  number(doc: DraftDoc): DraftDoc {
    const requests = doc.requests.map(request => {
      if (!('input' in request) || request.input.type.startsWith('loglikelihood')) return request
      const { input, config } = this.#keysOf(request)
      const inputKey = this.#isFollowed ? withoutDoc(request.input) : input.key
      return { ...request, draw: this.#first + this.#counts.add(identity(inputKey, config.key), 1) }
    })
    return { ...doc, requests }
  }
}

const identity = (input: InputKey, config: ConfigKey): string => sha256(`${input} ${config}`)

const computeIdentity = ({ input, text, config }: CommittedRequest): string =>
  identity(text === undefined ? input : withoutDoc(JSON.parse(text) as Input), config)

const withoutDoc = (input: Input): InputKey => inputKey({ ...input, conversation: undefined }).key
