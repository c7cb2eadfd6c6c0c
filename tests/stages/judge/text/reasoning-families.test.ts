import { expect, test } from 'vitest'
import { looksLikeReasoning, reasoningFamilies, wordTags } from '../../../../stages/judge/text/reasoning-families.js'
import { defaultReasoningTags, spokenText } from '../../../../stages/judge/text/reasoning.js'

const families = reasoningFamilies.flatMap(({ models, tags }) =>
  tags.map(([start, end]) => [models, start, end] as const),
)
const thought = 'Option C looks right at first. It could be C'

test.each(families)('takes the reasoning of %s out of an answer: %s', (_models, start, end) => {
  const body = (text: string, finishReason: 'stop' | 'length' | 'unknown') => ({ text, finishReason })
  expect(spokenText(body(`${start}${thought}${end}A`, 'stop'), defaultReasoningTags)).toBe('A')
  for (const reason of ['length', 'unknown'] as const)
    expect(spokenText(body(`${start}The answer is C`, reason), defaultReasoningTags)).toBe('')
  // The prompt may hold the start.
  if (!wordTags.has(start)) expect(spokenText(body(`${thought}${end}A`, 'stop'), defaultReasoningTags)).toBe('A')
})

test.each([
  ['<|START_THINKING|>C?<|END_THINKING|><|START_RESPONSE|>A<|END_RESPONSE|>', 'A'],
  ['<SUMMARY>s</SUMMARY>\n<CAPTION>c</CAPTION>\n<REASONING>C?</REASONING>\n<CONCLUSION>A</CONCLUSION>', 'A'],
  ['<|begin_of_thought|>C?<|end_of_thought|>\n<|begin_of_solution|>A<|end_of_solution|>', 'A'],
  ['<|channel|>analysis<|message|>C?<|end|><|start|>assistant<|channel|>final<|message|>A<|return|>', 'A'],
  ['analysisThe user asks for C.assistantfinalA', 'A'],
  ['<Thought>C?</Thought><Output>A</Output>', 'A'],
])('leaves the answer of %j without the marks around it', (text, said) => {
  expect(spokenText({ text, finishReason: 'stop' }, defaultReasoningTags)).toBe(said)
})

test.each(['analysis of the picture: a dog', 'Here is my response: A', 'A <summary> of a page', 'Use <output> tags.'])(
  'keeps %j, which holds words of tags only',
  text => {
    for (const finishReason of ['stop', 'length', 'unknown'] as const)
      expect(spokenText({ text, finishReason }, defaultReasoningTags)).toBe(text)
  },
)

test('recognizes marks of reasoning that no family has', () => {
  for (const text of [
    '<inner_monologue>C?</inner_monologue>A',
    '<|think|>C?<|end|>A',
    '<scratchpad>C',
    '[REASONING]C',
    '<unused7>C',
  ])
    expect([text, looksLikeReasoning(text)]).toEqual([text, true])
  for (const text of ['A', 'I think it is A', '<b>A</b>', 'the <answer>A</answer>', '[1, 2]', '<|im_end|>'])
    expect([text, looksLikeReasoning(text)]).toEqual([text, false])
})
