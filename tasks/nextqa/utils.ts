import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc, DocList, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { parseMmmuChoice } from '../../stages/judge/helpers/benchmarks/mmmu.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { identifier } from '../_shared/values.js'
import { letterScore } from '../_shared/letters.js'
import { letter, lettered, text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'
import { number } from '../_shared/values.js'

const kinds: Readonly<Record<string, string>> = { C: 'causal', T: 'temporal', D: 'descriptive' }

/** The docs with the kind of their question, by which the benchmark reports: CW and CH are causal, TN, TC and TP temporal, D… descriptive. */
export const withKind = (docs: DocList): DocList =>
  docs.map(doc => ({ ...doc, question_kind: kinds[text(doc['type'] ?? '', 'type').slice(0, 1)] ?? null }))

export function video(doc: Doc): readonly string[] {
  const name = identifier(doc['video'], 'video')
  return [`NExTVideo/${name.endsWith('.mp4') ? name : `${name}.mp4`}`]
}

export const questionWithOptions = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed([stripWhiteSpace(text(doc['question'], 'question')), ...lettered(readOptions(doc))].join('\n'), kwargs)

const readOptions = (doc: Doc): readonly string[] =>
  ['a0', 'a1', 'a2', 'a3', 'a4'].map(field => stripWhiteSpace(text(doc[field], field)))

/** Scores whether the answer names the right option, by its letter or, in a longer answer, by its text. */
export function namesRightOption(
  doc: Doc,
  [answer = '']: readonly string[],
  { parity }: Pick<ScoringContext, 'parity'> = {},
): Record<string, number | Verdict> {
  // lmms-eval takes the end of a word in capitals ("RYE") for a letter.
  const named = parseMmmuChoice(answer, readOptions(doc), { bounded: parity === undefined })
  return { exact_match: letterScore(named, letter(number(doc['answer'], 'answer'))) }
}

export const question = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed(stripWhiteSpace(text(doc['question'], 'question')), kwargs)

/** The answer of a person, and of another one where there is one. */
export function answers(doc: Doc): readonly string[] {
  const { additional_ref_answer: other } = doc
  return [text(doc['answer'], 'answer'), ...(typeof other === 'string' && other !== '' ? [other] : [])]
}
