/** The client of `pipeline serve` for programs. */
import { JobFailedError, JobTimeoutError, ServiceError } from './errors.js'
import { jobEvents, type EventOptions } from './events.js'
import type { EvaluateOptions, JobsQuery, LabelsQuery, SamplesQuery, WaitOptions } from './queries.js'
import { pauseUnless, Transport, type ClientOptions, type RequestOptions, type Sent } from './transport.js'
import {
  isFinal,
  type AnalysisRequests,
  type Cancelled,
  type EvaluateRequest,
  type Health,
  type Job,
  type JobEvent,
  type JobList,
  type JobSummary,
  type JsonObject,
  type Label,
  type LabelPage,
  type ModelInfo,
  type ModelList,
  type NewLabel,
  type Queue,
  type RunInfo,
  type RunList,
  type RunTags,
  type RunSummary,
  type SamplePage,
  type Submitted,
  type TagChange,
  type TaskInfo,
  type TaskList,
} from './wire.js'

/** The maximum time in seconds that the service holds a request for a running job (long polling). */
const holdSeconds = 30

/**
 * Submits evaluations and reads their results. Lost connections, a restarting server, and the statuses 429, 502 and 503 are retried.
 *
 * All methods throw `ServiceError` if the service rejects a request, and `ConnectionError` if the service cannot be reached.
 */
export class EvalClient {
  readonly #transport: Transport

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options)
  }

  health(options: RequestOptions = {}): Promise<Health> {
    return this.#transport.json('/health', options)
  }

  /** Returns whether the service answers now, without retries. */
  async isHealthy(options: RequestOptions = {}): Promise<boolean> {
    try {
      const { status } = await this.#transport.json<{ readonly status?: string }>('/health', {
        ...options,
        isRetried: false,
      })
      return status === 'healthy' || status === 'degraded'
    } catch {
      options.signal?.throwIfAborted()
      return false
    }
  }

  /** Names of tasks, groups and tags. @param query a name with `*` for any characters */
  async listTasks(query?: string, options: RequestOptions = {}): Promise<readonly string[]> {
    return (await this.#transport.json<TaskList>('/tasks', { ...options, query: { query } })).tasks
  }

  taskInfo(name: string, options: RequestOptions = {}): Promise<TaskInfo> {
    return this.#transport.json(path`/tasks/${name}`, options)
  }

  async listModels(options: RequestOptions = {}): Promise<readonly string[]> {
    return (await this.#transport.json<ModelList>('/models', options)).models
  }

  modelInfo(name: string, options: RequestOptions = {}): Promise<ModelInfo> {
    return this.#transport.json(path`/models/${name}`, options)
  }

  /** Submits an evaluation. */
  evaluate(request: EvaluateRequest, options: EvaluateOptions = {}): Promise<Submitted> {
    return this.#submit('/evaluate', request, options)
  }

  /** Submits an analysis of stored runs. The job's result equals the JSON output of the command with the kind's name. */
  analyse<Kind extends keyof AnalysisRequests>(
    kind: Kind,
    request: AnalysisRequests[Kind],
    options: EvaluateOptions = {},
  ): Promise<Submitted> {
    return this.#submit(`/${kind}`, request, options)
  }

  #submit(address: string, body: object, options: EvaluateOptions): Promise<Submitted> {
    const { idempotencyKey = crypto.randomUUID(), waitSeconds, ...rest } = options
    return this.#transport.json(address, {
      ...rest,
      ...(waitSeconds !== undefined && { waitSeconds }),
      method: 'POST',
      body,
      headers: { 'idempotency-key': idempotencyKey, ...preference(waitSeconds) },
    })
  }

  job(id: string, options: RequestOptions = {}): Promise<Job> {
    return this.#transport.json(path`/jobs/${id}`, options)
  }

  /** Jobs without their results, newest first. Pages are read as the loop reaches them. */
  async *jobs({ status, labels = {}, pageSize = 100, ...options }: JobsQuery = {}): AsyncGenerator<JobSummary, void> {
    const label = Object.entries(labels).map(([name, value]) => `${name}:${value}`)
    const pages = this.#pages<JobList>('/jobs', options, { status, label, limit: pageSize })
    for await (const page of pages) yield* page.jobs
  }

  /** Cancels a job. A running job finishes its requests in flight. Cancelling a cancelled job changes nothing. */
  async cancelJob(id: string, options: RequestOptions = {}): Promise<Cancelled> {
    try {
      return await this.#transport.json(path`/jobs/${id}`, { ...options, method: 'DELETE' })
    } catch (error) {
      // The answer to a first attempt may have been lost.
      const isRefused = error instanceof ServiceError && error.status === 400
      if (isRefused && (await this.job(id, options)).status === 'cancelled') return { message: `Job ${id} cancelled` }
      throw error
    }
  }

  /**
   * Waits until a job has ended: completed, failed or cancelled.
   *
   * @throws JobTimeoutError after `timeoutMs`. The job continues
   * @throws JobFailedError if `throwOnFailure` is set and the job failed or was cancelled
   */
  async waitForJob(id: string, { timeoutMs, throwOnFailure = false, signal }: WaitOptions = {}): Promise<Job> {
    const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
    const signals = [signal, late].filter(abortSignal => abortSignal !== undefined)
    try {
      const job = await this.#ended(id, AbortSignal.any(signals))
      if (throwOnFailure && job.status !== 'completed') throw new JobFailedError(job)
      return job
    } catch (error) {
      if (late?.aborted === true && error === late.reason)
        throw new JobTimeoutError(`job ${id} did not end within ${timeoutMs ?? 0} ms`, { cause: error })
      throw error
    }
  }

  /** Events of a job, each exactly once and in order, until the job has ended. Lost connections are made again. */
  events(id: string, options: EventOptions = {}): AsyncGenerator<JobEvent, void> {
    return jobEvents(this.#transport, id, options)
  }

  /** The results JSON of a job's run, also while it runs. */
  results(id: string, options: RequestOptions = {}): Promise<JsonObject> {
    return this.#transport.json(path`/jobs/${id}/results`, options)
  }

  /** Samples of a job's run, also while it runs. Pages are read as the loop reaches them. */
  samples(id: string, query: SamplesQuery = {}): AsyncGenerator<JsonObject, void> {
    return this.#samples(path`/jobs/${id}/samples`, query)
  }

  queue(options: RequestOptions = {}): Promise<Queue> {
    return this.#transport.json('/queue', options)
  }

  /** Runs of the store, newest first. Pages are read as the loop reaches them. */
  async *runs({ pageSize = 100, ...options }: RequestOptions & { readonly pageSize?: number } = {}): AsyncGenerator<
    RunSummary,
    void
  > {
    // A run that starts between two pages shifts the list, so the next page may repeat runs.
    const ids = new Set<string>()
    for await (const page of this.#pages<RunList>('/runs', options, { limit: pageSize }))
      for (const run of page.runs) {
        if (ids.has(run.id)) continue
        ids.add(run.id)
        yield run
      }
  }

  /** @param run a name, an id, or `last` */
  run(run: string, options: RequestOptions = {}): Promise<RunInfo> {
    return this.#transport.json(path`/runs/${run}`, options)
  }

  runResults(run: string, options: RequestOptions = {}): Promise<JsonObject> {
    return this.#transport.json(path`/runs/${run}/results`, options)
  }

  runSamples(run: string, query: SamplesQuery = {}): AsyncGenerator<JsonObject, void> {
    return this.#samples(path`/runs/${run}/samples`, query)
  }

  /** Gives a run tags, or takes them away. @returns all tags of the run */
  async tagRun(run: string, change: TagChange, options: RequestOptions = {}): Promise<readonly string[]> {
    const address = path`/runs/${run}/tags`
    return (await this.#transport.json<RunTags>(address, { ...options, method: 'POST', body: change })).tags
  }

  /** Labels the answers to a doc as right or wrong. A label of null withdraws the author's label. */
  addLabel(label: NewLabel, options: RequestOptions = {}): Promise<Label> {
    return this.#transport.json('/labels', { ...options, method: 'POST', body: label })
  }

  /** Iterates over the labels that people gave to answers. Pages are read as the loop reaches them. */
  async *labels({ run, pageSize, ...options }: LabelsQuery = {}): AsyncGenerator<Label, void> {
    for await (const page of this.#pages<LabelPage>('/labels', options, { run, limit: pageSize })) yield* page.labels
  }

  /** Compares run `b` with run `a`, doc by doc. */
  compare(a: string, b: string, options: RequestOptions = {}): Promise<JsonObject> {
    return this.#transport.json('/compare', { ...options, query: { a, b } })
  }

  /** Reports the fields in which the requests of two runs differ. */
  whyMiss(a: string, b: string, options: RequestOptions = {}): Promise<JsonObject> {
    return this.#transport.json('/why-miss', { ...options, query: { a, b } })
  }

  async #ended(id: string, signal: AbortSignal): Promise<Job> {
    for (;;) {
      const began = performance.now()
      const job = await this.#transport.json<Job>(path`/jobs/${id}`, {
        signal,
        headers: preference(holdSeconds),
        waitSeconds: holdSeconds,
      })
      if (isFinal(job.status)) return job
      // A proxy that drops the header must not make this a busy loop.
      await pauseUnless(signal, Math.max(0, 1000 - (performance.now() - began)))
    }
  }

  async *#samples(
    address: string,
    { only, against, task, docs, where, score, answer, pageSize, ...options }: SamplesQuery,
  ): AsyncGenerator<JsonObject, void> {
    const query = { only, against, task, docs, where, score, answer, limit: pageSize }
    const pages = this.#pages<SamplePage>(address, options, query)
    for await (const page of pages) yield* page.samples
  }

  /** Reads the pages of a list as the loop reaches them. */
  async *#pages<Page extends { readonly next_cursor: string | null }>(
    address: string,
    options: RequestOptions,
    query: Sent['query'],
  ): AsyncGenerator<Page, void> {
    let cursor: string | undefined
    do {
      const page = await this.#transport.json<Page>(address, { ...options, query: { ...query, cursor } })
      yield page
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
  }
}

/** Builds a path and escapes its inserted parts. */
const path = (texts: TemplateStringsArray, ...parts: readonly string[]): string =>
  texts.reduce((whole, text, index) => whole + encodeURIComponent(parts[index - 1] ?? '') + text)

const preference = (seconds: number | undefined): Readonly<Record<string, string>> =>
  seconds === undefined ? {} : { prefer: `wait=${Math.ceil(seconds)}` }
