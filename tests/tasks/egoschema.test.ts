import { testGoldenTask, type TaskRow } from '../support/golden-task.js'

interface Read {
  readonly pred: number
  readonly ground_truth: string
}

/** The reference keeps of an option only what stands before its second dot: of "A. 3.5 m" that is "3". */
const isCut = ({ kind, task, doc }: TaskRow): boolean =>
  kind === 'prompt' &&
  task.endsWith('_mcppl') &&
  (doc['option'] as readonly string[]).some(option => option.split('.').length > 2)

testGoldenTask('egoschema', {
  values: { score: ({ pred, ground_truth: right }: Read) => Number(String(pred) === right) },
  skip: row => (isCut(row) ? 'the reference cuts options at their dots' : undefined),
})
