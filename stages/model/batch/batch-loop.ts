import { Wake } from '../../../base/wake.js'
import type { ProviderBatch } from '../../../cache/batches.js'
import { AttemptError } from '../define-backend.js'
import type { InferOptions, InferOutcome } from '../infer.js'
import { BatchFiller } from './batch-filler.js'
import { refusedBatch, refuseOther, unreachableBatch } from './batch-errors.js'
import type { BatchStatus } from './batch-lane.js'
import { patiently, type BatchOptions, type BatchWork } from './batch-work.js'
import { collect } from './collect.js'
import { counted } from './counted.js'
import { growingWait } from './growing-wait.js'
import { handIn } from './hand-in.js'
import { pause } from './pause.js'

/** How often is looked for what other processes leave, or commit. */
const othersMs = 500

/** When a batch is looked at next, and how it stood last. */
interface Watched {
  looks: number
  dueAt: number
  status: BatchStatus | undefined
}

/** Hands in what is pending in a run, waits for it and collects it. */
export class BatchLoop {
  readonly #options: InferOptions
  readonly #batch: BatchOptions
  readonly #changed = new Wake()
  readonly #abort = new AbortController()
  readonly #watched = new Map<number, Watched>()
  #answered = 0
  #failed = 0
  #hasEnded = false
  /** Open batches of the run that living processes work on. */
  #elsewhere = 0
  #isInputDone = false
  #filler: BatchFiller | undefined

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
      await this.#useLane()
    } catch (error) {
      if (!stop.aborted) throw error
    } finally {
      this.#hasEnded = true
      drain.removeEventListener('abort', onDrain)
      stop.removeEventListener('abort', onStop)
    }
    const ended = stop.aborted ? 'stopped' : drain.aborted ? 'drained' : 'finished'
    return { ended, answered: this.#answered, failed: this.#failed }
  }

  async #useLane(): Promise<void> {
    const lane = await this.#batch.open()
    const work: BatchWork = {
      options: this.#options,
      batches: this.#batch.store,
      lane,
      submits: this.#batch.submits,
      signal: this.#abort.signal,
      pause: ms => pause(ms, this.#options),
      mustEnd: () => this.#mustEnd,
      tickets: new Map(),
    }
    const filler = (this.#filler = new BatchFiller(work, this.#batch.most))
    try {
      while (!this.#mustEnd && (await this.#round(work, filler))) await this.#wait(filler)
    } finally {
      for (const ticket of work.tickets.values()) ticket({ type: 'broken-off' })
      await filler.giveUp()
      await lane.close()
    }
  }

  /** What a gate has let through is under way: that it lets no more through ends nothing but the asking. */
  get #mustEnd(): boolean {
    const { drain, stop } = this.#options
    return stop.aborted || (drain.aborted && this.#filler?.isHeldBack !== true)
  }

  /** Does what is to be done now. @returns whether something is left for later. */
  async #round(work: BatchWork, filler: BatchFiller): Promise<boolean> {
    // Asked before looking, so that nothing can have come after it unseen.
    const isInputDone = await this.#options.upstreamFinished()
    this.#isInputDone = isInputDone
    for (const batch of await this.#own(work, filler)) {
      if (this.#mustEnd) return true
      await this.#attend(work, batch)
    }
    if (this.#batch.submits && !filler.isHeldBack) await filler.fill(isInputDone, batch => this.#handIn(work, batch))
    const open = await this.#batch.store.open(this.#options.run)
    this.#show(open)
    const { submits, waits } = this.#batch
    const mayComeMore = submits && !filler.isHeldBack && (!isInputDone || (waits && filler.isWaitingForOthers))
    return mayComeMore || (waits && open.length > 0)
  }

  /** The open batches that are this process's to work on. */
  async #own(work: BatchWork, filler: BatchFiller): Promise<readonly ProviderBatch[]> {
    const own: ProviderBatch[] = []
    this.#elsewhere = 0
    for (const batch of await work.batches.open(this.#options.run)) {
      if (batch.ref === filler.current?.ref) continue
      const adopted = await work.batches.adopt(batch)
      if (adopted === undefined) this.#elsewhere += 1
      else own.push(adopted)
    }
    return own
  }

  async #attend(work: BatchWork, batch: ProviderBatch): Promise<void> {
    // Whoever was filling it is gone, and nothing of it was sent.
    if (batch.state === 'filling') return work.batches.close(batch)
    refuseOther(batch, work.lane.address)
    const watched = this.#watch(batch)
    if (this.#options.clock.now() < watched.dueAt) return
    if (batch.state !== 'submitted') return this.#handIn(work, batch)
    await this.#look(work, batch, watched)
  }

  #watch(batch: ProviderBatch): Watched {
    const watched = this.#watched.get(batch.ref) ?? { looks: 0, dueAt: 0, status: undefined }
    this.#watched.set(batch.ref, watched)
    return watched
  }

  async #handIn(work: BatchWork, batch: ProviderBatch): Promise<void> {
    const watched = this.#watch(batch)
    await this.#patient(batch, async () => {
      const { state, requests, id = '', open } = await handIn(work, batch)
      if (open > 0 && state === 'submitted') this.#note(`${counted(requests)} handed in as batch ${id}`)
      if (open > 0 && state === 'creating' && watched.looks === 0 && !this.#mustEnd)
        this.#note(
          `${counted(requests)} may be in a batch that the provider works on: it is known when that has ended, and nothing is handed in before`,
        )
    })
    this.#later(watched)
  }

  async #look(work: BatchWork, batch: ProviderBatch, watched: Watched): Promise<void> {
    const { id = '' } = batch
    await this.#patient(batch, async () => {
      const status = await patiently(work, () => work.lane.status(id, work.signal))
      watched.status = status
      if (status.state === 'refused') {
        await work.batches.close(batch)
        throw refusedBatch(batch, status)
      }
      if (status.state === 'ended') await this.#collect(work, batch, status)
    })
    this.#later(watched)
  }

  async #collect(work: BatchWork, batch: ProviderBatch, status: BatchStatus): Promise<void> {
    const { answered, failed } = await collect(work, batch, status)
    this.#watched.delete(batch.ref)
    this.#answered += answered
    this.#failed += failed
    const reason = status.reason === undefined ? '' : ` (${status.reason})`
    this.#note(`batch ${batch.id ?? ''} ended${reason}: ${answered} answered, ${failed} failed`)
  }

  /** What the provider can't say at the moment, it will at a later look. */
  async #patient(batch: ProviderBatch, step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      if (!(error instanceof AttemptError) || this.#abort.signal.aborted) throw error
      if (!error.isRetryable) throw unreachableBatch(batch, error)
      this.#note(`batch ${batch.id ?? batch.name} could not be looked at: ${error.message}`)
    }
  }

  #later(watched: Watched): void {
    watched.dueAt = this.#options.clock.now() + growingWait(watched.looks, this.#batch.pollMs)
    watched.looks += 1
  }

  #note(text: string): void {
    this.#options.emit({ type: 'note', text })
  }

  #show(open: readonly ProviderBatch[]): void {
    const through = open.map(({ ref }) => this.#watched.get(ref)?.status?.done ?? 0)
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

  async #wait(filler: BatchFiller): Promise<void> {
    const now = this.#options.clock.now()
    const due = [...this.#watched.values()].map(({ dueAt }) => dueAt).filter(dueAt => dueAt > now)
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
