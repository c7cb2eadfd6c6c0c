import { pythonRegex } from '../../base/python/python-regex.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { text } from '../_shared/options.js'
import { video } from './utils.js'

export const nothing = (_doc: Doc, kwargs: TaskKwargs): string => text(kwargs['user_text'] ?? '', 'user_text')

/** Says what is to be guessed, and shows the video. */
export function messages(doc: Doc, kwargs: TaskKwargs): unknown {
  const said = nothing(doc, kwargs)
  const shown = video(doc).map(one => ({ type: 'video', video: one }))
  return [
    { role: 'system', content: [{ type: 'text', text: text(kwargs['system_prompt'], 'system_prompt') }] },
    { role: 'user', content: [...shown, ...(said === '' ? [] : [{ type: 'text', text: said }])] },
  ]
}

const alone = pythonRegex(String.raw`\b([ABCD])\b`)

/** Scores whether the first letter that stands alone, else the first letter, is that of the right option, and whether there is a letter. */
export function guessesRight(doc: Doc, [answer = '']: readonly string[]): Record<string, number | Verdict> {
  const said = answer.toUpperCase()
  const named = alone.exec(said)?.[1] ?? /[ABCD]/.exec(said)?.[0]
  if (named === undefined) return { acc_score: unparsed('the answer names no letter'), format_score: 0 }
  return { acc_score: Number(named === text(doc['answer'], 'answer').toUpperCase()), format_score: 1 }
}
