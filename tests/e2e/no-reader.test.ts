import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bin, startCli } from '../support/cli.js'
import { lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

test('a run continues if the reader of its progress goes away, and exits with its own code', async () => {
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), 40)
  const store = join(folder, 'store')
  const { child, ended } = startCli([
    ...['eval', '--tasks', task, '--store', store, '--model', 'dummy', '--model-args', 'latency_ms=10'],
  ])
  child.stderr?.once('data', () => child.stderr?.destroy())
  expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('40') as string })
  expect(lookInto(store)).toMatchObject({ responses: 40, finishedJudgements: 1 })
})

test.skipIf(!existsSync('/dev/full'))(
  'reports an error if results could not be written (needs /dev/full)',
  async () => {
    const child = spawn(process.execPath, [bin, 'version'], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      env: { ...process.env, FORCE_COLOR: '0' },
    })
    let told = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (told += text))
    expect(await once(child, 'close')).toEqual([1, null])
    expect(told).toMatch(/^error: standard output can't be written: .*ENOSPC.*\n$/)
  },
)
