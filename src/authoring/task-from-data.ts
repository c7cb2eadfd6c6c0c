/** Writes a task for a data file. */
import { writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import { PipelineError } from '../../base/errors/errors.js'
import { makeFolder } from '../../cache/make-folder.js'
import { readDataShape, type DataShape } from './data-columns.js'
import { findNewFolder } from './task-starter.js'

/** The task that was written. */
export interface WrittenTask {
  readonly file: string
  readonly shape: DataShape
  /** Notes about guesses. */
  readonly guesses: readonly string[]
}

/**
 * Writes a task file for a data file, which is not moved.
 *
 * @param dir the parent of the new task folder
 * @throws PipelineError if the data cannot be read, or the folder exists already
 */
export async function writeTaskFromData(
  name: string,
  {
    dir,
    file,
    ...given
  }: { readonly dir: string; readonly file: string; readonly target?: string; readonly question?: string },
): Promise<WrittenTask> {
  const folder = findNewFolder(name, dir)
  const shape = await readDataShape(file, given)
  const path = relative(resolve(folder), resolve(file))
  makeFolder(folder)
  const written = join(folder, `${name}.yaml`)
  await writeFile(written, formatTask(name, path.startsWith('.') ? path : `./${path}`, shape))
  return { file: written, shape, guesses: describeGuesses(shape) }
}

function formatTask(name: string, path: string, shape: DataShape): string {
  const { target, isShort, options, media } = shape
  const visual = media.filter(({ kind }) => kind !== 'audio').map(({ name: column }) => column)
  const audio = media.filter(({ kind }) => kind === 'audio').map(({ name: column }) => column)
  const keys = {
    task: name,
    dataset_path: path,
    test_split: 'test',
    output_type: 'generate_until',
    ...(visual.length > 0 && { doc_to_visual: single(visual) }),
    ...(audio.length > 0 && { doc_to_audio: single(audio) }),
    doc_to_text: formatPrompt(shape),
    doc_to_target: target,
    generation_kwargs: { max_new_tokens: isShort ? 32 : 512 },
    metric_list: [chooseMetric(shape)],
  }
  const about = [
    `# Made from ${path} by pipeline tasks new. All keys: docs/tasks/keys.md`,
    ...(options === undefined ? [] : ['# The prompt lists the options of each row.']),
  ]
  return `${about.join('\n')}\n${stringify(keys, { lineWidth: 0 })}`
}

const single = (names: readonly string[]): string | readonly string[] => (names.length === 1 ? (names[0] ?? '') : names)

const isPlain = (column: string): boolean => /^[a-z_]\w*$/i.test(column)

function formatPlace(column: string): string {
  if (isPlain(column)) return `{{${column}}}`
  throw new PipelineError(
    'usage',
    `the column ${JSON.stringify(column)} cannot stand in a template beside options: rename it to a word without spaces`,
  )
}

function formatPrompt({ question, options, isShort }: DataShape): string {
  if (question !== undefined && options === undefined && !isPlain(question)) return question
  const asked = question === undefined ? 'Describe what you see.' : formatPlace(question)
  if (options === undefined) return isShort ? `${asked}\nAnswer with a word or a short phrase.` : asked
  if (typeof options !== 'string')
    return [
      asked,
      ...options.map(letter => `${letter}. ${formatPlace(letter)}`),
      'Answer with the letter of the right option.',
    ].join('\n')
  return `${asked}\n{% for option in ${options} %}- {{option}}\n{% endfor %}Answer with one of the options.`
}

function chooseMetric({ options, isShort }: DataShape): Readonly<Record<string, unknown>> {
  if (options !== undefined && typeof options !== 'string') return { metric: 'option_letter', options: options.length }
  return isShort
    ? { metric: 'exact_match', ignore_case: true, ignore_punctuation: true }
    : { metric: 'contains', ignore_case: true }
}

function describeGuesses(shape: DataShape): readonly string[] {
  const { target, why, question, media, options, isShort } = shape
  const metric = String(chooseMetric(shape)['metric'])
  return [
    `target: ${target} (${why})`,
    `question: ${question ?? 'none of the columns; the prompt is to be written'}`,
    ...media.map(({ name, kind }) => `${kind}: ${name}`),
    ...(options === undefined ? [] : [`options: ${[options].flat().join(', ')}`]),
    `metric: ${metric}${isShort || options !== undefined ? '' : ', since the targets are long; a judge model may fit better (docs/tasks/judges.md)'}`,
  ]
}
