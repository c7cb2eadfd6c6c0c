import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readOption } from '../../../../../stages/judge/helpers/options/read-option.js'

const letterOf = (text: string, choices: readonly string[] = [], count = 4): string | undefined => {
  const found = readOption(text, { count, choices })
  return found.type === 'letter' ? found.letter : undefined
}

test.each([
  ['B', 'B'],
  ['b', 'B'],
  ['(b)', 'B'],
  ['**B**', 'B'],
  ["'B'.", 'B'],
  ['B. blue', 'B'],
  ['(B) blue', 'B'],
  ['B: blue', 'B'],
  ['C\n', 'C'],
  ['Answer: B', 'B'],
  ['ANSWER: C', 'C'],
  ['The answer is B.', 'B'],
  ['The Answer Is C', 'C'],
  ['answer is: **C**', 'C'],
  ['The answer is B because A is wrong', 'B'],
  ['A is wrong, so B', 'B'],
  ['Option (B) rather than (A)', 'B'],
  ['The correct option is: (D).', 'D'],
  ['The answer is\n\nB', 'B'],
  ['My answer is C. Not D.', 'C'],
  ['C is correct\nA is not', 'C'],
  ['答案是B', 'B'],
  ['答えはAです', 'A'],
  ['답: C', 'C'],
  ['$\\boxed{D}$', 'D'],
  ['\\boxed{\\text{(C)}}', 'C'],
  ['The answer is A. Wait, the answer is B.', 'B'],
  ['So, C', 'C'],
  ['1. A', 'A'],
])('%j names %s', (text, letter) => {
  expect(letterOf(text)).toBe(letter)
})

test.each([
  '',
  'I cannot tell',
  '(E)',
  'F.',
  'Both B and C',
  'A B C D',
  '(A)(B)',
  'choices A or B',
  'A red ball lies there',
  'see MAP now',
  'Because',
  'None of the above',
  'The answer is A or B',
  'The answer is either A or B.',
  'A or B.',
  '**A** and **B**.',
  'i pick A over B',
  'After careful thought it must be green',
  'The answer is not A',
])('%j names no option', text => {
  expect(letterOf(text)).toBeUndefined()
})

test('the text of a choice selects it, and the longest one if one contains another', () => {
  const choices = ['red', 'dark red', 'blue', 'A']
  expect(letterOf('Dark red!', choices)).toBe('B')
  expect(letterOf('it is dark red', choices)).toBe('B')
  expect(letterOf('it is red or blue', choices)).toBeUndefined()
  expect(letterOf('infrared', choices)).toBeUndefined()
})

test('returns only letters of existing options', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.integer({ min: 2, max: 26 }), (text, count) => {
      const letter = letterOf(text, [], count)
      return letter === undefined || (letter.length === 1 && letter.charCodeAt(0) - 65 < count)
    }),
  )
})

test.each([
  'The answer is not B.',
  'The answer is not: **B**.',
  "The answer can't be B",
  'The answer can’t be B.',
  "The correct option isn't C",
  'The answer cannot be B',
  'The answer is neither B nor C.',
  'It is neither A, B nor C.',
  'Neither (A) nor (B).',
  'I doubt it is B.',
  'I doubt that the answer is B',
  "I don't think the answer is B.",
  'I do not believe that the correct answer to this question is B.',
  'I cannot say whether the answer is B.',
  'I am not sure if it is B',
  'B is wrong.',
  'Option B is not correct.',
  '(B) is incorrect',
  "B isn't right.",
  'B cannot be right',
  'B (green) is not the answer.',
  'B, C and D are wrong.',
  'We can rule out B.',
  'Eliminate B and C.',
  'anything except B',
  'none of A, B, C or D',
  'Is it B?',
  'Could the answer be B?',
  'If the answer is B, I am surprised.',
  'The answer is B. Wait, it cannot be B.',
  '答案不是B',
  '不选B。',
  '我不确定答案是否为B',
  '排除B',
  'B选项错误',
  'B是错误的',
  '答えはBではない',
  'Bは間違いです',
  '정답은 B가 아닙니다.',
  'B는 틀렸습니다',
  'Die Antwort ist nicht B.',
  'weder A noch B',
  "La réponse n'est pas B.",
  'La respuesta no es B.',
  'B es incorrecta.',
  'A resposta não é B.',
  'La risposta non è B.',
  'Ответ не B.',
  'ни B, ни C',
  'الإجابة ليست B',
])('%j denies its option', text => {
  expect(letterOf(text)).toBeUndefined()
})

test.each([
  ["I don't think the answer is B. It must be C.", 'C'],
  ['It is not A, so the answer is B.', 'B'],
  ['Not A but B', 'B'],
  ['B, not C', 'B'],
  ['B rather than C', 'B'],
  ['B instead of C', 'B'],
  ['The answer is B and not A.', 'B'],
  ['The answer is not A. The answer is B.', 'B'],
  ['A, C and D are incorrect. So it is B', 'B'],
  ['Neither A nor C is right, so D', 'D'],
  ['There is no doubt that the answer is B.', 'B'],
  ['Without a doubt, B', 'B'],
  ['It cannot be anything other than B.', 'B'],
  ['It is none other than B', 'B'],
  ['Since it is not red the answer is B', 'B'],
  ['I did not see red there and the answer is B', 'B'],
  ['Is it A? No. The answer is B.', 'B'],
  ['The answer is A. No, A is wrong. The answer is B.', 'B'],
  ['The statement that is not correct is B', 'B'],
  ['不难看出答案是B', 'B'],
  ['不正确的选项是B', 'B'],
  ['A不对，C不对，所以选B', 'B'],
  ['答案不是A，而是B', 'B'],
  ['A는 틀렸고 정답은 B입니다', 'B'],
  ['nicht A, sondern B', 'B'],
])('%j excludes another option than %s', (text, letter) => {
  expect(letterOf(text)).toBe(letter)
})

test.each([
  ...[
    '故选B',
    '故选：B',
    '故選B。',
    '选B',
    '我选择B',
    '应选B',
    '所以答案是B。',
    '所以答案是B，因为天空是蓝的',
    '答案应该是B',
  ],
  ...[
    '答案：Ｂ',
    '答案为选项B',
    '答案：选项B',
    '正确答案是B',
    '正确答案：(B)',
    '因此，正确选项为B。',
    '只有选项B是对的',
    'B选项正确',
  ],
  ...['B是正确的', '答案是「B」', '【答案】B', '選擇B', '答案B'],
  ...[
    '答えはBです',
    '答えは、Bです。',
    '正解はBです',
    '正解：B',
    'Bです',
    '選択肢Bが正しい',
    'Bが正解です',
    'B が正しいです。',
    '答え：Ｂ',
  ],
  ...[
    '정답은 B입니다',
    '정답은 B입니다.',
    '정답: B',
    '답은 B이다',
    'B입니다.',
    'B가 정답입니다',
    '정답은 (B)번입니다',
    '정답: ②',
  ],
  ...[
    'Ответ: Б',
    'Ответ: B',
    'Ответ: Б.',
    'Правильный ответ — B',
    'Правильный ответ: Б',
    'Ответом является вариант B',
    'Б',
  ],
  ...[
    'Antwort: B',
    'Die Antwort ist B.',
    'Die richtige Antwort lautet B.',
    'Die richtige Antwort ist Option B',
    'B ist richtig.',
  ],
  ...[
    'La réponse est B',
    'Réponse : B',
    'La bonne réponse est la B.',
    'La réponse correcte est l’option B',
    'B est correct.',
  ],
  ...[
    'La respuesta es B',
    'La respuesta correcta es la B.',
    'Respuesta: B',
    'Respuesta correcta: B)',
    'La opción correcta es la B',
  ],
  ...[
    'A resposta é B',
    'A resposta correta é a letra B.',
    'Resposta: B',
    'La risposta è B',
    'La risposta corretta è la B.',
    'Risposta: B',
  ],
  ...[
    'الإجابة: B',
    'الإجابة الصحيحة هي B',
    'الجواب هو B.',
    'الإجابة: ب',
    'Jawaban: B',
    'Jawaban yang benar adalah B',
    'Đáp án: B',
    'Đáp án đúng là B',
  ],
  ...[
    'Doğru cevap B',
    'Cevap: B',
    'उत्तर: B',
    'सही उत्तर B है',
    'คำตอบคือ B',
    'คำตอบคือข้อ B',
    'ตอบ B',
    'התשובה היא B',
    'Απάντηση: Β',
  ],
  ...[
    'Ｂ',
    '（Ｂ）',
    'Ⓑ',
    '**Answer:** B',
    '**Answer**: **B**',
    'Answer:B',
    'Answer - (B)',
    '"answer": "B"',
    '{"answer": "B"}',
    '<answer>B</answer>',
  ],
  ...[
    '$\\boxed{\\textbf{(B)}}$',
    '\\boxed{\\mathrm{B}}',
    '\\boxed{B.}',
    '\\text{B}',
    '\\(\\text{B}\\)',
    '$B$',
    '`B`',
    '### B',
    '- B',
    '✅ B',
    '→ B',
  ],
  ...[
    'Answer: b',
    'the answer is (b).',
    'Final answer: b)',
    'The answer is\n**B**',
    'Option B',
    'I choose B',
    'It must be B!',
    'The answer: B) green',
  ],
])('%j names B', text => {
  expect(letterOf(text)).toBe('B')
})

test.each([
  'C++',
  'C#',
  'a) red b) blue',
  "The bird's A-level",
  'vitamin B12',
  '-B',
  'B/C',
  'x = A + B',
  'B^2',
  'Ответ: В',
  'non-B',
])('%j names no letter', text => {
  expect(letterOf(text)).toBeUndefined()
})

test.each<[answer: string, choices: readonly string[], letter: string | undefined]>([
  ['5', ['-5', '3', '7', '9'], undefined],
  ['5', ['-5', '5', '7', '9'], 'B'],
  ['-5', ['5', '-5', '7', '9'], 'B'],
  ['−5', ['5', '-5', '7', '9'], 'B'],
  ['The answer is -5.', ['5', '-5', '7', '9'], 'B'],
  ['So we get 5', ['-5', '5', '7', '9'], 'B'],
  ['So we get -5', ['5', '3', '7', '9'], undefined],
  ['x+1', ['x-1', '3x', '2x', 'x'], undefined],
  ['x + 1', ['x-1', 'x+1', '2x', 'x'], 'B'],
  ['x > 3', ['x < 3', 'x = 4', 'y', 'z'], undefined],
  ['x<3', ['x > 3', 'x < 3', 'y', 'z'], 'B'],
  ['5%', ['$5', '10%', '15%', '20%'], undefined],
  ['50 %', ['5%', '50%', '15%', '20%'], 'B'],
  ['It is $5', ['5%', '$5', '5', '-5'], 'B'],
  ['C++', ['C', 'C++', 'Java', 'Python'], 'B'],
  ['The answer is C++.', ['C', 'C++', 'Java', 'Python'], 'B'],
  ['It is written in C#', ['C++', 'C#', 'Java', 'Python'], 'B'],
  ['2.5', ['2', '2.5', '5', '25'], 'B'],
  ['.5', ['5', '-5', '0.5', '50'], 'C'],
  ['The answer is .5', ['5', '-5', '0.5', '50'], 'C'],
  ['-.5', ['5', '-0.5', '0.5', '50'], 'B'],
  ['It took 2.5 hours', ['2', '2.5', '5', '25'], 'B'],
  ['(1, 2)', ['[1, 2]', '(1, 2)', '(1, 2]', '[1, 2)'], 'B'],
  ['1,000', ['100', '1000', '10', '1'], 'B'],
  ['?', ['.', '?', '!', ','], 'B'],
  ['It is not green.', ['red', 'green', 'blue', 'grey'], undefined],
  ['It is not red, it is green', ['red', 'green', 'blue', 'grey'], 'B'],
  ['Green. A red one would be larger.', ['red', 'green', 'blue', 'grey'], undefined],
  ['The answer is green. A red one would be larger.', ['red', 'green', 'blue', 'grey'], 'B'],
  ['(D) cannot be determined', ['1', '2', '3', 'Cannot be determined'], 'D'],
  ['The answer is D. is not given', ['1', '2', '3', 'is not given'], 'D'],
  ['图中是绿色的', ['红色', '绿色', '蓝色', '黄色'], 'B'],
  ['不是绿色', ['红色', '绿色', '蓝色', '黄色'], undefined],
  ['答案是绿', ['红', '绿', '蓝', '黄'], 'B'],
  ['緑色です', ['赤色', '緑色', '青色', '黄色'], 'B'],
  ['정답은 초록색입니다', ['빨간색', '초록색', '파란색', '노란색'], 'B'],
  ['\\boxed{green}', ['red', 'green', 'blue', 'grey'], 'B'],
  ['(green)', ['red', 'green', 'blue', 'grey'], 'B'],
  ['(A)', ['B', 'A', 'O', 'AB'], 'A'],
  ['A', ['B', 'A', 'O', 'AB'], 'B'],
])('in %j among %j, the option is %s', (text, choices, letter) => {
  expect(letterOf(text, choices)).toBe(letter)
})

test('reads every choice as itself if it differs from the others by a letter, digit or sign', () => {
  const choice = fc.stringMatching(/^[a-z0-9+<>=%$-]{1,6}$/)
  fc.assert(
    fc.property(fc.uniqueArray(choice, { minLength: 4, maxLength: 4 }), fc.nat(3), (choices, index) => {
      return letterOf(choices[index] ?? '', choices) === 'ABCD'.charAt(index)
    }),
  )
})

test.each<[answer: string, letter: string | undefined]>([
  ['The reference point lies on the lower part of the leg. **The correct answer is (B).**', 'B'],
  ['Answer: **D**', 'D'],
  ['I considered (A), but it is incorrect. Final answer: D.', 'D'],
  ['The correct answer is d.', 'D'],
  ['The answer is B. Note that A is a common distractor.', 'B'],
  ['ANSWER IS D. A is incorrect.', 'D'],
  ['The answer is C because I computed the integral.', 'C'],
  ['**Answer: D** since \\boxed{\\langle H\\rangle \\ll \\Delta E}', 'D'],
  ['\\boxed{D. green}', 'D'],
  ['Answer: $B', 'B'],
  ['Answer: $B$', 'B'],
  ['ANSWER: AB', undefined],
  ['ANSWER: A ... actually, ANSWER: B', 'B'],
  ['Antwort:\n\nAntwort: C', 'C'],
  ["Answer: Let's think step by step. The answer is (J).", 'J'],
  ['The answer is B because a car moves.', 'B'],
  ['I would pick B — a safe choice.', 'B'],
  ["The correct answer is B. Here's why: option B fits, and option A does not.", 'B'],
  ['A perfect answer cannot be found.', undefined],
])('among ten options, %j names %s', (text, letter) => {
  expect(letterOf(text, [], 10)).toBe(letter)
})

test.each(['排除A、C、D，选B', '不会选A、C，选B', '不是A，也不是C，是B', 'Rule out A, C, and D. B.'])(
  '%j chooses B, because a negation ends with its clause',
  text => {
    expect(letterOf(text)).toBe('B')
  },
)
