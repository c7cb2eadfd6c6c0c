import { expect, test } from 'vitest'
import { questionWithSubtitles } from '../../tasks/videomme/utils.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('videomme', { right: row => ({ videomme_perception_score: row.right?.['score'] }) })

test('subtitles that a doc brings stand before the question', () => {
  const doc = {
    question: 'Who speaks?',
    options: ['A. a man', 'B. a child', 'C. a woman', 'D. nobody'],
    subtitles: '1\n00:00:01,000 --> 00:00:02,000\n<font color="white" size=".72c">Good evening.</font>\n',
  }
  expect(questionWithSubtitles(doc, {})).toContain('listed below: \nGood evening.\nSelect the best answer')
})
