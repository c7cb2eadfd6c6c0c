import { join } from 'node:path'
import { messageOf, PipelineError } from '../../base/errors/errors.js'
import { refuseUnreadable } from '../../base/files/refuse-unreadable.js'
import { buildInfo } from '../../cache/code/build-info.js'
import { codeKey, type Keyed } from '../../cache/keys.js'
import type { CodeKey } from '../../cache/digest.js'
import type { JsonObject, ModelIdentity, RequestType, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { requestType } from '../../stages/input/draft-doc.js'
import { isMultiTurn } from '../../stages/input/rounds/round-rules.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { ModelArgs } from '../../stages/model/backend-args.js'
import type { AnyBackend, BackendContext, BatchClientDefinition, Modality } from '../../stages/model/define-backend.js'
import { AnswerChecks, checkedBatches, checkedModel } from '../../stages/model/answer-checks.js'
import { AttemptError, type Model } from '../../stages/model/model.js'
import { computeMaxConcurrency, saysInArgs, type Concurrency } from '../../stages/model/concurrency.js'
import { fromLmms } from '../../stages/model/lmms-arguments.js'
import { withFrameTimes } from '../../stages/model/backends/frames/frame-arguments.js'
import { addWorkerArguments } from '../../stages/model/worker-arguments.js'
import { parseModelArgs, readScheduling } from '../../stages/model/model-args.js'
import { runMark } from '../../stages/model/stats/stats-collector.js'
import { findBackend } from '../../stages/model/registry.js'
import type { InferOptions } from '../../stages/model/infer-options.js'
import type { DispatchOrder } from '../../stages/model/schedule/loop/dispatch-order.js'
import { retryPolicy, type RetryPolicy } from '../../stages/model/schedule/loop/retry.js'
import type { BatchClient } from '../../stages/model/batch/batch-client.js'
import { realClock } from '../clock.js'
import { keepingMedia, keepingMediaOfBatches } from './answer-media.js'
import { derivedMedia } from './derived-media.js'
import { sharingAnswers, sharingBatches } from './sent-answers.js'
import { openVideoFrames, type ShowVideos } from './video-frames.js'
import { backendCode, codesApart } from './model-code.js'
import type { Plugins } from './plugins.js'
import { type Hide, hidingBatches, hidingModel } from '../config/hidden-secrets.js'
import type { EvalSettings, Hooks } from '../config/settings.js'
import { keepLimiterState, limiterFor, type Limiters, type Recipient } from './traffic.js'

/** A backend's batch API before it is opened. */
export interface BatchPlan extends Pick<BatchClientDefinition, 'most' | 'requests'> {
  readonly open: () => Promise<BatchClient>
}

/** A model with its identity and keys, before it is opened. */
export interface ModelPlan {
  readonly backend: AnyBackend
  readonly identity: ModelIdentity
  /** Opens the video frame extractor without opening the model. Returns undefined if videos are sent whole. */
  readonly openVideoFrames: () => Promise<ShowVideos | undefined>
  readonly code: Keyed<CodeKey>
  /** Code identities of request types that do not use the backend's default code. */
  readonly codes: { readonly [type in RequestType]?: Keyed<CodeKey> }
  /** True if the model samples even at a temperature of 0. */
  readonly isSampling: boolean
  /** True if the model answers each doc with its target. */
  readonly answersTargets: boolean
  readonly concurrency: Concurrency
  /** The rate limiter of this model, shared by the run and a judge. */
  readonly traffic: Pick<InferOptions, 'openLimiter' | 'keepLimiter'>
  readonly retry: RetryPolicy
  /** The order of pending requests, if the arguments set it. */
  readonly order?: DispatchOrder
  /** The system instruction, if the arguments set it: a text, or the path of a file. */
  readonly systemPrompt?: string
  /** Generation kwargs, if the arguments set some. */
  readonly generation?: JsonObject
  /** The modalities that requests of a type may have. */
  readonly accepts: (type: RequestType) => readonly Modality[]
  /** @param interrupted when aborted, no request follows, and opening may stop */
  readonly open: (interrupted?: AbortSignal) => Promise<Model>
  /** Rejects if something that requests need is missing, before docs are read. Absent if the backend cannot know. */
  readonly ready?: () => Promise<void>
  /** Present if the provider has a batch API. */
  readonly batch?: BatchPlan
}

/** Makes the options of the model stage for a planned model. Each answer is stamped with commit and run. */
export function inferenceBy(
  model: ModelPlan,
  run: Pick<Run, 'id'>,
  drain?: AbortSignal,
): Pick<InferOptions, 'openModel' | 'openLimiter' | 'keepLimiter' | 'retry' | 'clock' | 'random' | 'stamp'> {
  const { commit, dirty } = buildInfo()
  return {
    openModel: () => model.open(drain),
    ...model.traffic,
    retry: model.retry,
    clock: realClock,
    random: Math.random,
    stamp: {
      ...(commit === undefined ? {} : { commit }),
      ...(dirty === undefined ? {} : { dirty }),
      run: runMark(run.id),
    },
  }
}

export type ModelSettings = Pick<
  EvalSettings,
  | 'model'
  | 'modelArgs'
  | 'workerArgs'
  | 'concurrency'
  | 'maxConcurrency'
  | 'codeKey'
  | 'codeVersion'
  | 'forceSimple'
  | 'modelInstead'
  | 'parity'
  | 'resume'
>

/** Finds the backend, parses its arguments and identifies the model. @throws PipelineError if one of them is missing or wrong */
export async function planModel(
  settings: ModelSettings,
  parts: {
    readonly store: Store
    readonly plugins: Plugins
    readonly env: BackendContext['env']
    /** The rate limiters of the plan, which its models share. @default the model has its own */
    readonly limiters?: Limiters
    /** Hides secrets in texts of the model's code. @default nothing is hidden */
    readonly hide?: Hide
    readonly hooks?: Pick<Hooks, 'emit'>
    /** True if sampling parameters among the arguments become generation kwargs. */
    readonly takesSampling?: boolean
  },
): Promise<ModelPlan> {
  const backend = await findBackend(settings.model, parts.plugins.backends, {
    forceSimple: settings.forceSimple === true,
    ...(settings.modelInstead === undefined ? {} : { instead: settings.modelInstead }),
  })
  const {
    args: rawArgs,
    note,
    ...wishes
  } = fromLmms(backend, settings.modelArgs, {
    ...(parts.takesSampling === undefined ? {} : { takesSampling: parts.takesSampling }),
  })
  if (note !== undefined) parts.hooks?.emit({ type: 'note', text: note })
  const isByRate = settings.parity === 'lmms-eval' || (await beganByRate(settings, parts.store))
  const { identifying, sending } = addWorkerArguments(backend, rawArgs, settings.workerArgs ?? {})
  const identifyingArgs = withFrameTimes(parseModelArgs(backend, identifying), { isByRate })
  const args = withFrameTimes(parseModelArgs(backend, sending), { isByRate })
  const { concurrency, maxAttempts, backOffMs } = readScheduling(backend, args, settings)
  const noted = new Set<string>()
  const context: BackendContext = {
    env: parts.env,
    concurrency: computeMaxConcurrency(concurrency),
    encodeMedium: (digest, bytes, into) => parts.store.media.encode(digest, bytes, into),
    ...(parts.store.media.presign !== undefined && { presignMedia: parts.store.media.presign.bind(parts.store.media) }),
    readMedia: digest => parts.store.media.read(digest).catch(failMedium),
    openMediaFile: digest => parts.store.media.openFile(digest).catch(failMedium),
    fileDigest: path => parts.store.files.digest(path).catch(refuseUnreadable(path)),
    deriveMedia: derivedMedia(parts.store),
    logFile: name => engineLog(parts.store, name),
    note: text => parts.hooks?.emit({ type: 'note', text }),
    noteOnce: text => {
      if (!noted.has(text)) parts.hooks?.emit({ type: 'note', text })
      noted.add(text)
    },
  }
  const identity = await backend.identify(identifyingArgs, context)
  const checks = new AnswerChecks(identity, text => context.note?.(text))
  const isSampling = backend.samples?.(args) ?? false
  const code = codeKey(await backendCode(backend, settings, parts.plugins))
  const sharing = {
    store: parts.store,
    identity,
    isSampling,
    code: code.key,
    note: (text: string) => context.noteOnce?.(text),
  }
  return {
    backend: { ...backend, requests: backend.requestsWith?.(args) ?? backend.requests },
    identity,
    code,
    codes: await codesApart(backend, settings, parts.plugins),
    isSampling,
    answersTargets: backend.answersTargets?.(args) ?? false,
    concurrency,
    traffic: trafficPlan(parts.store, parts.limiters ?? noLimiters(), {
      identity,
      args,
      concurrency,
      isConcurrencyGiven: saysConcurrency(settings, args),
    }),
    retry: retryPolicy(maxAttempts, backOffMs),
    ...wishes,
    accepts: type => backend.apart?.[type]?.accepts ?? backend.acceptsWith?.(args) ?? backend.accepts,
    openVideoFrames: () => openVideoFrames(args, identity, context),
    async open(interrupted) {
      const opened = await backend.open(args, interrupted === undefined ? context : { ...context, interrupted })
      const model = checkedModel(sharingAnswers(opened, sharing), checks)
      return keepingMedia(parts.hide === undefined ? model : hidingModel(model, parts.hide), parts.store.media)
    },
    ...readiness(backend, args, context),
    ...batchPlan(backend, args, context, { checks, hide: parts.hide, media: parts.store.media, sharing }),
  }
}

/** Tells whether the resumed run began before frames had the times of their file. Such a run keeps the old times. */
async function beganByRate({ resume }: ModelSettings, store: Store): Promise<boolean> {
  const run = resume && (await store.runs.find(resume.id))
  return run !== undefined && run.asked.model.args['frame_times'] === undefined
}

/** Returns the path of an engine's log: `logs/vllm-2026-01-31T12-00-00-000Z-4711.log` in the store's work folder. */
function engineLog({ workFolder }: Pick<Store, 'workFolder'>, name: string): string {
  const now = new Date(realClock.wallNow()).toISOString().replace(/[:.]/g, '-')
  return join(workFolder, 'logs', `${name}-${now}-${process.pid}.log`)
}

const noLimiters = (): Limiters => new Map()

const trafficPlan = (store: Store, limiters: Limiters, recipient: Recipient): ModelPlan['traffic'] => ({
  openLimiter: () => limiterFor(recipient, store, limiters),
  ...(typeof recipient.concurrency === 'number' ? {} : { keepLimiter: keepLimiterState(recipient, store) }),
})

const saysConcurrency = ({ concurrency, maxConcurrency }: ModelSettings, args: ModelArgs): boolean =>
  concurrency !== undefined || maxConcurrency !== undefined || saysInArgs(args)

function batchPlan(
  { batch }: AnyBackend,
  args: Parameters<AnyBackend['open']>[0],
  context: BackendContext,
  {
    checks,
    hide,
    media,
    sharing,
  }: {
    readonly checks: AnswerChecks
    readonly hide: Hide | undefined
    readonly media: Store['media']
    readonly sharing: Parameters<typeof sharingBatches>[1]
  },
) {
  if (batch === undefined) return {}
  const { most, requests } = batch
  const open = async (): Promise<BatchClient> => {
    const client = checkedBatches(sharingBatches(await batch.open(args, context), sharing), checks)
    return keepingMediaOfBatches(hide === undefined ? client : hidingBatches(client, hide), media)
  }
  return { batch: { most, requests, open } }
}

function readiness(
  backend: AnyBackend,
  args: Parameters<AnyBackend['open']>[0],
  context: BackendContext,
): Pick<ModelPlan, 'ready'> {
  return backend.ready === undefined ? {} : { ready: async () => backend.ready?.(args, context) }
}

/** Turns a missing or damaged medium into a failure without a retry. Errors of the store are thrown unchanged. */
function failMedium(error: unknown): never {
  if (error instanceof PipelineError || error instanceof AttemptError) throw error
  throw new AttemptError('media', messageOf(error), { isRetryable: false, cause: error })
}

/** Selects the code keys of the tasks' request types that do not use the backend's default code. */
export function selectCodes({ codes }: ModelPlan, tasks: readonly Task[]): ModelPlan['codes'] {
  const requestTypes = new Set(tasks.map(backendRequestType))
  return Object.fromEntries(
    Object.entries(codes).filter(([type]) => [...requestTypes].some(requestType => requestType === type)),
  )
}

/** @throws PipelineError with every task whose requests the backend cannot answer */
export function checkRequests(backend: AnyBackend, tasks: readonly Task[]): void {
  const problems = tasks.flatMap(task => {
    const type = backendRequestType(task)
    if (!backend.requests.includes(type))
      return [
        `task ${task.name} needs ${type}, which model ${backend.id} can't answer (it can: ${backend.requests.join(', ')})${adviceFor(type)}`,
      ]
    const { accepts } = backend.apart?.[type] ?? backend
    const refusedKind = shownKinds(task).find(kind => !accepts.includes(kind))
    if (refusedKind === undefined || !backend.accepts.includes(refusedKind)) return []
    return [
      `task ${task.name} shows ${refusedKind} and needs ${type}, for which model ${backend.id} takes only ${accepts.join(', ')}`,
    ]
  })
  if (problems.length > 0) throw new PipelineError('config', problems)
}

const adviceFor = (type: RequestType): string =>
  type === 'generate_visual_cot'
    ? '. Models that make a picture before they answer can: lmms with class=qwen_image_edit, or python with a class that has generate_visual_cot'
    : ''

/** Returns the request type that a backend must answer for a task. Each round of a multi-turn task is a `generate_until` request. */
export const backendRequestType = (task: Task): RequestType =>
  isMultiTurn(task) ? 'generate_until' : requestType(task)

/** Lists the media kinds that a task's keys name. Docs need not be read for that. */
const shownKinds = ({ config }: Task): readonly ('image' | 'audio')[] => [
  ...(config.doc_to_visual === undefined ? [] : ['image' as const]),
  ...(config.doc_to_audio === undefined ? [] : ['audio' as const]),
]
