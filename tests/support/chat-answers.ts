import type { Json } from '../../base/values/canonical-json.js'
import { yesOrNo } from '../../stages/judge/helpers/benchmarks/yes-no.js'
import { readOption } from '../../stages/judge/helpers/options/read-option.js'
import { readOptions } from '../../stages/judge/helpers/options/read-options.js'
import { findMajority } from '../../stages/judge/compile/over-samples.js'
import { read, type Reading } from '../../stages/judge/define/define-filter.js'
import { refusal } from '../../stages/judge/metrics/assertions/refusal.js'
import { defaultReasoningTags, spokenText } from '../../stages/judge/text/reasoning.js'
import type { JsonObject, ResponseBody } from '../../cache/records.js'
import { recordOf } from './judged.js'
import { valueOf } from './judged-value.js'
import { builtInJudges } from './scorer.js'

/** An answer of a chat model, and what is right to read of it. */
export interface ChatAnswer {
  readonly metric: 'option_letter' | 'option_letters' | 'yes_no' | 'refusal' | 'filter' | 'majority'
  readonly kind: string
  readonly answer: string
  readonly choices?: readonly string[]
  /** Why the answer ended, where its reasoning is removed first. */
  readonly finish?: ResponseBody['finishReason']
  readonly pipeline?: readonly (readonly [string, JsonObject])[]
  /** The samples of a vote over what the metric `of` reads. */
  readonly samples?: readonly string[]
  readonly of?: string
  /** The letters, the word, the text that the filters leave, or 1 and 0 of a refusal; null for an answer that is unparsed. */
  readonly reads: Json
}

/** Reads an answer as its metric does. */
export function readChatAnswer(row: ChatAnswer): Json {
  const { metric, answer, choices = ['red', 'green', 'blue', 'yellow'], finish } = row
  const text = finish === undefined ? answer : spokenText({ text: answer, finishReason: finish }, defaultReasoningTags)
  switch (metric) {
    case 'refusal':
      return valueOf(refusal, text, { target: 'x' })
    case 'yes_no':
      return yesOrNo(text, 'words') ?? null
    case 'option_letters':
      return readOptions(text, { count: 4, choices }).join('')
    case 'filter':
      return applyFilters(row, choices)
    case 'majority':
      return vote(row, choices)
    case 'option_letter': {
      const found = readOption(text, { count: 4, choices })
      return found.type === 'letter' ? found.letter : null
    }
  }
}

/** Returns the text that is scored, also in place of an answer that is unparsed. */
function applyFilters({ answer, pipeline = [] }: ChatAnswer, choices: readonly string[]): Json {
  const record = recordOf('', { doc: { choices: [...choices] } })
  const [reading] = pipeline.reduce<readonly Reading[]>(
    (readings, [name, args]) => {
      const filter = builtInJudges.filters.get(name)!
      return filter.apply(readings, filter.args.parse(args), record)
    },
    [read(answer)],
  )
  return reading?.type === 'read' ? reading.text : (reading?.standIn ?? null)
}

/** Returns the index of the sample that is scored. */
function vote({ samples = [], of = '' }: ChatAnswer, choices: readonly string[]): Json {
  const metric = builtInJudges.metrics.get(of)!
  const args = metric.args.parse({})
  const input = { record: recordOf('x', { choices }), parity: undefined }
  return findMajority(samples.map(text => metric.readAnswer?.({ ...input, text }, args)))
}
