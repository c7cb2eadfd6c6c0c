import type { Json } from '../../base/values/canonical-json.js'
import { parseList } from '../../base/python/written-list.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, DocList, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { isMmmuOpenRight, parseMmmuChoice, parseMmmuOpen } from '../../stages/judge/helpers/benchmarks/mmmu.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { disciplineOf, namedPictures } from '../_shared/mmmu.js'
import { lettered, text } from '../_shared/options.js'
import { writtenOptions } from '../_shared/options.js'

/** The question, its options if it has any, and the request for a letter or for words. */
export function question(doc: Doc, kwargs: TaskKwargs): string {
  const readKwarg = (key: string): string => text(kwargs[key] ?? '', key)
  const asked = text(doc['question'], 'question')
  const options = lettered(writtenOptions(doc['options'], 'options')).join('\n')
  if (kwargs['format'] === 'qwen3_vl')
    return `${readKwarg('pre_prompt')}${asked}\nOptions:\n${options}\n${readKwarg(isOpen(doc) ? 'open_ended_prompt' : 'post_prompt')}`
  return isOpen(doc)
    ? `${asked}\n\n${readKwarg('open_ended_prompt')}`
    : `${asked}\n${options}\n\n${readKwarg('multiple_choice_prompt')}`
}

/** The pictures that the question and its options name. */
export const pictures = (doc: Doc): readonly unknown[] => namedPictures(question(doc, {}), doc)

/** The docs with their subject, which is part of their id, and its discipline. */
export const withSubject = (docs: DocList): DocList =>
  docs.map(doc => {
    const subject = /^[^_]+_(.+?)_\d+$/.exec(text(doc['id'], 'id'))?.[1] ?? null
    return { ...doc, subject, discipline: disciplineOf.get(subject ?? '') ?? null }
  })

type Likeness = Pick<ScoringContext, 'parity'>

/** 1 where one of the answers is right. */
export function score(doc: JsonObject, answers: readonly Json[], likeness: Likeness): Record<string, number | Verdict> {
  const read = answers.map(answer => isRight(text(answer, 'answer'), doc, likeness))
  if (read.every(one => one === undefined)) return { mmmu_acc: unparsed('the answer names no option') }
  return { mmmu_acc: Number(read.includes(true)) }
}

/** lmms-eval compares open answers character by character with the right words, so that none is right. */
function isRight(answer: string, doc: JsonObject, likeness: Likeness): boolean | undefined {
  if (isOpen(doc)) return likeness.parity === undefined && isMmmuOpenRight(parseMmmuOpen(answer), golds(doc))
  const letter = namedLetter(answer, doc, likeness)
  return letter === undefined ? undefined : letter === text(doc['answer'], 'answer')
}

const namedLetter = (answer: string, doc: JsonObject, { parity }: Likeness): string | undefined =>
  parseMmmuChoice(answer, writtenOptions(doc['options'], 'options'), { bounded: parity === undefined })

/** The right words; several are written as a list. */
function golds(doc: JsonObject): readonly string[] {
  const given = doc['answer']
  const list = typeof given === 'string' ? (parseList(given) ?? [given]) : given
  const words = Array.isArray(list) ? list.filter(one => typeof one === 'string') : []
  return words.length > 0 ? words : [text(given, 'answer')]
}

/** Makes the row of the split whose answers only the benchmark's server has: the letter, or the words of an open answer, by id. */
export function submission(
  doc: JsonObject,
  [answer]: readonly Json[],
  likeness: Likeness,
): Record<string, Json | Verdict> {
  const said = text(answer, 'answer')
  const id = text(doc['id'], 'id')
  if (isOpen(doc)) return { submission: { [id]: said } }
  const letter = namedLetter(said, doc, likeness)
  return { submission: letter === undefined ? unparsed('the answer names no option', { [id]: '' }) : { [id]: letter } }
}

export const isOpen = (doc: Doc): boolean => doc['question_type'] !== 'multiple-choice'
