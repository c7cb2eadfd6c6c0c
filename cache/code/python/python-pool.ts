import type { Json } from '../../../base/values/canonical-json.js'
import { BatchJob } from './batch-job.js'
import { PythonError, type PythonErrorData } from './python-error.js'
import type {
  AggregateWork,
  CallResult,
  FilterWork,
  FunctionReference,
  Loaded,
  ProcessDocsWork,
  PythonCall,
  PythonMessage,
  PythonOptions,
  RenderedHooks,
  RenderWork,
  RequestOptions,
} from './python-types.js'
import { WorkerGroup } from './worker-group.js'
import { callSeconds, importSeconds } from './worker-messages.js'

type Message = Readonly<Record<string, Json | undefined>>

/** The default number of docs in a message. */
const usualBatch = 64
/** The time limit of an operation on all docs, as a multiple of the limit of one call. */
const wholeFactor = 10

/**
 * A pool of Python processes. It starts processes on demand and replaces those that die. An idle pool does not keep the program running. The caller
 * must call close().
 *
 * @throws PipelineError of the code `config`, from each method, if the interpreter cannot be started
 */
export class PythonPool {
  readonly options: PythonOptions
  readonly #group: WorkerGroup
  readonly #setup: PythonMessage[]

  constructor(options: PythonOptions) {
    this.#setup = [...(options.setup ?? [])]
    this.options = { ...options, setup: this.#setup }
    this.#group = new WorkerGroup(this.options)
  }

  /** Sends a message to each process before any other work, such as the message that defines a task's docs. */
  prepare(message: PythonMessage): void {
    const text = JSON.stringify(message)
    if (this.#setup.some(setupMessage => JSON.stringify(setupMessage) === text)) return
    this.#setup.push(message)
    this.#group.restart()
  }

  /**
   * Imports functions and describes their signatures. An import error is part of the result. If a file has changed since its import, new processes
   * import it again.
   */
  async load(refs: readonly FunctionReference[]): Promise<Loaded> {
    const seconds = importSeconds(this.options)
    for (;;) {
      const reply: unknown = await this.request('load', { refs: wireRefs(refs) }, { seconds })
      const { changed = [], ...loaded } = reply as Loaded & { readonly changed?: readonly string[] }
      if (changed.length === 0) {
        this.#group.use(loaded.files)
        return loaded
      }
      this.#group.renew()
    }
  }

  /** Calls the hooks of a task on each doc. The results have the order of the docs. */
  render({ hooks, kwargs, targetKwargs = null, docs, labels }: RenderWork): Promise<readonly RenderedHooks[]> {
    const names = Object.keys(hooks) as (keyof typeof hooks)[]
    return this.#inBatches<RenderedHooks>({
      op: 'render',
      count: docs.length,
      seconds: callSeconds(this.options) * Math.max(1, names.length),
      message: items => ({
        hooks: hooks as unknown as Json,
        kwargs,
        targetKwargs,
        docs: items.map(item => docs[item] ?? null),
        seconds: callSeconds(this.options),
      }),
      label: item => labels[item] ?? '',
      failed: error => Object.fromEntries(names.map(name => [name, { error }])),
    })
  }

  /** Calls one function many times. Results are in the order of the calls. */
  call(
    ref: FunctionReference,
    calls: readonly PythonCall[],
    labels: readonly string[],
  ): Promise<readonly CallResult[]> {
    return this.#inBatches<CallResult>({
      op: 'call',
      count: calls.length,
      seconds: callSeconds(this.options),
      message: items => ({ ref: wireRef(ref), calls: items.map(item => calls[item] as unknown as Json) }),
      label: item => labels[item] ?? '',
      failed: error => ({ error }),
    })
  }

  /** @throws PythonError if the function fails */
  aggregate({ ref, values, args = {}, folder, label, seconds }: AggregateWork): Promise<Json> {
    const valuesPart: Message = 'file' in values ? { valuesFile: values.file } : { values }
    return this.request('aggregate', { ref: wireRef(ref), ...valuesPart, args, folder }, this.#whole(label, seconds))
  }

  /**
   * Applies a filter to each doc's responses. Returns a text or a list for each doc.
   *
   * @throws PythonError if the filter fails
   */
  async filter({ ref, kwargs, resps, docs, label }: FilterWork): Promise<readonly (string | readonly Json[])[]> {
    const message = { ref: wireRef(ref), kwargs: kwargs ?? {}, resps, docs }
    return (await this.request('filter', message, this.#whole(label))) as readonly (string | readonly Json[])[]
  }

  /** @throws PythonError if the function fails */
  async processDocs({ ref, label, seconds, ...message }: ProcessDocsWork): Promise<{ readonly docs: number }> {
    const reply = await this.request('docs', { ref: wireRef(ref), ...message }, this.#whole(label, seconds))
    return reply as { readonly docs: number }
  }

  /** @throws PythonError if the function fails */
  async samples(ref: FunctionReference): Promise<readonly Json[]> {
    return (await this.request('samples', { ref: wireRef(ref) }, this.#whole())) as readonly Json[]
  }

  /**
   * Sends one message to one process and returns its answer.
   *
   * @throws PythonError if the operation fails, its time is over (`TimeLimit`), or the process dies (`WorkerDied`)
   */
  request(op: string, message: Message, { label = '', seconds }: RequestOptions = {}): Promise<Json> {
    const limit = seconds ?? callSeconds(this.options)
    return new Promise((resolve, reject) => {
      const fail = (error: PythonErrorData): void => reject(new PythonError(error, label))
      const job = {
        op,
        message: { ...message, seconds: limit },
        seconds: limit,
        label: () => label,
        onPart: () => undefined,
        onDone: resolve,
        onError: fail,
        onLost: (error: PythonErrorData, began: boolean): void => {
          // A job that waited behind another one has not begun, so another process can run it.
          if (began) fail(error)
          else this.#group.add(job, reject, true)
        },
      }
      this.#group.add(job, reject)
    })
  }

  #whole(label = '', seconds = callSeconds(this.options) * wholeFactor): RequestOptions {
    return { label, seconds }
  }

  #inBatches<R>(work: {
    readonly op: string
    readonly count: number
    readonly seconds: number
    message(items: readonly number[]): Message
    label(item: number): string
    failed(error: PythonErrorData): R
  }): Promise<readonly R[]> {
    const results: R[] = new Array<R>(work.count)
    let missing = work.count
    if (missing === 0) return Promise.resolve(results)
    return new Promise((resolve, reject) => {
      const store = (item: number, result: R): void => {
        results[item] = result
        missing -= 1
        if (missing === 0) resolve(results)
      }
      const batch = {
        ...work,
        firstSeconds: importSeconds(this.options) + work.seconds,
        onResult: (item: number, result: Json) => store(item, result as unknown as R),
        onLost: (item: number, error: PythonErrorData) => store(item, work.failed(error)),
        onError: (error: PythonErrorData) => reject(new PythonError(error)),
      }
      const again = (job: BatchJob): void => this.#group.add(job, reject, true)
      const size = this.options.batch ?? usualBatch
      for (let start = 0; start < work.count; start += size) {
        const items = Array.from({ length: Math.min(size, work.count - start) }, (_, index) => start + index)
        this.#group.add(new BatchJob(batch, items, again), reject)
      }
    })
  }

  /** Ends all processes. Jobs in flight fail. */
  close(): Promise<void> {
    return this.#group.close()
  }
}

const wireRef = ({ module, name, folder }: FunctionReference): Json => ({
  module,
  name,
  ...(folder !== undefined && { folder }),
})

const wireRefs = (refs: readonly FunctionReference[]): readonly Json[] => refs.map(wireRef)
