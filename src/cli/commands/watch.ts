import { dirname } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { formatQuantity } from '../../../base/text/numbers.js'
import { without } from '../../../base/values/without.js'
import { shownPath } from '../../../base/files/shown-path.js'
import type { EvalOutcome, EvalSettings, Hooks, Stages } from '../../config/settings.js'
import { evaluate } from '../../evaluation/evaluate.js'
import { watchLines, type WatchedState } from '../../present/text/watch-lines.js'
import { compareStates, readJudgedState, type JudgedState } from '../../reading/watching/judged-state.js'
import { askToConfirm, isPersonThere } from '../ask-person.js'
import type { DefineCommand, Tools } from '../command.js'
import { fittedRows } from '../display/fitted-rows.js'
import { watchFiles, type FileChanges } from '../file-changes.js'
import { withEvaluation, withJudge, withOutput, type EvaluationFlags } from '../flags/evaluation-options.js'
import { placeFiles } from '../flags/place-files.js'
import { listenForInterruption } from '../this-process/interruption.js'
import { openRun, withOpenStore } from '../open-run.js'
import { withVariables } from '../this-process/process-variables.js'
import { tellError } from '../tell-error.js'
import { readRuns, type ListedRun } from './runs/run-list.js'
import { listenForKeys, mostPages, type ViewerPage, type WatchKeys } from './watch-keys.js'
import { makeWatchViewer } from './watch-viewer.js'

const help = `
Examples:
  pipeline watch quickstart.yaml
  pipeline watch --model openai --model-args model=gpt-4.1-mini --tasks ./mytask --limit 50 --max-cost 1
  pipeline watch mytask/mytask.yaml --model dummy

Whenever a file in the folders of the configuration, the tasks or the plugins is saved, the tasks are scored again. Answers come from
the store. A changed prompt needs new requests: they are counted first, and sent if you agree, or with --yes, --max-cost or --max-requests.`

type WatchFlags = EvaluationFlags & { readonly yes?: boolean }

/** Defines `pipeline watch`. */
export const defineWatch: DefineCommand = (command, tools) =>
  void withOutput(withJudge(withEvaluation(command)))
    .argument('[files...]', 'a configuration file, or files and folders of tasks')
    .option('--yes', 'send new requests without a question')
    .addHelpText('after', help)
    .action(async (files: readonly string[], typed: WatchFlags) => {
      refuseOtherFlags(typed)
      const flags = placeFiles(files, typed)
      const changes = watchFiles(tools.clock)
      const interruption = listenForInterruption(
        () => {
          changes.close()
        },
        () => undefined,
        tools.leave,
      )
      const { drain, stop } = interruption
      const viewer = makeWatchViewer(tools)
      const keys = isPersonThere() && tools.terminal.isLive && flags.json !== true ? readKeys(viewer.show) : undefined
      const ask = (requests: number): Promise<boolean> => askToSend(requests, drain)
      try {
        await watchEvaluation(flags, {
          ...{ tools, changes, drain, stop, keys },
          isAgreed: agreesToAll(flags),
          agree: requests => (keys === undefined ? ask(requests) : keys.during(() => ask(requests))),
        })
      } finally {
        keys?.close()
        changes.close()
        interruption.release()
        await viewer.close()
      }
    })

/** While keys are read one by one, the terminal sends no signal at Ctrl-C. */
const readKeys = (open: (page: ViewerPage) => void): WatchKeys =>
  listenForKeys(process.stdin, { open, interrupt: () => process.kill(process.pid, 'SIGINT') })

/** Each state would ask everything again, or show nothing. */
function refuseOtherFlags({ plan, fresh, newRun }: WatchFlags): void {
  const flag = plan === true ? '--plan' : fresh === true ? '--fresh' : newRun === true ? '--new-run' : undefined
  if (flag !== undefined)
    throw new PipelineError('usage', `${flag}: watch scores stored answers after each change. Use pipeline eval for it`)
}

/** Holds what the loop is given. Tests pass their own changes and consent. */
export interface Watching {
  readonly tools: Tools
  readonly changes: FileChanges
  readonly drain: AbortSignal
  readonly stop: AbortSignal
  /** True if new requests may be sent without a question. */
  readonly isAgreed: boolean
  /** Tells whether so many new requests may be sent. */
  readonly agree: (requests: number) => Promise<boolean>
  /** The keys of a terminal that open failing docs. */
  readonly keys?: WatchKeys | undefined
}

/** A state that is shown, and where its run is. */
interface ShownState extends WatchedState {
  readonly store: string
  readonly isSame: boolean
}

/**
 * Shows the state of each run, and again after each change, until the changes end.
 *
 * @throws PipelineError (usage) if no file or folder that is named is there
 */
export async function watchEvaluation(flags: WatchFlags, watching: Watching): Promise<void> {
  const { changes, tools } = watching
  const states = new Map<string, JudgedState>()
  const mistakes = makeOnce(tools)
  let cause = 'start'
  for (;;) {
    const runs = await attempt(() => readRuns({ ...flags, quiet: true }, tools), mistakes)
    if (!changes.follow(listWatched(flags, runs ?? []), listStores(runs ?? [])))
      throw new PipelineError(
        'usage',
        'watch: there is no file to watch. Name a configuration file, or a file or folder of your own tasks',
      )
    // Scoring may take long, for example if a metric loops. A file that is saved meanwhile ends it.
    const edited = changes.nextEdit()
    const shownStates: ShownState[] = []
    for (const run of runs ?? []) {
      const state = await attempt(() => showRun(run, { cause, states, edited, watching }), mistakes)
      if (edited.aborted) break
      if (state !== undefined) shownStates.push(state)
    }
    const isMended = shownStates.length > 0 && mistakes.forget()
    if (isMended || shownStates.some(isNews)) printStates(shownStates, flags, watching)
    if (watching.drain.aborted) return
    const files = await changes.next()
    if (files === undefined) return
    cause = files.map(file => shownPath(file)).join(', ')
  }
}

/** Tells a mistake, unless it was the last thing that was told. */
interface Mistakes {
  readonly tell: (error: PipelineError) => void
  /** @returns whether there was one */
  readonly forget: () => boolean
}

function makeOnce({ terminal, env }: Tools): Mistakes {
  let last = ''
  return {
    tell(error) {
      if (error.message !== last) tellError(error, terminal, env)
      last = error.message
    },
    forget() {
      const wasTold = last !== ''
      last = ''
      return wasTold
    },
  }
}

/** A mistake in a file that is being edited is told, and the next change is awaited. */
async function attempt<T>(work: () => Promise<T>, mistakes: Mistakes): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    mistakes.tell(error)
    return undefined
  }
}

/** The files and folders whose changes count: those of the configuration, tasks and plugins that are paths. */
function listWatched(flags: WatchFlags, runs: readonly ListedRun[]): readonly string[] {
  const paths = runs.flatMap(({ settings }) => [
    ...settings.tasks.flatMap(name => (isTaskFile(name) ? [dirname(name)] : [name])),
    ...settings.includePaths,
    ...settings.plugins,
  ])
  return [...(flags.config === undefined ? [] : [flags.config]), ...(flags.tasks ?? []), ...paths]
}

const listStores = (runs: readonly ListedRun[]): readonly string[] => runs.map(({ settings: { store } }) => store)

const isTaskFile = (name: string): boolean => /\.(?:ya?ml|[cm]?[jt]s)(?:#.*)?$/.test(name)

/**
 * Scores one run with the stored answers, and asks for the missing ones if that is agreed to.
 *
 * @returns undefined if a file was edited meanwhile
 */
async function showRun(
  { settings, variables, cell }: ListedRun,
  {
    cause,
    states,
    edited,
    watching,
  }: { cause: string; states: Map<string, JudgedState>; edited: AbortSignal; watching: Watching },
): Promise<ShownState | undefined> {
  const { tools, stop } = watching
  const drain = AbortSignal.any([watching.drain, edited])
  const startedAt = tools.clock.now()
  const hooks: Hooks = { emit: () => undefined, drain, stop }
  const evaluateWith = (runSettings: EvalSettings, stages: Stages): Promise<EvalOutcome> =>
    withVariables(variables, () =>
      evaluate({ ...runSettings, tag: [...(runSettings.tag ?? []), 'watch'] }, hooks, stages),
    )
  let outcome = watching.isAgreed ? await evaluateWith(settings, {}) : await scoreStored(settings, evaluateWith)
  const missing = outcome.counts.pending + (hasJudge(settings) ? outcome.unjudged : 0)
  if (!watching.isAgreed && missing > 0 && (await watching.agree(missing))) outcome = await evaluateWith(settings, {})
  if (edited.aborted) return undefined
  const state = await withOpenStore({ dir: settings.store, terminal: tools.terminal }, 'read', async store =>
    readJudgedState(store, await openRun(store, outcome.run.id)),
  )
  const label = cell ?? ''
  const before = states.get(label)
  const moved = compareStates(state, before)
  states.set(label, state)
  return {
    cause,
    label: cell,
    store: settings.store,
    state,
    moved,
    isSame:
      before !== undefined &&
      JSON.stringify(before.failing) === JSON.stringify(state.failing) &&
      before.run === state.run,
    elapsedMs: tools.clock.now() - startedAt,
    asked: outcome.asked,
    pending: outcome.counts.pending,
  }
}

/** Tells whether a state differs from the one before. Files that change no score may be written all the time, such as logs. */
const isNews = ({ cause, moved, isSame, asked }: ShownState): boolean =>
  !isSame || cause === 'start' || asked > 0 || moved.some(({ before, value }) => before !== value)

function printStates(states: readonly ShownState[], { json }: WatchFlags, { tools, keys }: Watching): void {
  const { terminal } = tools
  if (json === true) {
    for (const { state, moved, ...rest } of states) {
      const { run, failing, failingCount } = state
      const facts = without(rest, 'store')
      terminal.printData(JSON.stringify({ format: 1, run, ...facts, metrics: moved, failing, failingCount }))
    }
    return
  }
  const pages = keys === undefined ? [] : states.flatMap(listPages).slice(0, mostPages)
  keys?.number(pages)
  const makeLines = (): readonly string[] => {
    let docs = 0
    return states.flatMap(shownState => {
      const first = docs
      docs += shownState.state.failing.length
      return watchLines(shownState, terminal.paint.out, index =>
        first + index < pages.length ? String(first + index + 1) : undefined,
      )
    })
  }
  if (!terminal.isLive) terminal.print(makeLines())
  else if (states.length > 0)
    terminal.repaint(() => [
      ...fittedRows(makeLines(), terminal.rows - 2),
      terminal.paint.err.dim(
        `${pages.length === 0 ? '' : 'The number of a failing doc opens it in the viewer. '}Ctrl-C ends this view.`,
      ),
    ])
}

/** Lists the viewer's pages of the failing docs of a state. */
const listPages = ({ store, state }: ShownState): readonly ViewerPage[] =>
  state.failing.map(({ position }) => ({
    store,
    path: `/runs/${encodeURIComponent(state.run)}/samples/${position.join('/')}`,
  }))

/** Scores what is stored, and sends nothing. */
async function scoreStored(
  settings: EvalSettings,
  evaluateWith: (runSettings: EvalSettings, stages: Stages) => Promise<EvalOutcome>,
): Promise<EvalOutcome> {
  // The judge does not wait for docs that are read at the same time, because no answer is awaited.
  await evaluateWith(settings, { input: true, model: false, judge: false })
  return evaluateWith({ ...settings, maxRequests: 0 }, { input: true, model: false, judge: true })
}

const hasJudge = ({ judgeModel, judgeFor }: EvalSettings): boolean => judgeModel !== undefined || judgeFor !== undefined

/** A limit agrees to what it allows. */
const agreesToAll = ({ yes, maxCost, maxRequests, maxTokensTotal }: WatchFlags): boolean =>
  yes === true || [maxCost, maxRequests, maxTokensTotal].some(limit => limit !== undefined)

/** Without a terminal nobody can agree, and new requests need a flag. */
const askToSend = async (requests: number, signal: AbortSignal): Promise<boolean> =>
  isPersonThere() && (await askToConfirm(`${formatQuantity(requests, 'new request')}. Send?`, signal))
