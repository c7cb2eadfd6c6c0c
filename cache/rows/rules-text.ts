/**
 * Writes and reads the rules of a judgement as the text of a row. The tasks of a run mostly share the code that scores
 * them, whose description is long. It is therefore written once: `scorer` is the number of an earlier task whose code
 * this task shares, counted from 0. In the rows of older versions of the program each task has the whole description.
 */
import type { CodeManifest, TaskJudging } from '../records.js'
import { toText } from './sums.js'

/** Writes rules. Two judgements follow the same rules if their texts are equal. */
export function writeRules(tasks: readonly TaskJudging[]): string {
  const byManifest = new Map<CodeManifest, number>()
  const byText = new Map<string, number>()
  const firstWith = (scorer: CodeManifest, task: number): number => {
    const known = byManifest.get(scorer)
    if (known !== undefined) return known
    const text = toText(scorer)
    const first = byText.get(text) ?? task
    byText.set(text, first)
    byManifest.set(scorer, first)
    return first
  }
  const texts = tasks.map(({ config, scorer }, task) => {
    const first = firstWith(scorer, task)
    return toText({ config, scorer: first === task ? scorer : first })
  })
  return `[${texts.join(',')}]`
}

/** Writes rules as older versions of the program did, to find rows that they wrote. */
export const writeRulesInFull = (tasks: readonly TaskJudging[]): string => `[${tasks.map(toText).join(',')}]`

/** Reads rules that {@link writeRules} wrote, or an older version. Tasks that share code share its description. */
export function readRules(text: string): readonly TaskJudging[] {
  const rows = JSON.parse(text) as readonly (Omit<TaskJudging, 'scorer'> & {
    readonly scorer: CodeManifest | number
  })[]
  return rows.map(({ config, scorer }) => ({
    config,
    scorer: typeof scorer === 'number' ? describedCode(rows, scorer) : scorer,
  }))
}

function describedCode(rows: readonly { readonly scorer: CodeManifest | number }[], task: number): CodeManifest {
  const scorer = rows[task]?.scorer
  if (scorer === undefined || typeof scorer === 'number')
    throw new RangeError(`the rules name the code of task ${task}, which has no description`)
  return scorer
}
