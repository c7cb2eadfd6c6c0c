import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import type { PortableRun } from '../../../cache/bundle/portable.js'
import { verifyRows } from '../../../cache/bundle/verify-rows.js'
import { sha256 } from '../../../cache/digest.js'
import { collect, portableRun, table } from '../../support/portable-runs.js'

const run = portableRun({ docs: 5, answer: doc => (doc === 0 ? null : 'yes'), judgedAt: [3000] })
const other = sha256('another')

/** The run with one row of a table changed. */
async function withRow(
  name: 'preimages' | 'items' | 'responses' | 'failures',
  index: number,
  change: Record<string, unknown>,
): Promise<PortableRun> {
  const rows: object[] = await collect<object>(run[name])
  return { ...run, [name]: table(rows.map((row, at) => (at === index ? { ...row, ...change } : row))) }
}

async function withVerdict(change: Record<string, unknown>): Promise<PortableRun> {
  const [judgement] = run.judgements
  const rows = await collect(judgement!.verdicts)
  return { ...run, judgements: [{ ...judgement!, verdicts: table(rows.map(row => ({ ...row, ...change }))) }] }
}

test('accepts a run whose keys are correct', async () => {
  await expect(verifyRows('x.pipeline', run)).resolves.toBeUndefined()
})

test.each([
  ['preimages', 1, { preimage: '{}' }, 'preimages.parquet, row 2: key is not the digest of preimage'],
  ['items', 4, { input: '{}' }, 'inputs.parquet, row 5: input_key is not the digest of input'],
  ['items', 0, { record: '{}' }, 'inputs.parquet, row 1: record_key is not the digest of record'],
  [
    'items',
    2,
    { sample: 1 },
    'inputs.parquet, row 3: response_key is not the digest of input, config, code and sample',
  ],
  ['items', 2, { response_key: other }, 'inputs.parquet, row 3: response_key is not the digest'],
  ['items', 2, { config_key: null }, 'inputs.parquet, row 3: only a part of the request is there'],
  ['items', 2, { config_key: 'nonsense' }, 'inputs.parquet, row 3: not a digest'],
  ['items', 2, { task: 'u' }, 'inputs.parquet, row 3: the run has no task "u"'],
  ['responses', 0, { body: '{"text":"no"}' }, 'responses.parquet, row 1: answer is not the digest of body'],
  ['failures', 0, { class: 'bad luck' }, 'failures.parquet, row 1: no class of failures: "bad luck"'],
] as const)('in %s, rejects row %i with %j', async (name, index, change, message) => {
  const verifying = verifyRows('x.pipeline', await withRow(name, index, change))
  await expect(verifying).rejects.toBeInstanceOf(PipelineError)
  await expect(verifying).rejects.toThrow(`x.pipeline: part ${message}`)
})

test.each([
  [{ answers: `["${other}"]` }, 'score_key is not the digest of answers, record, config and scorer'],
  [{ answers: '{}' }, 'answers is no list'],
  [{ body: null }, 'only a part of the score is there'],
  [{ revision: '{}' }, 'record_key is not the digest of revision'],
] as const)('rejects a verdict with %j', async (change, message) => {
  await expect(verifyRows('x.pipeline', await withVerdict(change))).rejects.toThrow(
    `scores-1.parquet, row 1: ${message}`,
  )
})
