/** Tells the addresses of jobs that their job has ended. At least once: a server that is killed in between tells again. */
import { messageOf } from '../../base/errors/errors.js'
import { visibleText } from '../../base/text/visible-text.js'
import type { Job } from '../../cache/store.js'
import { postWebhook } from '../tracking/post-webhook.js'
import { jobInfo } from './http/job-info.js'
import { addressProblem } from './policy/allowed-address.js'
import type { Service } from './service.js'

/** The interval of searches for ended jobs, in milliseconds. */
const lookMs = 1000
/** Attempts, and the pause after each but the last: 2 s, doubled each time, together about half an hour. */
const mostAttempts = 10
const firstPauseMs = 2000
/** The maximum number of concurrent deliveries. */
const atOnce = 20

/** Starts the delivery of webhooks. @returns a function that ends it */
export function startWebhooks(service: Pick<Service, 'store' | 'policy' | 'log'>): () => Promise<void> {
  const notBefore = new Map<string, number>()
  const stop = new AbortController()
  let working: Promise<void> | undefined
  const timer = setInterval(() => {
    working ??= round()
      .catch((error: unknown) => {
        service.log(`webhooks: ${visibleText(messageOf(error))}`)
      })
      .finally(() => (working = undefined))
  }, lookMs)
  return async () => {
    clearInterval(timer)
    stop.abort()
    await working
  }

  async function round(): Promise<void> {
    const due = await service.store.jobs.webhooksDue(1000)
    const ready = due.filter(({ id }) => (notBefore.get(id) ?? 0) <= performance.now()).slice(0, atOnce)
    await Promise.all(ready.map(tell))
  }

  async function tell(job: Job): Promise<void> {
    const attempt = (job.webhookAttempts ?? 0) + 1
    const why = await sendWebhook(service, job, stop.signal)
    if (stop.signal.aborted) return
    const isOver = why === undefined || attempt >= mostAttempts
    if (why !== undefined)
      service.log(`webhook of job ${job.id}: ${visibleText(why)}${isOver ? '; given up' : ''} (attempt ${attempt})`)
    if (isOver) notBefore.delete(job.id)
    else notBefore.set(job.id, performance.now() + firstPauseMs * 2 ** (attempt - 1))
    await service.store.jobs.webhookTried(job.id, isOver)
  }
}

/** @returns why the address did not take it; undefined if it did */
async function sendWebhook(
  { policy }: Pick<Service, 'policy'>,
  job: Job,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { webhook = '' } = job
  // The server may have been started again with other addresses.
  const problem = addressProblem('webhook', webhook, policy)
  if (problem !== undefined) return problem
  return postWebhook(webhook, jobInfo(job), signal)
}
