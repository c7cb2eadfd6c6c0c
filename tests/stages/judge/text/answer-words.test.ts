import { expect, test } from 'vitest'
import { readOption } from '../../../../stages/judge/helpers/options/read-option.js'
import { answerSentences } from '../../../support/answer-sentences.js'

const letterOf = (text: string): string | undefined => {
  const found = readOption(text, { count: 4, choices: ['red', 'green', 'blue', 'grey'] })
  return found.type === 'letter' ? found.letter : undefined
}

test.each(Object.entries(answerSentences))(
  'reads what an answer in %s states, denies, takes back and leaves open',
  (_language, { states, denies, takesBack, several }) => {
    const read = (sentences: readonly string[]) => sentences.map(text => [text, letterOf(text)])
    const expected = (sentences: readonly string[], letter?: string) => sentences.map(text => [text, letter])
    expect(read(states)).toEqual(expected(states, 'B'))
    expect(read(denies)).toEqual(expected(denies))
    expect(read(takesBack)).toEqual(expected(takesBack, 'C'))
    expect(read(several)).toEqual(expected(several))
  },
)
