import type { Clock } from '../../base/clock.js'
import type { Emit } from '../../cache/events.js'
import type { Run } from '../../cache/records.js'
import type { RunCounts } from '../../cache/store.js'
import type { EvalOutcome } from '../settings.js'
import { harmless } from '../report/paint.js'
import { runHeader, tasksLine } from '../report/run-header.js'
import { clip } from '../report/width.js'
import { advance, noProgress, requestsInFlight, settledProgress, startingProgress } from './progress-state.js'
import { progressBars, progressLine, type ShownStages } from './progress-lines.js'
import type { Terminal } from './terminal.js'

/** Milliseconds between two paintings of the bars, and between two lines where there is no screen. */
const repaintEvery = 100
const lineEvery = 5_000

export interface Progress {
  readonly emit: Emit
  /** Shows what is evaluated. */
  start(run: Run, about: About): void
  /** Requests under way, where the stages tell. */
  inFlight(): number | undefined
  /** A line above the bars. */
  note(line: string): void
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
export function liveProgress(terminal: Terminal, clock: Clock, stages: ShownStages): Progress {
  let state = noProgress
  let header: (() => void) | undefined
  let cancel: (() => void) | undefined
  let isStarted = false
  const bars = (): string[] => progressBars(state, { now: clock.now(), stages }, terminal.paint.err)
  const show = (): void => {
    if (terminal.isLive) terminal.repaint(bars().map(line => fitted(line, terminal.columns)))
    else terminal.tell(`  ${progressLine(state, { now: clock.now(), stages })}`)
  }
  const showLater = (): void => {
    cancel ??= clock.after(terminal.isLive ? repaintEvery : lineEvery, () => {
      cancel = undefined
      show()
    })
  }
  const flushHeader = (): void => {
    header?.()
    header = undefined
  }
  return {
    emit(event) {
      if (event.type === 'note') terminal.tell(`note: ${harmless(event.text)}`)
      state = advance(state, event, clock.now())
      // The header waits for the first task, since that one tells how many docs it has.
      if (event.type === 'task-opened') flushHeader()
      if (isStarted) showLater()
    },
    start(run, about) {
      isStarted = true
      state = startingProgress(run, about.counts)
      const paint = terminal.paint.err
      terminal.tell(runHeader(run, { ...about, state: stateOf(about) }, paint))
      header = () => {
        const docs = [...state.docsByTask].flatMap(([task, count]) =>
          count === undefined ? [] : [[task, count] as const],
        )
        terminal.tell([tasksLine(run.asked.tasks, new Map(docs), paint), ''])
      }
      if (about.counts.inputFinished) flushHeader()
    },
    inFlight: () => requestsInFlight(state),
    note: line => terminal.tell(line),
    finish(outcome) {
      cancel?.()
      if (outcome !== undefined) state = settledProgress(state, outcome)
      flushHeader()
      if (!isStarted) return
      terminal.repaint([])
      terminal.tell([...bars(), ''])
    },
  }
}

function stateOf({ isNew, counts: { inputFinished, pending, failed } }: About): string {
  if (isNew) return 'new'
  return inputFinished && pending === 0 && Object.keys(failed).length === 0 ? 'complete' : 'resumed'
}

// A line that wraps would take two rows, and the next painting would not find the first again.
const fitted = (line: string, columns: number): string => (columns > 0 ? clipPainted(line, columns - 1) : line)

/** Cuts at the last fact that fits, so that no escape sequence is cut in two. */
function clipPainted(line: string, width: number): string {
  const facts = line.split('   ')
  while (facts.length > 2 && clip(facts.join('   '), width) !== facts.join('   ')) facts.pop()
  return facts.join('   ')
}

/** Says nothing but notes that matter: for `--quiet`. */
export const quietProgress = (terminal: Terminal): Progress => ({
  emit: () => undefined,
  start: () => undefined,
  inFlight: () => undefined,
  note: line => terminal.tell(line),
  finish: () => undefined,
})
