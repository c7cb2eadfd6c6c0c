import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { PipelineError, messageOf } from '../../../base/errors/errors.js'
import { namesOfFiles } from '../../../base/files/written-file.js'
import { writeWhole } from '../../../base/files/write-whole.js'
import { sha256 } from '../../../cache/digest.js'
import { makeFolder } from '../../../cache/make-folder.js'
import type { TrackedRun } from '../tracked-run.js'
import { defineTracker, textSetting, yesNoSetting } from '../tracker.js'
import { makeRecord, type RecordIdentity } from './record.js'
import { writeSampleLines } from './sample-lines.js'

const settings = z.strictObject({
  dir: textSetting,
  model: textSetting.optional(),
  organization: textSetting.optional(),
  relationship: z.enum(['first_party', 'third_party', 'collaborative', 'other']).optional(),
  deployment: z.enum(['self_deployed', 'externally_managed', 'unknown']).optional(),
  availability: z.enum(['open_weights', 'closed_weights', 'unknown']).optional(),
  samples: yesNoSetting.optional(),
})

type Settings = z.output<typeof settings>

/**
 * Records of Every Eval Ever: a JSON file for each task, and a line for each sample and score. No package is needed.
 *
 * Source: https://github.com/evaleval/every_eval_ever, schema version 0.3.0
 */
export const everyEvalEver = defineTracker({
  id: 'every_eval_ever',
  summary: 'records of Every Eval Ever in a folder',
  settings,
  main: 'dir',
  place: ({ dir, model }) => [resolve(dir), model].filter(part => part !== undefined).join(' '),
  async send(run, { settings: ownSettings, digest, before, again }) {
    const identities = run.run.asked.tasks.map((_, task) => identify(run, task, ownSettings))
    const [first] = identities
    if (first === undefined) throw new Error('internal error: a run without tasks')
    const where = pathToFileURL(resolve(ownSettings.dir)).href
    const isThere = identities.every(({ path }) => existsSync(join(ownSettings.dir, `${path}.json`)))
    if (isThere && before?.digest === digest && !again) return { id: first.path, where, state: 'unchanged' }
    for (const identity of identities) await writeTask(run, identity, ownSettings)
    return { id: first.path, where, state: before === undefined ? 'sent' : 'updated' }
  },
})

/** The place and the names of one task's record. They are the same for the same judgement, so that it is written over. */
function identify(run: TrackedRun, task: number, { model: modelName }: Settings): RecordIdentity {
  const name = run.run.asked.tasks[task]?.name ?? ''
  const { backend, args } = run.run.asked.model
  const modelId = [modelName, args['model'], args['pretrained']].find(candidate => typeof candidate === 'string')
  const model = modelId === undefined ? `unknown/${backend}` : modelId.includes('/') ? modelId : `${backend}/${modelId}`
  const [developer = '', ...rest] = model.split('/')
  const folders = [name, developer, rest.join('_')].map(folder => namesOfFiles([folder])[0] ?? folder)
  const retrieved = String(Math.floor(run.finishedAt / 1_000))
  return {
    task,
    name,
    model,
    developer,
    retrieved,
    id: `${name}/${model}/${retrieved}`,
    path: join('data', ...folders, makeUuid(`${run.run.id}@${run.judgement.number}/${name}`)),
  }
}

/** Returns a UUID of version 4 that is derived from a text. */
function makeUuid(text: string): string {
  const hex = sha256(text).replace('sha256:', '')
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-')
}

async function writeTask(run: TrackedRun, identity: RecordIdentity, ownSettings: Settings): Promise<void> {
  const file = join(resolve(ownSettings.dir), identity.path)
  try {
    makeFolder(join(file, '..'))
    const samples =
      ownSettings.samples === false ? undefined : await writeSampleLines(run, identity, `${file}_samples.jsonl`)
    await writeWhole(
      `${file}.json`,
      `${JSON.stringify(makeRecord(run, identity, { given: ownSettings, samples }), undefined, 2)}\n`,
    )
  } catch (error) {
    throw new PipelineError('usage', `${file}.json: ${messageOf(error)}. Name a folder that can be written to`, {
      cause: error,
    })
  }
}
