import { describe, expect, test } from 'vitest'
import { isMathEqual } from '../../../../stages/judge/math/math-equal.js'
import { mathEqual } from '../../../../stages/judge/metrics/math-equal.js'
import { goldenRows } from '../../../support/golden.js'
import { valueOf, verdictOf } from '../../../support/judged-value.js'

interface Row {
  readonly id: string
  readonly target: string
  readonly answer: string
  readonly expected: boolean
  /** Whether the answer is part of a sentence. */
  readonly wrapped?: boolean
  /** Why the reference's verdict is not the mathematical one. */
  readonly misread?: string
}

const rows = goldenRows<Row>('metrics/math_verify.jsonl.gz')
const random = goldenRows<Row>('metrics/math_verify_random.jsonl.gz')

/** The reference reads `3\mathrm{i}` as 3, and the space of `\\[2pt]` as a cell of the matrix. */
const plainest = (row: Row): Row => {
  const plain = (text: string): string => text.replaceAll('\\mathrm{i}', 'i').replaceAll('[2pt]', '')
  const [target, answer] = [plain(row.target), plain(row.answer)]
  return target === row.target && answer === row.answer ? row : { ...row, target, answer }
}

const forms: readonly (readonly [form: string, wrap: (answer: string) => string])[] = [
  ['a box', answer => `\\boxed{${answer}}`],
  ['a formula', answer => `$${answer}$`],
  ['a formula in a sentence', answer => `So the answer is $${answer}$.`],
]

describe.each(forms)('answers in %s', (_, wrap) => {
  const verdict = ({ target, answer, wrapped }: Row): boolean =>
    valueOf(mathEqual, wrapped === true ? answer : wrap(answer), { target }) === 1
  const expectAll = (own: readonly Row[]): void => {
    const wrong = own.filter(row => verdict(row) !== (row.expected || row.misread !== undefined))
    expect(wrong.map(({ target, answer, expected }) => `${target} and ${answer}: expected ${expected}`)).toEqual([])
  }

  test('are equal where the reference finds them equal, or where it misreads equal ones', () => {
    expectAll(rows)
    expect(rows.filter(({ expected }) => expected).length).toBeGreaterThan(600)
  })

  test('are compared as in the reference for random pairs of forms', () => {
    expectAll(random.filter(row => plainest(row) === row))
    expect(random.length).toBeGreaterThan(2000)
  })

  test('mean what they mean without LaTeX that the reference misreads', () => {
    const own = random.filter(row => plainest(row) !== row)
    expect(own.filter(row => verdict(row) !== verdict(plainest(row)))).toEqual([])
    expect(own.length).toBeGreaterThan(20)
  })
})

test('finds a target in boxes, formulas and sentences of many languages, and rejects parts of it', () => {
  const said = goldenRows<{ target: string; answer: string; expected: 0 | 1 }>('metrics/math_answers.jsonl.gz')
  const wrong = said.filter(({ target, answer, expected }) => valueOf(mathEqual, answer, { target }) !== expected)
  expect(wrong.map(({ target, answer, expected }) => `${target} and ${answer}: expected ${expected}`)).toEqual([])
  expect(said.length).toBeGreaterThan(5000)
})

test.each([
  ['2^{60}', '2^{60}+1'],
  ['\\frac{2^{60}+1}{3}', '\\frac{2^{60}}{3}'],
  ['9007199254740992.0', '9007199254740993.0'],
  ['(2^{60}+1)x', '2^{60}x'],
  ['[0, 2^{60}]', '[0, 2^{60}+1]'],
  ['\\{2^{60}, 1\\}', '\\{2^{60}+1, 1\\}'],
  ['(1, 2^{60})', '(1, 2^{60}+1)'],
  ['x < 2^{60}', 'x < 2^{60}+1'],
  ['2^{60}x = y', '(2^{60}+1)x = y'],
  ['30!', '30!+1'],
  ['\\frac{1}{2004!}', '\\frac{1}{2006!}'],
  ['\\binom{80}{40}', '\\binom{80}{40}+1'],
  ['10^{20} \\bmod 7', '(10^{20}+1) \\bmod 7'],
  ['\\frac{1}{3}', '\\frac{333333333333333}{1000000000000000}'],
  ['10^{400}', '10^{400}+1'],
])('distinguishes large and close numbers: %s and %s', (target, answer) => {
  expect(valueOf(mathEqual, `$${answer}$`, { target })).toBe(0)
  expect(valueOf(mathEqual, `$${target}$`, { target })).toBe(1)
})

test.each(['\\boxed{\\frac{1}{}', '\\boxed{]]}', '$\\foo(((3$', '我不知道', 'I can not tell'])(
  'an answer without mathematics is unparsed: %s',
  answer => {
    expect(verdictOf(mathEqual, answer, { target: '5' })).toMatchObject({ type: 'unparsed', value: 0 })
  },
)

test('a verdict does not depend on earlier comparisons', () => {
  expect(isMathEqual('a+a', '2 \\times a')).toBe(true)
  expect(isMathEqual('a_n = 2n+1', '2n+1')).toBe(true)
  expect(isMathEqual('a+a', '2 \\times a')).toBe(true)
})

test.each([
  ['|x|', 'x'],
  ['\\ln x^2', '2 \\ln x'],
  ['1.6 \\times 10^{-19}', '3 \\times 10^{-19}'],
  ['(1,2]', '[1,2)'],
  ['12345678901234567890', '12345678901234567891'],
])('%s does not equal %s', (target, answer) => {
  expect(isMathEqual(target, answer)).toBe(false)
})

test.each([
  ['\\int_0^1 x\\, \\mathrm{d}x', '\\frac12'],
  ['\\int_0^\\infty e^{-x} dx', '1'],
  ['\\int_{-\\infty}^{\\infty} e^{-x^2} dx', '\\sqrt{\\pi}'],
  ['\\int_0^1 \\frac{1}{\\sqrt{x}} dx', '2'],
  ['\\int_0^a x dx', '\\frac{a^2}{2}'],
  ['\\frac{d}{dx}(x^3 - x)', '3x^2-1'],
  ['\\frac{\\partial}{\\partial y} xy^2', '2xy'],
  ['\\lim_{x\\to 0} \\frac{\\sin x}{x}', '1'],
  ['\\lim_{n \\to \\infty} (1+\\frac{1}{n})^n', 'e'],
  ['\\lim_{x \\to 2^+} \\frac{|x-2|}{x-2}', '1'],
  ['5\\text{ percent}', '5'],
  ['5\\text{ percent}', '5\\%'],
  ['3^{\\text{rd}}', '3rd'],
  ['21', '21st'],
  ['90\\degree', '90^\\circ'],
  ['\\{1, \\frac12\\}', '{0.5, 1}'],
  ['61.52\\ldots', '61.52'],
  ['-6 \\le x < 0', 'x \\in [-6, 0)'],
  ['\\mathbb{R} \\setminus [0, 7)', '(-\\infty,0)\\cup[7,\\infty)'],
  ['[0,10]\\setminus(2,3)', '[0,2]\\cup[3,10]'],
  ['[0,1]\\setminus(0,1)', '\\{0\\}\\cup\\{1\\}'],
  ['A = \\begin{pmatrix}1\\\\2\\end{pmatrix}', '\\begin{bmatrix}1\\\\2\\end{bmatrix}'],
  ['32_{\\text{five}}', '32_5'],
])('%s equals %s', (target, answer) => {
  expect(isMathEqual(target, answer)).toBe(true)
  expect(isMathEqual(answer, target)).toBe(true)
})

test('an inequality equals its solution set, but is no answer to a problem that asks for the set', () => {
  for (const [inequality, solutions] of [
    ['x >= 3', '[3, \\infty)'],
    ['x \\ne 2', '(-\\infty,2)\\cup(2,\\infty)'],
  ] as const) {
    expect(isMathEqual(inequality, solutions)).toBe(true)
    expect(isMathEqual(solutions, inequality)).toBe(false)
  }
})

test.each([
  ['\\int_0^1 x dx', '\\frac13'],
  ['\\int_{-1}^1 \\frac{1}{x} dx', '0'],
  ['\\frac{d}{dx} x^2', 'x'],
  ['\\lim_{x\\to 0} \\frac{|x|}{x}', '0'],
  ['\\lim_{x\\to 0} \\sin(1/x)', '0'],
  ['5\\text{ percent}', '0.05'],
  ['5\\text{ percent}', '5\\text{ apples}'],
  ['\\mathbb{R} \\setminus [0, 7]', '(-\\infty,0)\\cup[7,\\infty)'],
  ['-6 \\le x < 0', 'x \\in [-6, 0]'],
])('%s does not equal %s either', (target, answer) => {
  expect(isMathEqual(target, answer)).toBe(false)
})

test('compares powers of decimals whose exact value has hundreds of digits', () => {
  expect(isMathEqual('1000 \\cdot 1.05^{360}', '1000(1.05)^{360}')).toBe(true)
  expect(isMathEqual('1000 \\cdot 1.05^{360}', '1000(1.05)^{361}')).toBe(false)
  expect(isMathEqual('0.95^{400}', '(\\frac{19}{20})^{400}')).toBe(true)
  expect(isMathEqual('\\sqrt{1.5^{900}}', '1.5^{450}')).toBe(true)
})

test('gives up on nested sums and integrals instead of evaluating them for hours', () => {
  const sums = '\\sum_{a=1}^{9000}'.repeat(5)
  expect(isMathEqual('5', `${sums} a`)).toBe(false)
  expect(isMathEqual('5', `${'\\int_0^1 '.repeat(20)} x${' dx'.repeat(20)}`)).toBe(false)
  expect(isMathEqual('\\frac14', '\\int_0^1 \\int_0^1 xy dx dy')).toBe(true)
})

test('judges an answer of 100,000 repeated characters by its text', () => {
  for (const part of ['(', '1,', '\\frac{', '\\text{a}', ' ', 'x=1 ', '\\boxed{'])
    expect(isMathEqual('5', part.repeat(100_000 / part.length))).toBe(false)
  expect(isMathEqual('1 '.repeat(50_000), '1'.repeat(50_000))).toBe(true)
})

test.each(['The answer is -', 'So x - and that is all', 'I think: +', 'a (-', 'answer: ^', 'well \\cdot well'])(
  'operators without operands are unparsed: %s',
  answer => {
    expect(verdictOf(mathEqual, answer, { target: '5' }).type).toBe('unparsed')
  },
)
