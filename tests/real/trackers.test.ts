/** What TensorBoard's own reader and the own packages of W&B, Trackio and SwanLab have of a run. */
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
  readonly trackio: readonly {
    readonly name: string
    readonly settings: readonly string[]
    readonly logs: readonly Readonly<Record<string, unknown>>[]
    /** The rows of each table of samples. */
    readonly rows: readonly number[]
    readonly files: readonly string[]
  }[]
  readonly swanlab: readonly {
    readonly id: string
    readonly name: string
    readonly project: string
    readonly settings: readonly string[]
    readonly scalars: Readonly<Record<string, number>>
    readonly texts: number
  }[]
}

test.skipIf(missing !== undefined)(
  `TensorBoard, W&B, Trackio and SwanLab read what is sent to them${missing === undefined ? '' : ` (skipped: there is no ${missing})`}`,
  async () => {
    const folder = await temporaryFolder()
    const tasks = await yesTask(folder, 5)
    const [events, offline, swan, local] = ['events', 'offline', 'swan', 'trackio'].map(name => join(folder, name))
    const env = { TRACKIO_DIR: local }
    const [store, named] = [['--store', join(folder, 'store'), '--python', python], ['trackio=trials']]
    const { code, stderr } = await runCli(
      [
        ...['eval', '--model', 'dummy', '--model-args', 'mode=fixed,text=yes', '--tasks', 'yes_task'],
        ...['--include-path', tasks, ...store, '--track', 'trackio=trials'],
        ...['--track', `tensorboard=dir=${events},step=300`, '--track', `wandb=trials,mode=offline,dir=${offline}`],
      ],
      { env },
    )
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    const send = async (...words: readonly string[]): Promise<string> => {
      const ended = await runCli(['track', 'last', ...store, ...words], { env })
      return `${ended.stdout}${ended.stderr}`
    }
    expect(await send('--to', ...named)).toContain('is there already')
    expect(await send('--to', ...named, '--again')).toContain(`updated   ${local}`)
    for (const again of [[], ['--again']]) await send('--to', `swanlab=trials,mode=offline,log_dir=${swan}`, ...again)
    const script = join(import.meta.dirname, 'read_trackers.py')
    const { stdout } = await promisify(execFile)(python, [script, events ?? '', offline ?? '', swan ?? ''], {
      env: { ...process.env, ...env },
      // Trackio downloads files to the working folder.
      cwd: folder,
    })
    const { tensorboard, texts, wandb, trackio, swanlab } = JSON.parse(stdout) as Tracked
    expect(tensorboard).toMatchObject({
      'yes_task/exact_match': { step: 300, value: 1 },
      'yes_task/exact_match/docs': { step: 300, value: 5 },
      'run/answered': { step: 300, value: 5 },
    })
    expect(texts).toEqual(['results', 'settings'])
    expect(wandb).toMatchObject({ name: expect.stringMatching(/@1$/) as string, project: 'trials' })
    expect(wandb.settings).toEqual(expect.arrayContaining(['model', 'tasks']))
    expect(wandb.history).toMatchObject({ 'yes_task/exact_match': 1, 'run/docs': 5, 'samples/yes_task/nrows': 5 })
    // A run that is sent twice is one run with its numbers and its table once: the second sending replaces the rows of the first.
    const numbers = expect.objectContaining({ 'yes_task/exact_match': 1, 'run/docs': 5 }) as object
    expect(trackio).toMatchObject([{ name: wandb.name, logs: [numbers, {}], rows: [5] }])
    expect(trackio[0]?.settings).toEqual(expect.arrayContaining(['model', 'tasks']))
    expect(trackio[0]?.files).toEqual(expect.arrayContaining(['results.json', 'samples_yes_task.jsonl']))
    // An offline run is a folder for each sending. Both have the id by which the service knows the run.
    expect(swanlab).toHaveLength(2)
    expect(new Set(swanlab.map(({ id }) => id)).size).toBe(1)
    for (const run of swanlab) {
      expect(run).toMatchObject({
        name: wandb.name,
        project: 'trials',
        scalars: { 'yes_task/exact_match': 1 },
        texts: 5,
      })
      expect(run.settings).toEqual(expect.arrayContaining(['model', 'tasks']))
    }
  },
)
