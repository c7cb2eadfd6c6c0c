import type { Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { JsonObject } from '../../cache/records.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { scored, unparsed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { yesOrNo, type YesOrNo } from '../../stages/judge/helpers/benchmarks/yes-no.js'
import type { ScoringContext } from '../../stages/judge/compile/scoring-spec.js'
import { text } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

/** The question between the model's prompts. */
export const question = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed(stripWhiteSpace(text(doc['question'], 'question')), kwargs)

/** Scores the answer, and keeps `{gold, answer}`, from which the rates over all docs are counted. */
export function score(
  doc: JsonObject,
  [given]: readonly Json[],
  { parity }: Pick<ScoringContext, 'parity'>,
): Record<string, Verdict> {
  const gold = yesOrNo(text(doc['answer'], 'answer'), 'exact')
  if (gold === undefined) throw new Error(`the field "answer" must be yes or no, not ${JSON.stringify(doc['answer'])}`)
  const said = text(given, 'answer')
  // lmms-eval knows an answer that is yes or no and nothing else.
  const answer = parity === undefined ? readAnswer(said) : yesOrNo(said, 'exact')
  const verdict = (value: Json): Verdict =>
    answer === undefined ? unparsed('the answer is neither yes nor no', value) : scored(value)
  const pair = verdict({ gold, answer: answer ?? null })
  const rates = ['pope_precision', 'pope_recall', 'pope_f1_score', 'pope_yes_ratio'].map(name => [name, pair] as const)
  return { pope_accuracy: verdict(Number(answer === gold)), ...Object.fromEntries(rates) }
}

/**
 * The benchmark's own reading: "no" where `No`, `not` or `no` is a word of the first sentence, else "yes". So `Nope`, `NO!` and an
 * empty answer are "yes", and `Yes, no doubt` is "no".
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355), `evaluate.py`.
 */
function readAnswer(answer: string): YesOrNo {
  const [sentence = ''] = answer.split('.')
  const words = sentence.replaceAll(',', '').split(' ')
  return words.some(word => ['No', 'not', 'no'].includes(word)) ? 'no' : 'yes'
}
