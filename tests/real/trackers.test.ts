/** What TensorBoard's own reader and W&B's own package have of a run. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { yesTask } from '../support/service.js'
import { temporaryFolder } from '../support/store.js'

const real = inject('trackers')
const missing = 'missing' in real ? real.missing : undefined
const python = 'missing' in real ? '' : real.python

interface Tracked {
  readonly tensorboard: Readonly<Record<string, { readonly step: number; readonly value: number }>>
  readonly texts: readonly string[]
  readonly wandb: {
    readonly name: string
    readonly project: string
    readonly settings: readonly string[]
    readonly history: Readonly<Record<string, unknown>>
  }
}

test.skipIf(missing !== undefined)(
  `TensorBoard and W&B read what is sent to them${missing === undefined ? '' : ` (skipped: there is no ${missing})`}`,
  async () => {
    const folder = await temporaryFolder()
    const tasks = await yesTask(folder, 5)
    const [events, offline] = [join(folder, 'events'), join(folder, 'offline')]
    const { code, stderr } = await runCli([
      ...['eval', '--model', 'dummy', '--model-args', 'mode=fixed,text=yes', '--tasks', 'yes_task'],
      ...['--include-path', tasks, '--store', join(folder, 'store'), '--python', python],
      ...['--track', `tensorboard=dir=${events},step=300`, '--track', `wandb=trials,mode=offline,dir=${offline}`],
    ])
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    const script = join(import.meta.dirname, 'read_trackers.py')
    const { stdout } = await promisify(execFile)(python, [script, events, offline])
    const { tensorboard, texts, wandb } = JSON.parse(stdout) as Tracked
    expect(tensorboard).toMatchObject({
      'yes_task/exact_match': { step: 300, value: 1 },
      'yes_task/exact_match/docs': { step: 300, value: 5 },
      'run/answered': { step: 300, value: 5 },
    })
    expect(texts).toEqual(['results', 'settings'])
    expect(wandb).toMatchObject({ name: expect.stringMatching(/@1$/) as string, project: 'trials' })
    expect(wandb.settings).toEqual(expect.arrayContaining(['model', 'tasks']))
    expect(wandb.history).toMatchObject({ 'yes_task/exact_match': 1, 'run/docs': 5, 'samples/yes_task/nrows': 5 })
  },
)
