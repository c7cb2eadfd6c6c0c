import { join, resolve } from 'node:path'
import { readFile, rm } from 'node:fs/promises'
import { z } from 'zod'
import { PipelineError, messageOf, systemCode } from '../../../base/errors/errors.js'
import { pathToFileURL } from 'node:url'
import { writeAtomically } from '../../../cache/media/atomic-file.js'
import { namesOfFiles } from '../../../base/files/written-file.js'
import { markdownReport } from '../../present/files/markdown.js'
import type { TrackedRun } from '../tracked-run.js'
import { defineTracker, textSetting, wholeSetting } from '../tracker.js'
import { formatEventFile } from './event-file.js'

/** Scores as event files, which TensorBoard and most other trackers read. No package is needed. */
export const tensorboard = defineTracker({
  id: 'tensorboard',
  summary: 'event files in a folder of TensorBoard',
  settings: z.strictObject({ dir: textSetting, name: textSetting.optional(), step: wholeSetting.optional() }),
  main: 'dir',
  place: ({ dir, name, step }) => [resolve(dir), name, step].filter(part => part !== undefined).join(' '),
  async send(run, { settings: { dir, name, step = 0 }, before }) {
    const folder = join(resolve(dir), name ?? namesOfFiles([run.name])[0] ?? run.name)
    const file = join(
      folder,
      `events.out.tfevents.${Math.floor(run.finishedAt / 1_000)}.pipeline.${run.run.id.slice(7, 15)}.${step}`,
    )
    const where = pathToFileURL(folder).href
    const content = formatEventFile(run.startedAt / 1_000, [
      {
        wallTime: run.finishedAt / 1_000,
        step,
        // Beyond the largest 32-bit number, TensorBoard would read infinity.
        scalars: new Map([...run.metrics].filter(([, value]) => Number.isFinite(Math.fround(value)))),
        texts: new Map([
          ['results', await formatResults(run)],
          ['settings', formatSettings(run)],
        ]),
      },
    ])
    try {
      if (await holds(file, content)) return { id: file, where, state: 'unchanged' }
      await writeAtomically(file, write => write(content))
      // Two files of one step would be two points.
      if (before !== undefined && before.id !== file) await rm(before.id, { force: true })
    } catch (error) {
      throw new PipelineError('usage', `${file}: ${messageOf(error)}. Name a folder that can be written to`, {
        cause: error,
      })
    }
    return { id: file, where, state: before === undefined ? 'sent' : 'updated' }
  },
})

async function holds(file: string, content: Buffer): Promise<boolean> {
  try {
    return content.equals(await readFile(file))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

async function formatResults({ store, run, judgement }: TrackedRun): Promise<string> {
  const failures = await store.requests.failures(run)
  let text = ''
  for await (const part of markdownReport([{ store, run, judgement, failures }])) text += part
  return text
}

const formatSettings = ({ parameters }: TrackedRun): string =>
  [
    '| setting | value |',
    '| --- | --- |',
    ...[...parameters].map(([name, value]) => `| ${name} | ${cell(value)} |`),
  ].join('\n')

const cell = (value: string): string => value.replace(/\s+/g, ' ').replaceAll('|', '\\|')
