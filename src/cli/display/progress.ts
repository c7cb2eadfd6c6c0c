import type { Clock } from '../../../base/time/clock.js'
import type { Emit } from '../../../cache/events.js'
import type { Run } from '../../../cache/records.js'
import type { RunCounts } from '../../../cache/store.js'
import { isComplete } from '../../../cache/run-state.js'
import type { EvalOutcome } from '../../evaluation/settings.js'
import { runHeader, tasksLine } from '../../report/results/run-header.js'
import { wrapped } from '../../report/layout/wrap.js'
import { advance, noProgress, requestsInFlight, settledProgress, startingProgress } from './progress-state.js'
import { progressBars, progressLine, type ShownStages } from './progress-lines.js'
import type { Terminal } from './terminal.js'

/** Milliseconds between two paintings of the bars, and between two lines where there is no screen. */
const repaintEvery = 100
const lineEvery = 5_000
/** The same where nothing happens: time goes on. */
const tickEvery = 1_000
const quietLineEvery = 60_000

export interface Progress {
  readonly emit: Emit
  /** Shows what is evaluated. */
  start(run: Run, about: About): void
  /** Requests under way, where the stages tell. */
  inFlight(): number | undefined
  /** A line above the bars. */
  note(line: string): void
  /** No more requests are begun, which a line says. */
  ending(line: string): void
  /** Shows the last state, which an outcome settles, and stops. */
  finish(outcome?: EvalOutcome): void
}

interface About {
  readonly store: string
  readonly version: string
  readonly isNew: boolean
  /** What the store had of the run before. */
  readonly counts: RunCounts
}

/** Tells a person how far an evaluation is: live bars on a terminal, elsewhere a line every few seconds. */
export class LiveProgress implements Progress {
  readonly #terminal: Terminal
  readonly #clock: Clock
  readonly #stages: ShownStages
  #state = noProgress
  #run: Run | undefined
  #isHeaderDue = false
  #cancel: (() => void) | undefined
  #cancelTick: (() => void) | undefined

  constructor(terminal: Terminal, clock: Clock, stages: ShownStages) {
    this.#terminal = terminal
    this.#clock = clock
    this.#stages = stages
  }

  readonly emit: Emit = event => {
    if (event.type === 'note') this.note(`note: ${event.text}`)
    this.#state = advance(this.#state, event, this.#clock.now())
    if (event.type === 'task-opened') this.#finishHeader()
    if (this.#run !== undefined) this.#showLater()
  }

  start(run: Run, about: About): void {
    this.#run = run
    this.#state = { ...startingProgress(run, about.counts), startedAt: this.#clock.now() }
    this.#terminal.tell(runHeader(run, { ...about, state: stateOf(about) }, this.#terminal.paint.err))
    // The line of the tasks waits for the first one to be opened, since that tells how many docs it has.
    this.#isHeaderDue = true
    if (about.counts.inputFinished) this.#finishHeader()
    this.#tick()
  }

  inFlight(): number | undefined {
    return requestsInFlight(this.#state)
  }

  note(line: string): void {
    this.#terminal.tell(line)
  }

  ending(line: string): void {
    this.#state = { ...this.#state, isEnding: true }
    this.note(line)
  }

  finish(outcome?: EvalOutcome): void {
    this.#cancel?.()
    this.#cancelTick?.()
    if (this.#run === undefined) return
    const state = outcome === undefined ? this.#state : settledProgress(this.#state, outcome)
    // How long it took is told below the results.
    this.#state = { ...state, isEnding: true, startedAt: undefined }
    this.#finishHeader()
    this.#terminal.repaint(() => [])
    this.#terminal.tell([...this.#bars(), ''])
  }

  #finishHeader(): void {
    if (!this.#isHeaderDue || this.#run === undefined) return
    this.#isHeaderDue = false
    this.#terminal.tell([tasksLine(this.#run.asked.tasks, this.#state.docsByTask, this.#terminal.paint.err), ''])
  }

  #showLater(): void {
    this.#cancel ??= this.#clock.after(this.#terminal.isLive ? repaintEvery : lineEvery, () => {
      this.#cancel = undefined
      this.#show()
    })
  }

  #tick(): void {
    this.#cancelTick?.()
    this.#cancelTick = this.#clock.after(this.#terminal.isLive ? tickEvery : quietLineEvery, () => this.#show())
  }

  #show(): void {
    this.#tick()
    const { isLive, paint } = this.#terminal
    if (isLive) this.#terminal.repaint(() => this.#bars().flatMap(line => wrapped(line, paint.err.columns - 1)))
    else this.#terminal.tell(`  ${progressLine(this.#state, { now: this.#clock.now(), stages: this.#stages })}`)
  }

  #bars(): string[] {
    return progressBars(this.#state, { now: this.#clock.now(), stages: this.#stages }, this.#terminal.paint.err)
  }
}

function stateOf({ isNew, counts }: About): string {
  if (isNew) return 'new'
  return isComplete(counts) ? 'complete' : 'resumed'
}

/** Says nothing but notes that matter: for `--quiet`. */
export const quietProgress = (terminal: Terminal): Progress => ({
  emit: () => undefined,
  start: () => undefined,
  inFlight: () => undefined,
  note: line => terminal.tell(line),
  ending: line => terminal.tell(line),
  finish: () => undefined,
})
