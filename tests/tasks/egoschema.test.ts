import { testGoldenTask, type TaskRow } from '../support/golden-task.js'

interface Read {
  readonly pred: number
  readonly ground_truth: string
}

/** The reference keeps only the part of an option before its second dot: "3" of "A. 3.5 m". */
const isCut = ({ kind, task, doc }: TaskRow): boolean =>
  kind === 'prompt' &&
  task.endsWith('_mcppl') &&
  (doc['option'] as readonly string[]).some(option => option.split('.').length > 2)

testGoldenTask('egoschema', {
  values: { score: ({ pred, ground_truth: right }: Read) => Number(String(pred) === right) },
  skip: row => (isCut(row) ? 'the reference cuts options at their dots' : undefined),
})
