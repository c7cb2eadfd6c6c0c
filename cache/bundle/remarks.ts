import { z } from 'zod'
import { labelProblem, tagProblem } from '../facts/label-rules.js'
import type { AnswersKey, RecordKey } from '../digest.js'
import { labelValues, type MadeLabel } from '../records.js'

/** Labels and tags that a bundle carries. They were made elsewhere, and the file may be forged. */
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
const isDigest = (value: unknown): boolean => digest.safeParse(value).success

const labelSchema = z
  .strictObject({
    record: z.custom<RecordKey>(isDigest),
    answers: z.custom<AnswersKey>(isDigest),
    label: z.enum(labelValues).nullable(),
    note: z.string(),
    author: z.string(),
    at: z.int().nonnegative(),
    run: z.string(),
    task: z.string(),
    doc: z.string(),
  })
  .superRefine((label, context) => {
    const problem = labelProblem(label)
    if (problem !== undefined) context.addIssue(problem)
  })

const tagSchema = z.string().superRefine((tag, context) => {
  const problem = tagProblem(tag)
  if (problem !== undefined) context.addIssue(problem)
})

/** The labels and tags in a bundle. */
export const remarksSchema = z.strictObject({ labels: z.array(labelSchema), tags: z.array(tagSchema) })

/** Sorts labels by content, so that the same labels give the same bytes, whatever their order in the store. */
export const sortedLabels = (labels: readonly MadeLabel[]): readonly MadeLabel[] =>
  labels
    .map(label => ({ label, key: sortKey(label) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ label }) => label)

const sortKey = ({ record, answers, at, author, label, note }: MadeLabel): string =>
  JSON.stringify([record, answers, String(at).padStart(16, '0'), author, label, note])
