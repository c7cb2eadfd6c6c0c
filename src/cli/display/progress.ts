import type { Clock } from '../../../base/time/clock.js'
import type { Emit } from '../../../cache/events.js'
import type { Run } from '../../../cache/records.js'
import type { RunCounts } from '../../../cache/store.js'
import { isComplete } from '../../../cache/facts/run-state.js'
import type { EvalOutcome } from '../../config/settings.js'
import { runHeader, tasksLine } from '../../present/text/results/run-header.js'
import { indentedPaint, type Paint } from '../../present/text/layout/paint.js'
import { wrapLine } from '../../present/text/layout/wrap.js'
import { requestsInFlight } from './progress-figures.js'
import { advance, noProgress, settledProgress, startingProgress } from './progress-state.js'
import { progressBars, progressLine, waitTexts, type ShownStages } from './progress-lines.js'
import { TasksProgress } from './task-progress.js'
import { taskRows } from './task-rows.js'
import type { Terminal } from './terminal.js'

/** Milliseconds between two repaints of the bars on a terminal, and between two lines elsewhere. */
const repaintEvery = 100
const lineEvery = 5_000
/** The same while nothing changes, because the elapsed time is shown. */
const tickEvery = 1_000
const quietLineEvery = 60_000

export interface Progress {
  readonly emit: Emit
  /** Starts to show the evaluation. */
  start(run: Run, about: About): void
  /** Requests in flight, if the stages report them. */
  inFlight(): number | undefined
  /** Prints a line above the bars. */
  note(line: string): void
  /** Prints that no more requests are started. */
  ending(line: string): void
  /** Shows the final state, taken from the outcome if there is one, and stops. */
  finish(outcome?: EvalOutcome): void
}

interface About {
  readonly store: string
  readonly version: string
  readonly isNew: boolean
  /** Counts of the run in the store when the command started. */
  readonly counts: RunCounts
}

/** Shows the progress of an evaluation: live bars on a terminal, and a line every few seconds elsewhere. */
export class LiveProgress implements Progress {
  readonly #terminal: Terminal
  readonly #clock: Clock
  readonly #stages: ShownStages
  readonly #tasks = new TasksProgress()
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
    const now = this.#clock.now()
    this.#state = advance(this.#state, event, now)
    if (this.#terminal.isLive) this.#tasks.note(event, now)
    if (event.type === 'task-opened') this.#finishHeader()
    if (this.#run !== undefined) this.#showLater()
    else if (event.type === 'wait') this.#showWaits()
  }

  start(run: Run, about: About): void {
    this.#run = run
    this.#state = { ...startingProgress(run, about.counts), startedAt: this.#clock.now() }
    this.#terminal.tell(runHeader(run, { ...about, state: describeState(about) }, this.#terminal.paint.err))
    if (this.#terminal.isLive) this.#tasks.start(run, about.counts)
    // The header waits until the first task is opened, because only then the number of docs is known.
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
    if (this.#run === undefined) {
      this.#terminal.repaint(() => [])
      return
    }
    const state = outcome === undefined ? this.#state : settledProgress(this.#state, outcome)
    // The duration is printed below the results.
    this.#state = { ...state, isEnding: true, startedAt: undefined }
    this.#finishHeader()
    this.#terminal.repaint(() => [])
    this.#terminal.tell([...this.#bars(this.#terminal.paint.err, true), ''])
  }

  #finishHeader(): void {
    if (!this.#isHeaderDue || this.#run === undefined) return
    this.#isHeaderDue = false
    const { docsByTask, roughTasks } = this.#state
    const exact = new Map([...docsByTask].filter(([task]) => !roughTasks.has(task)))
    this.#terminal.tell([tasksLine(this.#run.asked.tasks, exact, this.#terminal.paint.err), ''])
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
    if (isLive) this.#terminal.repaint(() => this.#live(indentedPaint(paint.err, 1)))
    else this.#terminal.tell(`  ${progressLine(this.#state, { now: this.#clock.now(), stages: this.#stages })}`)
  }

  /** Shows waits before the run is known. */
  #showWaits(): void {
    const lines = (): string[] => waitTexts(this.#state, this.#clock.now()).map(text => `  ${text}`)
    if (this.#terminal.isLive) this.#terminal.repaint(lines)
    else this.#terminal.tell(lines())
  }

  /** The bars with a row for each task below them, as many as the screen has room for. A line as wide as the screen would wrap on some terminals. */
  #live(paint: Paint): string[] {
    const bars = this.#bars(paint).flatMap(line => wrapLine(line, paint.columns))
    const at = { now: this.#clock.now(), stages: this.#stages, rows: this.#terminal.rows - bars.length - 2 }
    const rows = taskRows(this.#tasks.all, at, paint)
    return rows.length === 0 ? bars : [...bars, '', ...rows]
  }

  #bars(paint: Paint, isWhole = false): string[] {
    return progressBars(this.#state, { now: this.#clock.now(), stages: this.#stages, isWhole }, paint)
  }
}

function describeState({ isNew, counts }: About): string {
  if (isNew) return 'new'
  return isComplete(counts) ? 'complete' : 'resumed'
}

/** Prints only important notes, for `--quiet`. */
export const quietProgress = (terminal: Terminal): Progress => ({
  // A command that waits for another process would seem to hang.
  emit: event => {
    if (event.type === 'note' && event.isUrgent === true) terminal.tell(`note: ${event.text}`)
  },
  start: () => undefined,
  inFlight: () => undefined,
  note: line => terminal.tell(line),
  ending: line => terminal.tell(line),
  finish: () => undefined,
})
