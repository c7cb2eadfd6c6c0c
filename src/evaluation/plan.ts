import { join } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import type { RunSpec, DatasetIdentity, GenerationKwargs, Run, RunProvenance } from '../../cache/records.js'
import type { NamedPreimage, Store } from '../../cache/store.js'
import { datasetIdentity, splitOf } from '../../stages/input/datasets/open-dataset.js'
import { followOf } from '../../stages/input/rounds/round-rules.js'
import { examplePrefix } from '../../stages/input/prepare-task.js'
import { exampleSource, exampleTask } from '../../stages/input/examples.js'
import type { DataAccess } from '../../stages/input/datasets/hub/hub.js'
import { readGeneration } from '../../stages/input/generation-kwargs.js'
import type { Prompting } from '../../stages/input/prompting.js'
import { selectionProblems } from '../../stages/input/selection.js'
import { resolveSelection } from '../../stages/input/tasks/resolve-tasks.js'
import type { CheckScoring } from '../../stages/input/tasks/load-task.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { replacedJudges } from '../../stages/judge/compile/registry.js'
import type { GroupSpec } from '../../stages/judge/group-aggregates.js'
import type { Scorer } from '../../stages/judge/scorer.js'
import { allOf } from '../all-of.js'
import { withPresentMedia, withRepeat } from './which-run.js'
import { refuseBatches } from '../model/batches.js'
import { dataAccess } from './data-access.js'
import { checkRequests, codesOf, planModel, type ModelPlan } from '../model/model-plan.js'
import { openTools, type ModelTools } from '../model/model-tools.js'
import { planJudge, type JudgeCalls } from '../judging/judge-calls.js'
import { loadPlugins, withGivenBackend, type Plugins } from '../model/plugins.js'
import { promptingOf } from './prompting.js'
import { formOf, keysByType, provenanceOf, selectionOf, systemOf } from './run-spec.js'
import { makeTaskScorer, parityOf, scoringOf } from '../judging/scoring.js'
import type { Spending } from '../cost/spending.js'
import type { EvalSettings, Hooks } from './settings.js'
import { askedGroups, groupCode, groupSpecs, refuseIdleRules } from './task-groups.js'
import { usePython } from './use-python.js'

/** Everything that an evaluation needs before it starts. Whatever can be rejected was checked while it was made. */
export interface Plan {
  readonly asked: RunSpec
  readonly provenance: RunProvenance
  readonly preimages: readonly NamedPreimage[]
  readonly tasks: readonly Task[]
  readonly scorers: readonly Scorer[]
  readonly groups: readonly GroupSpec[]
  readonly judge?: JudgeCalls
  readonly model: ModelPlan
  /** Generation kwargs of the command; they override the tasks'. */
  readonly generation: GenerationKwargs
  readonly prompting: Prompting
  /** Tools with running servers. The caller owns them and must call close(). */
  readonly tools?: ModelTools
}

/** Holds what the caller gives a plan. */
export interface PlanHooks extends Pick<Hooks, 'emit' | 'drain' | 'stop'> {
  /** The command's budget. @default no limit */
  readonly spending?: Spending
  /** Folder of users' compiled code. @default a folder of the store */
  readonly codeDir?: string
  /** Parent folder of downloads. @default the store's folder */
  readonly dataDir?: string
}

/** The store's folder of users' compiled code. */
export const codeFolder = (store: Store): string => join(store.dir, 'code')

/**
 * Reads tasks, model and judge, and rejects everything that is wrong before any work starts.
 *
 * @throws PipelineError with every wrong name, argument and file.
 */
export async function planEvaluation(settings: EvalSettings, store: Store, hooks: PlanHooks): Promise<Plan> {
  const cacheDir = hooks.codeDir ?? codeFolder(store)
  usePython(settings)
  const access = await accessFor(settings, store, hooks)
  const { values } = settings
  const loaded = await loadPlugins(settings.plugins, { cacheDir })
  const plugins = withGivenBackend(loaded, values?.model)
  for (const name of replacedJudges(plugins.exports))
    hooks.emit({ type: 'note', text: `${name} of a plugin is used instead of the built-in one` })
  const [model, judge, generation, { tasks, groups }] = await allOf([
    planModel(settings, { store, plugins, env: process.env, hooks }),
    planJudge(settings, {
      store,
      plugins: withGivenBackend(loaded, values?.judge),
      hooks,
      spending: hooks.spending,
    }),
    givenGeneration(settings),
    resolveSelection(settings.tasks, {
      includePaths: settings.includePaths,
      cacheDir,
      access,
      checkScoring: scoringProblems({ cacheDir, exported: plugins.exports }),
      emit: hooks.emit,
      ...(values && { values: values.tasks }),
    }),
  ])
  checkRequests(model.backend, tasks)
  await refuseBatches(settings, model.backend, tasks)
  refuseSelection(settings, tasks)
  const tools = await openTools(settings, { store, model, emit: hooks.emit })
  try {
    return await planOf({ model, judge, generation, tasks, groups, plugins, tools, cacheDir }, settings, {
      store,
      hooks,
    })
  } catch (error) {
    await tools?.close()
    throw error
  }
}

interface PlanParts {
  readonly model: ModelPlan
  readonly judge: JudgeCalls | undefined
  readonly generation: GenerationKwargs
  readonly tasks: readonly Task[]
  readonly groups: Parameters<typeof askedGroups>[0]
  readonly plugins: Plugins
  readonly tools: ModelTools | undefined
  readonly cacheDir: string
}

async function planOf(
  { model, judge, generation, tasks, groups, plugins, tools, cacheDir }: PlanParts,
  settings: EvalSettings,
  { store, hooks }: { readonly store: Store; readonly hooks: PlanHooks },
): Promise<Plan> {
  const selection = {
    ...selectionOf({ ...settings, ...systemOf(settings, model) }, { form: formOf(settings, model), generation }),
    ...tools?.asked,
  }
  const prompting = promptingOf(selection, settings.model, plugins)
  const { emit } = hooks
  const scoring = {
    cacheDir,
    exported: plugins.exports,
    emit,
    media: store.media,
    ...(judge && { judge }),
    ...parityOf(settings, hooks),
  }
  const [datasets, scorers] = await allOf([
    allOf(tasks.map(task => dataOf(task, prompting, store))),
    allOf(tasks.map(task => scorerOf(task, scoring))),
  ])
  const scorings = tasks.map((task, index) => scoringOf(task, datasets[index] ?? noDataset))
  refuseIdleRules(groups, scorers)
  const codes = codesOf(model, tasks)
  const asked: RunSpec = {
    tasks: tasks.map((task, index) => ({
      name: task.name,
      identity: task.identity.key,
      dataset: datasets[index] ?? noDataset,
    })),
    ...askedGroups(groups),
    model: model.identity,
    code: model.code.key,
    ...keysByType(codes),
    selection,
  }
  const models = { model: model.identity, judge: judge?.identity }
  const provenance = { ...provenanceOf(settings, { tasks, scorings, models }), ...groupCode(groups) }
  return {
    asked: await withPresentMedia(await withRepeat(asked, settings, store), store),
    provenance,
    preimages: [
      ...[model.code, ...Object.values(codes)].map((code): NamedPreimage => ({ kind: 'code', ...code })),
      ...tasks.map(({ identity }): NamedPreimage => ({ kind: 'task', ...identity })),
      ...followPreimages(tasks, prompting),
    ],
    tasks,
    scorers,
    groups: await groupSpecs({ asked, provenance }, { cacheDir }),
    ...(judge && { judge }),
    model,
    generation,
    prompting,
    ...(tools && { tools }),
  }
}

/** Preimages of the task keys that conversations refer to. */
const followPreimages = (tasks: readonly Task[], prompting: Prompting): readonly NamedPreimage[] =>
  tasks.flatMap(task => {
    const follow = followOf(task, prompting)
    return follow === undefined ? [] : [{ kind: 'task' as const, ...follow.by }]
  })

/** The identity of a task's data, including the data of its examples. */
export async function dataOf(task: Task, prompting: Prompting, store: Store): Promise<DatasetIdentity> {
  const own = await datasetIdentity(task, store.files)
  const source = exampleSource(task, prompting)
  if (source?.type !== 'split' || source.split === splitOf(task)) return own
  const { files } = await datasetIdentity(exampleTask(task, source.split), store.files)
  const shown = Object.entries(files).map(([name, id]) => [`${examplePrefix}${name}`, id] as const)
  return { ...own, files: { ...own.files, ...Object.fromEntries(shown) } }
}

function refuseSelection(settings: EvalSettings, tasks: readonly Task[]): void {
  const problems = selectionProblems(
    settings,
    tasks.map(({ name }) => name),
  )
  if (problems.length > 0) throw new PipelineError('usage', problems, { reason: 'selection-invalid' })
}

/** A resumed run reads the Hub's datasets at the commits that it started with. */
async function accessFor(
  { resume }: EvalSettings,
  store: Store,
  { emit, drain, dataDir }: Pick<PlanHooks, 'emit' | 'drain' | 'dataDir'>,
): Promise<DataAccess> {
  const run = resume && (await store.runs.find(resume.id))
  return dataAccess(process.env, { storeDir: dataDir ?? store.dir, emit, signal: drain, ...(run && { run }) })
}

const noDataset: DatasetIdentity = { path: '', files: {} }

/** Compiles the scorer of a task. @throws PipelineError with the YAML line of each wrong rule. */
export const scorerOf = (
  task: Task,
  options: Pick<Parameters<typeof makeTaskScorer>[2], 'cacheDir' | 'exported' | 'judge' | 'parity' | 'emit' | 'media'>,
): Promise<Scorer> =>
  makeTaskScorer(task.name, scoringOf(task, noDataset), {
    ...options,
    locate: path => task.at(path),
    ...(task.functions && { functions: task.functions }),
  })

/** Checks scoring rules of a file that has other mistakes, so that all are reported together. */
export const scoringProblems =
  (options: Parameters<typeof scorerOf>[1]): CheckScoring =>
  async (scoring, at) => {
    try {
      await makeTaskScorer('-', scoring, { ...options, locate: at })
      return []
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      return error.said
    }
  }

/** The command's generation kwargs, typed. @throws PipelineError with every wrong one. */
function givenGeneration({ genKwargs }: EvalSettings): Promise<GenerationKwargs> {
  const { generation, problems } = readGeneration(genKwargs)
  return problems.length === 0
    ? Promise.resolve(generation)
    : Promise.reject(
        new PipelineError(
          'usage',
          problems.map(({ name, text }) => `${option('genKwargs')} ${name}: ${text}`),
        ),
      )
}

/** Finds or creates the run of a plan. */
export function startRun(store: Store, plan: Plan): Promise<{ run: Run; isNew: boolean }> {
  return store.runs.create(plan.asked, plan.provenance, plan.preimages)
}
