import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import { isOcrBenchRight } from '../../stages/judge/helpers/benchmarks/ocrbench.js'
import { text, texts } from '../_shared/options.js'
import { affixed } from '../_shared/question.js'

/** The question without white space around it. */
export const question = (doc: Doc, kwargs: TaskKwargs): string =>
  affixed(stripWhiteSpace(text(doc['question'], 'question')), kwargs)

/** 1 where the answer holds one of the right texts. The mean is the benchmark's number of right answers, of a thousand, by a thousand. */
export function accuracy(doc: Doc, [answer = '']: readonly string[]): { readonly ocrbench_accuracy: number } {
  const given = doc['answer']
  const answers = typeof given === 'string' ? [given] : texts(given, 'answer')
  return { ocrbench_accuracy: isOcrBenchRight(answer, { answers, dataset: text(doc['dataset'], 'dataset') }) ? 1 : 0 }
}
