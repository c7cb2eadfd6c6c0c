import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkJob } from '../../../../src/service/policy/check-job.js'
import type { JobPolicy, Surroundings } from '../../../../src/service/policy/job-policy.js'
import { temporaryFolder } from '../../../support/store.js'

type Job = Readonly<Record<string, unknown>>

/** A folder that jobs may name, one that they may not, and links from the first to the second. */
export interface Scene {
  readonly allowed: string
  readonly outside: string
  readonly policy: JobPolicy
  readonly surroundings: Surroundings
  /** The problems of a job with a model and a task beside these keys; none if it is allowed. */
  readonly problems: (job: Job, policy?: Partial<JobPolicy>, env?: Surroundings['env']) => Promise<readonly string[]>
  /** The job as it is stored. */
  readonly stored: (job: Job, policy?: Partial<JobPolicy>) => Promise<Job>
}

export async function policyScene(): Promise<Scene> {
  const root = await realpath(await temporaryFolder())
  const allowed = join(root, 'allowed')
  const outside = join(root, 'outside')
  for (const folder of [join(allowed, 'inner'), outside]) await mkdir(folder, { recursive: true })
  await writeFile(join(outside, 'secret.yaml'), 'secret')
  await writeFile(join(allowed, 'mine.yaml'), 'task: mine')
  await writeFile(join(allowed, 'mine.task.ts'), '')
  await symlink(outside, join(allowed, 'link'))
  await symlink(join(outside, 'secret.yaml'), join(allowed, 'link.yaml'))
  await symlink(join(outside, 'nothing-yet'), join(allowed, 'dangling'))
  await symlink(join(allowed, 'inner'), join(allowed, 'within'))
  const policy: JobPolicy = {
    allowDirs: [allowed],
    allowUrls: ['https://models.example/v1', 'http://127.0.0.1:8000'],
    secrets: new Map([['team', { value: 'sk-value-of-team' }]]),
    allowCommands: false,
  }
  const surroundings = { cwd: allowed, env: {} }
  const check = (job: Job, over: Partial<JobPolicy> = {}, env: Surroundings['env'] = {}) =>
    checkJob({ model: 'dummy', tasks: 'mmlu', ...job }, { ...policy, ...over }, { ...surroundings, env })
  return {
    allowed,
    outside,
    policy,
    surroundings,
    async problems(job, over, env) {
      const checked = await check(job, over, env)
      return checked.isAllowed ? [] : checked.problems
    },
    async stored(job, over) {
      const checked = await check(job, over)
      if (checked.isAllowed) return checked.request
      throw new Error(checked.problems.join('\n'))
    },
  }
}
