import { testGoldenTask, type TaskRow } from '../support/golden-task.js'

/** The reference takes a target of 0 for no number, so that `0.` is another text to it. Its metric's golden rows call that a flaw. */
const isOtherZero = ({ doc, responses: [answer] }: TaskRow): boolean =>
  Number(doc['answer']) === 0 && answer !== doc['answer'] && Number(answer) === 0

testGoldenTask('chartqa', {
  skip: row => (row.kind === 'score' && isOtherZero(row) ? 'a zero that is written otherwise' : undefined),
})
