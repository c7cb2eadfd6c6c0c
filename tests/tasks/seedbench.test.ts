import { describe, expect, it } from 'vitest'
import { pictureScore } from '../../tasks/seedbench/utils.js'
import { testGoldenTask } from '../support/golden-task.js'

const isRight = ({ pred, answer }: { pred: string; answer: string }): number =>
  Number(pred.toLowerCase() === answer.toLowerCase())

describe('with parity', () => {
  testGoldenTask('seedbench', {
    parity: 'lmms-eval',
    values: { seed_image: isRight, seed_video: isRight, seed_all: isRight },
  })
})

it.each([
  ['B', 1, 1],
  ['b. oats', 1, 1],
  ['Answer: B', 1, 0],
  ['(B)', 1, 0],
  ['Based on the bars, C', 0, 1],
])('scores the option in %j, and with parity the first character', (answer, value, theirs) => {
  expect(pictureScore({ answer: 'B' }, [answer])).toEqual({ seed_image: value })
  const { seed_image: said } = pictureScore({ answer: 'B' }, [answer], { parity: 'lmms-eval' })
  expect(typeof said === 'object' && said.type === 'unparsed' ? said.value : said).toBe(theirs)
})
