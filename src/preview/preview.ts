import type { StoredCode } from '../../cache/records.js'
import { DigestCounts } from '../../base/collections/digest-counts.js'
import { ownValue } from '../../base/values/named-values.js'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { runKey } from '../../cache/keys.js'
import { projectRoot } from '../../cache/code/project-root.js'
import { requestKeys } from '../../cache/request-keys.js'
import type { DraftDoc, Store } from '../../cache/store.js'
import { runName } from '../../cache/run-name.js'
import { readDrafts } from '../../stages/input/ingest.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { listAskingMetrics, loadTaskJudges } from '../../stages/judge/compile/judges-of.js'
import { Forecaster, type Forecast } from '../../stages/model/budget/forecast.js'
import type { KnownTokens } from '../../stages/model/budget/estimate.js'
import { pictureTokens } from '../../stages/model/budget/picture-tokens.js'
import { batchPrice, findPrice, pricedModel, type Price, type PricedModel } from '../../stages/model/budget/price.js'
import { readSelection } from '../config/values/selection.js'
import { findCountedRun, refuseUnready } from '../evaluation/evaluate.js'
import { checkDatasets } from '../evaluation/tasks/check-datasets.js'
import { hidingHooks, hidingSecrets, withHiddenErrors } from '../config/hidden-secrets.js'
import { planEvaluation, type Plan } from '../evaluation/plan.js'
import { isSampledTask } from '../evaluation/tasks/sampled-tasks.js'
import { namesOfMedia, openDryRunStore, PictureSizes } from './dry-run-store.js'
import { samplePages, type ReadyRequest } from './preview-requests.js'
import { expectedTime } from './preview-time.js'
import { readPrices } from '../cost/prices.js'
import type { EvalSettings, Hooks } from '../config/settings.js'

/** The requests of a task. `requests` = `inStore` + `shared` + `failed` + `broken` + `toAsk`. */
export interface TaskPreview extends Forecast {
  readonly task: string
  readonly docs: number
  readonly requests: number
  readonly inStore: number
  /** Requests equal to one of another doc, of this task or one before; they share its answer. */
  readonly shared: number
  /** Permanent failures; only `--retry-failed` sends them again. */
  readonly failed: number
  /** Docs for which no request can be built. */
  readonly broken: number
  readonly toAsk: number
  /** True if its scoring may call a judge model. */
  readonly mayAskJudge: boolean
  /** True if requests may continue in further rounds, which are not counted here. */
  readonly hasRounds: boolean
}

/** Says what an evaluation would send, and estimates tokens, cost and time. */
export interface Preview {
  readonly run: { readonly id: string; readonly name: string; readonly isNew: boolean }
  readonly model: PricedModel
  readonly tasks: readonly TaskPreview[]
  /** The model's price, if a table has it. */
  readonly price?: Price
  /** True if requests are submitted to the provider's batch API, at its price. */
  readonly isBatch?: boolean
  /** Estimated milliseconds for all pending requests; absent if stored answers do not tell. */
  readonly expectedMs?: number
  /** The judge model, if one is named. */
  readonly judge?: string
}

/**
 * Counts what an evaluation would send and estimates its cost, without sending anything or changing the store. Missing datasets are downloaded, because the
 * evaluation needs them anyway.
 *
 * @throws PipelineError as the evaluation would before it starts
 */
export async function previewEvaluation(settings: EvalSettings, hooks: Hooks): Promise<Preview> {
  return withPlan(settings, hooks, (plan, store) => makePreview(plan, store, { settings, drain: hooks.drain }))
}

/** @throws PipelineError as the evaluation would before it starts; the store stays unchanged */
export async function checkEvaluation(settings: EvalSettings): Promise<void> {
  const never = new AbortController().signal
  await withPlan(settings, { emit: () => undefined, drain: never, stop: never }, (plan, store) =>
    refuseUnfit(plan, store, settings),
  )
}

/** Plans an evaluation for `use` without changing the store. @throws PipelineError as the evaluation would before it starts */
export async function withPlan<T>(
  settings: EvalSettings,
  hooks: Hooks,
  use: (plan: Plan, store: Store) => Promise<T>,
): Promise<T> {
  const planned = await openDryRunStore(settings.store)
  const { store, codeDir, dataDir } = planned
  try {
    const hide = hidingSecrets(settings)
    return await withHiddenErrors(hide, async () => {
      const plan = await planEvaluation(settings, store, { ...hidingHooks(hooks, hide), codeDir, dataDir })
      try {
        return await use(plan, store)
      } finally {
        await plan.close()
      }
    })
  } finally {
    await planned.close()
  }
}

async function refuseUnfit(plan: Plan, store: Store, settings: EvalSettings): Promise<void> {
  await refuseUnready(plan, await findCountedRun(store, plan), settings)
  await checkDatasets(plan, settings)
}

async function makePreview(
  plan: Plan,
  store: Store,
  { settings, drain }: { readonly settings: EvalSettings; readonly drain: AbortSignal },
): Promise<Preview> {
  await refuseUnfit(plan, store, settings)
  const { key } = runKey(plan.asked)
  const run = await store.runs.find(key)
  const model = pricedModel(plan.model.identity)
  const direct = findPrice(await readPrices(settings.prices, [model.backend]), model)
  const price = direct && settings.batch === true ? batchPrice(direct) : direct
  const digestCounts = new DigestCounts()
  const tasks: TaskPreview[] = []
  for (const task of plan.tasks)
    tasks.push(await taskPreview(task, { plan, store, settings, drain, price, seen: digestCounts }))
  const { concurrency } = plan.model
  const expectedMs =
    settings.batch === true ? undefined : await expectedTime(tasks, { store, asked: plan.asked, concurrency })
  return {
    run: { id: key, name: run?.name ?? runName(key), isNew: run === undefined },
    model,
    tasks,
    ...(price && { price }),
    ...(settings.batch === true ? { isBatch: true } : {}),
    ...(expectedMs === undefined ? {} : { expectedMs }),
    ...nameJudges(settings),
  }
}

/** The backends of the judges, each once. */
function nameJudges({ judgeModel, judgeFor = {} }: EvalSettings): Pick<Preview, 'judge'> {
  const judgeModels = Object.values(judgeFor).flatMap(judges => judges.map(({ model }) => model))
  const backends = new Set([...(judgeModel === undefined ? [] : [judgeModel]), ...judgeModels])
  return backends.size === 0 ? {} : { judge: [...backends].join(', ') }
}

interface Previewing {
  readonly plan: Plan
  readonly store: Store
  readonly settings: EvalSettings
  readonly drain: AbortSignal
  readonly price: Price | undefined
  readonly seen: DigestCounts
}

async function taskPreview(task: Task, previewing: Previewing): Promise<TaskPreview> {
  const { plan, store, settings, drain, price } = previewing
  const tally = { docs: 0, requests: 0, inStore: 0, shared: 0, failed: 0, broken: 0, toAsk: 0 }
  const sizes = new PictureSizes()
  const forecaster = new Forecaster(knownPictures(plan, sizes))
  let hasRounds = false
  const { repeats = task.config.repeats } = plan.prompting
  const counting = {
    repeats,
    keysOf: requestKeys(plan.asked),
    seen: previewing.seen,
    isSampled: isSampledTask(task, plan),
  }
  // Docs are read with one sample each, because a million samples would be held at once.
  const docs = readDrafts({
    store: { media: namesOfMedia(store, sizes) },
    task,
    selection: readSelection(plan.asked.selection),
    prompting: { ...plan.prompting, repeats: 1 },
    generation: plan.generation,
    ...(plan.tools && { tools: plan.tools.rules }),
    drain,
  })
  for await (const batch of docs) {
    tally.docs += batch.length
    const requests = listReadyRequests(batch)
    const broken = batch.reduce((sum, doc) => sum + doc.requests.length, 0) - requests.length
    tally.broken += broken * repeats
    tally.requests += (broken + requests.length) * repeats
    hasRounds ||= requests.some(({ input }) => input.conversation !== undefined)
    for (const page of samplePages(requests, counting)) {
      const states = await store.requests.known(page.map(({ key }) => key))
      for (const [index, { request, isRepeated }] of page.entries()) {
        const { input, generation } = request
        const state = states[index]
        if (state?.type === 'answered') {
          tally.inStore += 1
          forecaster.learn(input, state.meta)
        } else if (state?.type === 'failed' && !settings.retryFailed) tally.failed += 1
        else if (isRepeated) tally.shared += 1
        else {
          tally.toAsk += 1
          forecaster.ask(input, generation)
        }
      }
      if (drain.aborted) break
      await setImmediate()
    }
  }
  return {
    task: task.name,
    ...tally,
    ...forecaster.forecast(price),
    hasRounds,
    mayAskJudge: await mayAskJudge(plan, task),
  }
}

/** The tokens of pictures, if the provider says how it counts them. */
function knownPictures({ model: { identity } }: Plan, sizes: PictureSizes): KnownTokens {
  const tokens = pictureTokens(pricedModel(identity), identity.args['detail'])
  return ({ type, media }) => {
    const size = type === 'image' && tokens !== undefined ? sizes.of(media) : undefined
    return size && tokens?.(size)
  }
}

const listReadyRequests = (docs: readonly DraftDoc[]): readonly ReadyRequest[] =>
  docs.flatMap(({ requests }) => requests.filter((request): request is ReadyRequest => 'input' in request))

/** Tells whether a metric of a task asks a judge, or its scoring code mentions `ask`, which does. */
async function mayAskJudge({ provenance }: Plan, { name }: Task): Promise<boolean> {
  const scoring = ownValue(provenance.scoring, name)
  if (scoring === undefined) return false
  const { process_results: processing, code = {}, config, output_type: outputType } = scoring
  if (processing === undefined)
    return listAskingMetrics(config, { registry: await loadTaskJudges({ config, outputType }, []) }).length > 0
  const texts = await Promise.all(Object.values(code).map(readSource))
  return texts.some(text => /\bask\b|\bllm_judge\b|\bopenai\b/i.test(text))
}

async function readSource(code: StoredCode): Promise<string> {
  if ('source' in code) return code.source
  if ('python' in code) return Object.values(code.python.files).join('\n')
  return readFile(join(projectRoot, code.builtin), 'utf8')
}
