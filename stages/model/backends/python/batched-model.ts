import { PipelineError } from '../../../../base/errors/errors.js'
import { canonicalJson } from '../../../../base/values/canonical-json.js'
import { AttemptError, type Model, type ModelAnswer, type ModelRequest } from '../../model.js'
import { EndedError, RaisedError } from '../../../../cache/code/python/model-process.js'
import { modelAnswer, type PythonAnswer, type PythonRequest } from './model-requests.js'

/** A process with a loaded model. */
export interface AnsweringProcess {
  readonly hasEnded: boolean
  answer(requests: readonly PythonRequest[]): Promise<unknown>
  stop(): Promise<void>
}

export interface BatchedModelParts {
  /** The maximum number of requests in one call. */
  readonly batchSize: number
  /** The number of processes that compute batches at the same time. @default 1 */
  readonly processes?: number
  /** The model's name in messages, such as `class Mine of mine.py`. */
  readonly name: string
  write(request: ModelRequest): Promise<PythonRequest>
  /** Starts a process and loads the model. `index` counts processes from 0; one that replaces another has its index. */
  start(index: number): Promise<AnsweringProcess>
}

interface Item {
  readonly request: PythonRequest
  /** Requests of one call have the same type and generation arguments. */
  readonly group: string
  readonly key: string
  isAlone: boolean
  readonly settle: (result: ModelAnswer | Error) => void
}

/** The time that an idle model waits for more requests after the last one. */
const gatherMs = 10
/** A request during which the process ended this often, asked alone, is not retried. */
const mostEnds = 2
/** This number of ends without an answer between them means that the model cannot run here. */
const mostEndsInARow = 5

/**
 * Gathers requests into batches for a model in another process. If a batch fails, each of its requests is asked alone,
 * so that one request fails and not its neighbours. If the process ends, the next batch starts a new one.
 */
export async function openBatchedModel(parts: BatchedModelParts): Promise<Model> {
  const batches = new Batches(parts, await startAll(parts))
  return {
    async answer(request, signal) {
      signal.throwIfAborted()
      return batches.add(await parts.write(request), signal)
    },
    close: () => batches.close(),
  }
}

/** Starts all processes. If one cannot load the model, the others end. */
async function startAll(parts: BatchedModelParts): Promise<readonly AnsweringProcess[]> {
  const starting = await Promise.allSettled(
    Array.from({ length: parts.processes ?? 1 }, (_, index) => parts.start(index)),
  )
  const failed = starting.find(({ status }) => status === 'rejected')
  const processes = starting.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  if (failed === undefined) return processes
  await Promise.all(processes.map(process => process.stop()))
  throw (failed as PromiseRejectedResult).reason
}

/** One process, which computes one batch at a time. */
interface Lane {
  readonly index: number
  process: AnsweringProcess
  isBusy: boolean
  /** True if its process has answered a batch. */
  hasAnswered: boolean
}

class Batches {
  readonly #parts: BatchedModelParts
  readonly #ends = new Map<string, number>()
  readonly #lanes: readonly Lane[]
  #queue: Item[] = []
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #endsInARow = 0
  #broken: PipelineError | undefined

  constructor(parts: BatchedModelParts, processes: readonly AnsweringProcess[]) {
    this.#parts = parts
    this.#lanes = processes.map((process, index) => ({ index, process, isBusy: false, hasAnswered: false }))
  }

  add(request: PythonRequest, signal: AbortSignal): Promise<ModelAnswer> {
    return new Promise((resolve, reject) => {
      const { type, generation } = request
      const abort = (): void => {
        this.#queue = this.#queue.filter(other => other !== item)
        reject(signal.reason as Error)
      }
      const item: Item = {
        request,
        group: canonicalJson([type, generation]),
        key: JSON.stringify(request),
        isAlone: false,
        settle: result => {
          signal.removeEventListener('abort', abort)
          if (result instanceof Error) reject(result)
          else resolve(result)
        },
      }
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      this.#queue.push(item)
      this.#wake()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all(this.#lanes.map(({ process }) => process.stop()))
  }

  /** Starts batches that are full while processes are idle, then waits a moment for more requests. */
  #wake(): void {
    clearTimeout(this.#timer)
    while (!this.#isClosed && this.#queue.length > 0) {
      const lane = this.#lanes.find(({ isBusy }) => !isBusy)
      if (lane === undefined) return
      if (this.#next().length < this.#parts.batchSize && this.#queue[0]?.isAlone !== true) {
        this.#timer = setTimeout(() => void this.#run(lane), gatherMs)
        return
      }
      void this.#run(lane)
    }
  }

  #next(): readonly Item[] {
    const [first] = this.#queue
    if (first === undefined || first.isAlone) return first === undefined ? [] : [first]
    const alike = this.#queue.filter(({ group, isAlone }) => group === first.group && !isAlone)
    return alike.slice(0, this.#parts.batchSize)
  }

  async #run(lane: Lane): Promise<void> {
    const items = this.#next()
    this.#queue = this.#queue.filter(item => !items.includes(item))
    if (items.length === 0) return
    lane.isBusy = true
    try {
      const answers = await this.#ask(
        lane,
        items.map(({ request }) => request),
      )
      this.#endsInARow = 0
      items.forEach((item, at) => {
        const answer = answers[at]
        item.settle(answer === undefined ? new Error('internal error: no answer') : modelAnswer(answer))
      })
    } catch (error) {
      this.#fail(items, error)
    }
    lane.isBusy = false
    this.#wake()
  }

  async #ask(lane: Lane, requests: readonly PythonRequest[]): Promise<readonly PythonAnswer[]> {
    if (this.#broken !== undefined) throw this.#broken
    if (lane.process.hasEnded) {
      lane.process = await this.#parts.start(lane.index)
      lane.hasAnswered = false
    }
    try {
      const answers = (await lane.process.answer(requests)) as readonly PythonAnswer[]
      lane.hasAnswered = true
      return answers
    } catch (error) {
      if (requests.length > 1 || !(error instanceof RaisedError) || error.raised.isOutOfMemory !== true) throw error
      // What a class keeps without need would fail every later request. A new process is without it.
      await lane.process.stop()
      if (lane.hasAnswered) return this.#ask(lane, requests)
      throw new EndedError(`was ended, because its memory ran out: ${error.message}`, [])
    }
  }

  #fail(items: readonly Item[], error: unknown): void {
    if (error instanceof EndedError) this.#countEnd(error)
    const isExpected = error instanceof EndedError || error instanceof RaisedError
    if (isExpected && this.#broken === undefined && items.length > 1) {
      for (const item of items) item.isAlone = true
      this.#queue = [...items, ...this.#queue]
      return
    }
    for (const item of items) item.settle(this.#broken ?? this.#failure(item, error))
  }

  #countEnd(error: EndedError): void {
    this.#endsInARow++
    if (this.#endsInARow < mostEndsInARow) return
    this.#broken = new PipelineError('engine', [
      `${this.#parts.name}: the Python process ended ${this.#endsInARow} times without an answer; the last time it ${error.message}`,
      ...lastLines(error),
    ])
  }

  #failure({ key }: Item, error: unknown): Error {
    const { name } = this.#parts
    if (error instanceof RaisedError) {
      const { isRejection } = error.raised
      return new AttemptError(isRejection ? 'invalid_request' : 'server', `${name}: ${error.message}`, {
        isRetryable: false,
      })
    }
    if (!(error instanceof EndedError)) return error instanceof Error ? error : new Error(String(error))
    const ends = (this.#ends.get(key) ?? 0) + 1
    this.#ends.set(key, ends)
    const said = lastLines(error, 3).join('\n')
    return new AttemptError(
      'server',
      `${name}: the Python process ${error.message} while it answered this request${said === '' ? '' : `\n${said}`}`,
      { isRetryable: ends < mostEnds },
    )
  }
}

/** The end of what a process wrote, for a message. */
export const lastLines = ({ lines }: EndedError, most = 15): readonly string[] =>
  lines
    .filter(line => line.trim() !== '')
    .slice(-most)
    .map(line => `    ${line}`)
