import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  binaryPrompt,
  comparativePrompt,
  correctnessPrompt,
  fillPrompt,
  type Compared,
} from '../../../stages/judge/helpers/judge-prompts.js'
import {
  readBinaryReply,
  readJsonReply,
  readScore,
  readScorePair,
} from '../../../stages/judge/helpers/judge-replies.js'
import {
  parseJmmmuChoice,
  parseJmmmuProChoice,
  parseVideoMmmuChoice,
} from '../../../stages/judge/helpers/benchmarks/mmmu-relatives.js'
import { parseMmmuChoice } from '../../../stages/judge/helpers/benchmarks/mmmu.js'
import { extractMcqAnswer, parseMcq } from '../../../stages/judge/helpers/multiple-choice.js'
import {
  formatReward,
  isRelaxedAnswer,
  lastBoxed,
  reasonedAnswer,
  reasoningScore,
  withoutLastDot,
} from '../../../stages/judge/helpers/reasoned-answers.js'
import {
  normaliseVqaAnswer,
  normaliseVqaWords,
  stripVqaPunctuation,
} from '../../../stages/judge/metrics/vqa-accuracy.js'
import { stripReasoning } from '../../../stages/judge/text/reasoning.js'
import { sameWithin } from '../../support/golden-tolerance.js'
import { goldenRows } from '../../support/golden.js'

interface Row {
  readonly id: string
  readonly kind: string
  readonly input: never
  readonly expected: never
}

/** lmms-eval takes any reply that contains a 1 as a yes. This program does not, see below. */
const isBinaryReply = ({ id, kind }: Row): boolean => kind === 'judge_parse' && id.split('/')[2] === 'binary'

const rows = goldenRows<Row>('tasks/machinery.jsonl.gz').filter(row => !isBinaryReply(row))

/** Runs all rows of a kind. `ours` computes what the row expects, and `part` selects what is compared. */
function testKind(
  kind: string,
  ours: (input: never, id: string) => unknown,
  part: (expected: never) => unknown = expected => expected,
): void {
  const own = rows.filter(row => row.kind === kind)
  test(`${kind}: equals the reference (${own.length} rows)`, () => {
    expect(own).not.toEqual([])
    const mistakes = own.flatMap(({ id, input, expected }) => {
      const [got, wanted] = [ours(input, id), part(expected)]
      return sameWithin(got, wanted) ? [] : [{ id, input, wanted, got }]
    })
    expect(mistakes).toEqual([])
  })
}

interface Asked {
  readonly response: string
  readonly choices: Readonly<Record<string, string>>
}

testKind('letter', ({ response, choices }: Asked) => {
  const options = Object.values(choices)
  const relative = parseVideoMmmuChoice(response, options)
  return {
    mcq_extract_AH: extractMcqAnswer(response) ?? '',
    mcq_extract_AD: extractMcqAnswer(response, Object.keys(choices)) ?? '',
    reasoning_parse_mcq: parseMcq(response) ?? '',
    // This program returns no letter where the reference draws one.
    mmmu: parseMmmuChoice(response, options, { bounded: false }) ?? { $random: true },
    jmmmu: parseJmmmuChoice(response, options) ?? { $random: true },
    videommmu: relative ?? (response === '' ? 'API Error' : 'No Answer Found.'),
    jmmmu_pro: parseJmmmuProChoice(response, options) ?? 'X',
  }
})

testKind(
  'vqa_normalise',
  (text: string) => ({
    full: normaliseVqaAnswer(text),
    punct: stripVqaPunctuation(text),
    digit_article: normaliseVqaWords(text),
    punct_then_digit_article: normaliseVqaWords(stripVqaPunctuation(text)),
    word_tokenize: undefined,
  }),
  (expected: object) => ({ ...expected, word_tokenize: undefined }),
)

testKind('reasoning_strip', ({ text, tags }: { readonly text: string; readonly tags: [string, string][] }) =>
  stripReasoning(text, tags),
)

/** For these rows, a box is compared by its content. */
const isSameBoxed = (prediction: string, gold: string): boolean => lastBoxed(prediction) === gold

function reasoning(
  input: string & readonly [string, string] & { solution: string; gold: string },
  id: string,
): unknown {
  const [, , what] = id.split('/')
  if (what === 'relax') return isRelaxedAnswer(input[0], input[1]) ? 1 : 0
  if (what === 'score') {
    const { score, accuracy, format, prediction } = reasoningScore(input.solution, input.gold, isSameBoxed)
    return {
      score,
      acc_score: accuracy,
      format_reward_score: format,
      predict_str: prediction,
      ground_truth: withoutLastDot(input.gold),
    }
  }
  return {
    boxed: lastBoxed(input) ?? '',
    answer_tag: reasonedAnswer(input),
    format: formatReward(input),
    simple_parse: withoutLastDot(input),
    mcq: parseMcq(input) ?? '',
  }
}

testKind('reasoning', reasoning)

function judgeReply(input: string & { text: string; range: [number, number] }, id: string): unknown {
  switch (id.split('/')[2]) {
    case 'score':
      return {
        clamped: readScore(input.text, input.range, 'lmms-eval') ?? input.range[0],
        free: readScore(input.text, undefined, 'lmms-eval') ?? 0,
      }
    case 'comparative':
      return readScorePair(input, 'lmms-eval') ?? [-1, -1]
    default:
      return readJsonReply(input) ?? {}
  }
}

testKind('judge_parse', judgeReply)

interface Prompt {
  readonly sha256: string
  readonly chars: number
}

testKind(
  'judge_prompt',
  (input: Compared) => [binaryPrompt(input), binaryPrompt(input, 'yes-no')].map(digest),
  (expected: Readonly<Record<'0/1' | 'yes/no', Prompt>>) =>
    [expected['0/1'], expected['yes/no']].map(({ sha256, chars }) => ({ sha256, chars })),
)

const digest = (text: string): Prompt => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  chars: text.length,
})

testKind('judge_prompt_build', ({ custom_prompt: custom, ...input }: Compared & { readonly custom_prompt?: string }) =>
  custom === undefined ? binaryPrompt(input) : fillPrompt(custom, { ...input, pred: input.prediction }),
)

describe('replies of a judge', () => {
  test.each([
    ['1', true],
    ['0', false],
    ['[1]', true],
    ['Score: 1.', true],
    ['0 because 1 is wrong', false],
    ['Yes, both agree', true],
    ['**No**', false],
    ['False', false],
    ['1.0', true],
    ['Score: 0.0', false],
    ['1.05', undefined],
    ['10', undefined],
    ['0.1', undefined],
    ['1/10', undefined],
    ['-1', undefined],
    ['know', undefined],
    ['', undefined],
  ])('%j is read as %s', (reply, said) => {
    expect(readBinaryReply(reply)).toBe(said)
  })

  test('prompts contain the compared texts, and a placeholder without a value is an error', () => {
    const compared = { question: 'Q?', answer: 'A!', prediction: 'P.' }
    expect(correctnessPrompt(compared)).toMatch(/^Question: \nQ\?\n-+\nCorrect Answer:\nA!\n-+\nSolution: \nP\.\n-+$/m)
    const both = comparativePrompt({ question: 'Q?', responses: ['x', 'y'], range: [1, 5] })
    expect(both).toContain('[Question]\nQ?\n\n\n\n[Assistant 1]\nx\n[End of Assistant 1]\n\n[Assistant 2]\ny\n')
    expect(both).toMatch(/Please provide scores from 1 to 5\.$/)
    expect(fillPrompt('{{"a": "{answer}"}}', compared)).toBe('{"a": "A!"}')
    expect(() => fillPrompt('{anser}', compared)).toThrow('{anser}, and there is question, answer, prediction')
    expect(() => fillPrompt('{', compared)).toThrow('without a partner')
  })
})
