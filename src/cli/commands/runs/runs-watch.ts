import type { Store } from '../../../../cache/store.js'
import { pause } from '../../../../base/time/pause.js'
import { overviewJson } from '../../../present/json/overview-json.js'
import { overviewLine, overviewTable } from '../../../present/text/overview-lines.js'
import { indentedPaint } from '../../../present/text/layout/paint.js'
import { WatchedRuns, type WatchedRun } from '../../../reading/progress/watched-runs.js'
import type { Tools } from '../../command.js'
import type { Terminal } from '../../display/terminal.js'
import { fittedRows } from '../../display/fitted-rows.js'
import type { OutputFlags } from '../../flags/evaluation-options.js'
import { withInterruption } from '../../this-process/interruption.js'
import { openRun, locateStore, withOpenStore } from '../../open-run.js'

export type WatchFlags = OutputFlags & {
  readonly store?: string
  readonly once?: boolean
  readonly interval: number
}

/** A shorter interval would only slow down the processes that work. */
const shortestMs = 100

const nobody = 'no process works on a run of this store'

/** Shows the runs that processes work on, until Ctrl-C. The store is only read. */
export async function watchRuns(references: readonly string[], flags: WatchFlags, tools: Tools): Promise<void> {
  const show = ({ drain: stop }: { readonly drain: AbortSignal }) =>
    withOpenStore(locateStore(flags, tools, { stop }), 'read', async store => {
      const runs = references.length === 0 ? undefined : await runsNamed(store, references)
      const watched = new WatchedRuns(store, { named: runs, now: () => tools.clock.wallNow() })
      const screen = screenFor(tools.terminal, flags)
      if (flags.once === true) await showOnce(watched, screen, { tools, flags, stop })
      else await showUntil(watched, screen, { tools, flags, stop })
    })
  await withInterruption(tools, show, () => undefined)
}

const runsNamed = (store: Store, references: readonly string[]) =>
  Promise.all(references.map(async reference => (await openRun(store, reference)).run))

interface Watching {
  readonly tools: Tools
  readonly flags: WatchFlags
  readonly stop: AbortSignal
}

async function showOnce(watched: WatchedRuns, screen: Screen, { tools, stop }: Watching): Promise<void> {
  const first = await watched.look()
  // A rate needs two looks.
  const isRunning = first.some(({ overview }) => overview.state === 'running')
  if (isRunning) await pause(1_000, tools.clock, [stop])
  screen.end(isRunning ? await watched.look() : first)
}

async function showUntil(watched: WatchedRuns, screen: Screen, { tools, flags, stop }: Watching): Promise<void> {
  for (;;) {
    const runs = await watched.look()
    if (stop.aborted) return screen.end(runs)
    screen.show(runs)
    await pause(Math.max(shortestMs, flags.interval * 1_000), tools.clock, [stop])
  }
}

/** Shows the present state, and what stays when the watch ends. */
interface Screen {
  show(runs: readonly WatchedRun[]): void
  end(runs: readonly WatchedRun[]): void
}

function screenFor(terminal: Terminal, { json, once }: WatchFlags): Screen {
  if (json === true) {
    const show = onChange(run => {
      terminal.printData(JSON.stringify(overviewJson(run)))
    })
    return { show, end: show }
  }
  const paint = terminal.paint.out
  const table = (runs: readonly WatchedRun[], within = paint): readonly string[] =>
    runs.length === 0 ? [nobody] : overviewTable(runs, within)
  // Without a terminal, each change is printed as a line.
  if (terminal.isLive && Number.isFinite(paint.columns)) {
    return {
      show(runs) {
        // A line as wide as the screen would wrap on some terminals.
        terminal.repaint(() => [
          ...fittedRows(table(runs, indentedPaint(paint, 1)), terminal.rows - 2),
          terminal.paint.err.dim('Ctrl-C ends this view.'),
        ])
      },
      end(runs) {
        terminal.repaint(() => [])
        terminal.print(table(runs))
      },
    }
  }
  const show = onChange(run => {
    terminal.print(overviewLine(run, paint))
  })
  return {
    show,
    end(runs) {
      if (once === true) terminal.print(table(runs))
      else show(runs)
    },
  }
}

/** Calls back for each new run, and for each run whose state, counts or scores have changed. */
function onChange(tell: (run: WatchedRun) => void): (runs: readonly WatchedRun[]) => void {
  const stateByRun = new Map<number, string>()
  return runs => {
    for (const watched of runs) {
      const { run, overview, running } = watched
      const now = JSON.stringify([overview, running])
      if (stateByRun.get(run.ref) === now) continue
      stateByRun.set(run.ref, now)
      tell(watched)
    }
  }
}
