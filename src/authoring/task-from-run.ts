/** Writes docs of a run as a task that needs neither the run's dataset nor its store. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { PipelineError } from '../../base/errors/errors.js'
import { command } from '../../base/errors/option-words.js'
import { formatQuantity } from '../../base/text/numbers.js'
import type { MediaDigest } from '../../cache/digest.js'
import { makeFolder } from '../../cache/make-folder.js'
import type { ContentPart, JsonObject, StoredScoring } from '../../cache/records.js'
import type { MediaStore, OpenedRun, Sample } from '../../cache/store.js'
import { writtenYaml } from './data-task-text.js'
import { findNewFolder } from './task-starter.js'

/** The files that were written for docs of a run. */
export interface TaskFromRun {
  readonly folder: string
  readonly docs: number
  readonly media: number
  /** The task files: one for each task of the run that has such docs. Empty if only the ids could be written. */
  readonly tasks: readonly string[]
  /** The file with the ids of the docs, for `eval --docs`. */
  readonly ids: string
  /** The reasons why a task of the run has no file, each as a sentence. */
  readonly left: readonly string[]
}

/** The fields of a written row that the task reads. Other fields come from the doc. */
const fields = { messages: 'run_messages', target: 'run_target', choices: 'run_choices' } as const

/**
 * Writes docs of a run to a folder: a task file with the prompts that the run sent, targets, media and scoring rules, and a file with the ids of the
 * docs. For a task with built-in scoring code or several rounds, only the ids are written.
 *
 * @param samples the docs, in the order of the run
 * @throws PipelineError if there are no docs, a medium is missing, or the folder exists already
 */
export async function writeTaskFromRun(
  name: string,
  {
    dir,
    opened: { run },
    samples,
    media,
  }: {
    readonly dir: string
    readonly opened: OpenedRun
    readonly samples: readonly Sample[]
    readonly media: Pick<MediaStore, 'read'>
  },
): Promise<TaskFromRun> {
  const folder = findNewFolder(name, dir)
  if (samples.length === 0) throw new PipelineError('usage', `run ${run.name} has no such docs`)
  const byTask = new Map<number, Sample[]>()
  for (const sample of samples) {
    const docs = byTask.get(sample.task) ?? []
    docs.push(sample)
    byTask.set(sample.task, docs)
  }
  const isSingle = byTask.size === 1
  const skippedTasks: string[] = []
  const tasks: string[] = []
  const mediaPaths = new Map<MediaDigest, string>()
  makeFolder(folder)
  for (const [index, docs] of byTask) {
    const original = run.asked.tasks[index]?.name ?? ''
    const scoring = run.provenance.scoring[original]
    const problem = scoring === undefined ? 'its rules were not stored' : findProblem(scoring)
    if (problem !== undefined || scoring === undefined) {
      skippedTasks.push(`${original}: ${problem ?? ''}. Its docs are evaluated by: ${evaluateIds(original, folder)}`)
      continue
    }
    const task = isSingle ? name : `${name}_${original}`
    const rows = docs.map(sample => makeRow(sample, mediaPaths))
    await writeFile(join(folder, `${task}.jsonl`), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
    await writeFile(
      join(folder, `${task}.yaml`),
      formatTask(task, scoring, { docs, about: `${original} of run ${run.name}` }),
    )
    await writeCode(folder, scoring)
    tasks.push(join(folder, `${task}.yaml`))
  }
  if (tasks.length > 0) await writeFile(join(folder, 'run_prompts.js'), promptsCode)
  for (const [digest, path] of mediaPaths) await copyMedium(media, digest, { folder, path })
  const ids = join(folder, 'ids.txt')
  const lines = samples.map(({ task, id }) => `${run.asked.tasks[task]?.name ?? ''}/${id}\n`)
  await writeFile(ids, lines.join(''))
  return { folder, docs: samples.length, media: mediaPaths.size, tasks, ids, left: skippedTasks }
}

const evaluateIds = (task: string, folder: string): string =>
  command('eval', [], { tasks: task, docs: join(folder, 'ids.txt') })

/** The reason why a task cannot be written. */
function findProblem({ output_type: type, code = {} }: StoredScoring): string | undefined {
  if (type === 'generate_until_multi_round' || type === 'generate_until_agentic')
    return 'its later questions depend on answers, so they cannot be written down'
  for (const [path, stored] of Object.entries(code)) {
    if ('builtin' in stored) return `it is scored by code that comes with pipeline (${path})`
    if ('python' in stored) return `it is scored by code in Python (${path})`
  }
  return undefined
}

/** Makes the row of a doc: its fields, and the run's messages, target and choices. */
function makeRow({ id, record, items }: Sample, mediaPaths: Map<MediaDigest, string>): JsonObject {
  const input = items.find(({ request }) => request !== undefined)?.request?.input
  if (input === undefined) throw new PipelineError('usage', `doc ${id} has no request: its prompt could not be made`)
  const messages = input.messages.map(({ role, content }) => ({
    role,
    content: content.map(part => convertPart(part, mediaPaths)),
  }))
  return {
    ...record.doc,
    id,
    [fields.messages]: messages,
    [fields.target]: record.target,
    ...(record.choices && { [fields.choices]: [...record.choices] }),
  }
}

function convertPart(part: ContentPart, mediaPaths: Map<MediaDigest, string>): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const path = `media/${part.media.slice(7, 23)}`
  mediaPaths.set(part.media, path)
  const { start, end } = part.derive ?? {}
  return {
    ...{ type: part.type, path },
    ...(start !== undefined && { start_time: start }),
    ...(end !== undefined && { end_time: end }),
  }
}

async function copyMedium(
  media: Pick<MediaStore, 'read'>,
  digest: MediaDigest,
  { folder, path }: { readonly folder: string; readonly path: string },
): Promise<void> {
  const bytes = await media.read(digest)
  makeFolder(join(folder, 'media'))
  await writeFile(join(folder, path), bytes)
}

function formatTask(
  name: string,
  scoring: StoredScoring,
  { docs, about }: { readonly docs: readonly Sample[]; readonly about: string },
): string {
  const generation = docs[0]?.items.find(({ request }) => request !== undefined)?.request?.generation ?? {}
  const isChoice = scoring.output_type === 'multiple_choice'
  const keys = {
    ...{ task: name, dataset_path: `./${name}.jsonl`, test_split: 'test', output_type: scoring.output_type },
    doc_to_messages: '!function run_prompts.messages',
    doc_to_target: fields.target,
    ...(isChoice && { doc_to_choice: fields.choices }),
    ...(scoring.target_delimiter !== undefined && { target_delimiter: scoring.target_delimiter }),
    ...(scoring.output_type === 'generate_until' && { generation_kwargs: generation }),
    ...listRules(scoring),
  }
  const text = stringify(keys, writtenYaml).replace(/"!function ([^"\n]+)"/g, '!function $1')
  return `# ${formatQuantity(docs.length, 'doc')} from ${about}, with the prompts that it sent. All keys: docs/tasks/keys.md\n${text}`
}

/** The scoring rules as keys of a task. Functions are named by their texts. */
function listRules({ config, process_results: processing }: StoredScoring): JsonObject {
  const own = new Set(['output_type', 'judge', 'judges', 'records'])
  const rules = Object.fromEntries(Object.entries(config).filter(([key]) => !own.has(key)))
  return { ...rules, ...(processing !== undefined && { process_results: processing }) }
}

/** Writes the code that scores, where its references expect it. It is bundled, so that it needs no other file. */
async function writeCode(folder: string, { functions = {}, code = {} }: StoredScoring): Promise<void> {
  for (const { function: reference, code: path } of Object.values(functions)) {
    const stored = code[path]
    if (stored === undefined || !('source' in stored)) continue
    const module = reference
      .replace(/^!function /, '')
      .split('.')
      .slice(0, -1)
      .join('.')
    await writeFile(join(folder, `${module}.js`), stored.source)
  }
}

const promptsCode = `/** The prompt that the run sent for a doc. Media are files beside the task. */
export const messages = doc =>
  doc.${fields.messages}.map(({ role, content }) => ({
    role,
    content: content.map(part => ('path' in part ? { ...part, [part.type]: part.path } : part)),
  }))
`
