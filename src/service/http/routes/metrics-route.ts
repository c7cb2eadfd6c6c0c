/** `/metrics` for Prometheus. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { buildInfo } from '../../../../cache/code/build-info.js'
import { jobStages } from '../../../../cache/store/job-store.js'
import { readWork, type WorkFacts } from '../../../reading/workers/work-facts.js'
import { readHealth } from '../../health.js'
import type { Service } from '../../service.js'
import { requireScope } from '../guards/access.js'
import { statuses } from '../job-info.js'

/** The counters of a server. */
export class ServerMetrics {
  readonly #registry = new Registry()
  readonly #jobs = this.#gauge('pipeline_jobs', 'Jobs by status.', ['status'])
  readonly #busy = this.#gauge('pipeline_workers_busy', 'Workers of this server that have a job.')
  readonly #oldest = this.#gauge('pipeline_oldest_queued_seconds', 'Age of the oldest queued job; 0 if none waits.')
  readonly #deaths = this.#gauge('pipeline_worker_deaths', 'Workers of this server that failed, were killed or hung.')
  readonly #disk = this.#gauge('pipeline_disk_free_bytes', 'Free space on the disk of the store.')
  readonly #healthy = this.#gauge('pipeline_healthy', '1 if jobs are taken and done, else 0 (GET /health says why).')
  readonly #build = this.#gauge('pipeline_build_info', 'The version of the server, with value 1.', ['version'])
  readonly #jobSeconds = new Histogram({
    name: 'pipeline_job_duration_seconds',
    help: 'Time that a job had a worker of this server.',
    buckets: [1, 10, 60, 300, 1800, 3600, 14_400, 86_400],
    registers: [this.#registry],
  })
  readonly #answered = this.#counter(
    'pipeline_model_requests_total',
    'Requests that models answered in jobs of this server.',
    ['model'],
  )
  readonly #failed = this.#counter('pipeline_model_failures_total', 'Requests that failed in jobs of this server.', [
    'model',
    'class',
  ])
  readonly #tokens = this.#counter('pipeline_model_tokens_total', 'Tokens of answers in jobs of this server.', [
    'model',
    'direction',
  ])
  readonly #workerRate = this.#gauge(
    'pipeline_worker_answers_per_second',
    'Answers a second of each process that works on the store, before its last heartbeat.',
    workerLabels,
  )
  readonly #workerAnswers = this.#gauge(
    'pipeline_worker_answers',
    'Answers that the process has stored, as of its last heartbeat.',
    workerLabels,
  )
  readonly #workerLeases = this.#gauge(
    'pipeline_worker_leased_requests',
    'Requests that the process holds.',
    workerLabels,
  )
  readonly #workerSilence = this.#gauge(
    'pipeline_worker_silent_seconds',
    'Time since the last sign of life of the process.',
    workerLabels,
  )
  readonly #stale = this.#gauge(
    'pipeline_workers_stale',
    'Processes that were silent for 30 seconds or ended without a message, and hold work.',
  )
  readonly #waiting = this.#gauge('pipeline_jobs_waiting', 'Queued jobs by the stage that comes next.', ['stage'])
  readonly #memory = this.#gauge('pipeline_resident_memory_bytes', 'Memory of the server process.')
  readonly #requests = this.#counter('pipeline_http_requests_total', 'Requests by method and status code.', [
    'method',
    'code',
  ])
  readonly #seconds = new Histogram({
    name: 'pipeline_http_request_duration_seconds',
    help: 'Time until the answer begins.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [this.#registry],
  })

  /** Counts all requests, refused ones included. It must be the first of the handlers. */
  readonly counting: MiddlewareHandler = async (context, next) => {
    const began = performance.now()
    await next()
    const { method } = context.req
    this.#requests.inc({ method: knownMethods.has(method) ? method : 'other', code: context.res.status })
    this.#seconds.observe((performance.now() - began) / 1000)
  }

  /** Adds `/metrics`. */
  addRoute(app: OpenAPIHono, service: Service): void {
    this.#build.set({ version: buildInfo().version }, 1)
    service.jobSeconds.subscribe(seconds => {
      this.#jobSeconds.observe(seconds)
    })
    service.modelUsage.subscribe(({ model, kind, of = 'unknown', by }) => {
      if (kind === 'answered') this.#answered.inc({ model }, by)
      else if (kind === 'failed') this.#failed.inc({ model, class: of }, by)
      else this.#tokens.inc({ model, direction: kind }, by)
    })
    app.get('/metrics', async context => {
      requireScope(context, 'read')
      const counts = await service.store.jobs.counts()
      for (const status of statuses) this.#jobs.set({ status }, counts[status])
      const { status, oldestQueuedSeconds, diskFreeBytes, workers } = await readHealth(service)
      this.#busy.set(workers.busy)
      this.#deaths.set(workers.deaths)
      this.#oldest.set(oldestQueuedSeconds ?? 0)
      this.#healthy.set(status === 'unhealthy' ? 0 : 1)
      if (diskFreeBytes !== undefined) this.#disk.set(diskFreeBytes)
      this.#setWork(await readWork(service.store, Date.now()))
      this.#memory.set(process.memoryUsage.rss())
      return context.text(await this.#registry.metrics(), 200, { 'content-type': this.#registry.contentType })
    })
  }

  /** Processes that have ended must not stay in the answer. */
  #setWork({ workers, queue }: WorkFacts): void {
    for (const gauge of [this.#workerRate, this.#workerAnswers, this.#workerLeases, this.#workerSilence]) gauge.reset()
    for (const { host, pid, items, answers, perSecond, silentMs } of workers) {
      const labels = { host, pid }
      this.#workerRate.set(labels, perSecond)
      this.#workerAnswers.set(labels, answers)
      this.#workerLeases.set(labels, items)
      this.#workerSilence.set(labels, silentMs / 1000)
    }
    this.#stale.set(workers.filter(({ isStale }) => isStale).length)
    for (const stage of jobStages) this.#waiting.set({ stage }, queue.byStage[stage] ?? 0)
  }

  #counter(name: string, help: string, labelNames: readonly string[]): Counter {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] })
  }

  #gauge(name: string, help: string, labelNames: readonly string[] = []): Gauge {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] })
  }
}

const workerLabels = ['host', 'pid']
const knownMethods = new Set(['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS'])
