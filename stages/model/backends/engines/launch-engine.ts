import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { secretsIn } from '../../../../base/text/secrets.js'
import type { BackendContext } from '../../define-backend.js'
import { AttemptError, type Model, wrapSending } from '../../model.js'
import { firstSet } from '../http/protocol/endpoint.js'
import type { Env } from '../http/wire/proxy.js'
import { EngineProcess, type ProgramEnd } from './engine-process.js'
import { type Engine, installHint } from './engine.js'
import { type Look, untilReady } from './health.js'
import { launchable, type LaunchArguments } from './launchable.js'

/** The parameters for starting an engine. */
export interface EngineStart {
  /** The engine's name in messages. */
  readonly name: string
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** Values that are never written to the log. */
  readonly secrets: readonly string[]
  readonly logFile: string
  /** The address it will listen at, without a slash at the end. */
  readonly origin: string
  readonly healthPath: string
  /** The time until it must be ready, in milliseconds. */
  readonly startupMs: number
  /** The time that it may take to end, in milliseconds. */
  readonly graceMs: number
  /** Advice for a program that is not installed. */
  readonly installHint: string
}

/** The interval of notes while an engine loads. */
const tellingMs = 30_000
/** The time to wait after a broken connection to see whether the engine has ended. */
const endingMs = 2_000

/**
 * Starts an engine, waits until it is ready and opens its model. The engine ends with the model or with this process,
 * whatever ends the process.
 *
 * @param openModel opens the model at the engine's address
 * @returns the model. Its `answer` throws a PipelineError once the engine has ended. If the user interrupted the start,
 *   the model fails every request.
 * @throws PipelineError `engine` with the end of the log, if the program cannot be started, ends, or is not ready in
 *   time
 */
export async function launchEngine(
  start: EngineStart,
  { interrupted, note }: Pick<BackendContext, 'interrupted' | 'note'>,
  openModel: () => Promise<Model>,
): Promise<Model> {
  if (interrupted?.aborted === true) return interruptedModel
  note?.(`starting ${start.name}; its log is ${start.logFile}`)
  const engine = new EngineProcess(start)
  const telling = setInterval(() => void tellLoading(start, note), tellingMs)
  try {
    const isReady = await ready(engine, start, interrupted)
    if (!isReady) {
      await engine.stop()
      return interruptedModel
    }
    const model = await openModel()
    note?.(`${start.name} is ready`)
    engine.release()
    return watchEngineEnd(model, engine, start)
  } catch (error) {
    await engine.stop()
    throw error
  } finally {
    clearInterval(telling)
  }
}

async function tellLoading({ name, logFile }: EngineStart, note: BackendContext['note']): Promise<void> {
  const last = (await logTail(logFile)).at(-1)
  note?.(`${name} is not ready yet${last === undefined ? '' : `: ${last}`}`)
}

/** @returns true if it is ready, false if the user interrupted */
async function ready(
  engine: EngineProcess,
  start: EngineStart,
  interrupted: AbortSignal | undefined,
): Promise<boolean> {
  const ended = new AbortController()
  void engine.ended.then(() => ended.abort())
  const signal = interrupted === undefined ? ended.signal : AbortSignal.any([ended.signal, interrupted])
  const isHealthy = (look: Look) => look.type === 'answered' && look.status === 200
  const lastProblem = await untilReady(start.origin + start.healthPath, isHealthy, { waitMs: start.startupMs, signal })
  if (engine.end !== undefined) throw await endError(engine.end, start, 'before it was ready')
  if (interrupted?.aborted === true) return false
  if (lastProblem === undefined) return true
  throw await makeEngineError(start, [
    `${start.name} was not ready within ${start.startupMs / 1000} s: ${lastProblem}. Give it longer with startup_timeout=SECONDS.`,
  ])
}

/** Wraps the model so that the engine's end ends the run, instead of failing the requests in flight. */
function watchEngineEnd(model: Model, engine: EngineProcess, start: EngineStart): Model {
  const refuseEnded = async (): Promise<void> => {
    if (engine.end !== undefined) throw await endError(engine.end, start, 'while it was asked')
  }
  const watched = wrapSending(model, send => async (request, signal, ...others) => {
    await refuseEnded()
    try {
      return await send(request, signal, ...others)
    } catch (error) {
      if (isBrokenConnection(error) && !signal.aborted) await endWithin(engine, endingMs)
      await refuseEnded()
      throw error
    }
  })
  return {
    ...watched,
    async close() {
      await model.close?.()
      await engine.stop()
    },
  }
}

/** Errors from the server have no cause, unlike broken connections. */
const isBrokenConnection = (error: unknown): boolean =>
  error instanceof AttemptError && error.class === 'server' && error.cause !== undefined

async function endWithin({ ended }: EngineProcess, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise(resolve => (timer = setTimeout(resolve, ms)))
  await Promise.race([ended, enough])
  clearTimeout(timer)
}

/** The model after an interruption, when no request is sent any more. */
const interruptedModel: Model = {
  answer: () => Promise.reject(new AttemptError('server', 'interrupted', { isRetryable: true })),
}

async function endError(end: ProgramEnd, start: EngineStart, when: string): Promise<PipelineError> {
  const [program] = start.command
  if (end.type === 'refused') {
    const reason = end.code === 'ENOENT' ? `there is no program "${program}". ${start.installHint}` : end.message
    return new PipelineError('engine', `${start.name} could not be started: ${reason}`)
  }
  const memory = end.signal === 'SIGKILL' ? ', as when memory runs out' : ''
  const how = end.signal === null ? `status ${end.code ?? 'unknown'}` : `signal ${end.signal}${memory}`
  return makeEngineError(start, [
    `${start.name} ended with ${how} ${when}`,
    '  What was answered is kept; the same command starts the engine again and continues.',
  ])
}

async function makeEngineError({ command, logFile }: EngineStart, problems: readonly string[]): Promise<PipelineError> {
  const tail = await logTail(logFile)
  return new PipelineError('engine', [
    ...problems,
    `  It was started as: ${command.join(' ')}`,
    tail.length === 0 ? `  It wrote nothing to its log ${logFile}` : `  The end of its log ${logFile}:`,
    ...tail.map(line => `    ${line}`),
  ])
}

const seconds = 1000
const launchSeconds = 1800

/** Prepares the start of an engine for a run. */
export async function engineStart(
  engine: Engine,
  args: LaunchArguments,
  context: BackendContext,
): Promise<EngineStart> {
  const { model, words: flags } = await launchable(engine, args, context)
  const port = args.port ?? (await freePort())
  const [program, ...words] = engine.program
  const [executable = program, ...before] = args.executable ?? []
  const key = firstSet(args.api_key)
  const env = { ...context.env, ...(key === undefined ? {} : { [engine.keyVariable]: key }) }
  const source = model.type === 'files' ? model.path : model.name
  const place = { model, source, name: args.model, port: String(port) }
  const logFile = args.log_file ?? context.logFile?.(engine.id)
  if (logFile === undefined) throw new PipelineError('config', `model ${engine.id}: give log_file=PATH`)
  return {
    name: engine.id,
    command: [executable, ...before, ...words, ...engine.serve(place), ...flags],
    env: definedOnly(env),
    secrets: secretsIn(env),
    logFile: resolve(logFile),
    origin: `http://127.0.0.1:${port}`,
    healthPath: engine.healthPath,
    startupMs: (args.startup_timeout ?? launchSeconds) * seconds,
    graceMs: args.shutdown_timeout * seconds,
    installHint: installHint(engine),
  }
}

/** Finds a port of this machine that no program listens at now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('internal error: a socket without a port')
  return address.port
}

const mostBytes = 16 * 1024
const mostLines = 15
const longestLine = 300

/** Reads the last lines of a log, shortened for people. Empty if there is no such file. */
export async function logTail(path: string): Promise<readonly string[]> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return []
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - mostBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, start)
    const lines = buffer
      .subarray(0, bytesRead)
      .toString()
      .split(/[\r\n]+/)
      .filter(line => line.trim() !== '')
    return lines.slice(-mostLines).map(line => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line))
  } finally {
    await file.close()
  }
}

/** Selects the variables that are set. */
export const definedOnly = (env: Env): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
