import { PipelineError } from '../../../../base/errors.js'
import { AttemptError, type BackendContext, type Model } from '../../define-backend.js'
import { EngineProcess, type ProgramEnd } from './engine-process.js'
import { untilReady, type Look } from './health.js'
import { logTail } from './log-tail.js'

/** An engine to be started. */
export interface EngineStart {
  /** As messages name it. */
  readonly name: string
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string>>
  /** Never written to the log. */
  readonly secrets: readonly string[]
  readonly logFile: string
  /** Where it will listen, without a slash at the end. */
  readonly origin: string
  readonly healthPath: string
  /** Milliseconds until it must be ready. */
  readonly startupMs: number
  /** Milliseconds that it may take to end. */
  readonly graceMs: number
  /** What to do where the program is not installed. */
  readonly installHint: string
}

/** How often it is told that an engine still loads. */
const tellingMs = 30_000
/** How long a connection may be broken before it is seen that the engine has ended. */
const endingMs = 2_000

/**
 * Starts an engine, waits until it is ready, and opens its model. The engine ends with the model, or with this process,
 * however that ends.
 *
 * @param openModel the model at the engine's address
 * @returns the model. Its `answer` throws a PipelineError when the engine has ended. One that answers nothing where the
 *   user interrupted the start.
 * @throws PipelineError `engine` where the program cannot be started, ends, or is not ready in time; with the end of its log.
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
    return served(model, engine, start)
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

/** @returns whether it is ready; not where the user interrupted. */
async function ready(
  engine: EngineProcess,
  start: EngineStart,
  interrupted: AbortSignal | undefined,
): Promise<boolean> {
  const ended = new AbortController()
  void engine.ended.then(() => ended.abort())
  const signal = interrupted === undefined ? ended.signal : AbortSignal.any([ended.signal, interrupted])
  const isHealthy = (look: Look) => look.type === 'answered' && look.status === 200
  const seen = await untilReady(start.origin + start.healthPath, isHealthy, { waitMs: start.startupMs, signal })
  if (engine.end !== undefined) throw await endError(engine.end, start, 'before it was ready')
  if (interrupted?.aborted === true) return false
  if (seen === undefined) return true
  throw await told(start, [
    `${start.name} was not ready within ${start.startupMs / 1000} s: ${seen}. Give it longer with startup_timeout=SECONDS.`,
  ])
}

/** A model whose engine's end is the end of the run, and no failure of what was asked then. */
function served(model: Model, engine: EngineProcess, start: EngineStart): Model {
  const refuseEnded = async (): Promise<void> => {
    if (engine.end !== undefined) throw await endError(engine.end, start, 'while it was asked')
  }
  return {
    async answer(request, signal, watch) {
      await refuseEnded()
      try {
        return await model.answer(request, signal, watch)
      } catch (error) {
        if (isBrokenConnection(error) && !signal.aborted) await endWithin(engine, endingMs)
        await refuseEnded()
        throw error
      }
    },
    async close() {
      await model.close?.()
      await engine.stop()
    },
  }
}

/** An error answer has no cause: somebody is there who gave it. */
const isBrokenConnection = (error: unknown): boolean =>
  error instanceof AttemptError && error.class === 'server' && error.cause !== undefined

async function endWithin({ ended }: EngineProcess, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise(resolve => (timer = setTimeout(resolve, ms)))
  await Promise.race([ended, enough])
  clearTimeout(timer)
}

/** Nothing is asked of it any more. */
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
  return told(start, [
    `${start.name} ended with ${how} ${when}`,
    '  What was answered is kept; the same command starts the engine again and goes on.',
  ])
}

async function told({ command, logFile }: EngineStart, problems: readonly string[]): Promise<PipelineError> {
  const tail = await logTail(logFile)
  return new PipelineError('engine', [
    ...problems,
    `  It was started as: ${command.join(' ')}`,
    tail.length === 0 ? `  It wrote nothing to its log ${logFile}` : `  The end of its log ${logFile}:`,
    ...tail.map(line => `    ${line}`),
  ])
}
