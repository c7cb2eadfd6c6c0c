import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { isSecretName } from '../../../../base/text/secrets.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { FileDigest } from '../../../../cache/digest.js'
import type { JsonObject, ModelIdentity } from '../../../../cache/records.js'
import type { BackendContext } from '../../define-backend.js'
import { MediaFiles } from '../../media-files.js'
import { AttemptError, type Model } from '../../model.js'
import { lastLines, openBatchedModel } from './batched-model.js'
import { EndedError, ModelProcess, RaisedError } from '../../../../cache/code/python/model-process.js'
import { pythonRequest } from './model-requests.js'
import { placeArguments, pythonCode, requestsFor } from './python-arguments.js'
import { weightFiles } from './weight-files.js'

/** A model in Python, before it is loaded. */
export interface PythonModel {
  readonly kind: 'python' | 'lmms' | 'hf'
  /** Its name in messages. */
  readonly name: string
  /** The interpreter, if an argument names it. */
  readonly python: string | undefined
  readonly batchSize: number
  /** The number of processes that load it. */
  readonly processes: number
  /** The maximum number of seconds for one batch. */
  readonly timeout: number | undefined
  /** Options for loading it in Python, with arguments of its class under `args`. */
  readonly options: { readonly [name: string]: Json | undefined }
  /** The arguments that can change an answer. */
  readonly identifying: JsonObject
}

/** The arguments of a backend that say how its processes run. */
interface ProcessArguments {
  readonly batch_size: number
  readonly processes: number
  readonly python?: string | undefined
  readonly timeout?: number | undefined
}

/** The fields that all backends in Python have. `describe` says what is loaded for the arguments. */
export function runInPython<Args extends ProcessArguments>(
  describe: (args: Args) => Pick<PythonModel, 'kind' | 'name' | 'options' | 'identifying'>,
) {
  const makeModel = (args: Args): PythonModel => {
    const { batch_size: batchSize, processes, python, timeout } = args
    return { ...describe(args), batchSize, processes, python, timeout }
  }
  return {
    gathers: 'args' as const,
    code: pythonCode,
    concurrency: 2,
    concurrencyWith: (args: Args) => requestsFor(args),
    startsProgram: () => true,
    identify: (args: Args, context: BackendContext) => identifyPython(makeModel(args), context),
    ready: (args: Args, context: BackendContext) => checkPython(makeModel(args), context),
    open: (args: Args, context: BackendContext) => openPython(makeModel(args), context),
  }
}

interface Description {
  readonly files: Readonly<Record<string, FileDigest>>
  readonly packages: Readonly<Record<string, string>>
  readonly missing: readonly string[]
  readonly python: string
}

/** The interpreter: the argument, else $PIPELINE_PYTHON, else `python3`. */
const chooseInterpreter = ({ python }: Pick<PythonModel, 'python'>, env: BackendContext['env']): string =>
  python ?? (env['PIPELINE_PYTHON'] || 'python3')

/** Identifies a model by its code, the versions of its packages, its arguments and its local weights. */
async function identifyPython(model: PythonModel, context: BackendContext): Promise<ModelIdentity> {
  const { files, packages, python } = await describeModel(model, context)
  const digests = Object.fromEntries(Object.entries(files).map(([file, digest]) => [file, `sha256:${digest}`]))
  const { args: modelArgs = {}, ...otherArgs } = model.identifying
  const args = withoutPlaces(withoutSecrets(modelArgs as JsonObject))
  return {
    backend: model.kind,
    args: { ...otherArgs, ...(Object.keys(args).length > 0 && { args }), python, packages },
    files: { ...(digests as Record<string, FileDigest>), ...(await weightFiles({ ...otherArgs, ...args }, context)) },
  }
}

/** Rejects a model whose packages are not installed, before docs are read. */
async function checkPython(model: PythonModel, context: BackendContext): Promise<void> {
  const { missing } = await describeModel(model, context)
  if (missing.length === 0) return
  const python = chooseInterpreter(model, context.env)
  throw new PipelineError(
    'engine',
    `${model.name} needs packages that ${python} does not have. Install them: ${python} -m pip install ${missing.join(' ')}`,
    { reason: 'lacking-here' },
  )
}

/** Loads the model into a Python process. */
async function openPython(model: PythonModel, context: BackendContext): Promise<Model> {
  if (context.interrupted?.aborted === true) return interruptedModel
  context.note?.(`${model.name}: loading it with ${chooseInterpreter(model, context.env)}`)
  let lacks: readonly string[] = []
  const files = new MediaFiles(context)
  const opened = openBatchedModel({
    batchSize: model.batchSize,
    processes: model.processes,
    name: model.name,
    async write(request) {
      if (lacks.includes(request.input.type)) throw makeLackError(model, request.input.type)
      return pythonRequest(request, files)
    },
    async start(index) {
      const process = await startProcess(model, index, context)
      lacks = process.lacks
      return process
    },
  })
  return opened.then(
    model => files.keepDuring(model),
    (error: unknown) => {
      if (context.interrupted?.aborted === true) return interruptedModel
      throw error
    },
  )
}

async function startProcess(model: PythonModel, index: number, context: BackendContext) {
  const process = new ModelProcess(chooseInterpreter(model, context.env), context.env)
  const stop = (): void => void process.stop()
  context.interrupted?.addEventListener('abort', stop, { once: true })
  let lacks: readonly string[]
  try {
    const opened = await process.call('model.open', {
      kind: model.kind,
      options: { ...model.options, device: chooseDevice(model, index) },
    })
    ;({ lacks } = opened as { readonly lacks: readonly string[] })
  } catch (error) {
    await process.stop()
    throw explainError(model, 'could not be loaded', error)
  } finally {
    context.interrupted?.removeEventListener('abort', stop)
  }
  return {
    lacks,
    get hasEnded() {
      return process.hasEnded
    },
    answer: (requests: readonly unknown[]) => process.call('model.answer', { requests }, model.timeout),
    stop: () => process.stop(),
  }
}

/** Ends the run before the first request of a type that the class cannot answer. */
const makeLackError = ({ name, kind }: PythonModel, type: string): PipelineError =>
  new PipelineError(
    'engine',
    `${name} has no method ${type}, which a task of the run needs. ` +
      (kind === 'lmms'
        ? 'Choose a model of lmms-eval that has it, such as class=qwen_image_edit'
        : 'Add it to the class, with the arguments of generate_until, or leave the task out'),
  )

/** The device of one of the processes. */
function chooseDevice({ options }: PythonModel, index: number): string | undefined {
  const { device } = options
  const devices = typeof device === 'string' ? device.split('+') : ['']
  return devices[index % devices.length] || undefined
}

/** Describes the model in a short process of its own, without loading it. */
async function describeModel(model: PythonModel, { env }: BackendContext): Promise<Description> {
  await checkFile(model.options['file'])
  const process = new ModelProcess(chooseInterpreter(model, env), env)
  try {
    return (await process.call('model.describe', { kind: model.kind, options: model.options })) as Description
  } catch (error) {
    throw explainError(model, 'could not be read', error)
  } finally {
    await process.stop()
  }
}

async function checkFile(file: Json | undefined): Promise<void> {
  if (typeof file !== 'string') return
  const stats = await stat(file).catch(() => undefined)
  if (stats?.isFile() !== true) throw new PipelineError('config', `model python: there is no file ${file}`)
}

function explainError({ name }: PythonModel, what: string, error: unknown): unknown {
  if (error instanceof EndedError) {
    if (error.isAbsent)
      return new PipelineError(
        'engine',
        `${name}: ${error.message}. Name the interpreter: python=PATH, or set PIPELINE_PYTHON`,
      )
    return new PipelineError('engine', [`${name} ${what}: the Python process ${error.message}`, ...lastLines(error)])
  }
  if (!(error instanceof RaisedError)) return error
  return new PipelineError('engine', [
    `${name} ${what}: ${error.message}`,
    ...error.raised.trace.map(location => `    ${location}`),
  ])
}

const withoutSecrets = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !isSecretName(name)))

const withoutPlaces = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !placeArguments.includes(name)))

/** The model after an interruption, when no request is sent any more. */
const interruptedModel: Model = {
  answer: () => Promise.reject(new AttemptError('server', 'interrupted', { isRetryable: true })),
}

/** The class and file of a model for messages. */
export const classIn = (file: string, name: string): string => `class ${name} of ${basename(file)}`

/** The absolute path of a program's or file's argument. */
export const absolute = (path: string): string =>
  path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(path)
