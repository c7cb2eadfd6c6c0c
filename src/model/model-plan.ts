import { join } from 'node:path'
import { messageOf, PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { buildInfo } from '../../cache/code/build-info.js'
import { codeManifest } from '../../cache/code/code-manifest.js'
import { revisionManifest } from '../../cache/code/code-revisions.js'
import { codeKey, type Keyed } from '../../cache/keys.js'
import type { CodeKey } from '../../cache/digest.js'
import type { CodeManifest, ModelIdentity, RequestType, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { requestType } from '../../stages/input/draft-doc.js'
import { isMultiTurn } from '../../stages/input/rounds/round-rules.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { ModelArgs } from '../../stages/model/backend-args.js'
import type {
  AnyBackend,
  BackendCode,
  BackendContext,
  BatchClientDefinition,
  Modality,
} from '../../stages/model/define-backend.js'
import { AttemptError, type Model } from '../../stages/model/model.js'
import { mostOf, saysInArgs, type Concurrency } from '../../stages/model/concurrency.js'
import { fromLmms } from '../../stages/model/lmms-arguments.js'
import { parseModelArgs, schedulingOf } from '../../stages/model/model-args.js'
import { runMark } from '../../stages/model/stats/stats-collector.js'
import { findBackend } from '../../stages/model/registry.js'
import type { InferOptions } from '../../stages/model/infer-options.js'
import type { DispatchOrder } from '../../stages/model/schedule/loop/dispatch-order.js'
import { retryPolicy, type RetryPolicy } from '../../stages/model/schedule/loop/retry.js'
import type { BatchClient } from '../../stages/model/batch/batch-client.js'
import { realClock } from '../clock.js'
import { derivedMedia } from '../evaluation/derived-media.js'
import type { Plugins } from './plugins.js'
import type { EvalSettings, Hooks } from '../evaluation/settings.js'
import { keepLimiterState, limiterFor, type Recipient } from './traffic.js'

/** A backend's batch API before it is opened. */
export interface BatchPlan extends Pick<BatchClientDefinition, 'most' | 'requests'> {
  readonly open: () => Promise<BatchClient>
}

/** A model with its identity and keys, before it is opened. */
export interface ModelPlan {
  readonly backend: AnyBackend
  readonly identity: ModelIdentity
  readonly code: Keyed<CodeKey>
  /** Code identities of request types that do not use the backend's default code. */
  readonly codes: { readonly [type in RequestType]?: Keyed<CodeKey> }
  readonly concurrency: Concurrency
  /** The rate limiter of this model, shared by the run and a judge. */
  readonly traffic: Pick<InferOptions, 'openLimiter' | 'keepLimiter'>
  readonly retry: RetryPolicy
  /** The order of pending requests, if the arguments set it. */
  readonly order?: DispatchOrder
  /** The system instruction, if the arguments set it: a text, or the path of a file. */
  readonly systemPrompt?: string
  /** The modalities that requests of a type may have. */
  readonly accepts: (type: RequestType) => readonly Modality[]
  /** @param interrupted when aborted, no request follows, and opening may stop */
  readonly open: (interrupted?: AbortSignal) => Promise<Model>
  /** Rejects if something that requests need is missing, before docs are read. Absent if the backend cannot know. */
  readonly ready?: () => Promise<void>
  /** Present if the provider has a batch API. */
  readonly batch?: BatchPlan
}

/** Options of the model stage for a planned model. Each answer is stamped with commit and run. */
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
  'model' | 'modelArgs' | 'concurrency' | 'maxConcurrency' | 'codeKey' | 'codeVersion' | 'forceSimple' | 'modelInstead'
>

/** Finds the backend, parses its arguments and identifies the model. @throws PipelineError if one of them is missing or wrong */
export async function planModel(
  settings: ModelSettings,
  parts: {
    readonly store: Store
    readonly plugins: Plugins
    readonly env: BackendContext['env']
    readonly hooks?: Pick<Hooks, 'emit'>
  },
): Promise<ModelPlan> {
  const backend = await findBackend(settings.model, parts.plugins.backends, {
    forceSimple: settings.forceSimple === true,
    ...(settings.modelInstead === undefined ? {} : { instead: settings.modelInstead }),
  })
  const { args: given, note, ...wishes } = fromLmms(backend, settings.modelArgs)
  if (note !== undefined) parts.hooks?.emit({ type: 'note', text: note })
  const args = parseModelArgs(backend, given)
  const { concurrency, maxAttempts, backOffMs } = schedulingOf(backend, args, settings)
  const context: BackendContext = {
    env: parts.env,
    concurrency: mostOf(concurrency),
    encodeMedium: (digest, bytes, into) => parts.store.media.encode(digest, bytes, into),
    readMedia: digest => parts.store.media.read(digest).catch(failMedium),
    mediaPath: digest => parts.store.media.path(digest),
    fileDigest: path => parts.store.files.digest(path),
    deriveMedia: derivedMedia(parts.store),
    logFile: name => engineLog(parts.store, name),
    note: text => parts.hooks?.emit({ type: 'note', text }),
  }
  const identity = await backend.identify(args, context)
  return {
    backend: { ...backend, requests: backend.requestsWith?.(args) ?? backend.requests },
    identity,
    code: codeKey(await backendCode(backend, settings, parts.plugins)),
    codes: await codesApart(backend, settings, parts.plugins),
    concurrency,
    traffic: trafficPlan(parts.store, {
      identity,
      args,
      concurrency,
      isConcurrencyGiven: saysConcurrency(settings, args),
    }),
    retry: retryPolicy(maxAttempts, backOffMs),
    ...wishes,
    accepts: type => backend.apart?.[type]?.accepts ?? backend.acceptsWith?.(args) ?? backend.accepts,
    open: interrupted => backend.open(args, interrupted === undefined ? context : { ...context, interrupted }),
    ...readiness(backend, args, context),
    ...batchPlan(backend, args, context),
  }
}

/** The log file of an engine: `logs/vllm-2026-01-31T12-00-00-000Z-4711.log` in the store's folder. */
function engineLog(store: Pick<Store, 'dir'>, name: string): string {
  const now = new Date(realClock.wallNow()).toISOString().replace(/[:.]/g, '-')
  return join(store.dir, 'logs', `${name}-${now}-${process.pid}.log`)
}

const trafficPlan = (store: Store, recipient: Recipient): ModelPlan['traffic'] => ({
  openLimiter: () => limiterFor(recipient, store),
  ...(typeof recipient.concurrency === 'number' ? {} : { keepLimiter: keepLimiterState(recipient, store) }),
})

const saysConcurrency = ({ concurrency, maxConcurrency }: ModelSettings, args: ModelArgs): boolean =>
  concurrency !== undefined || maxConcurrency !== undefined || saysInArgs(args)

function batchPlan({ batch }: AnyBackend, args: Parameters<AnyBackend['open']>[0], context: BackendContext) {
  if (batch === undefined) return {}
  const { most, requests } = batch
  return { batch: { most, requests, open: () => batch.open(args, context) } }
}

function readiness(
  backend: AnyBackend,
  args: Parameters<AnyBackend['open']>[0],
  context: BackendContext,
): Pick<ModelPlan, 'ready'> {
  return backend.ready === undefined ? {} : { ready: async () => backend.ready?.(args, context) }
}

/** A missing or damaged medium fails its docs without a retry. Errors of the store are thrown as they are. */
function failMedium(error: unknown): never {
  if (error instanceof PipelineError) throw error
  throw new AttemptError('media', messageOf(error), { isRetryable: false, cause: error })
}

async function backendCode(
  backend: AnyBackend,
  { codeKey: by, codeVersion }: ModelSettings,
  plugins: Plugins,
): Promise<CodeManifest> {
  if (codeVersion !== undefined) return { files: {}, version: codeVersion }
  if (by === 'commit') return { files: {}, version: builtCommit() }
  const closure = plugins.closures.get(backend)
  if (closure === undefined) return builtInCode(backend.code, by)
  const { packages } = await codeManifest({ files: [], packages: backend.code.packages ?? [] })
  return { files: closure, ...(packages === undefined ? {} : { packages }) }
}

async function codesApart(
  backend: AnyBackend,
  { codeKey: by, codeVersion }: ModelSettings,
  { closures }: Plugins,
): Promise<ModelPlan['codes']> {
  if (codeVersion !== undefined || by === 'commit' || closures.has(backend)) return {}
  const codes = Object.entries(backend.apart ?? {}).map(
    async ([type, { code }]) => [type, codeKey(await builtInCode(code, by))] as const,
  )
  return Object.fromEntries(await Promise.all(codes))
}

function builtInCode({ revision, ...code }: BackendCode, by: ModelSettings['codeKey']): Promise<CodeManifest> {
  return by === 'files' || revision === undefined ? codeManifest(code) : revisionManifest({ ...code, revision })
}

function builtCommit(): string {
  const { commit, dirty } = buildInfo()
  if (commit === undefined)
    throw new PipelineError(
      'usage',
      `${option('codeKey', 'commit')}: this program was not built from a git checkout. Name the version yourself with ${option('codeVersion')}.`,
    )
  return dirty === true ? `${commit}+changes` : commit
}

/** The code keys of the tasks' request types that do not use the backend's default code. */
export function codesOf({ codes }: ModelPlan, tasks: readonly Task[]): ModelPlan['codes'] {
  const asked = new Set(tasks.map(backendRequestType))
  return Object.fromEntries(Object.entries(codes).filter(([type]) => [...asked].some(known => known === type)))
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
    const shown = shownKinds(task).find(kind => !accepts.includes(kind))
    if (shown === undefined || !backend.accepts.includes(shown)) return []
    return [
      `task ${task.name} shows ${shown} and needs ${type}, for which model ${backend.id} takes only ${accepts.join(', ')}`,
    ]
  })
  if (problems.length > 0) throw new PipelineError('config', problems)
}

const adviceFor = (type: RequestType): string =>
  type === 'generate_visual_cot'
    ? '. Models that make a picture before they answer can: lmms with class=qwen_image_edit, or python with a class that has generate_visual_cot'
    : ''

/** The request type that a backend must answer for a task. Each round of a multi-turn task is a `generate_until` request. */
export const backendRequestType = (task: Task): RequestType =>
  isMultiTurn(task) ? 'generate_until' : requestType(task)

/** The media that a task's keys name, before its docs are read. */
const shownKinds = ({ config }: Task): readonly ('image' | 'audio')[] => [
  ...(config.doc_to_visual === undefined ? [] : ['image' as const]),
  ...(config.doc_to_audio === undefined ? [] : ['audio' as const]),
]
