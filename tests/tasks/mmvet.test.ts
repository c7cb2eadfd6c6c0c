import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('mmvet', {
  skip: row =>
    row.kind === 'score' && !/^[\d.]+\s?/.test(row.judge_reply ?? '') ? 'the judge gives no grade' : undefined,
})
