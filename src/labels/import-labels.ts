import { mistakeLines } from '../../base/errors/schema-mistakes.js'
import { z } from 'zod'
import { PipelineError } from '../../base/errors/errors.js'
import { isWellFormed } from '../../base/text/visible-text.js'
import { parseDigest } from '../../cache/digest.js'
import { labelProblem } from '../../cache/facts/label-rules.js'
import { labelValues, type MadeLabel } from '../../cache/records.js'

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256: and 64 hexadecimal digits')
const name = z.string().max(10_000).refine(isWellFormed, 'expected valid Unicode text')

/** The fields of a line that make the label. Other fields are ignored. */
const lineSchema = z.object({
  label: z.enum(labelValues).nullable(),
  note: z.string().default(''),
  author: z.string(),
  at: z.iso.datetime({ offset: true }),
  run: name,
  task: name,
  doc_id: name,
  record_key: digest,
  answers_key: digest,
})

/** The maximum number of problems in one message. */
const mostProblems = 20

/**
 * Reads labels from JSON lines, as `labels export` writes them.
 *
 * @param file the name of the file, for messages
 * @throws PipelineError (usage) with the file and line of each mistake
 */
export function labelsIn(text: string, file: string): readonly MadeLabel[] {
  const labels: MadeLabel[] = []
  const problems: string[] = []
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const read = labelIn(line)
    if (Array.isArray(read)) problems.push(...read.map(problem => `${file}:${index + 1}  ${problem}`))
    else labels.push(read)
  }
  if (problems.length === 0) return labels
  const more = problems.length - mostProblems
  throw new PipelineError('usage', [
    ...problems.slice(0, mostProblems),
    ...(more > 0 ? [`… and ${more} more mistakes`] : []),
    'No label was imported.',
  ])
}

/** Parses a line. @returns the label, or the line's problems */
function labelIn(line: string): MadeLabel | string[] {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return ['this line is not JSON: expected the lines that "pipeline labels export" writes, without --csv']
  }
  const { success, data, error } = lineSchema.safeParse(value)
  if (!success) return [...mistakeLines(error.issues, value, { from: 'json', whole: 'the line' })]
  const { label, note, author, at, run, task, doc_id: doc, record_key, answers_key } = data
  const problem = labelProblem({ label, note, author })
  if (problem !== undefined) return [problem]
  return {
    ...{ label, note, author, run, task, doc, at: Date.parse(at) },
    record: parseDigest(record_key),
    answers: parseDigest(answers_key),
  }
}
