import { expect, test } from 'vitest'
import { readOption } from '../../../../stages/judge/helpers/options/read-option.js'
import {
  inferAnswer,
  inferOption,
  inferText,
  type Options,
} from '../../../../stages/judge/helpers/benchmarks/mmbench.js'
import {
  isMmmuOpenRight,
  mmmuNumbers,
  normaliseMmmuAnswer,
  parseMmmuChoice,
  parseMmmuOpen,
} from '../../../../stages/judge/helpers/benchmarks/mmmu.js'
import { extractMcqAnswer, firstCharacter, parseMcq } from '../../../../stages/judge/helpers/multiple-choice.js'
import { describeGolden } from '../../../support/golden-functions.js'
import { meanOf } from '../../../support/judged-value.js'
import { roundedMean } from '../../../../tasks/_shared/means.js'
import { circularAccuracy } from '../../../../tasks/mmbench/circular.js'

type Candidates = readonly (string | number)[]
interface Text {
  readonly text: string
}
interface Response {
  readonly response: string
}
interface Open extends Response {
  readonly gold: string | readonly string[]
}
interface MmmuResult {
  readonly question_type: string
  readonly answer: string | readonly string[]
  readonly parsed_pred: readonly (string | Candidates)[]
}

/** The reference's candidates are a set. The rows have numbers first, and each kind in order. */
const inOrder = (candidates: Candidates): Candidates =>
  candidates.toSorted((a, b) => (typeof a !== typeof b ? (typeof a === 'number' ? -1 : 1) : a < b ? -1 : 1))

const isOpenRight = ({ response, gold }: Open) => ({ correct: isMmmuOpenRight(parseMmmuOpen(response), gold) })

const isMmmuRight = ({ question_type: type, answer, parsed_pred: answers }: MmmuResult): boolean =>
  answers.some(one =>
    type === 'open' ? isMmmuOpenRight(one as Candidates, answer) : [answer].flat().includes(one as string),
  )

describeGolden('lmms_mmmu', {
  'mmmu.parse_multi_choice_response': (
    { response, options }: { response: string; options: readonly string[] },
    _params: object,
    flawed: boolean,
  ) => {
    const letter = parseMmmuChoice(response, options, { bounded: flawed })
    if (flawed) return { letter: letter ?? null }
    // This program returns no letter where the reference draws one at random.
    return letter === undefined ? { random: true } : { letter }
  },
  'mmmu.parse_open_response': ({ response }: Response) => ({ candidates: inOrder(parseMmmuOpen(response)) }),
  'mmmu.normalize_str': ({ text }: Text) => ({ normalized: normaliseMmmuAnswer(text) }),
  'mmmu.extract_numbers': ({ text }: Text) => ({ numbers: mmmuNumbers(text) }),
  'mmmu.eval_open': isOpenRight,
  'mmmu.process_results(open, HEAD)': isOpenRight,
  'mmmu.aggregate': ({ results }: { results: readonly MmmuResult[] }) => ({
    mmmu_acc: results.length === 0 ? 0 : roundedMean(results.map(result => Number(isMmmuRight(result)))),
  }),
})

interface Doc {
  readonly index: number
  readonly answer: string
  readonly prediction: string
  readonly category: string
  readonly 'L2-category': string
  readonly [letter: string]: string | number | null
}

function optionsOf(doc: { readonly [letter: string]: string | number | null }): Options {
  const options = Array.from('ABCD', letter => [letter, doc[letter]] as const)
  return Object.fromEntries(options.filter((one): one is readonly [string, string] => typeof one[1] === 'string'))
}

/** The share of questions that are right in every order that the rows have of them, by the shipped task's aggregation. */
function circular({ results }: { readonly results: readonly Doc[] }) {
  const ordersOf = ({ index }: Doc): readonly Doc[] => results.filter(one => one.index % 1e6 === index % 1e6)
  const questions = results.filter(({ index }) => index < 1e6)
  const share = (chosen: readonly Doc[]): number => {
    const orders = chosen.flatMap(question => {
      const all = ordersOf(question)
      return all.map(one => ({ index: one.index, options: all.length, score: Number(isChosen(one)) }))
    })
    return (circularAccuracy(orders) ?? Number.NaN) / 100
  }
  const sharesBy = (labelOf: (doc: Doc) => string): Readonly<Record<string, number>> =>
    Object.fromEntries(
      [...new Set(questions.map(labelOf))].map(label => [
        label,
        share(questions.filter(one => labelOf(one) === label)),
      ]),
    )
  return {
    overall: share(questions),
    category: sharesBy(({ category }) => category),
    l2_category: sharesBy(doc => doc['L2-category']),
  }
}

function isChosen(doc: Doc): boolean {
  const options = optionsOf(doc)
  return (inferAnswer(doc.prediction, options) ?? extractMcqAnswer(doc.prediction, Object.keys(options))) === doc.answer
}

interface WithOptions {
  readonly answer: string
  readonly choices: Options
}

describeGolden('lmms_option_matching', {
  // Every response that the reference misreads has two rows: as it reads it, and as it is meant.
  extract_mcq_answer: ({ response }: Response, { choices }: { choices?: readonly string[] }, flawed: boolean) => {
    if (!flawed) return { letter: extractMcqAnswer(response, choices) ?? '' }
    const found = readOption(response, { count: choices?.length ?? 8, choices: [] })
    return { letter: found.type === 'letter' ? found.letter : '' }
  },
  'reasoning.parse_mcq': ({ response }: Response) => ({ letter: parseMcq(response) ?? '' }),
  'mmbench.can_infer_option': ({ answer }: WithOptions, { num_choice: count }: { num_choice?: number }) => ({
    letter: inferOption(answer, count) ?? false,
  }),
  'mmbench.can_infer_text': ({ answer, choices }: WithOptions) => ({ letter: inferText(answer, choices) ?? false }),
  'mmbench.can_infer': ({ answer, choices }: WithOptions) => ({ letter: inferAnswer(answer, choices) ?? false }),
  'mmbench.eval_result(static)': circular,
  seedbench: ({ samples }: { samples: readonly { prediction: string; answer: string }[] }) => ({
    score: meanOf(
      samples.map(one => (firstCharacter(one.prediction).toLowerCase() === one.answer.trim().toLowerCase() ? 1 : 0)),
    ),
  }),
})

test('a letter at the end of a word is an option in the reference, but not here', () => {
  const options = ['red', 'blue']
  expect(parseMmmuChoice('The MAP shows USA today', options, { bounded: false })).toBe('A')
  expect(parseMmmuChoice('The MAP shows USA today', options)).toBeUndefined()
  expect(parseMmmuChoice('答案是B', options)).toBe('B')
})
