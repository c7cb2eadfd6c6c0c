/** A table of models and tasks, from the runs of a store. */
import { canonicalJson } from '../../../base/values/canonical-json.js'
import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { compareColumns, type ComparedRow } from '../comparing/compare-columns.js'
import type { ScoredRun } from '../comparing/scored-run.js'
import { chooseRuns } from '../runs/choose-runs.js'
import { compileNamePattern } from '../runs/name-pattern.js'
import { readRunAbout } from '../runs/run-about.js'

/** A model with the settings that its prompts and answers had, and its runs. */
export interface LeaderboardModel {
  /** The label of the model. If runs of the model differ in settings, their name or settings follow: `qwen (num_fewshot=5)`. */
  readonly label: string
  /** The label without what tells its columns apart. */
  readonly name: string
  /** The prompt and generation settings that the user set, by name, as short texts. */
  readonly settings: Readonly<Record<string, string>>
  /** The tags of its runs, in alphabetical order. */
  readonly tags: readonly string[]
  /** The runs, newest first. A metric is read from the run with the most docs, then the newest. */
  readonly runs: readonly ScoredRun[]
}

export interface Leaderboard {
  readonly models: readonly LeaderboardModel[]
  /** The number of further models, which have no newer run. */
  readonly leftOut: number
  /** The rows: a metric of a task or group, with a result for each model that has it. */
  readonly rows: readonly ComparedRow[]
}

/** The runs and rows of a leaderboard. Conditions that are absent hold for all. */
export interface LeaderboardChoice {
  readonly tag?: string | undefined
  /** A pattern, or a part of the name of a task or group. */
  readonly task?: string | undefined
  /** A pattern, or a part of the label of a model. */
  readonly model?: string | undefined
}

/** The maximum number of models of one table. More are no table that anyone reads, and each is compared with the best by docs. */
const mostModels = 40

/**
 * Reads the leaderboard of a store: the models of all judged runs, without runs of judges and rounds.
 *
 * @param labelModel returns the label of a run's model
 */
export async function readLeaderboard(
  store: Store,
  choice: LeaderboardChoice,
  labelModel: (run: Run) => string,
): Promise<Leaderboard> {
  const runs: ScoredRun[] = []
  for (const run of (await chooseRuns(store, choice, labelModel)).toReversed()) {
    const judgement = (await store.judgements.list(run)).findLast(({ aggregates }) => aggregates !== undefined)
    if (judgement?.aggregates !== undefined)
      runs.push({ store, run, judgement: { ...judgement, aggregates: judgement.aggregates } })
  }
  return makeLeaderboard(runs, { task: choice.task, labelModel })
}

/**
 * Makes a leaderboard of some runs, in any order.
 */
export async function makeLeaderboard(
  runs: readonly ScoredRun[],
  { task, labelModel }: { readonly task?: string | undefined; readonly labelModel: (run: Run) => string },
): Promise<Leaderboard> {
  const allModels = listModels(
    runs.toSorted((first, second) => second.run.createdAt - first.run.createdAt),
    labelModel,
    await readTags(runs),
  )
  const newest = new Set(allModels.toSorted((first, second) => findAge(second) - findAge(first)).slice(0, mostModels))
  const models = allModels.filter(model => newest.has(model))
  const rows = await compareColumns(models.map(model => model.runs))
  const matches = compileNamePattern(task)
  return { models, leftOut: allModels.length - models.length, rows: rows.filter(({ first }) => matches(first.task)) }
}

/** The tags of each run, from all stores of the runs. */
async function readTags(runs: readonly ScoredRun[]): Promise<(scored: ScoredRun) => readonly string[]> {
  const byStore = new Map<Store, ReadonlyMap<number, readonly string[]>>()
  for (const { store } of runs) if (!byStore.has(store)) byStore.set(store, await store.runs.tags())
  return ({ store, run }) => byStore.get(store)?.get(run.ref) ?? []
}

function listModels(
  runs: readonly ScoredRun[],
  labelModel: (run: Run) => string,
  tagsOf: (scored: ScoredRun) => readonly string[],
): readonly LeaderboardModel[] {
  const columns = new Map<string, Pick<LeaderboardModel, 'name' | 'settings'> & { readonly runs: ScoredRun[] }>()
  for (const scored of runs) {
    const [name, settings] = [labelModel(scored.run), listSettings(scored.run)]
    const key = JSON.stringify([name, Object.entries(settings)])
    const column = columns.get(key) ?? { name, settings, runs: [] }
    column.runs.push(scored)
    columns.set(key, column)
  }
  return [...columns.values()]
    .map(({ name, settings, runs: own }) => ({
      label: labelColumn(name, settings, own),
      ...{ name, settings, runs: own },
      tags: [...new Set(own.flatMap(tagsOf))].sort(),
    }))
    .sort((a, b) => a.label.localeCompare(b.label))
}

function labelColumn(name: string, settings: LeaderboardModel['settings'], runs: readonly ScoredRun[]): string {
  const entries = Object.entries(settings)
  if (entries.length === 0) return name
  return `${name} (${readTitle(runs) ?? entries.map(([key, value]) => `${key}=${value}`).join(', ')})`
}

/** Reads the `--name` of the newest run, which says more than its settings. */
const readTitle = ([newest]: readonly ScoredRun[]): string | undefined => newest && readRunAbout(newest.run).title

/** The time of the newest run, in milliseconds since 1970. */
const findAge = ({ runs }: LeaderboardModel): number => Math.max(...runs.map(({ run }) => run.createdAt))

/** Lists the prompt and generation settings that the user set. They distinguish columns of one model. */
function listSettings({ provenance: { config } }: Run): Readonly<Record<string, string>> {
  const {
    num_fewshot: examples,
    system_instruction: system,
    gen_kwargs: generation,
    override,
    parity,
    repeats,
  } = config
  const settings = {
    num_fewshot: examples,
    system,
    ...(isTable(generation) ? generation : { generation }),
    override,
    parity,
    repeats,
  }
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) =>
      value === undefined || value === null ? [] : [[key, shorten(value)]],
    ),
  )
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : canonicalJson(value as Parameters<typeof canonicalJson>[0])
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}
