import { PipelineError } from '../../base/errors/errors.js'
import { parseDigest, sha256, type CodeKey, type JudgeConfigKey } from '../digest.js'
import { codeKey, judgeConfigKey, responseKey, scoreKey } from '../keys.js'
import type { FailureClass } from '../records.js'
import { scoresPart } from './manifest.js'
import type {
  FailureRow,
  ItemRow,
  PortableJudgement,
  PortableRun,
  PreimageRow,
  ResponseRow,
  Table,
  VerdictRow,
} from './portable.js'

/** Describes the damage of a row. Undefined for a valid row. */
type Check<Row> = (row: Row) => string | undefined

/**
 * Reads every row of a run and checks that each key is the digest of its content. A forged bundle can therefore not
 * bring an answer under the key of another request.
 *
 * @throws PipelineError (bundle) with part and row
 */
export async function verifyRows(source: string, run: PortableRun): Promise<void> {
  const tasks = new Map(run.asked.tasks.map(({ name }, index) => [name, index]))
  const inTask =
    <Row extends { readonly task: string }>(check: Check<Row>): Check<Row> =>
    row =>
      tasks.has(row.task) ? check(row) : `the run has no task ${JSON.stringify(row.task)}`
  const verify = <Row>(part: string, table: Table<Row>, check: Check<Row>): Promise<void> =>
    verifyTable(`${source}: part ${part}`, table, check)

  await verify('preimages.parquet', run.preimages, preimage)
  await verify('inputs.parquet', run.items, inTask(item))
  await verify('responses.parquet', run.responses, response)
  await verify('failures.parquet', run.failures, inTask(failure))
  for (const judgement of run.judgements)
    await verify(scoresPart(judgement.number), judgement.verdicts, inTask(verdict(judgement, tasks)))
}

async function verifyTable<Row>(part: string, table: Table<Row>, check: Check<Row>): Promise<void> {
  let before = 0
  for await (const rows of table()) {
    for (const [index, row] of rows.entries()) {
      const problem = findProblem(check, row)
      if (problem !== undefined) throw new PipelineError('bundle', `${part}, row ${before + index + 1}: ${problem}`)
    }
    before += rows.length
  }
}

function findProblem<Row>(check: Check<Row>, row: Row): string | undefined {
  try {
    return check(row)
  } catch (error) {
    // These errors mean that a text is not a digest or not JSON.
    if (error instanceof TypeError || error instanceof SyntaxError) return error.message
    throw error
  }
}

const preimage: Check<PreimageRow> = row =>
  sha256(row.preimage) === row.key ? undefined : 'key is not the digest of preimage'

const item: Check<ItemRow> = row => {
  if (sha256(row.record) !== row.record_key) return 'record_key is not the digest of record'
  const { response_key, input_key, input, config_key, code_key } = row
  if (response_key === null || input_key === null || input === null || config_key === null || code_key === null)
    return [response_key, input_key, input, config_key, code_key].every(cell => cell === null)
      ? undefined
      : 'only a part of the request is there'
  const key = sha256<'input'>(input)
  if (key !== input_key) return 'input_key is not the digest of input'
  const config = parseDigest<'config'>(config_key)
  const code = parseDigest<'code'>(code_key)
  return responseKey({ input: key, config, code, sample: row.draw ?? row.sample }) === response_key
    ? undefined
    : 'response_key is not the digest of input, config, code and sample'
}

const response: Check<ResponseRow> = row => {
  parseDigest(row.response_key)
  JSON.parse(row.body)
  JSON.parse(row.meta)
  return sha256(row.body) === row.answer ? undefined : 'answer is not the digest of body'
}

const failureClasses: Record<FailureClass, true> = {
  rate_limited: true,
  timeout: true,
  server: true,
  invalid_request: true,
  refused: true,
  media: true,
  budget: true,
}

const failure: Check<FailureRow> = row =>
  row.class in failureClasses ? undefined : `no class of failures: ${JSON.stringify(row.class)}`

function verdict(judgement: PortableJudgement, tasks: ReadonlyMap<string, number>): Check<VerdictRow> {
  const keys: readonly { readonly config: JudgeConfigKey; readonly scorer: CodeKey }[] = judgement.tasks.map(
    ({ config, scorer }) => ({ config: judgeConfigKey(config).key, scorer: codeKey(scorer).key }),
  )
  return row => {
    if (row.revision !== null && sha256(row.revision) !== row.record_key)
      return 'record_key is not the digest of revision'
    const { score_key, answers, body } = row
    if (score_key === null || answers === null || body === null)
      return [score_key, answers, body].every(cell => cell === null) ? undefined : 'only a part of the score is there'
    const rules = keys[tasks.get(row.task) ?? -1]
    if (rules === undefined) return `the judgement has no rules for task ${JSON.stringify(row.task)}`
    JSON.parse(body)
    const record = parseDigest<'judge-record'>(row.record_key)
    return scoreKey({ answers: digests(answers), record, ...rules }) === score_key
      ? undefined
      : 'score_key is not the digest of answers, record, config and scorer'
  }
}

function digests(json: string): ReturnType<typeof parseDigest<'answer'>>[] {
  const list: unknown = JSON.parse(json)
  if (!Array.isArray(list)) throw new TypeError('answers is no list')
  return list.map(digest => parseDigest<'answer'>(String(digest)))
}
