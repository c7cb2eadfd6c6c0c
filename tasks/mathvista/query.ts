import { lettered, letter } from '../_shared/options.js'

/** A problem as the prompt needs it. */
export interface Problem {
  readonly question: string
  readonly unit: string
  readonly choices: readonly string[]
  readonly questionType: string
  readonly answerType: string
  /** Decimal places of a number that is asked. */
  readonly precision: number | null
}

/** The ways to ask a problem. */
export const shotTypes = ['format-prompt', 'solution', 'step-by-step', 'reason-first', 'direct', 'code'] as const
export type ShotType = (typeof shotTypes)[number]

/** Question, choices, hint and what the answer is to begin with, a line each. */
export function queryText(problem: Problem, shotType: ShotType): string {
  const isPlain = shotType === 'format-prompt'
  const unit = problem.unit === '' ? '' : ` (Unit: ${problem.unit})`
  const question = `${isPlain ? '' : 'Question: '}${problem.question}${unit}`
  const choices = isPlain
    ? lettered(problem.choices)
    : problem.choices.map((choice, index) => `(${letter(index)}) ${choice}`)
  const listed = isPlain || choices.length === 0 ? choices : ['Choices:', ...choices]
  const hint = renderHint(problem, shotType)
  const parts =
    shotType === 'reason-first' ? [hint, question, ...listed] : [question, ...listed, hint, beginnings[shotType] ?? '']
  return parts
    .filter(part => part !== '')
    .join('\n')
    .trim()
}

const beginnings: Readonly<Partial<Record<ShotType, string>>> = { solution: 'Solution:', code: 'Python code:' }

interface AnswerForm {
  /** `an integer answer` */
  readonly what: string
  readonly examples: string
  /** The name of the example: a value or a list. */
  readonly noun: string
  /** The hint in one short sentence. */
  readonly short: string
}

function chooseForm({ answerType, precision }: Problem): AnswerForm {
  if (answerType === 'integer')
    return { what: 'an integer answer', examples: '1, 2, 3', noun: 'value', short: 'a single integer number' }
  if (answerType === 'list')
    return {
      what: 'a Python list as an answer',
      examples: '[1, 2, 3], [1.2, 1.3, 1.4]',
      noun: 'list',
      short: 'a Python list',
    }
  if (answerType === 'float' && (precision === 1 || precision === 2)) {
    const what = `a floating-point number with ${precision === 1 ? 'one decimal place' : 'two decimal places'}`
    const examples = precision === 1 ? '1.2, 1.3, 1.4' : '1.23, 1.34, 1.45'
    return { what, examples, noun: 'value', short: what.replace('a floating', 'a single floating') }
  }
  throw new Error(`there is no hint for an answer of type ${answerType} with precision ${String(precision)}`)
}

function renderHint(problem: Problem, shotType: ShotType): string {
  if (shotType === 'direct') return ''
  if (shotType === 'code') return 'Hint: Please generate a python code to solve the problem'
  if (problem.questionType === 'multi_choice') {
    if (problem.answerType !== 'text') throw new Error(`a choice can't be an answer of type ${problem.answerType}`)
    return choiceHints[shotType]
  }
  const { what, examples, noun, short } = chooseForm(problem)
  const final = `${what} and provide the final ${noun}, e.g., ${examples}, at the end`
  if (shotType === 'format-prompt') return `Answer the question using ${short}.`
  if (shotType === 'reason-first')
    return `First perform reasoning, then finally answer the question requiring ${final} in the following format: Answer: xxx.`
  return `Hint: Please answer the question requiring ${final}.`
}

const letterHint =
  'Hint: Please answer the question and provide the correct option letter, e.g., A, B, C, D, at the end.'

const choiceHints = {
  'format-prompt': "Answer with the option's letter from the given choices directly.",
  solution: letterHint,
  'step-by-step': letterHint,
  'reason-first':
    'First perform reasoning, then finally select the question from the choices in the following format: Answer: xxx.',
} as const
