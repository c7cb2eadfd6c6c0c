import { testGoldenTask } from '../support/golden-task.js'

const scoresIn = (reply: string): readonly number[] =>
  Array.from(reply.replaceAll('.', '').match(/\b(?:[1-9]|10)\b/g) ?? [], Number)

interface Judged {
  readonly eval_answer: readonly [string, string]
}

testGoldenTask('air_bench', {
  values: {
    gpt_eval: ({ eval_answer: [asSecond, asFirst] }: Judged) =>
      ((scoresIn(asSecond)[1] ?? NaN) + (scoresIn(asFirst)[0] ?? NaN)) / 2,
  },
  judgeFails: ({ judge_reply: reply }) => reply !== undefined && scoresIn(reply).length < 2,
})
