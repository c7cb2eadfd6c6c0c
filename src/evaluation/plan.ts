import { codeFolder } from '../../cache/location.js'
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import type { RunSpec, DatasetIdentity, GenerationKwargs, Run, RunProvenance } from '../../cache/records.js'
import type { NamedPreimage, Store } from '../../cache/store.js'
import { datasetIdentity, chooseSplit } from '../../stages/input/datasets/open-dataset.js'
import { findFollowFunction } from '../../stages/input/rounds/round-rules.js'
import { examplePrefix } from '../../stages/input/prepare-task.js'
import { exampleSource, exampleTask } from '../../stages/input/examples.js'
import type { DataAccess } from '../../stages/input/datasets/hub/hub.js'
import { readGeneration } from '../../stages/input/generation-kwargs.js'
import type { Prompting } from '../../stages/input/prompting.js'
import { selectionProblems } from '../../stages/input/selection/selection.js'
import { refuseUnusedOverrides } from '../../stages/input/tasks/override-keys.js'
import { resolveSelection } from '../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { replacedJudges } from '../../stages/judge/compile/registry.js'
import type { GroupSpec } from '../../stages/judge/group-aggregates.js'
import type { Scorer } from '../../stages/judge/scorer.js'
import { awaitAll } from '../all-of.js'
import { withPresentMedia, withRepeat } from './which-run.js'
import { refuseBatches } from '../model/batches.js'
import { dataAccess } from './data-access.js'
import { checkRequests, selectCodes, planModel, type ModelPlan } from '../model/model-plan.js'
import { openTools, type ModelTools } from '../model/model-tools.js'
import { planJudges, type Judges } from '../judging/judges.js'
import { addTaskJudges } from '../judging/task-judges.js'
import { addVariableJudge, namesJudge } from '../judging/variable-judge.js'
import type { Limiters } from '../model/traffic.js'
import { loadPlugins, withGivenBackend, type Plugins } from '../model/plugins.js'
import { makePrompting } from './prompting.js'
import { withReasoningTags } from './tasks/reasoning-tags.js'
import { withCluster } from './tasks/clustered-docs.js'
import { describeWholeVotes, withReduce } from './tasks/reduced-samples.js'
import { chooseForm, keysByType, makeProvenance, makeRunSelection, chooseSystem } from './run-spec.js'
import { makeStoredScoring, scoringOptions } from '../judging/scoring.js'
import { findPrice, pricedModel } from '../../stages/model/budget/price.js'
import { makePriceReader } from '../cost/model-price.js'
import { readPrices } from '../cost/prices.js'
import type { Spending } from '../cost/spending.js'
import type { EvalSettings, Hooks } from '../config/settings.js'
import { askedGroups, groupCode, groupSpecs, refuseIdleRules } from './tasks/task-groups.js'
import { refuseStopping, resolveStopRun } from './stopping/plan-stopping.js'
import { openRuntime, type OpenedRuntime } from './code-runtime.js'
import { scoringProblems, compileScorer, noDataset } from './tasks/compile-scorer.js'

/** Everything that an evaluation needs before it starts. All input of the user has been checked. */
export interface Plan {
  readonly asked: RunSpec
  readonly provenance: RunProvenance
  readonly preimages: readonly NamedPreimage[]
  readonly tasks: readonly Task[]
  readonly scorers: readonly Scorer[]
  readonly groups: readonly GroupSpec[]
  readonly judges?: Judges
  readonly model: ModelPlan
  /** Generation kwargs of the command; they override the tasks'. */
  readonly generation: GenerationKwargs
  readonly prompting: Prompting
  readonly tools?: ModelTools
  /** Ends tool servers and processes of users' code. The caller must call it. */
  close(): Promise<void>
}

/** Options of a plan that are no settings of the user. */
export interface PlanHooks extends Pick<Hooks, 'emit' | 'drain' | 'stop' | 'rowFolders'> {
  /** The command's budget. @default no limit */
  readonly spending?: Spending
  /** Folder of users' compiled code. @default in the store's work folder */
  readonly codeDir?: string
  /** Parent folder of downloads. @default the store's work folder */
  readonly dataDir?: string
}

/**
 * Reads tasks, model and judge, and rejects everything that is wrong before any work starts.
 *
 * @throws PipelineError with every wrong name, argument and file.
 */
export async function planEvaluation(settings: EvalSettings, store: Store, hooks: PlanHooks): Promise<Plan> {
  const runtime = openRuntime(settings)
  try {
    return await planWithin(runtime, await resolveStopRun(settings, store), { store, hooks })
  } catch (error) {
    await runtime.close()
    throw error
  }
}

async function planWithin(
  runtime: OpenedRuntime,
  settings: EvalSettings,
  { store, hooks }: { readonly store: Store; readonly hooks: PlanHooks },
): Promise<Plan> {
  const cacheDir = hooks.codeDir ?? codeFolder(store.workFolder)
  const { env } = settings
  const { hide } = runtime
  const limiters: Limiters = new Map()
  const access = await accessFor(settings, store, hooks)
  const { values } = settings
  const loaded = await loadPlugins(settings.plugins, { cacheDir })
  const plugins = withGivenBackend(loaded, values?.model)
  for (const name of replacedJudges(plugins.exports))
    hooks.emit({ type: 'note', text: `${name} of a plugin is used instead of the built-in one` })
  const judging = { store, plugins: loaded, values, env, hide, limiters, hooks, spending: hooks.spending }
  // The tasks decide whether the judge model of the environment is used.
  const waits = namesJudge(settings, env)
  const selecting = resolveSelection(settings.tasks, {
    includePaths: settings.includePaths,
    overrides: settings.override,
    parity: settings.parity,
    cacheDir,
    runtime,
    access,
    checkScoring: scoringProblems({ cacheDir, runtime, exported: plugins.exports }),
    emit: hooks.emit,
    ...(values && { values: values.tasks }),
  })
  // Tasks may name judges. Mistakes in tasks are reported together with mistakes in the other judges.
  const settingsWithJudges = selecting.then(
    selected => addTaskJudges(settings, selected.tasks),
    () => settings,
  )
  const [model, planned, generationSettings, { tasks: resolved, groups }] = await awaitAll([
    planModel(settings, { store, plugins, env, hide, limiters, hooks }),
    waits ? Promise.resolve(undefined) : settingsWithJudges.then(models => planJudges(models, judging)),
    givenGeneration(settings),
    selecting,
  ])
  const tasks = resolved.map(task =>
    withCluster(
      withReduce(withReasoningTags(task, settings.reasoningTags), settings.reduce, settings.repeats),
      settings.cluster,
    ),
  )
  for (const text of await describeWholeVotes(tasks, settings.reduce)) hooks.emit({ type: 'note', text })
  const judged = addVariableJudge(settings, { env, scorings: tasks.map(({ scoring }) => scoring), emit: hooks.emit })
  const judges = waits ? await planJudges(addTaskJudges(judged, tasks), judging) : planned
  const generation = { ...(await modelGeneration(model)), ...generationSettings }
  checkRequests(model.backend, tasks)
  await refuseBatches(settings, model.backend, tasks)
  refuseSelection(settings, tasks)
  refuseUnusedOverrides(settings.override ?? {}, tasks)
  const tools = await openTools(settings, { store, model, emit: hooks.emit })
  try {
    const parts = { model, judges, generation, tasks, groups, plugins, tools, cacheDir, runtime }
    return await assemblePlan(parts, judged, { store, hooks })
  } catch (error) {
    await tools?.close()
    throw error
  }
}

interface PlanParts {
  readonly model: ModelPlan
  readonly judges: Judges | undefined
  readonly generation: GenerationKwargs
  readonly tasks: readonly Task[]
  readonly groups: Parameters<typeof askedGroups>[0]
  readonly plugins: Plugins
  readonly tools: ModelTools | undefined
  readonly cacheDir: string
  readonly runtime: OpenedRuntime
}

async function assemblePlan(
  { model, judges, generation, tasks, groups, plugins, tools, cacheDir, runtime }: PlanParts,
  settings: EvalSettings,
  { store, hooks }: { readonly store: Store; readonly hooks: PlanHooks },
): Promise<Plan> {
  const selection = {
    ...makeRunSelection(
      { ...settings, ...chooseSystem(settings, model) },
      { form: chooseForm(settings, model), generation, showsTarget: model.answersTargets },
    ),
    ...tools?.asked,
  }
  const prompting = makePrompting(selection, settings.model, plugins)
  const { emit } = hooks
  const scoring = {
    ...scoringOptions(settings, { store, cacheDir, runtime, exported: plugins.exports, emit, judges }),
    ...(settings.repeats !== undefined && { repeats: settings.repeats }),
    price: makePriceReader(model.identity, async () =>
      findPrice(await readPrices(settings.prices, [model.identity.backend]), pricedModel(model.identity)),
    ),
  }
  const [datasets, scorers] = await awaitAll([
    awaitAll(tasks.map(task => computeDataIdentity(task, prompting, store))),
    awaitAll(tasks.map(task => compileScorer(task, scoring))),
  ])
  judges?.refuseUnused()
  await refuseStopping(settings, { tasks, scorers, datasets, hasGroups: groups.length > 0, store })
  const scorings = tasks.map((task, index) => makeStoredScoring(task, datasets[index] ?? noDataset))
  refuseIdleRules(groups, scorers)
  const codes = selectCodes(model, tasks)
  const spec: RunSpec = {
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
  const models = { model: model.identity, judge: judges?.identities[0], judges: judges?.identities }
  if (model.answersTargets) emit({ type: 'note', text: targetsNote })
  const described = model.answersTargets ? { note: targetsNote, ...settings } : settings
  const provenance = { ...makeProvenance(described, { tasks, scorings, models }), ...groupCode(groups) }
  return {
    asked: await withPresentMedia(await withRepeat(spec, settings, store), store),
    provenance,
    preimages: [
      ...[model.code, ...Object.values(codes)].map((code): NamedPreimage => ({ kind: 'code', ...code })),
      ...tasks.map(({ identity }): NamedPreimage => ({ kind: 'task', ...identity })),
      ...followPreimages(tasks, prompting),
    ],
    tasks,
    scorers,
    groups: await groupSpecs({ asked: spec, provenance }, { cacheDir, runtime }),
    ...(judges && { judges }),
    model,
    generation,
    prompting,
    ...(tools && { tools }),
    async close() {
      await tools?.close()
      await runtime.close()
    },
  }
}

const targetsNote = 'the answers are the targets of the docs: scores say what the metrics give a right answer'

/** Lists the preimages of the task keys that conversations refer to. */
const followPreimages = (tasks: readonly Task[], prompting: Prompting): readonly NamedPreimage[] =>
  tasks.flatMap(task => {
    const follow = findFollowFunction(task, prompting)
    return follow === undefined ? [] : [{ kind: 'task' as const, ...follow.by }]
  })

/** Computes the identity of a task's data, including the data of its examples. */
export async function computeDataIdentity(task: Task, prompting: Prompting, store: Store): Promise<DatasetIdentity> {
  const identity = await datasetIdentity(task, store.files)
  const source = exampleSource(task, prompting)
  if (source?.type !== 'split' || source.split === chooseSplit(task)) return identity
  const { files } = await datasetIdentity(exampleTask(task, source.split), store.files)
  const exampleFiles = Object.entries(files).map(([name, id]) => [`${examplePrefix}${name}`, id] as const)
  return { ...identity, files: { ...identity.files, ...Object.fromEntries(exampleFiles) } }
}

function refuseSelection(settings: EvalSettings, tasks: readonly Task[]): void {
  const problems = selectionProblems(
    settings,
    tasks.map(({ name }) => name),
  )
  if (problems.length > 0) throw new PipelineError('usage', problems, { reason: 'selection-invalid' })
}

/** Opens the access to datasets. A resumed run reads Hub datasets at their first commits. */
async function accessFor(
  { resume, env }: EvalSettings,
  store: Store,
  { emit, drain, dataDir, rowFolders }: PlanHooks,
): Promise<DataAccess> {
  const run = resume && (await store.runs.find(resume.id))
  return dataAccess(env, {
    workFolder: dataDir ?? store.workFolder,
    emit,
    signal: drain,
    rowFolders,
    ...(run && { run }),
  })
}

/** Reads sampling parameters among the model's arguments. @throws PipelineError with every wrong one. */
const modelGeneration = ({ generation = {} }: ModelPlan): Promise<GenerationKwargs> =>
  givenGeneration({ genKwargs: generation }, 'modelArgs')

/** Parses the command's generation kwargs. @throws PipelineError with every wrong one. */
function givenGeneration(
  { genKwargs }: Pick<EvalSettings, 'genKwargs'>,
  from: 'genKwargs' | 'modelArgs' = 'genKwargs',
): Promise<GenerationKwargs> {
  const { generation, problems } = readGeneration(genKwargs)
  return problems.length === 0
    ? Promise.resolve(generation)
    : Promise.reject(
        new PipelineError(
          'usage',
          problems.map(({ name, text }) => `${option(from)} ${name}: ${text}`),
        ),
      )
}

/** Finds or creates the run of a plan. */
export function startRun(store: Store, plan: Plan): Promise<{ run: Run; isNew: boolean }> {
  return store.runs.create(plan.asked, plan.provenance, plan.preimages)
}
