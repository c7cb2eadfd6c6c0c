/** Guesses the meaning of the columns of a data file. */
import { isList, isObject } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { shownPath } from '../../base/files/shown-path.js'
import { didYouMean } from '../../base/text/suggest.js'
import { plainValue, readFirstRows, type DataColumn, type FirstRows, type Row } from './data-columns.js'
import { findOptions, findReading, type DataOptions, type FoundReading } from './data-options.js'

/** The meaning of the columns of a data file. */
export interface DataShape {
  readonly columns: readonly DataColumn[]
  readonly target: string
  /** The path to the answers within the target, as in `answers.text` of SQuAD. */
  readonly targetPath: string
  readonly question: string | undefined
  /** Columns that the question is about, such as a passage or the two sentences of an inference. They stand before the question. */
  readonly context: readonly string[]
  /** A column that stands behind the question where it is not empty, such as the `input` of an instruction. */
  readonly input: string | undefined
  readonly media: readonly DataColumn[]
  readonly options: (DataOptions & { readonly reading: FoundReading | undefined }) | undefined
  /** The kind of the targets of the first rows. */
  readonly answer: AnswerKind
  /** The number of options that the text of the question lists by letters, or 0. */
  readonly shownLetters: number
  /** The targets, if there are few that recur: the names of classes. */
  readonly classes: readonly string[] | undefined
  /** The reason why this column is the target. */
  readonly why: string
  /** Columns that the task does not use. */
  readonly unused: readonly string[]
  readonly rows: number
  /** The number of rows without a target. */
  readonly withoutTarget: number
}

/** Targets that are all numbers, all yes or no, all letters of options that the question lists, all of a few words, or else of any length. */
export type AnswerKind = 'number' | 'yes or no' | 'short' | 'long' | 'letter'

/** Targets of more words are texts rather than answers. */
const shortWords = 6

const targetNames =
  /^(?:answers?|targets?|labels?|outputs?|expected(?:_(?:answer|output))?|gold(?:en)?(?:_(?:label|answer))?|references?|ideal|solution|completion|response|gt|ground_?truth|correct(?:_(?:answer|option|choice|index|idx|letter))?|caption|(?:answer|label)_?(?:key|idx|index|letter|id|num)|cop)$/i
const questionNames =
  /^(?:questions?|question_?text|prompt|input|query|instruction|text|problem|q|sentence|stem|ctx|goal)$/i
const contextNames =
  /^(?:contexts?|passages?|paragraphs?|articles?|story|stories|documents?|background|support|evidence|abstract|dialogues?|conversation|excerpt|premise|body|table|facts?)(?:_?text)?$/i

/** Pairs of texts that a question of inference or similarity is about. */
const pairs = [
  ['premise', 'hypothesis'],
  ['sentence1', 'sentence2'],
  ['sentence_1', 'sentence_2'],
  ['sentence_a', 'sentence_b'],
  ['text1', 'text2'],
  ['text_a', 'text_b'],
  ['question1', 'question2'],
] as const

/**
 * Reads the first rows of a CSV, JSON, JSONL or Parquet file, and guesses the question, its context, the target, media and options.
 *
 * @param chosen the columns that the caller knows
 * @throws PipelineError if the file cannot be read, a column is missing, or no column looks like a target
 */
export async function readDataShape(
  file: string,
  chosen: { readonly target?: string; readonly question?: string } = {},
): Promise<DataShape> {
  const first = await readFirstRows(file)
  const { columns, rows } = first
  const names = columns.map(({ name }) => name)
  for (const [flag, name] of Object.entries(chosen))
    if (!names.includes(name))
      throw new PipelineError(
        'usage',
        `--${flag} ${name}: ${shownPath(file)} has no such column.${didYouMean(name, names)} Columns: ${names.join(', ')}`,
      )
  const media = columns.filter(({ kind }) => kind === 'image' || kind === 'audio' || kind === 'video')
  const { target, why, options } = chooseTarget(first, chosen, file)
  const pair = findPair(columns, target)
  const taken = new Set([target, ...pair, ...(options?.columns ?? [])])
  const question =
    chosen.question ??
    chooseQuestion(
      columns.filter(({ name }) => !taken.has(name)),
      pair.length > 0,
    )
  const texts = columns.filter(({ name, kind }) => (kind === 'text' || kind === 'list') && !taken.has(name))
  const input =
    question === undefined || isSame(question, 'input') ? undefined : texts.find(({ name }) => isSame(name, 'input'))
  const context = [
    ...texts.filter(({ name }) => name !== question && name !== input?.name && isContext(name, question)),
    ...columns.filter(({ name }) => pair.includes(name)),
  ].flatMap(({ name }) => (/^[a-z_]\w*$/i.test(name) ? [name] : []))
  const used = new Set([
    target,
    question,
    input?.name,
    ...context,
    ...media.map(({ name }) => name),
    ...(options?.columns ?? []),
  ])
  const targetPath = findTargetPath(target, rows)
  const targets = rows.map(row => listTargets(row[target]))
  const shownLetters = options === undefined && question !== undefined ? countShownLetters(question, targets, rows) : 0
  const answer = shownLetters > 0 ? 'letter' : classifyTargets(targets.flat())
  return {
    ...{ columns, target, targetPath, question, context, media, options, answer, shownLetters, why },
    input: input?.name,
    classes: answer === 'short' && options === undefined ? findClasses(targets) : undefined,
    unused: names.filter(name => !used.has(name)),
    rows: rows.length,
    withoutTarget: targets.filter(texts => texts.length === 0).length,
  }
}

const isSame = (name: string, other: string): boolean => name.toLowerCase() === other

/** A sentence beside a question is what it asks about, as in QNLI. */
const isContext = (name: string, question: string | undefined): boolean =>
  contextNames.test(name) ||
  (question !== undefined && /^questions?$/i.test(question) && /^(?:sentence|text)$/i.test(name))

function findPair(columns: readonly DataColumn[], target: string): readonly string[] {
  const texts = columns.filter(({ name, kind }) => kind === 'text' && name !== target)
  for (const pair of pairs) {
    const found = pair.map(word => texts.find(({ name }) => isSame(name, word))?.name)
    if (found.every(name => name !== undefined)) return found
  }
  return []
}

/** Digits with a zero in front are a code, such as that of a place, rather than a number. */
const plainNumber = /^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/

const formatTarget = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value, plainValue)).trim()

/** Names of the answers within an object. All spellings of TriviaQA are answers, else the texts of SQuAD. */
const answerKeys = ['aliases', 'text', 'texts', 'answer', 'answers', 'value']

/** Returns the expression for the answers of a target that is an object, or a list of objects. Else it is the column. */
function findTargetPath(target: string, rows: readonly Row[]): string {
  const value = rows.map(row => row[target]).find(cell => isObject(cell) || (isList(cell) && cell.length > 0))
  const item: unknown = isList(value) ? value[0] : value
  if (!isObject(item) || item instanceof Uint8Array) return target
  const key = answerKeys.find(name => name in item)
  if (key === undefined) return target
  return isList(value) ? `${target} | map(attribute="${key}") | list` : `${target}.${key}`
}

/** The answers of one target as texts. */
function listTargets(value: unknown): readonly string[] {
  if (value === null || value === undefined) return []
  if (isList(value)) return value.flatMap(listTargets)
  if (isObject(value) && !(value instanceof Uint8Array)) {
    const key = answerKeys.find(name => name in value)
    return key === undefined ? [formatTarget(value)] : listTargets(value[key])
  }
  return [formatTarget(value)]
}

function classifyTargets(texts: readonly string[]): AnswerKind {
  const areAll = (test: (text: string) => boolean): boolean => texts.length > 0 && texts.every(test)
  if (areAll(text => plainNumber.test(text))) return 'number'
  if (areAll(text => /^(?:yes|no|true|false)$/i.test(text))) return 'yes or no'
  return texts.every(text => text.split(/\s+/).length <= shortWords) ? 'short' : 'long'
}

/** Targets are classes if there are at most ten, and each recurs three times on average. */
const classLimits = { most: 10, times: 3 }

function findClasses(targets: readonly (readonly string[])[]): readonly string[] | undefined {
  if (targets.some(texts => texts.length > 1)) return undefined
  const texts = targets.flat()
  const names = [...new Set(texts)].sort()
  const areClasses =
    names.length > 1 && names.length <= classLimits.most && texts.length >= classLimits.times * names.length
  return areClasses && names.every(name => /^[^{}\n]+$/.test(name)) ? names : undefined
}

/** A letter that begins an option within a question: `A. red`, `(B) red`. */
const listedLetter = /(?:^|[\s(])([A-J])[).:、．](?=\s*\S)/gm

/**
 * Counts the options that stand in the question itself. Each question must list letters from A on, one of which is its target.
 *
 * @returns the most options of a question, or 0 if the questions list none
 */
function countShownLetters(question: string, targets: readonly (readonly string[])[], rows: readonly Row[]): number {
  const counts = rows.map((row, at) => {
    const [target, other] = targets[at] ?? []
    const shown = new Set([...String(row[question]).matchAll(listedLetter)].map(([, letter]) => letter))
    const isWhole = [...shown].sort().every((letter, index) => letter === String.fromCharCode(65 + index))
    return isWhole && shown.size > 1 && other === undefined && target !== undefined && shown.has(target)
      ? shown.size
      : 0
  })
  return counts.length > 0 && counts.every(count => count > 0) ? Math.max(...counts) : 0
}

type ChosenTarget = Pick<DataShape, 'target' | 'why' | 'options'>

/** Chooses the target. If there are options, a column that names one of them in each row comes first. */
function chooseTarget(
  { columns, rows }: FirstRows,
  { target, question }: { readonly target?: string; readonly question?: string },
  file: string,
): ChosenTarget {
  const names = columns.map(({ name }) => name)
  const choose = (name: string, why: string): ChosenTarget => {
    const options = findOptions(names, rows, name)
    return { target: name, why, options: options && { ...options, reading: findReading(options, name, rows) } }
  }
  if (target !== undefined) return choose(target, 'as --target says')
  const named = names.filter(name => targetNames.test(name) && name !== question)
  const candidates = named.filter(name => rows.some(row => listTargets(row[name]).length > 0))
  const chosen = candidates.map(name => choose(name, 'by its name'))
  const [first = chosen[0]] = chosen.filter(({ options }) => options?.reading !== undefined)
  if (first !== undefined) {
    const others = candidates.filter(name => name !== first.target && first.options?.columns.includes(name) !== true)
    return others.length === 0 ? first : { ...first, why: `by its name; others could be it: ${others.join(', ')}` }
  }
  const others = columns.filter(
    ({ name, kind }) =>
      (kind === 'text' || kind === 'number') &&
      name !== question &&
      !questionNames.test(name) &&
      !contextNames.test(name) &&
      !/^(id|index|idx)$/i.test(name),
  )
  const [only] = others
  if (only !== undefined && others.length === 1) return choose(only.name, 'the only column that is left')
  throw new PipelineError(
    'usage',
    `${shownPath(file)}: no column looks like the right answer. Name it with --target. Columns: ${names.join(', ')}`,
  )
}

/** Chooses the question. Beside a pair of sentences only a column whose name says so is one. */
function chooseQuestion(columns: readonly DataColumn[], isNamed: boolean): string | undefined {
  const texts = columns.filter(({ kind }) => kind === 'text')
  const named = texts.filter(({ name }) => questionNames.test(name))
  const first =
    named.find(({ name }) => /^(?:questions?|query|instruction|prompt|problem)$/i.test(name)) ??
    named.find(({ name }) => !isNamed || !/^(?:text|sentence|input|ctx|goal)$/i.test(name))
  if (first !== undefined || isNamed) return first?.name
  const others = texts.filter(({ name }) => !contextNames.test(name))
  return (
    others.find(({ name }) => /question|prompt|query/i.test(name)) ??
    others.find(({ name }) => !/^(id|index|idx|category|split|source|[A-H])$|_?id$/i.test(name)) ??
    texts.find(({ name }) => contextNames.test(name))
  )?.name
}
