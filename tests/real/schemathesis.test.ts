/** Requests that Schemathesis makes of the OpenAPI document: no answer is an error of the server, and each is as documented. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { startService, yesTask } from '../support/service.js'
import { temporaryFolder } from '../support/store.js'

const real = inject('schemathesis')
const missing = 'missing' in real ? real.missing : undefined
const program = 'missing' in real ? '' : real.program

/**
 * Two checks do not apply. Whether a job is accepted depends on names that only the server knows, which no schema says; and the generated data
 * that a schema rejects may be what the service ignores.
 */
const excluded = ['positive_data_acceptance', 'negative_data_rejection']

test.skipIf(missing !== undefined)(
  `the service answers as its OpenAPI document says${missing === undefined ? '' : ` (skipped: there is no ${missing})`}`,
  async () => {
    const folder = await temporaryFolder()
    const tasks = await yesTask(folder, 2)
    await using service = await startService([
      '--store',
      join(folder, 'store'),
      '--include-path',
      tasks,
      '--max-jobs',
      '0',
    ])
    await service.json('/evaluate', { json: { model: 'dummy', tasks: 'yes_task' } })
    const args = [
      ...['run', `${service.url}/openapi.json`, '--checks', 'all', '--exclude-checks', excluded.join()],
      ...['--phases', 'coverage,fuzzing', '--max-examples', '5', '--seed', '1', '--no-color', '--continue-on-failure'],
      // Streams of queued jobs do not end; /merge answers 501 by intention; and nothing waits for jobs.
      ...['--exclude-path-regex', '/events$|^/merge$|^/mcp', '--header', 'Prefer: wait=0'],
    ]
    const { stdout, code } = await promisify(execFile)(program, args, { cwd: folder, maxBuffer: 1e8 }).then(
      said => ({ ...said, code: 0 }),
      (error: unknown) => error as { readonly stdout: string; readonly code: number },
    )
    expect({ code, said: code === 0 ? '' : stdout.slice(-8000) }).toEqual({ code: 0, said: '' })
    expect(service.told()).not.toContain('internal error')
  },
)
