/** `/metrics` for Prometheus. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Service } from '../service.js'
import { need } from './access.js'
import { statuses } from './job-info.js'

/** Holds what a server counts of itself. */
export class ServerMetrics {
  readonly #registry = new Registry()
  readonly #jobs = this.#gauge('pipeline_jobs', 'Jobs by status.', ['status'])
  readonly #busy = this.#gauge('pipeline_workers_busy', 'Workers of this server that have a job.')
  readonly #memory = this.#gauge('pipeline_resident_memory_bytes', 'Memory of the server process.')
  readonly #requests = new Counter({
    name: 'pipeline_http_requests_total',
    help: 'Requests by method and status code.',
    labelNames: ['method', 'code'],
    registers: [this.#registry],
  })
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
    app.get('/metrics', async context => {
      need(context, 'read')
      const counts = await service.store.jobs.counts()
      for (const status of statuses) this.#jobs.set({ status }, counts[status])
      this.#busy.set(service.busy())
      this.#memory.set(process.memoryUsage.rss())
      return context.text(await this.#registry.metrics(), 200, { 'content-type': this.#registry.contentType })
    })
  }

  #gauge(name: string, help: string, labelNames: readonly string[] = []): Gauge {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] })
  }
}

const knownMethods = new Set(['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS'])
