import { sha256 } from '../../cache/digest.js'
import type { Aggregate, FailureClass, Run } from '../../cache/records.js'
import type { FailedItem, RunCounts } from '../../cache/store.js'

/** A plain run with one task. */
export const someRun: Run = {
  ref: 1,
  id: sha256('run'),
  name: 'brave-otter-7f3a',
  asked: {
    tasks: [
      { name: 'shapes_vqa', identity: sha256('task'), dataset: { path: 'test.parquet', split: 'test', files: {} } },
    ],
    model: { backend: 'onnx_vlm', args: { dtype: 'int8' }, files: {} },
    code: sha256('code'),
    selection: {},
  },
  provenance: {
    version: '0.1.0',
    commit: '4be1c9d0000000000000000000000000000000000',
    node: '20.20.2',
    config: { cwd: '/home/me', model: 'onnx_vlm', model_args: { model: 'examples/tinyvlm' }, tasks: ['shapes_vqa'] },
    scoring: {},
  },
  createdAt: 1_763_000_000_000,
}

export const aggregate = (changes: Partial<Aggregate> = {}): Aggregate => ({
  task: 'shapes_vqa',
  metric: 'exact_match',
  filter: 'none',
  value: 0.905,
  stderr: 0.0093,
  interval: [0.8852, 0.9217],
  intervalMethod: 'wilson',
  higherIsBetter: true,
  n: 1000,
  total: 1000,
  unparsed: 0,
  empty: 0,
  ...changes,
})

export const counts = (changes: Partial<RunCounts> = {}): RunCounts => ({
  docs: 900,
  docsByTask: [900],
  items: 900,
  answered: 900,
  failed: {},
  open: 0,
  shared: 0,
  pending: 0,
  inputFinished: true,
  ...changes,
})

export const failed = (doc: string, failureClass: FailureClass, message: string): FailedItem => ({
  task: 'mmmu_val',
  doc,
  index: Number(doc),
  choice: 0,
  sample: 0,
  failure: { class: failureClass, message, attempts: 1 },
})
