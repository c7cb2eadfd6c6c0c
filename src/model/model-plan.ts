import { join } from 'node:path'
import { messageOf, PipelineError } from '../../base/errors.js'
import { buildInfo } from '../../cache/code/build-info.js'
import { codeManifest } from '../../cache/code/code-manifest.js'
import { revisionManifest } from '../../cache/code/code-revisions.js'
import { codeKey, type Keyed } from '../../cache/keys.js'
import type { CodeKey } from '../../cache/digest.js'
import type { CodeManifest, ModelIdentity, RequestType, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { isMultiTurn } from '../../stages/input/rounds/follow.js'
import type { Task } from '../../stages/input/tasks/task.js'
import {
  AttemptError,
  type AnyBackend,
  type BackendCode,
  type BackendContext,
  type Modality,
  type Model,
} from '../../stages/model/define-backend.js'
import { mostOf, saysInArgs, type Concurrency } from '../../stages/model/concurrency.js'
import { fromLmms } from '../../stages/model/lmms-arguments.js'
import { parseModelArgs, schedulingOf, type ModelArgs } from '../../stages/model/model-args.js'
import { runMark } from '../../stages/model/stats/asked-by.js'
import { findBackend } from '../../stages/model/registry.js'
import type { InferOptions } from '../../stages/model/infer.js'
import type { DispatchOrder } from '../../stages/model/schedule/loop/dispatch-order.js'
import { retryPolicy, type RetryPolicy } from '../../stages/model/schedule/loop/retry.js'
import type { BatchClient, BatchClientDefinition } from '../../stages/model/batch/batch-client.js'
import { realClock } from '../clock.js'
import { derivedMedia } from '../evaluation/derived-media.js'
import type { Plugins } from './plugins.js'
import type { EvalSettings, Hooks } from '../evaluation/settings.js'
import { keepLimiterState, limiterFor, type Recipient } from './traffic.js'

/** A backend's batch API, not opened yet. */
export interface BatchPlan extends Pick<BatchClientDefinition, 'most' | 'requests'> {
  readonly open: () => Promise<BatchClient>
}

/** A model that can be asked, named and addressed, but not opened yet. */
export interface ModelPlan {
  readonly backend: AnyBackend
  readonly identity: ModelIdentity
  readonly code: Keyed<CodeKey>
  /** Of the types of requests that other code answers. */
  readonly codes: { readonly [type in RequestType]?: Keyed<CodeKey> }
  readonly concurrency: Concurrency
  /** The traffic to this model; shared by all who ask it. */
  readonly traffic: Pick<InferOptions, 'openLimiter' | 'keepLimiter'>
  readonly retry: RetryPolicy
  /** In which requests that wait are sent, where the arguments say it. */
  readonly order?: DispatchOrder
  /** What stands before each conversation, where the arguments say it: a text, or the path of one. */
  readonly systemPrompt?: string
  /** What may be shown with requests of a type. */
  readonly accepts: (type: RequestType) => readonly Modality[]
  /** @param interrupted aborted: nothing will be asked, so that what is not open yet need not be. */
  readonly open: (interrupted?: AbortSignal) => Promise<Model>
  /** Refuses where what is needed to ask is not here; before docs are read. Absent where nothing of the kind can be known. */
  readonly ready?: () => Promise<void>
  /** Where the provider has a batch API. */
  readonly batch?: BatchPlan
}

/** How a planned model is asked: by the machine's clock, and with what is said of program and run beside each answer. */
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

/** @throws PipelineError where the backend, an argument or a file of the model is not there. */
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
    backend,
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

/** Where a program that serves a model leaves what it says: `logs/vllm-2026-01-31T12-00-00-000Z-4711.log` in the store's folder. */
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

/** No further try can read what is missing or damaged: a failure of the docs that show it. What is wrong with the store is not. */
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
      '--code-key commit: this program was not built from a git checkout. Name the version yourself with --code-version.',
    )
  return dirty === true ? `${commit}+changes` : commit
}

/** The code keys of those requests of the tasks that other code answers; empty where there are none. */
export function codesOf({ codes }: ModelPlan, tasks: readonly Task[]): ModelPlan['codes'] {
  const asked = new Set(tasks.map(requestType))
  return Object.fromEntries(Object.entries(codes).filter(([type]) => [...asked].some(known => known === type)))
}

/** Refuses tasks that ask what the backend can't answer, all at once. */
export function checkRequests(backend: AnyBackend, tasks: readonly Task[]): void {
  const problems = tasks.flatMap(task => {
    const type = requestType(task)
    if (!backend.requests.includes(type))
      return [
        `task ${task.name} needs ${type}, which model ${backend.id} can't answer (it can: ${backend.requests.join(', ')})`,
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

/** What the model is asked to do for a task. Of several rounds that a task leads, each is a text. */
export function requestType(task: Task): RequestType {
  if (isMultiTurn(task)) return 'generate_until'
  const { output_type: type } = task.config
  return type === 'multiple_choice' ? 'loglikelihood' : type
}

/** What can be told of a task's media before its docs are read: whether a field names pictures, or sounds. */
const shownKinds = ({ config }: Task): readonly ('image' | 'audio')[] => [
  ...(config.doc_to_visual === undefined ? [] : ['image' as const]),
  ...(config.doc_to_audio === undefined ? [] : ['audio' as const]),
]
