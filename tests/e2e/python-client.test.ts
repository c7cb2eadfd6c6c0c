import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../support/cli.js'
import { restartedService } from '../support/restarted-service.js'

const hasPython = spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']).status === 0
const name = 'the Python client follows a job over a restart of the server'

test.skipIf(!hasPython)(hasPython ? name : `${name} (skipped: no Python 3.9)`, async () => {
  const service = await restartedService(50)
  onTestFinished(() => service.stop())
  const child = spawn('python3', [join(import.meta.dirname, 'python_client_scenario.py'), service.url], {
    env: { PATH: process.env['PATH'], PYTHONPATH: join(root, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close')
  let [said, wrong] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (text: string) => (wrong += text))
  for await (const text of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    said += text
    if (!text.includes('kill')) continue
    await service.kill()
    child.stdin.write('\n')
    await service.start()
  }
  await ended
  expect(wrong).toBe('')
  expect(said).toBe('kill\ndone\n')
})
