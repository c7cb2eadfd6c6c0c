import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished, test } from 'vitest'
import { restartedService } from '../support/restarted-service.js'

const real = inject('lmmsClient')
const missing = 'missing' in real ? real.missing : undefined
const name = "lmms-eval's own clients work unchanged"

test.skipIf(missing !== undefined)(missing === undefined ? name : `${name} (skipped: no ${missing})`, async () => {
  const { python, path } = 'missing' in real ? { python: '', path: '' } : real
  const service = await restartedService()
  onTestFinished(() => service.stop())
  const { stdout } = await promisify(execFile)(
    python,
    [join(import.meta.dirname, 'lmms_client_scenario.py'), service.url],
    { env: { PATH: process.env['PATH'], PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' }, timeout: 100_000 },
  )
  expect(stdout.trim().split('\n')).toEqual([
    'health',
    'is_healthy',
    'list_tasks',
    'list_models',
    'evaluate',
    'get_job',
    'wait_for_job',
    'wait_for_job of a failed job',
    'cancel_job',
    'get_queue_status',
    'merge_checkpoint',
    'AsyncEvalClient',
  ])
})
