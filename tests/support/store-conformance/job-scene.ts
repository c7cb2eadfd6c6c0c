import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Job, JobLease, NewJob, Store } from '../../../cache/store.js'

export const newJob = (fields: Partial<NewJob> = {}): NewJob => ({
  id: randomUUID(),
  request: { tasks: ['t'] },
  group: 'dummy',
  ...fields,
})

export async function submitted(store: Store, fields: Partial<NewJob> = {}): Promise<Job> {
  return (await store.jobs.submit(newJob(fields))).job
}

export async function submittedAll(store: Store, fields: readonly Partial<NewJob>[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const each of fields) ids.push((await submitted(store, each)).id)
  return ids
}

export async function claimed(store: Store): Promise<JobLease> {
  return (await store.jobs.claim()) ?? expect.unreachable('there is no job to claim')
}

export const eventTypes = async (store: Store, id: string): Promise<readonly string[]> =>
  (await store.jobs.events(id, 0, 1000)).map(({ type }) => type)

export const done = { status: 'completed', result: { score: 1 } } as const
