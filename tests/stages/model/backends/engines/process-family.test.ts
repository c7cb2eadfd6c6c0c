import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { endFamily } from '../../../../../stages/model/backends/engines/process-family.js'
import { isRunning } from '../../../../support/processes.js'

/** A process that ignores signals, starts a copy in another process group and prints its pid. */
const stubborn = `
  process.on('SIGTERM', () => undefined)
  setInterval(() => undefined, 1000)
  const { spawn } = require('node:child_process')
  const own = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000)"
  console.log(spawn(process.execPath, ['-e', own], { detached: true, stdio: 'ignore' }).pid)
`

test.skipIf(!existsSync('/proc/self/stat'))(
  'ends all processes of a family, even if they ignore signals or left their group (needs /proc)',
  async () => {
    const name = 'PIPELINE_FAMILY_TEST'
    const mark = randomUUID()
    const child = spawn(process.execPath, ['-e', stubborn], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, [name]: mark },
    })
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    const pids = [child.pid ?? 0, Number(said.toString())]
    expect(pids.map(isRunning)).toEqual([true, true])
    await endFamily({ group: child.pid ?? 0, mark: `${name}=${mark}` }, 0)
    expect(pids.map(isRunning)).toEqual([false, false])
  },
)
