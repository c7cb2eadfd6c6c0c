/** Writes a task for a data file. */
import { writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import { PipelineError } from '../../base/errors/errors.js'
import { makeFolder } from '../../cache/make-folder.js'
import { readDataShape, type AnswerKind, type DataShape } from './data-columns.js'
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
    ...columnNames
  }: { readonly dir: string; readonly file: string; readonly target?: string; readonly question?: string },
): Promise<WrittenTask> {
  const folder = findNewFolder(name, dir)
  const shape = await readDataShape(file, columnNames)
  const path = relative(resolve(folder), resolve(file))
  makeFolder(folder)
  const yamlFile = join(folder, `${name}.yaml`)
  await writeFile(yamlFile, formatTask(name, path.startsWith('.') ? path : `./${path}`, shape))
  return { file: yamlFile, shape, guesses: describeGuesses(shape) }
}

function formatTask(name: string, path: string, shape: DataShape): string {
  const { target, answer, options, media } = shape
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
    generation_kwargs: { max_new_tokens: answer === 'long' ? 512 : 32 },
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

/** The end of the prompt for each kind of answer, and the metric that reads it. */
const answers: Readonly<
  Record<AnswerKind, { readonly ask?: string; readonly metric: Readonly<Record<string, unknown>> }>
> = {
  number: { ask: 'Answer with a number.', metric: { metric: 'numeric_match' } },
  'yes or no': { ask: 'Answer yes or no.', metric: { metric: 'yes_no' } },
  short: {
    ask: 'Answer with a word or a short phrase.',
    metric: { metric: 'exact_match', ignore_case: true, ignore_punctuation: true },
  },
  long: { metric: { metric: 'contains', ignore_case: true } },
}

function formatPrompt({ question, options, answer }: DataShape): string {
  if (question !== undefined && options === undefined && !isPlain(question)) return question
  const questionText = question === undefined ? 'Describe what you see.' : formatPlace(question)
  const { ask } = answers[answer]
  if (options === undefined) return ask === undefined ? questionText : `${questionText}\n${ask}`
  if (typeof options !== 'string')
    return [
      questionText,
      ...options.map(letter => `${letter}. ${formatPlace(letter)}`),
      'Answer with the letter of the right option.',
    ].join('\n')
  return `${questionText}\n{% for option in ${options} %}- {{option}}\n{% endfor %}Answer with one of the options.`
}

function chooseMetric({ options, answer }: DataShape): Readonly<Record<string, unknown>> {
  if (options === undefined) return answers[answer].metric
  if (typeof options !== 'string') return { metric: 'option_letter', options: options.length }
  return answers[answer === 'long' ? 'long' : 'short'].metric
}

function describeGuesses(shape: DataShape): readonly string[] {
  const { target, why, question, media, options, answer } = shape
  const metric = String(chooseMetric(shape)['metric'])
  return [
    `target: ${target} (${why})`,
    `question: ${question ?? 'none of the columns; the prompt is to be written'}`,
    ...media.map(({ name, kind }) => `${kind}: ${name}`),
    ...(options === undefined ? [] : [`options: ${[options].flat().join(', ')}`]),
    `metric: ${metric}${answer !== 'long' || options !== undefined ? '' : ', since the targets are long; a judge model may fit better (docs/tasks/judges.md)'}`,
  ]
}
