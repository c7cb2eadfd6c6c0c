/** The text of a task for a data file, and sentences on what it guesses. */
import { stringify } from 'yaml'
import { PipelineError } from '../../base/errors/errors.js'
import { formatCount, formatQuantity } from '../../base/text/numbers.js'
import type { OptionReading } from './data-options.js'
import type { AnswerKind, DataShape } from './data-shape.js'

/** Task files are read as YAML 1.1, in which a bare `yes` is no text. */
export const writtenYaml = { lineWidth: 0, version: '1.1' } as const

/** Makes the YAML of a task. @param path the data file, as `dataset_path` names it */
export function formatDataTask(name: string, path: string, shape: DataShape): string {
  const { answer, options, media } = shape
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
    ...(options?.reading !== undefined && { doc_to_choice: formatChoices(options) }),
    doc_to_target: formatTarget(shape),
    generation_kwargs: { max_new_tokens: answer === 'long' && options === undefined ? 512 : 32 },
    metric_list: [chooseMetric(shape)],
  }
  return `# Made by pipeline tasks new. All keys: docs/tasks/keys.md\n${stringify(keys, writtenYaml)}`
}

const single = (names: readonly string[]): string | readonly string[] => (names.length === 1 ? (names[0] ?? '') : names)

const isPlain = (column: string): boolean => /^[a-z_]\w*$/i.test(column)

function formatField(column: string): string {
  if (isPlain(column)) return `{{${column}}}`
  throw new PipelineError(
    'usage',
    `the column ${JSON.stringify(column)} cannot stand in a template beside other columns: rename it to a word without spaces`,
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
  letter: { ask: 'Answer with the letter of the right option.', metric: { metric: 'option_letter' } },
}

const letters = '"ABCDEFGHIJKLMNOPQRSTUVWXYZ"'

function formatPrompt(shape: DataShape): string {
  const { question, options, context, input, media, answer, classes } = shape
  const isAlone = options === undefined && context.length === 0 && input === undefined
  if (question !== undefined && isAlone && !isPlain(question)) return question
  const contextText = context.map(column => formatContext(shape, column)).join('\n')
  const inputText = input === undefined ? '' : `{% if ${input} %}\n\n{{${input}}}{% endif %}`
  const without = media.length > 0 ? 'Describe what you see.' : context.length > 0 ? '' : 'Write the question here.'
  const questionText = question === undefined ? without : `${formatField(question)}${inputText}`
  const subject = [contextText, questionText].filter(text => text !== '').join(context.length === 1 ? '\n\n' : '\n')
  const ask = classes === undefined ? answers[answer].ask : `Answer with one of: ${classes.join(', ')}.`
  if (options === undefined) return ask === undefined ? subject : `${subject}\n${ask}`
  if (options.reading === undefined)
    return `${subject}\n{% for option in ${options.list} %}- {{option}}\n{% endfor %}Answer with one of the options.`
  return `${subject}\n${formatOptions(options)}\nAnswer with the letter of the right option.`
}

/** Several texts are told apart by their names. */
function formatContext({ context, columns }: DataShape, column: string): string {
  const isList = columns.find(({ name }) => name === column)?.kind === 'list'
  const text = isList ? `{{${column} | join("\\n")}}` : formatField(column)
  const title = column.replaceAll('_', ' ').replace(/(?<=[a-z])(?=\d)/i, ' ')
  return context.length === 1 ? text : `${title.charAt(0).toUpperCase()}${title.slice(1)}: ${text}`
}

type Options = NonNullable<DataShape['options']>

function formatOptions({ columns, list }: Options): string {
  const fields = columns.map(formatField)
  if (fields.length > 1 && !list.includes('select'))
    return fields.map((field, at) => `${String.fromCharCode(65 + at)}. ${field}`).join('\n')
  return `{% for option in ${list} %}{{${letters}[loop.index0]}}. {{option}}{% if not loop.last %}\n{% endif %}{% endfor %}`
}

const formatChoices = ({ columns, list }: Options): string =>
  columns.length === 1 && columns[0] === list ? list : `{{${list}}}`

/** A target that counts options becomes its letter, which no text of an option can be taken for. */
function formatTarget({ target, targetPath, options, columns }: DataShape): string {
  if (options?.reading === undefined) return targetPath === target ? target : `{{${targetPath}}}`
  const isText = columns.find(({ name }) => name === target)?.kind === 'text'
  const number = isText ? `(${target} | int)` : target
  const byLoop = (list: string): string =>
    `{% for option in ${list} %}{% if option | string == ${target} | string | trim %}{{${letters}[loop.index0]}}{% endif %}{% endfor %}`
  const forms: Readonly<Record<OptionReading, string>> = {
    letter: options.reading.areLettersPlain ? target : `{{${target}${bareLetter}}}`,
    label: byLoop(options.labels ?? options.list),
    text: target,
    'from 0': `{{${letters}[${number}]}}`,
    'from 1': `{{${letters}[${number} - 1]}}`,
  }
  return forms[options.reading.reading]
}

function chooseMetric({ options, answer, shownLetters }: DataShape): Readonly<Record<string, unknown>> {
  if (options === undefined) return { ...answers[answer].metric, ...(shownLetters > 0 && { options: shownLetters }) }
  if (options.reading === undefined) return answers[answer === 'long' ? 'long' : 'short'].metric
  const { columns, list } = options
  return { metric: 'option_letter', ...(columns.length > 1 && !list.includes('select') && { options: columns.length }) }
}

/** Takes the signs around a letter away. */
const bareLetter = ['(', ')', '.', ':'].map(sign => ` | replace("${sign}", "")`).join('') + ' | trim | upper'

const readingWords: Readonly<Record<OptionReading, string>> = {
  letter: 'the letter of the right option',
  label: 'the label of the right option',
  text: 'the text of the right option',
  'from 0': 'the number of the right option, counted from 0',
  'from 1': 'the number of the right option, counted from 1',
}

/** Describes what was guessed, and which columns are left out. */
export function describeGuesses(shape: DataShape): readonly string[] {
  const { target, targetPath, why, question, context, input, media, options, answer, unused } = shape
  const metric = String(chooseMetric(shape)['metric'])
  const path = targetPath === target ? '' : `, read as ${targetPath}`
  const names = (columns: readonly string[]): string => columns.join(', ')
  return [
    `target: ${target} (${why})${path}${describeReading(shape)}`,
    `question: ${question ?? (context.length > 1 ? 'none of the columns; the texts before it are asked about' : 'none of the columns; the prompt is to be written')}`,
    ...(context.length === 0 ? [] : [`before the question: ${names(context)}`]),
    ...(input === undefined ? [] : [`behind the question: ${input}`]),
    ...media.map(({ name, kind }) => `${kind}: ${name}`),
    ...(options === undefined ? [] : [`options: ${names(options.columns)}`]),
    `metric: ${metric}${answer !== 'long' || options !== undefined ? '' : ', since the targets are long; a judge model may fit better (docs/tasks/judges.md)'}`,
    ...(unused.length === 0 ? [] : [`not used: ${names(unused)}`]),
    ...describeDoubts(shape),
  ]
}

const describeReading = ({ options }: DataShape): string =>
  options?.reading === undefined ? '' : `, ${readingWords[options.reading.reading]}`

function describeDoubts({
  target,
  options,
  answer,
  rows,
  withoutTarget,
  columns,
  unused,
}: DataShape): readonly string[] {
  const read = `of the first ${formatQuantity(rows, 'row')}`
  const reading = options?.reading
  const kind = columns.find(({ name }) => name === target)?.kind
  const isClassNumber = options === undefined && answer === 'number' && /label|class/i.test(target)
  return [
    ...(options !== undefined && reading === undefined
      ? [`look at the target: ${target} does not name one of the options of each row, so it is compared as a text`]
      : []),
    ...(reading !== undefined && reading.unfit > 0
      ? [`look at the target: it names no option in ${formatCount(reading.unfit)} ${read}`]
      : []),
    ...(reading?.isUnsure === true
      ? [
          reading.reading === 'from 1'
            ? `look at the target: it may count the options from 0; in no row does it say which, and 1 is assumed, as the columns are numbered`
            : `look at the target: it may count the options from 1; in no row does it say which, and 0 is assumed`,
        ]
      : []),
    ...(withoutTarget > 0 ? [`look at the target: it is empty in ${formatCount(withoutTarget)} ${read}`] : []),
    ...unused
      .filter(name => columns.some(column => column.name === name && /^\[.*,/.test(column.example)))
      .map(
        name =>
          `look at the prompt: ${name} is not shown, since its lists are written as texts. If these are the options, save the data as JSON lines with lists`,
      ),
    ...(isClassNumber && kind !== 'list'
      ? [`look at the prompt: ${target} holds numbers of classes. Write what each of them means`]
      : []),
  ]
}
