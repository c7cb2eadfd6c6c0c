import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { formatQuantity } from '../../../base/text/numbers.js'
import type { AnswerRow } from './answer-rows.js'

/** The name and the index of a task's doc. */
export interface NamedDoc {
  readonly id: string
  readonly index: number
}

/** The answers of a file that belong to one task. */
export interface MatchedAnswers {
  /** The rows of each doc, by its index, in the order of the file. */
  readonly rows: ReadonlyMap<number, readonly AnswerRow[]>
  readonly answered: number
  /** Docs of the task without an answer. */
  readonly missing: readonly string[]
  /** Ids of the file that no doc of the task has. */
  readonly unknown: readonly string[]
  /** Docs with several answers. */
  readonly repeated: readonly string[]
  /** True if docs have different numbers of answers. */
  readonly isUneven: boolean
  /** True if the ids are the docs' indices. */
  readonly isByIndex: boolean
}

/**
 * Finds the docs that a file's answers belong to: by their names, or by their indices where no id is a name.
 *
 * @throws PipelineError if no id fits, or if a doc has two answers with the same sample number
 */
export function matchAnswers(
  {
    task,
    file,
    docs: all,
    isSelected = () => true,
  }: {
    readonly task: string
    readonly file: string
    readonly docs: readonly NamedDoc[]
    /** Tells whether a doc is to be scored. Answers to the others are left out. @default all are */
    readonly isSelected?: (index: number) => boolean
  },
  answers: readonly AnswerRow[],
): MatchedAnswers {
  const docs = all.filter(({ index }) => isSelected(index))
  const byName = new Map(all.map(({ id, index }) => [id, index]))
  const isNamed = answers.some(({ id }) => byName.has(id))
  const indices = new Set(all.map(({ index }) => index))
  const find = (id: string): number | undefined => (isNamed ? byName.get(id) : readIndex(id, indices))
  const rows = new Map<number, AnswerRow[]>()
  const unknown = new Set<string>()
  for (const row of answers) {
    const index = find(row.id)
    if (index === undefined) unknown.add(row.id)
    else if (isSelected(index)) rows.set(index, [...(rows.get(index) ?? []), row])
  }
  if (rows.size === 0 && unknown.size === answers.length)
    throw new PipelineError(
      'usage',
      `${shownPath(file)}: no id is that of a doc of ${task}: ${listFirst([...unknown])}. Docs are named ${listFirst(all.map(({ id }) => id))}.`,
    )
  refuseDoubled(file, rows)
  const isAnswered = ({ index }: NamedDoc): boolean =>
    rows.get(index)?.some(({ answer }) => answer !== undefined) === true
  const counts = new Set([...rows.values()].map(({ length }) => length))
  return {
    rows,
    answered: docs.filter(isAnswered).length,
    missing: docs.filter(doc => !isAnswered(doc)).map(({ id }) => id),
    unknown: [...unknown],
    repeated: docs.filter(({ index }) => (rows.get(index)?.length ?? 0) > 1).map(({ id }) => id),
    isUneven: counts.size > 1,
    isByIndex: !isNamed,
  }
}

/** Words remarks for the user: missing answers, and answers to unknown docs. */
export function describeMatch(
  file: string,
  { missing, unknown, repeated, isUneven, isByIndex, answered }: MatchedAnswers,
): readonly string[] {
  return [
    ...(isByIndex
      ? [`the ids of ${shownPath(file)} are taken as indices of docs, because no doc has such a name`]
      : []),
    ...(missing.length === 0
      ? []
      : [
          `${formatQuantity(missing.length, 'doc')} of ${answered + missing.length} without an answer, counted as failed and not scored: ${listFirst(missing)}`,
        ]),
    ...(unknown.length === 0
      ? []
      : [`${formatQuantity(unknown.length, 'id')} of no doc, ignored: ${listFirst(unknown)}`]),
    ...(repeated.length === 0 || !isUneven
      ? []
      : [
          `${formatQuantity(repeated.length, 'doc')} with several answers, which are its repeats; other docs have another number: ${listFirst(repeated)}`,
        ]),
  ]
}

function readIndex(id: string, indices: ReadonlySet<number>): number | undefined {
  const index = /^(0|[1-9]\d*)$/.test(id) ? Number(id) : undefined
  return index !== undefined && indices.has(index) ? index : undefined
}

function refuseDoubled(file: string, rows: ReadonlyMap<number, readonly AnswerRow[]>): void {
  const doubled: string[] = []
  for (const answers of rows.values()) {
    const lines = new Map<string, number>()
    for (const { sample, line, id } of answers) {
      if (sample === undefined) continue
      const before = lines.get(sample)
      if (before === undefined) lines.set(sample, line)
      else doubled.push(`${shownPath(file)}:${line}  doc ${id} has sample ${sample} already, in line ${before}`)
    }
  }
  if (doubled.length === 0) return
  const rest = doubled.length - shownExamples
  throw new PipelineError('bundle', [
    ...doubled.slice(0, shownExamples),
    ...(rest > 0 ? [formatQuantity(rest, 'further duplicate')] : []),
  ])
}

const shownExamples = 5

const listFirst = (ids: readonly string[]): string =>
  [...ids.slice(0, shownExamples).map(id => JSON.stringify(id)), ...(ids.length > shownExamples ? ['…'] : [])].join(
    ', ',
  )
