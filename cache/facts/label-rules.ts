/** The rules for labels and tags, which every store checks before it writes. */
import { PipelineError } from '../../base/errors/errors.js'
import { isWellFormed } from '../../base/text/visible-text.js'
import { answerDigest, answersKey, judgeRecordKey } from '../keys.js'
import {
  labelValues,
  longestAuthor,
  longestNote,
  type LabelAddress,
  type MadeLabel,
  type NewLabel,
} from '../records.js'
import type { Sample } from '../store.js'

/**
 * Computes the address of the labels of a sample, from its content alone.
 *
 * @returns undefined if an answer is missing, because there is nothing to label yet
 */
export function labelAddress({ record, items }: Pick<Sample, 'record' | 'items'>): LabelAddress | undefined {
  const answers = items.flatMap(({ response }) => (response === undefined ? [] : [answerDigest(response.body).key]))
  if (items.length === 0 || answers.length < items.length) return undefined
  return { record: judgeRecordKey(record).key, answers: answersKey(answers) }
}

/** Describes the mistake in a label's user-written fields. @returns undefined if there is none */
export function labelProblem({ label, note, author }: Pick<NewLabel, 'label' | 'note' | 'author'>): string | undefined {
  if (label !== null && !labelValues.includes(label))
    return `a label is ${labelValues.join(', ')} or null, not ${JSON.stringify(label)}`
  if (note.length > longestNote) return `the note has ${note.length} characters; at most ${longestNote} are possible`
  if (author.trim() === '') return 'the author of the label has no name'
  if (author.length > longestAuthor)
    return `the author's name has ${author.length} characters; at most ${longestAuthor} are possible`
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(author)) return "the author's name has a line break or another control character"
  if (note.includes('\u0000')) return 'the note has a NUL character'
  if (!isWellFormed(note) || !isWellFormed(author)) return 'the note or the author is not valid Unicode text'
  return undefined
}

/** @throws PipelineError (usage) if a field has a value that a label cannot have */
export function checkLabel(label: NewLabel | MadeLabel): void {
  const problem = labelProblem(label)
  if (problem !== undefined) throw new PipelineError('usage', problem)
}

/** The maximum number of tags of a run. */
export const mostTags = 50

const tagPattern = /^(?! )[\p{L}\p{M}\p{N}._:/ -]{1,60}(?<! )$/u

/** Describes the mistake in a tag. @returns undefined if there is none */
export const tagProblem = (tag: string): string | undefined =>
  tagPattern.test(tag)
    ? undefined
    : `${JSON.stringify(tag)} is no tag: a tag has 1 to 60 letters, digits, spaces or . _ - : / and does not begin or end with a space`

/**
 * Applies a change to the tags of a run.
 *
 * @returns the new tags in alphabetical order
 * @throws PipelineError (usage) if a tag is malformed, or if there would be too many
 */
export function changedTags(
  before: Iterable<string>,
  { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
): readonly string[] {
  const added = add.map(tag => tag.normalize('NFC'))
  const problems = added.flatMap(tag => tagProblem(tag) ?? [])
  if (problems.length > 0) throw new PipelineError('usage', problems)
  const removed = new Set(remove.map(tag => tag.normalize('NFC')))
  const tags = new Set([...[...before].filter(tag => !removed.has(tag)), ...added])
  if (tags.size > mostTags)
    throw new PipelineError('usage', `the run would have ${tags.size} tags; at most ${mostTags} are possible`)
  return [...tags].sort()
}
