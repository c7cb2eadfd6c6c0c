/**
 * Writes and reads the rules of a judgement as the text of a row, or as a part of a bundle's manifest. The tasks of a run mostly share the code that scores
 * them, whose description is long. It is therefore written once: `scorer` is the number of an earlier task whose code
 * this task shares, counted from 0. In the rows of older versions of the program each task has the whole description.
 */
import type { CodeManifest, TaskJudging } from '../../records.js'
import { toText } from '../sums.js'

/** The rules of a task as they are written: `scorer` is a description, or the number of the task that has it. */
export type WrittenRule = Omit<TaskJudging, 'scorer'> & { readonly scorer: CodeManifest | number }

/** Writes rules. Two judgements follow the same rules if their texts are equal. */
export const writeRules = (tasks: readonly TaskJudging[]): string => `[${shareCode(tasks).map(toText).join(',')}]`

/** Replaces each description of code that an earlier task has by the number of that task. */
export function shareCode(tasks: readonly TaskJudging[]): readonly WrittenRule[] {
  const byManifest = new Map<CodeManifest, number>()
  const byText = new Map<string, number>()
  const firstWith = (scorer: CodeManifest, task: number): number => {
    const earlierTask = byManifest.get(scorer)
    if (earlierTask !== undefined) return earlierTask
    const text = toText(scorer)
    const first = byText.get(text) ?? task
    byText.set(text, first)
    byManifest.set(scorer, first)
    return first
  }
  return tasks.map(({ config, scorer }, task) => {
    const first = firstWith(scorer, task)
    return { config, scorer: first === task ? scorer : first }
  })
}

/** Writes rules as older versions of the program did, to find rows that they wrote. */
export const writeRulesInFull = (tasks: readonly TaskJudging[]): string => `[${tasks.map(toText).join(',')}]`

/** Reads rules that {@link writeRules} wrote, or an older version. Tasks that share code share its description. */
export const readRules = (text: string): readonly TaskJudging[] =>
  describeCode(JSON.parse(text) as readonly WrittenRule[])

/**
 * Undoes {@link shareCode}. Descriptions stay where there are any.
 *
 * @throws RangeError if a number names a task that has no description
 */
export function describeCode(rows: readonly WrittenRule[]): readonly TaskJudging[] {
  return rows.map(({ config, scorer }) => ({
    config,
    scorer: typeof scorer === 'number' ? describedCode(rows, scorer) : scorer,
  }))
}

function describedCode(rows: readonly WrittenRule[], task: number): CodeManifest {
  const scorer = rows[task]?.scorer
  if (scorer === undefined || typeof scorer === 'number')
    throw new RangeError(`the rules name the code of task ${task}, which has no description`)
  return scorer
}
