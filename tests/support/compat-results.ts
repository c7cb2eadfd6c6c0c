import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'

const resultSchema = z.strictObject({
  package: z.enum(['lmms-eval', 'lm-eval']),
  /** Relative to the package's folder of tasks. */
  file: z.string(),
  /** @default the file's name without `.yaml` */
  task: z.string().optional(),
  functions: z.string().optional(),
  functions_reason: z.string().optional(),
  evaluation: z.string().optional(),
  evaluation_reason: z.string().optional(),
})

/** The measured results of one task of another harness. */
export type CompatResult = z.infer<typeof resultSchema>

/** A column of results. */
export type CompatColumn = 'functions' | 'evaluation'

/** Reads scripts/compat/results.jsonl. */
export const readCompatResults = (): readonly CompatResult[] =>
  readFileSync(new URL('../../scripts/compat/results.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => resultSchema.parse(JSON.parse(line)))

/** Counts the tasks of a package by their result, the most frequent first. */
export function countCompatResults(
  results: readonly CompatResult[],
  name: CompatResult['package'],
  column: CompatColumn,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const result of results) {
    const outcome = result[column]
    if (result.package === name && outcome !== undefined) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a))
}

const cell = (reason: string | undefined): string => (reason === undefined ? '' : `\`${reason.replace(/[`|]/g, "'")}\``)

/** Makes the page that lists each task, and the reason of each result. */
export function makeCompatTable(results: readonly CompatResult[]): string {
  const lines = results.map(one => {
    const name = one.task ?? basename(one.file, '.yaml')
    const reason = [cell(one.functions_reason), cell(one.evaluation_reason)].filter(text => text !== '').join('; ')
    return `| ${one.package} | ${one.file} | ${name} | ${one.functions ?? ''} | ${one.evaluation ?? ''} | ${reason} |`
  })
  return [
    '# Measured tasks of lmms-eval and lm-evaluation-harness',
    '',
    'docs/compat.md says what the results mean.',
    '',
    '| Package | File | Task | Functions | Whole evaluation | Reasons |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n')
}
