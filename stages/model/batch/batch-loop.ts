import { option } from '../../../base/errors/option-words.js'
import { Wake } from '../../../base/time/wake.js'
import type { BatchStore, ProviderBatch } from '../../../cache/batches.js'
import type { Run } from '../../../cache/records.js'
import type { BatchOptions, InferOptions, InferOutcome } from '../infer-options.js'
import { formatRequestCount, forgetCommand, joinProblems, refuseOther } from './batch-errors.js'
import { BatchFiller } from './batch-filler.js'
import { type BatchWork, note } from './batch-work.js'
import { pause } from '../../../base/time/pause.js'
import { ProviderBatches } from './provider-batches.js'
import { free } from './submit.js'

/** The interval of checks for work that other processes release or commit. */
const othersMs = 500

/** The objects that exist once the provider's API is open. */
interface Parts {
  readonly work: BatchWork
  readonly filler: BatchFiller
  readonly provider: ProviderBatches
}

/** Submits pending requests of a run in batches, waits for the batches and collects their results. */
export class BatchLoop {
  readonly #options: InferOptions
  readonly #batch: BatchOptions
  readonly #changed = new Wake()
  readonly #abort = new AbortController()
  #hasEnded = false
  /** The number of open batches of the run that other living processes work on. */
  #elsewhere = 0
  #isInputDone = false
  #filler: BatchFiller | undefined
  #provider: ProviderBatches | undefined
  /** The batches whose wait was reported. */
  readonly #told = new Set<number>()
  /** The number of batches that had ended at the last submission. */
  #endedBefore = 0

  constructor(options: InferOptions, batch: BatchOptions) {
    this.#options = options
    this.#batch = batch
  }

  async run(): Promise<InferOutcome> {
    const { drain, stop } = this.#options
    if (!this.#batch.submits && (await this.#batch.store.open(this.#options.run)).length === 0)
      return { ended: 'finished', answered: 0, failed: 0 }
    const onDrain = () => this.#changed.notify()
    const onStop = () => {
      this.#abort.abort()
      this.#changed.notify()
    }
    drain.addEventListener('abort', onDrain)
    stop.addEventListener('abort', onStop)
    if (stop.aborted) onStop()
    this.#listen()
    try {
      await this.#useClient()
    } catch (error) {
      if (!stop.aborted) throw error
    } finally {
      this.#hasEnded = true
      drain.removeEventListener('abort', onDrain)
      stop.removeEventListener('abort', onStop)
    }
    const ended = stop.aborted ? 'stopped' : drain.aborted ? 'drained' : 'finished'
    const { answered = 0, failed = 0 } = this.#provider ?? {}
    return { ended, answered, failed }
  }

  async #useClient(): Promise<void> {
    const client = await this.#batch.open()
    const work: BatchWork = {
      options: this.#options,
      batches: this.#batch.store,
      client,
      submits: this.#batch.submits,
      signal: this.#abort.signal,
      pause: ms => pause(ms, this.#options.clock, [this.#options.drain, this.#options.stop]),
      mustEnd: () => this.#mustEnd,
      tickets: new Map(),
      firsts: new Map(),
      sents: new Map(),
    }
    const filler = (this.#filler = new BatchFiller(work, this.#batch.most))
    const provider = (this.#provider = new ProviderBatches(work, this.#batch, filler))
    const parts: Parts = { work, filler, provider }
    try {
      while (!this.#mustEnd && (await this.#round(parts))) await this.#wait(parts)
    } finally {
      for (const ticket of work.tickets.values()) ticket({ type: 'broken-off' })
      await filler.giveUp()
      await client.close()
    }
    const [problem, ...more] = provider.problems
    if (problem !== undefined) throw more.length === 0 ? problem : joinProblems([problem, ...more])
  }

  /** True if the work must end now. A gate that admits no more stops only new requests, not those in flight. */
  get #mustEnd(): boolean {
    const { drain, stop } = this.#options
    return stop.aborted || (drain.aborted && this.#filler?.held !== 'for good')
  }

  /** Does all work that is due. @returns whether something is left for later */
  async #round(parts: Parts): Promise<boolean> {
    const { work, filler, provider } = parts
    // This is read before the store is searched, so that no later item is missed.
    const isInputDone = await this.#options.upstreamFinished()
    this.#isInputDone = isInputDone
    for (const batch of await this.#own(parts)) {
      if (this.#mustEnd) return true
      await this.#attend(parts, batch)
    }
    if (this.#mayFill(parts)) {
      this.#endedBefore = provider.ended
      await filler.fill(
        isInputDone,
        batch => this.#handOn(parts, batch),
        () => provider.takesMore,
      )
      if (filler.held === 'for now' && provider.size > 0)
        note(work, 'a limit holds back the other requests until the answers of these batches tell what they cost')
    }
    if (provider.problems.length > 0) {
      await this.#lookAtAll(parts)
      return false
    }
    const open = await this.#batch.store.open(this.#options.run)
    this.#show(open)
    const { submits, waits } = this.#batch
    const isLeft = filler.held === 'for now' || filler.hasLeft || filler.isWaitingForOthers
    const mayComeMore = submits && filler.held !== 'for good' && (!isInputDone || (waits && isLeft))
    return mayComeMore || (waits && open.length > 0)
  }

  /** Tells whether to submit more now. A closed gate is tried again when a batch has ended, which shows what answers cost. */
  #mayFill({ filler: { held }, provider }: Parts): boolean {
    if (!this.#batch.submits || held === 'for good' || !provider.takesMore) return false
    return held !== 'for now' || provider.ended > this.#endedBefore || provider.size === 0
  }

  /** Lists the open batches that this process works on. */
  async #own({ work, filler }: Parts): Promise<readonly ProviderBatch[]> {
    const own: ProviderBatch[] = []
    this.#elsewhere = 0
    for (const batch of await work.batches.open(this.#options.run)) {
      if (batch.ref === filler.current?.ref) continue
      const adopted = await work.batches.adopt(batch)
      this.#tellWait(work, batch, adopted === undefined)
      if (adopted === undefined) this.#elsewhere += 1
      else own.push(adopted)
    }
    return own
  }

  async #attend({ work, provider }: Parts, batch: ProviderBatch): Promise<void> {
    // The process that filled it is gone, and none of it was sent.
    if (batch.state === 'filling') return work.batches.close(batch)
    refuseOther(batch, work.client.address)
    await provider.attend(batch)
  }

  /** Checks all batches once more before the work ends with a problem, so that it reports all problems. */
  async #lookAtAll(parts: Parts): Promise<void> {
    for (const batch of await this.#own(parts)) {
      if (this.#mustEnd) return
      if (batch.state === 'submitted' && !parts.provider.isShort(batch)) await parts.provider.look(batch)
    }
  }

  /** Submits a batch that was just filled, once the provider has accepted the previous one. */
  async #handOn({ work, filler, provider }: Parts, batch: ProviderBatch): Promise<void> {
    await provider.untilTaken()
    if (provider.takesMore) return provider.submit(batch)
    await free(work, batch)
    filler.restart()
  }

  /** Reports batches to a user who sends requests singly, because their requests are not sent now. */
  #tellWait(work: BatchWork, { ref, id, name, open }: ProviderBatch, isElsewhere: boolean): void {
    if (this.#batch.submits || this.#told.has(ref)) return
    this.#told.add(ref)
    const how = isElsewhere ? 'another command collects it' : 'its results are collected'
    const wait = this.#batch.waits ? 'waited for' : 'left there'
    note(
      work,
      `${formatRequestCount(open)} in batch ${id ?? name} of an earlier command (${option('batch')}) are ${wait}, and not asked one by one: ${how}. To give it up: ${forgetCommand(name)}`,
    )
  }

  #show(open: readonly ProviderBatch[]): void {
    const through = open.map(batch => this.#provider?.through(batch) ?? 0)
    const { clock } = this.#options
    const oldest = Math.min(...open.map(({ createdAt }) => createdAt), clock.wallNow())
    this.#options.emit({
      type: 'batches',
      since: clock.now() - (clock.wallNow() - oldest),
      batches: open.length,
      requests: open.reduce((sum, batch) => sum + batch.open, 0),
      done: through.reduce((sum, done) => sum + done, 0),
    })
  }

  async #wait({ filler, provider }: Parts): Promise<void> {
    const now = this.#options.clock.now()
    const due = provider.due.filter(dueAt => dueAt > now)
    const mayOthersLeave = this.#elsewhere > 0 || (this.#batch.submits && filler.isWaitingForOthers)
    const most = mayOthersLeave || !this.#isInputDone || due.length === 0 ? othersMs : Infinity
    const cancel = this.#options.clock.after(Math.min(most, ...due.map(dueAt => dueAt - now)), () =>
      this.#changed.notify(),
    )
    await this.#changed.wait(Infinity)
    cancel()
  }

  #listen(): void {
    void this.#options.wake.wait(Infinity).then(() => {
      if (this.#hasEnded) return
      this.#changed.notify()
      this.#listen()
    })
  }
}

/** Releases requests of batches that were never sent, so that they can be sent singly. */
export async function freeUnsent(batches: BatchStore, run: Run): Promise<void> {
  for (const batch of await batches.open(run)) {
    const isSent = batch.state === 'creating' || batch.state === 'submitted'
    if (!isSent && (await batches.adopt(batch)) !== undefined) await batches.close(batch)
  }
}
