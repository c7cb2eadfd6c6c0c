import { join } from 'node:path'
import { PipelineError } from '../base/errors.js'
import { differences } from '../base/json-difference.js'
import type { Json } from '../base/canonical-json.js'
import { buildInfo } from '../cache/code/build-info.js'
import { runKey } from '../cache/keys.js'
import type { Asked, JsonObject, Run, RunProvenance } from '../cache/records.js'
import type { NamedPreimage, Store } from '../cache/store.js'
import { datasetIdentity } from '../stages/input/datasets/open-dataset.js'
import { resolveTasks } from '../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../stages/input/tasks/task.js'
import { builtInJudges, withJudgePlugins } from '../stages/judge/registry.js'
import type { Scorer } from '../stages/judge/scorer.js'
import { storedConfig } from './config/stored-settings.js'
import { checkRequests, planModel, type ModelPlan } from './model-plan.js'
import { loadPlugins } from './plugins.js'
import { makeTaskScorer, scoringOf } from './scoring.js'
import type { EvalSettings, Hooks } from './settings.js'

/** Everything that an evaluation needs to know before it starts, and with it all that could be refused. */
export interface Plan {
  readonly asked: Asked
  readonly provenance: RunProvenance
  readonly preimages: readonly NamedPreimage[]
  readonly tasks: readonly Task[]
  readonly scorers: readonly Scorer[]
  readonly model: ModelPlan
}

/** Compiled code of users, beside what it is used for. */
export const codeFolder = (store: Store): string => join(store.dir, 'code')

/**
 * Reads what was asked for and refuses what can be seen to be wrong, before any work starts.
 *
 * @throws PipelineError with all that is wrong with names, arguments and files.
 */
export async function planEvaluation(settings: EvalSettings, store: Store, hooks: Pick<Hooks, 'emit'>): Promise<Plan> {
  const cacheDir = codeFolder(store)
  const plugins = await loadPlugins(settings.plugins, { cacheDir })
  const { registry, replaced } = withJudgePlugins(builtInJudges, plugins.exports)
  for (const name of replaced)
    hooks.emit({ type: 'note', text: `${name} of a plugin is used instead of the built-in one` })
  const [tasks, model] = await allOf([
    resolveTasks(settings.tasks, { includePaths: settings.includePaths, cacheDir, emit: hooks.emit }),
    planModel(settings, { store, plugins, env: process.env }),
  ])
  checkRequests(model.backend, tasks)
  const datasets = await Promise.all(tasks.map(task => datasetIdentity(task, path => store.fileDigest(path))))
  const scorings = tasks.map((task, index) => scoringOf(task, datasets[index] ?? { path: '', files: {} }))
  const scorers = await Promise.all(
    tasks.map((task, index) =>
      makeTaskScorer(task.name, scorings[index] ?? { output_type: '', config: {} }, {
        cacheDir,
        registry,
        locate: path => task.at(path),
      }),
    ),
  )
  const asked: Asked = {
    tasks: tasks.map((task, index) => ({
      name: task.name,
      identity: task.identity.key,
      dataset: datasets[index] ?? { path: '', files: {} },
    })),
    model: model.identity,
    code: model.code.key,
    selection: selectionOf(settings),
  }
  return {
    asked: await withRepeat(asked, settings, store),
    provenance: provenanceOf(settings, tasks, scorings),
    preimages: [
      { kind: 'code', ...model.code },
      ...tasks.map(({ identity }): NamedPreimage => ({ kind: 'task', ...identity })),
    ],
    tasks,
    scorers,
    model,
  }
}

/** Both, or all that is wrong with both at once. */
async function allOf<A, B>([a, b]: readonly [Promise<A>, Promise<B>]): Promise<[A, B]> {
  const [left, right] = await Promise.allSettled([a, b])
  if (left.status === 'fulfilled' && right.status === 'fulfilled') return [left.value, right.value]
  const reasons: unknown[] = [right, left].flatMap(result =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  )
  const told = reasons.filter(reason => reason instanceof PipelineError)
  const [first] = told
  if (first === undefined || told.length < reasons.length)
    throw reasons.find(reason => !(reason instanceof PipelineError)) ?? first
  throw new PipelineError(
    first.code,
    told.flatMap(reason => reason.problems),
  )
}

function selectionOf({ limit, offset, genKwargs }: EvalSettings): JsonObject {
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined || offset === 0 ? {} : { offset }),
    ...(Object.keys(genKwargs).length === 0 ? {} : { generation: genKwargs }),
  }
}

/** The same question is the same run, unless a new one is wished: then it is numbered. */
async function withRepeat(asked: Asked, settings: EvalSettings, store: Store): Promise<Asked> {
  if (settings.resume !== undefined) return resumed(asked, settings.resume, store)
  if (!settings.newRun && !settings.fresh) return asked
  const fresh = settings.fresh ? { selection: { ...asked.selection, fresh: true } } : {}
  for (let repeat = 1; ; repeat += 1) {
    const numbered = { ...asked, ...fresh, repeat }
    if (
      (await store.findRun(runKey(numbered).key)) === undefined &&
      (await store.findRun(runKey({ ...asked, repeat }).key)) === undefined
    )
      return numbered
  }
}

async function resumed(asked: Asked, resume: NonNullable<EvalSettings['resume']>, store: Store): Promise<Asked> {
  const run = await store.findRun(resume.id)
  const again: Asked = {
    ...asked,
    ...(resume.repeat === undefined ? {} : { repeat: resume.repeat }),
    ...(run?.asked.selection['fresh'] === true ? { selection: { ...asked.selection, fresh: true } } : {}),
  }
  if (runKey(again).key === resume.id) return again
  // Asked is plain data, as records.ts says; interfaces have no index signature.
  const changed = differences(run?.asked as unknown as Json, again as unknown as Json).map(({ path }) => path)
  throw new PipelineError('usage', [
    `run ${resume.name} can't be resumed: what it was started with has changed since (${changed.slice(0, 5).join(', ')}).`,
    'Start its line again with pipeline eval: that is a new run, and every answer that still fits is taken from the store.',
  ])
}

function provenanceOf(settings: EvalSettings, tasks: readonly Task[], scorings: readonly object[]): RunProvenance {
  const { version, commit, dirty } = buildInfo()
  return {
    version,
    ...(commit === undefined ? {} : { commit }),
    ...(dirty === undefined ? {} : { dirty }),
    node: process.version,
    config: storedConfig(settings, process.cwd()),
    scoring: Object.fromEntries(tasks.map(({ name }, index) => [name, (scorings[index] ?? {}) as JsonObject])),
  }
}

/** The run for a plan: found, or made. */
export function startRun(store: Store, plan: Plan): Promise<{ run: Run; isNew: boolean }> {
  return store.createRun(plan.asked, plan.provenance, plan.preimages)
}
