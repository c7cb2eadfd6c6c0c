import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { JudgePrompt } from '../../stages/judge/define/judge-model.js'
import { score, wholeGroups } from '../../tasks/hallusion_bench/utils.js'
import { testGoldenTask, type TaskRow } from '../support/golden-task.js'

interface Reference {
  readonly model_prediction: string
  readonly gt_answer_details: string
}

/** The reference's judge counted an answer as correct if it equals the reference answer word by word. */
const isRight = ({ model_prediction: said, gt_answer_details: right }: Reference): number => Number(said === right)
const judgeReply = ({ responses: [said], doc }: TaskRow): string =>
  said === doc['gt_answer_details'] ? 'correct' : 'incorrect'

testGoldenTask('hallusion_bench', {
  onlyAggregates: ['fAcc', 'qAcc'],
  values: { aAcc: isRight },
  judgeReply,
  skip: ({ kind, doc }) =>
    kind === 'messages' && doc['image'] === null
      ? 'fails for want of a picture, as ours does when it is read'
      : undefined,
})

describe('the score of HallusionBench', () => {
  const doc = {
    ...{ category: 'VS', subcategory: 'map', set_id: '0', question_id: '2' },
    ...{ question: 'Q?', gt_answer_details: 'Yes.' },
  }
  const scoreOf = async (figure: string, reply: string) => {
    const asked: JudgePrompt[] = []
    const ask = (prompt: JudgePrompt) => {
      asked.push(prompt)
      return Promise.resolve({ type: 'answered', text: reply } as const)
    }
    return {
      values: await score({ ...doc, figure_id: figure }, ['No.'], { target: null, choices: [], bodies: [], ask }),
      asked,
    }
  }

  it('counts an unclear answer as right without a figure, and leaves it out of figure accuracy', async () => {
    const { values } = await scoreOf('0', 'Unclear')
    expect(values).toEqual({ aAcc: 1, qAcc: { group: 'VS_map_0_2', score: 1 } })
  })

  it('counts an unclear answer as wrong with a figure', async () => {
    const { values } = await scoreOf('1', '"unclear"')
    expect(values).toMatchObject({ aAcc: 0, fAcc: { group: 'VS_map_0_1', score: 0 } })
  })

  it("uses the benchmark's own judge prompt", async () => {
    const { asked } = await scoreOf('1', 'incorrect')
    expect(asked[0]?.maxTokens).toBe(16)
    expect(
      createHash('sha256')
        .update(asked[0]?.messages as string)
        .digest('hex'),
    ).toBe('ca7eb93b0653ea19461aac88d55df69369938928ff945086b3aa3e8e405049c2')
  })

  it('has no value if the judge replies something else', async () => {
    expect((await scoreOf('1', 'Hm.')).values).toMatchObject({ aAcc: { type: 'judge_failed' } })
  })

  it('counts groups in which all docs are right', () => {
    const docs = [1, 1, 1, 0].map((one, at) => ({ group: at < 2 ? 'a' : 'b', score: one }))
    expect(wholeGroups(docs)).toBe(50)
  })
})
